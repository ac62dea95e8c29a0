// Records the picture at the top of the README: an agent stops, a notification appears, one press answers, the agent continues.
//
// `npm run recording` writes docs/screens/recording.gif. Assent, the notification and the browser are real, and the
// recording is not edited: only its start and its end are cut off. The agent is a script without a model (recording/agent.ts).
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type BrowserContext, chromium } from 'playwright-core'
import { aHome } from '../packages/gateway/src/program/standalone/windows.suite.ts'
import { missingPrograms, screen, startDesktop } from './recording/desktop.ts'

const [file = 'docs/screens/recording.gif'] = process.argv.slice(2)
const mostBytes = 1_500_000
const agent = fileURLToPath(new URL('recording/agent.ts', import.meta.url))
/** Where the browser appears: the right half, below the notification. */
const browserAt = { x: 516, y: 118, width: screen.width - 532, height: screen.height - 130 } as const

/** How long a viewer needs for the card, and for the end. */
const readingMs = { card: 2_000, end: 6_500 } as const
/** What is kept of the time before the browser opens. The agent prints its first lines then. */
const keptBeforeMs = 5_000

const missing = missingPrograms()
if (missing !== undefined) {
  console.error(`recording: install these packages of Debian first: ${missing}`)
  process.exit(2)
}
const folder = mkdtempSync(join(tmpdir(), 'assent-recording-'))
const home = await aHome({ projectName: 'notes-service' })
const desktop = await startDesktop(folder)
try {
  const video = join(folder, 'screen.mkv')
  const startedAt = performance.now()
  const stop = desktop.record(video)
  const variables = { ...home.variables, ASSENT_DESKTOP_NOTIFY: 'true', ASSENT_DESKTOP_OPEN: 'true' }
  const settings = Object.entries(variables).map(([name, value]) => `${name}=${value}`)
  const look = ['-fa', 'DejaVu Sans Mono', '-fs', '14', '-bg', '#1d2125', '-fg', '#dfe1e5', '-b', '18', '+sb']
  const command = ['env', '-C', home.project, ...settings, process.execPath, '--conditions=assent-source', agent]
  desktop.run('xterm', ...look, '-geometry', '200x60+0+0', '-e', ...command)
  const link = await desktop.opened()
  const skippedMs = Math.max(0, performance.now() - startedAt - keptBeforeMs)
  const browser = await answer(link)
  await sleep(readingMs.end)
  await stop()
  await browser.close()
  toGif(video, skippedMs)
} finally {
  await desktop.close()
  await home.close()
  rmSync(folder, { recursive: true, force: true })
}

/** The person: the page that Assent opens, and one press. */
async function answer(link: string): Promise<BrowserContext> {
  const { x, y, width, height } = browserAt
  const place = [`--window-position=${x},${y}`, `--window-size=${width},${height}`, '--hide-scrollbars']
  const context = await chromium.launchPersistentContext(join(folder, 'browser'), {
    executablePath: process.env.ASSENT_TEST_CHROMIUM ?? '/usr/bin/chromium',
    headless: false,
    viewport: null,
    env: { ...process.env, ...desktop.variables },
    ignoreDefaultArgs: ['--enable-automation'],
    args: ['--no-sandbox', '--test-type', ...place, `--app=${link}`],
  })
  const [page = await context.newPage()] = context.pages()
  const yes = page.getByRole('button', { name: 'Yes', exact: true })
  await yes.waitFor()
  await sleep(readingMs.card)
  const box = await yes.boundingBox()
  const frame = await page.evaluate('({ left: screenX, top: screenY + outerHeight - innerHeight })')
  const { left, top } = frame as { left: number; top: number }
  if (box === null) throw new Error('The button is not on the screen.')
  await desktop.click(left + box.x + box.width / 2, top + box.y + box.height / 2)
  await yes.waitFor({ state: 'hidden' })
  return context
}

function toGif(video: string, skippedMs: number): void {
  const palette = 'palettegen=max_colors=128:stats_mode=full'
  const filter = `split[a][b];[a]${palette}[p];[b][p]paletteuse=dither=none:diff_mode=rectangle`
  execFileSync('ffmpeg', [
    '-loglevel',
    'error',
    '-y',
    '-ss',
    String(skippedMs / 1_000),
    '-i',
    video,
    '-vf',
    filter,
    '-loop',
    '0',
    file,
  ])
  const { size } = statSync(file)
  if (size > mostBytes) throw new Error(`${file} has ${size} bytes, more than ${mostBytes}.`)
  console.log(`recording: ${file}, ${Math.round(size / 1_000)} kB`)
}
