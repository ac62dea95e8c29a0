// `assent run` in a real terminal, and what it refuses without one.

import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { aRawServer, complete } from '../../packages/gateway/src/contract/wire.suite.ts'
import { exitCodes } from '../../packages/gateway/src/program/exit-codes.ts'
import { runCommandLine } from '../../packages/gateway/src/program/program.ts'
import { openTmux } from '../../packages/sdk/src/terminal/tmux.suite.ts'
import { removeFolder } from '../../test-kit/remove-folder.ts'

const folder = mkdtempSync(join(tmpdir(), 'assent-run-'))
afterAll(() => removeFolder(folder))

const program = fileURLToPath(new URL('../../packages/gateway/src/program/main.ts', import.meta.url))
const server = fileURLToPath(new URL('../../examples/readme/server.ts', import.meta.url))
const timeout = 300_000

function write(name: string, text: string): string {
  const file = join(folder, name)
  writeFileSync(file, text)
  return file
}

const methods = write(
  'greet.mjs',
  `export default class Greetings {
  async *greet({ greeting = 'Hello' }) {
    const name = yield { ask: 'text', message: 'Name?' }
    return greeting + ', ' + name + '!'
  }
}`,
)
const several = write(
  'several.mjs',
  `export async function plain({ ask }) { return ask.text('Plain?') }
export function* generator(given) { return given.x + (yield { ask: 'number', message: 'Number?' }) }
export const silent = async () => ({ done: true })`,
)

function run(...args: string[]) {
  return runAt({}, ...args)
}

async function runAt(screens: { isOutTerminal?: boolean; isErrTerminal?: boolean }, ...args: string[]) {
  const lines: string[] = []
  const write = (line: string) => void lines.push(line)
  const terminal = { out: write, err: write, variables: {}, isOutColoured: false, isErrColoured: false, ...screens }
  return { code: await runCommandLine(['run', ...args], terminal), text: lines.join('\n') }
}

test('[RUNTOOL-1] a tool of a file asks here and prints its result', { timeout }, async () => {
  const terminal = openTmux({ file: program, args: ['run', '--args', '{"greeting":"Hi"}', methods] })
  onTestFinished(() => terminal.close())
  await terminal.sees('Name?')
  await terminal.press('Ada', 'Enter')
  await terminal.sees('Hi, Ada!')
  await terminal.sees('exit code 0')
})

test('[RUNTOOL-2] a tool of a server asks here, with the card of an approval, and a no ends it', {
  timeout,
}, async () => {
  const command = [process.execPath, '--conditions=assent-source', server]
  const args = ['run', '--tool', 'deploy', '--args', '{"env":"test"}', ...command]
  const terminal = openTmux({ file: program, args, rows: 70 })
  onTestFinished(() => terminal.close())
  const { sees, press } = terminal
  await sees('Which region?')
  await press('Down', 'Enter')
  await sees('How many replicas?')
  await press('3', 'Enter')
  await sees('asks for your approval')
  await sees('app-test-42')
  await press('n', 'Enter', 'Enter')
  await sees('exit code 1')
  expect(await terminal.screen()).not.toContain('Deployed')
})

test('[RUNTOOL-1] without a terminal no question is answered', async () => {
  const { code, text } = await run(methods)
  expect(code).toBe(exitCodes.problem)
  expect(text).toContain('No person could be asked "Name?"')
})

test('[RUNTOOL-2] without a terminal a question of a server ends the call', async () => {
  const command = [process.execPath, '--conditions=assent-source', server]
  // Its only tool need not be named.
  const { code, text } = await run('--args', '{"env":"test"}', ...command)
  expect(code).toBe(exitCodes.problem)
  expect(text).toContain('No person could be asked "Which region?"')
})

test('[RUNTOOL-3] a part of the name of a tool is not its name', async () => {
  const { code, text } = await run('--tool', 'loy', process.execPath, '--conditions=assent-source', server)
  expect(code).toBe(exitCodes.cannotRun)
  expect(text).toContain('The server has no tool "loy". It has: deploy.')
})

test('[RUNTOOL-1] a tool that asks nothing needs no terminal, and a plain result is shown as JSON', async () => {
  const { code, text } = await run('--tool', 'silent', several)
  expect({ code, text }).toEqual({ code: exitCodes.ok, text: '{\n  "done": true\n}' })
})

const hostile = write(
  'hostile.mjs',
  `const escape = '\\u001b[2J\\u202eevil'
export const result = async () => 'one\\ntwo ' + escape
export const failing = async () => ({ isError: true, content: [{ type: 'text', text: 'no ' + escape }] })`,
)

test('[RUNTOOL-4] a result cannot move the cursor of a terminal or disguise text, and a program gets it unchanged', async () => {
  const [result, failing] = [
    ['--tool', 'result', hostile],
    ['--tool', 'failing', hostile],
  ]

  expect((await runAt({ isOutTerminal: true }, ...result)).text).toBe('one\ntwo ⟨U+001B⟩[2J⟨U+202E⟩evil')
  expect((await runAt({ isErrTerminal: true }, ...failing)).text).toBe('no ⟨U+001B⟩[2J⟨U+202E⟩evil')
  expect((await run(...result)).text).toBe('one\ntwo \u001b[2J\u202eevil')
})

test('[RUNTOOL-4] the names and errors of a server are printed with escapes', async () => {
  const { url } = await aRawServer(({ method }) =>
    method === 'tools/list'
      ? { result: { ...complete.result, tools: [{ name: 'one\u001b[2J' }, { name: 'two' }] } }
      : { error: { code: -32_000, message: 'broken\u001b[2J' } },
  )

  expect((await run(url)).text).toContain('The server has: one⟨U+001B⟩[2J, two.')
  expect((await run('--tool', 'two', url)).text).toBe('error broken⟨U+001B⟩[2J')
})

test.each([
  ['several tools and none chosen', [several], 'Choose one with --tool: generator, plain, silent.'],
  ['an unknown tool', ['--tool', 'x', several], 'has no tool "x"'],
  ['arguments that are not an object', ['--args', '[1]', methods], '--args takes a JSON object'],
  [
    'a file without tools',
    [write('none.mjs', 'export const a = 1')],
    'exports no tool. If it is a server, run it with',
  ],
  ['a server that does not start', [join(folder, 'missing-program')], 'The server missing-program cannot'],
] as const)('[RUNTOOL-3] %s is refused with a reason', async (_, args, reason) => {
  const { code, text } = await run(...args)
  expect(code).toBe(exitCodes.cannotRun)
  expect(text).toContain(reason)
})
