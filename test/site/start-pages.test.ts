// Runs the commands of the README and the start pages with the real program, in an empty home folder. test/docs/page-commands.ts lists
// those that another test runs.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { closeAfterTest } from '../../test-kit/close-after-test.ts'
import { removeFolder } from '../../test-kit/remove-folder.ts'
import { until } from '../../test-kit/until.ts'
import { canRunHere, commandPages, commandsOf, isRunHere } from '../docs/page-commands.ts'
import { readText } from '../workspace.ts'

const program = resolve('packages/gateway/src/program/main.ts')
const withinMs = 120_000

test.each(commandPages)('[SITE-10] every command of %s runs', (page) => {
  const text = readText(page)
  const place = anEmptyPlace(text)
  for (const line of commandsOf(text).filter((one) => isRunHere(one) && canRunHere(one))) {
    const [name = '', ...words] = line.split(' ')
    const { status, output } = name === 'assent' ? run(place, words) : runInShell(place, line)
    expect(status, `${line}\n${output}`).toBe(0)
  }
})

test('[SITE-10] `npm run try` in a clone prints a link to the sample question, and ends at Ctrl+C', async () => {
  const { home } = anEmptyPlace('')
  const env = { ...variables(home), ASSENT_LISTEN: '127.0.0.1:0' }
  // A process group of its own: Ctrl+C reaches npm and the program.
  const child = spawn('npm', ['run', '--silent', 'try'], { env, detached: true, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  let out = ''
  child.stdout.on('data', (text: Buffer) => {
    out += String(text)
  })
  try {
    await until(() => (/#code=\S+/.test(out) ? true : undefined), withinMs)
  } finally {
    process.kill(-(child.pid ?? Number.NaN), 'SIGINT')
  }
  await ended
  expect(out).toMatch(/^http:\/\/\S+#code=\S+$/m)
})

/** A home with one client and a project, with the first two YAML examples of the page as its configuration, also as `other.yaml`, and its test cases. */
function anEmptyPlace(page: string): { readonly home: string; readonly project: string } {
  const root = mkdtempSync(join(tmpdir(), 'assent-start-'))
  closeAfterTest(() => removeFolder(root))
  const [home, project] = [join(root, 'home'), join(root, 'home', 'project')]
  mkdirSync(join(project, '.git'), { recursive: true })
  mkdirSync(join(home, '.cursor'))
  const [configuration, cases] = [...page.matchAll(/^```yaml\n(.*?)^```/gms)].map(([, yaml = '']) => yaml)
  if (configuration !== undefined)
    for (const name of ['assent.yaml', 'other.yaml']) writeFileSync(join(project, name), configuration)
  if (cases !== undefined) writeFileSync(join(project, 'cases.yaml'), cases)
  return { home, project }
}

/** `init` asks at a terminal; without one, the choice and the yes are options. */
function run({ home, project }: { home: string; project: string }, words: readonly string[]) {
  const isInit = words[0] === 'init'
  const namesClients = words.slice(1).some((word) => !word.startsWith('--')) || words.includes('--undo')
  const answers = isInit ? [...(namesClients ? [] : ['--all']), '--yes'] : []
  const given = answers.filter((answer) => !words.includes(answer))
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--conditions=assent-source', program, ...words, ...given],
    { cwd: project, encoding: 'utf8', env: variables(home) },
  )
  return { status, output: `${stdout}${stderr}` }
}

function runInShell({ home, project }: { home: string; project: string }, line: string) {
  const { status, stdout, stderr } = spawnSync('sh', ['-c', line], {
    cwd: project,
    encoding: 'utf8',
    env: variables(home),
  })
  return { status, output: `${stdout}${stderr}` }
}

/** Of a shell without a desktop. */
function variables(home: string): Record<string, string> {
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env
  return { HOME: home, PATH, NODE_COMPILE_CACHE, GITHUB_TOKEN: 't', NO_COLOR: '1' }
}
