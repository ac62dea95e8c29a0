// The playground as its users start it: `assent play` for one server, and a real browser.
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { playLimits } from '../../packages/gateway/src/inbox/limits.ts'
import { builtWebApp } from '../../scripts/inbox/web-app.ts'
import { SigningBrowser } from '../../test-kit/gateway/signing-browser.ts'
import { violations } from './page-check.ts'
import { ann, testEnv, waitUntilActive, waitUntilLive } from './test-env.ts'

const env = testEnv({ hasOutages: true })
const source = '--conditions=assent-source'
const main = fileURLToPath(new URL('../../packages/gateway/src/program/main.ts', import.meta.url))
const example = (name: string) => fileURLToPath(new URL(`../../examples/${name}.ts`, import.meta.url))
const older = fileURLToPath(new URL('../../packages/gateway/src/contract/stdio-server.suite.ts', import.meta.url))
const loginServer = fileURLToPath(new URL('../secrets/secretive-server.ts', import.meta.url))

test('[PLAY-1] [PLAY-2] a tool is run from a form, its questions are answered on the same page, and the result is shown', async () => {
  const { page } = await env.visitLink(await playing(process.execPath, source, example('deploy')))
  await page.getByRole('heading', { name: 'deploy', exact: true }).waitFor()
  expect(await page.locator('.claim').textContent()).toContain('Not checked by Assent')
  expect(await violations(page), 'the tool').toEqual([])
  await page.getByRole('radio', { name: 'production' }).check()
  // As the card of the question calls the argument.
  await page.getByRole('radiogroup', { name: 'env', exact: true }).waitFor()
  await page.getByRole('button', { name: 'Run' }).click()

  const card = page.locator('.run-question')
  await card.getByRole('button', { name: 'Europe' }).waitFor()
  expect(await page.getByRole('button', { name: 'Running…' }).isDisabled()).toBe(true)
  await waitUntilActive(page)
  expect(await violations(page), 'a question').toEqual([])
  await card.getByRole('button', { name: 'Europe' }).click()
  await card.getByRole('button', { name: /^Use the suggestion/ }).click()
  await waitUntilActive(page)
  await card.getByRole('button', { name: 'Answer' }).click()
  await card.getByRole('button', { name: 'No', exact: true }).waitFor()
  await waitUntilActive(page)
  await card.getByRole('button', { name: 'No', exact: true }).click()
  await card.getByRole('heading', { name: 'Deploy to production' }).waitFor()
  await waitUntilActive(page)
  await card.getByRole('button', { name: 'Approve' }).click()

  await page.getByText('Deployed app-production-42-eu-2.').first().waitFor()
  expect(await page.locator('.run-head').textContent()).toContain('Done')
  expect(await violations(page), 'the result').toEqual([])
})

test('[PLAY-1] a server at a URL works, a list argument can be entered as lines or as JSON, and a declined run is shown as an error', async () => {
  const server = spawn(process.execPath, [source, example('delete-artifacts'), '--http'])
  onTestFinished(() => void server.kill())
  const url = await said(server, 'stderr', /http:\S+/)
  const { page } = await env.visitLink(await playing(url))
  await page.getByLabel('names').fill('demo-1\nold-mix')
  await page.getByRole('button', { name: 'Edit as JSON' }).click()
  const written = page.getByLabel('Arguments')
  expect(JSON.parse(await written.inputValue())).toEqual({ names: ['demo-1', 'old-mix'] })
  await written.fill('{ "names": ["a"')
  await page.getByRole('button', { name: 'Run' }).click()
  await page.getByText('The arguments must be a JSON object.').waitFor()
  expect(await page.locator('.run').count()).toBe(0)
  await written.fill('{ "names": ["demo-1", "old-mix"] }')
  await page.getByRole('button', { name: 'Run' }).click()
  await page.getByRole('heading', { name: 'Delete 2 artifacts' }).waitFor()
  expect(await page.locator('.run-question .arguments').textContent()).toContain('old-mix')
  await waitUntilActive(page)
  await page.keyboard.press('n')
  await page.getByRole('heading', { name: 'The tool reported an error' }).waitFor()
})

test('[PLAY-1] a 2025-11-25 server works too, an argument that no input can express is entered as JSON, and a run can be stopped', async () => {
  const { page } = await env.visitLink(await playing(process.execPath, source, older, '2025-11-25'))
  const question = {
    mode: 'form',
    message: 'Sure?',
    requestedSchema: { type: 'object', properties: { sure: { type: 'boolean' } } },
  }
  const questions = page.getByRole('textbox', { name: 'questions' })
  await questions.fill('[{')
  await page.getByRole('button', { name: 'Run' }).click()
  await page.getByText('This is not valid JSON.').waitFor()
  expect(await page.locator('.run').count()).toBe(0)
  await questions.fill(JSON.stringify([question]))
  await page.getByRole('button', { name: 'Run' }).click()
  await page.getByRole('heading', { name: 'Sure?' }).waitFor()
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByRole('heading', { name: 'Stopped' }).waitFor()
  await page.getByRole('heading', { name: 'Sure?' }).waitFor({ state: 'detached' })
})

test.each([
  ['2026-07-28', example('with-a-secret/server'), [], 'Published 1.0.0.'],
  ['2025-11-25', loginServer, ['2025-11-25'], createHash('sha256').update('t0ken-of-the-test').digest('hex')],
])(
  '[PLAY-4] a secret for a %s server is entered on its page, and the tool continues with it',
  async (_, file, words, result) => {
    const { page } = await env.visitLink(await playing(process.execPath, source, file, ...words))
    await page.getByRole('button', { name: 'Run' }).click()
    const card = page.locator('.run-question')
    await card.getByLabel('Secret', { exact: true }).fill('t0ken-of-the-test')
    await waitUntilActive(page)
    await card.getByRole('button', { name: 'Send secret' }).click()
    await page.getByText(result).first().waitFor()
    expect(await page.locator('body').textContent()).not.toContain('t0ken-of-the-test')
  },
)

test('[PLAY-5] the questions of a run are withdrawn when it is stopped and when the page starts another run', async () => {
  const { page } = await env.visitLink(await playing(process.execPath, source, older, '2025-11-25'))
  const ask = async (message: string) => {
    const requestedSchema = { type: 'object', properties: { sure: { type: 'boolean' } } }
    await page
      .getByRole('textbox', { name: 'questions' })
      .fill(JSON.stringify([{ mode: 'form', message, requestedSchema }]))
    await page.getByRole('button', { name: 'Run' }).click()
    await page.locator('.run-question').getByRole('heading', { name: message }).waitFor()
  }
  await ask('Stopped?')
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByRole('heading', { name: 'Stopped', exact: false }).waitFor()
  await ask('Left?')
  // The run is out of view, as after a click on another tool.
  await page.getByRole('link', { name: 'History' }).click()
  await page.getByRole('link', { name: 'Stopped?' }).waitFor()
  expect(await page.getByRole('link', { name: 'Left?' }).count()).toBe(0)
  await page.getByRole('link', { name: 'Playground' }).click()
  await ask('Current?')
  await page.getByText('1 more after this one.').waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'History' }).click()
  await page.getByRole('link', { name: 'Left?' }).waitFor()
  expect(await page.getByRole('link', { name: 'Current?' }).count()).toBe(0)
})

test('[PLAY-5] a run is stopped, and its questions withdrawn, when its page has been closed for ten seconds', async () => {
  const { page } = await env.visitLink(await playing(process.execPath, source, example('deploy')))
  await page.getByRole('radio', { name: 'production' }).check()
  await page.getByRole('button', { name: 'Run' }).click()
  const question = page.locator('.run-question').getByRole('button', { name: 'Europe' })
  await question.waitFor()
  await page.waitForTimeout(playLimits.abandonedAfterMs + 2 * playLimits.abandonedCheckMs)
  expect(await question.isVisible(), 'while the page is open').toBe(true)

  const [address, context] = [page.url(), page.context()]
  await page.close()
  await new Promise((resolve) => setTimeout(resolve, playLimits.abandonedAfterMs + 2 * playLimits.abandonedCheckMs))
  const later = await context.newPage()
  await later.goto(new URL('/history', address).href)
  await later.locator('.row').first().waitFor()
  expect(await later.locator('.row').count()).toBe(1)
})

test('[PAGE-5] while the playground cannot be reached, its page stays readable and starts no run', async () => {
  const { page } = await env.visitLink(await playing(process.execPath, source, example('deploy')))
  await page.getByRole('radio', { name: 'production' }).check()
  await waitUntilLive(page)
  await page.route('**/api/**', (route) => route.abort())
  // What a lost connection causes at once, and an idle page within a while.
  await page.getByRole('link', { name: 'History' }).click()
  await page.getByText('The inbox cannot be reached.').waitFor()
  await page.getByRole('link', { name: 'Playground' }).click()
  expect(await page.getByText('cannot be reached').count()).toBe(1)
  expect(await page.getByRole('heading', { name: 'deploy', exact: true }).isVisible()).toBe(true)
  expect(await page.getByRole('button', { name: 'Run' }).isDisabled()).toBe(true)

  await page.unroute('**/api/**')
  await page.getByText('The inbox cannot be reached.').waitFor({ state: 'detached' })
  await page.getByRole('radio', { name: 'production' }).check()
  await page.getByRole('button', { name: 'Run' }).click()
  await page.locator('.run-question').getByRole('button', { name: 'Europe' }).waitFor()
})

test('[PLAY-3] a run is refused without a session, from another origin, without our header and with another body; a plain inbox has no playground', async () => {
  const link = new URL(await playing(process.execPath, source, example('set-tempo')))
  const browser = await SigningBrowser.signIn(link.href)
  const run = async (headers: Record<string, string>, body: object = { tool: 'set_tempo', arguments: { song: 'a' } }) =>
    (await browser.post('/api/play/runs', body, headers)).status

  expect(await run({ 'assent-proof': '' })).toBe(401)
  expect(await run({ origin: 'https://elsewhere.example' })).toBe(403)
  expect(await run({ 'assent-inbox': '0' })).toBe(403)
  expect(await run({ 'content-type': 'text/plain' })).toBe(403)
  expect(await run({}, { tool: 'set_tempo' })).toBe(400)
  expect(await run({}, { command: 'sh', args: ['-c', 'true'] })).toBe(400)
  expect(await run({})).toBe(200)
  expect((await fetch(`${link.origin}/api/play`)).status).toBe(401)

  const inbox = await env.inbox()
  const other = await SigningBrowser.signIn(await inbox.linkFor(ann))
  expect((await other.get('/api/play')).status).toBe(404)
})

test.each([
  [['play'], 2, 'missing required argument'],
  [['play', 'no-such-program-here'], 3, 'error'],
  [['play', 'http://127.0.0.1:1/mcp', 'more'], 3, 'takes no arguments'],
  [['play', '--port', 'x', process.execPath, '-e', '0'], 3, 'error'],
])('[PLAY-3] the command line %j fails with an error message', async (words, code, expected) => {
  const child = spawn(process.execPath, [source, main, ...words])
  onTestFinished(() => void child.kill())
  let err = ''
  child.stderr.on('data', (text) => {
    err += text
  })
  expect(await once(child, 'close')).toEqual([code, null])
  expect(err).toContain(expected)
})

/** Starts `assent play` and returns the link that it prints. */
async function playing(...words: string[]): Promise<string> {
  await builtWebApp()
  const child = spawn(process.execPath, [source, main, 'play', ...words])
  onTestFinished(async () => {
    child.kill('SIGTERM')
    if (child.exitCode === null) await once(child, 'close')
  })
  return said(child, 'stdout', /http:\S+/)
}

function said(child: ChildProcess, where: 'stdout' | 'stderr', pattern: RegExp): Promise<string> {
  let text = ''
  return new Promise((resolve, reject) => {
    child[where]?.on('data', (chunk) => {
      text += chunk
      const found = text.includes('\n') ? pattern.exec(text) : null
      if (found !== null) resolve(found[0])
    })
    child.on('close', () => reject(new Error(`The process exited before it printed ${pattern}: ${text}`)))
  })
}
