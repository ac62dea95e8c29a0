import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { listening } from '../../../../test-kit/close-after-test.ts'
import { aFolder, assent, assentHere, startAssent } from './process.suite.ts'
import { mayColour } from './terminal.ts'

const oneServer = 'servers: { files: { command: my-server } }\n'
const colourCode = '\u001b['

test('[PROG-6] help shows a configuration, the commands, and the exit codes', async () => {
  const { code, out, err } = await assent(['--help'])

  expect({ code, err }).toEqual({ code: 0, err: '' })
  for (const words of [
    'With a coding agent',
    'assent servers',
    'assent.yaml',
    'config check',
    '127.0.0.1:7420/mcp',
    'Exit codes',
  ]) {
    expect(out).toContain(words)
  }
  expect(out).not.toContain(colourCode)
})

test('[PROG-6] a command whose reader closes the pipe ends without an error, as in `assent --help | head -1`', async () => {
  const { child, ended } = startAssent(['--help'])
  child.stdout?.destroy()

  expect(await ended).toMatchObject({ code: 0, err: '' })
})

test('[PROG-6] --version and -v print the package version', async () => {
  const { default: manifest } = await import('../../package.json', { with: { type: 'json' } })

  for (const option of ['--version', '-v']) expect((await assent([option])).out.trim()).toBe(manifest.version)
})

test.each([
  [[], 'Usage: assent'],
  [['gatway'], 'Did you mean gateway?'],
  [['gateway', '--config', 'a', '--studio'], 'Did you mean --stdio?'],
  [['config', 'check', 'a', 'b'], 'too many arguments'],
])('[PROG-6] the invalid command line %j is explained, and the exit code is 2', async (words, expected) => {
  const { code, out, err } = await assentHere(words)

  expect({ code, out }).toEqual({ code: 2, out: '' })
  expect(err).toContain(expected)
})

test('[PROG-6] the check exits with 0 for a valid configuration, and with 1 for an invalid one', async () => {
  const folder = await aFolder({ 'good.yaml': oneServer, 'bad.yaml': `${oneServer}asks: { wiat: 1m }\n` })

  const [good, bad, none] = await Promise.all(
    ['good.yaml', 'bad.yaml', ''].map((file) => assent(['config', 'check', file].filter(Boolean), { folder })),
  )

  expect(good).toEqual({ code: 0, out: 'ok good.yaml: the server files, no problems.\n', err: '' })
  expect(bad).toEqual({
    code: 1,
    out: '',
    err: 'error bad.yaml:2:9: Unknown setting `asks.wiat`. Did you mean `wait`?\n1 problem in bad.yaml.\n',
  })
  expect(none).toEqual({ code: 1, out: '', err: 'error assent.yaml: the file does not exist.\n' })
})

test('[PROG-6] names in a configuration cannot move the cursor or disguise text', async () => {
  const file = join(await aFolder({ 'a.yaml': `${oneServer}"li\\u001b[2Jsten\\u202e": 1\n` }), 'a.yaml')

  const { code, err } = await assentHere(['config', 'check', file])

  expect(code).toBe(1)
  expect(err).toContain('Unknown setting `li⟨U+001B⟩[2Jsten⟨U+202E⟩`')
})

test('[PROG-6] --json prints problems with lines and columns', async () => {
  const file = join(await aFolder({ 'a.yaml': `${oneServer}asks: { wiat: 1m }\n` }), 'a.yaml')

  const { code, out } = await assentHere(['config', 'check', file, '--json'])

  expect(code).toBe(1)
  expect(JSON.parse(out)).toEqual({
    ok: false,
    file,
    problems: [{ path: 'asks.wiat', words: 'Unknown setting', suggestion: 'Did you mean `wait`?', line: 2, column: 9 }],
    warnings: [],
  })
})

test('[PROG-6] the schema and a new key are printed on standard output', async () => {
  const [schema, key, other] = await Promise.all(
    [['schema'], ['key'], ['key']].map((words) => assentHere(['config', ...words])),
  )

  expect(JSON.parse(schema?.out ?? '')).toMatchObject({ title: 'Configuration of the Assent gateway' })
  expect(Buffer.from(key?.out ?? '', 'base64')).toHaveLength(32)
  expect(key?.out).not.toBe(other?.out)
})

test.each([
  [true, {}, true],
  [false, {}, false],
  [undefined, {}, false],
  [true, { NO_COLOR: '1' }, false],
  [true, { NO_COLOR: '' }, true],
  [true, { TERM: 'dumb' }, false],
])('[PROG-6] on a terminal: %s, with %j, colours are used: %s', (isTerminal, variables, expected) => {
  expect(mayColour(isTerminal, variables)).toBe(expected)
})

test('[PROG-11] with an invalid configuration nothing is started, and the exit code is 1', async () => {
  const folder = await aFolder({ 'a.yaml': 'listen: 0.0.0.0:7420\nservers: { a: { command: b } }' })

  const { code, err } = await assentHere(['gateway', '--config', join(folder, 'a.yaml')])

  expect(code).toBe(1)
  expect(err).toContain('Add identity, or listen on 127.0.0.1.')
})

test.each(['gateway', 'servers'])('[PROG-11] without a configuration `assent %s` names the fix', async (command) => {
  const folder = await aFolder()

  const { code, out, err } = await assent([command], { folder })

  expect({ code, out }).toEqual({ code: 1, out: '' })
  expect(err).toContain(`There is no assent.yaml in ${folder}.`)
  expect(err).toContain('--config')
  expect(err).toContain('servers:')
})

test('[PROG-11] a port that is in use is explained, and the exit code is 3', async () => {
  const taken = createServer()
  await listening(taken)
  const { port } = taken.address() as AddressInfo
  const folder = await aFolder({ 'a.yaml': `listen: 127.0.0.1:${port}\nstore: sqlite:a.db\n${oneServer}` })

  const { code, err } = await assent(['gateway', '--config', 'a.yaml'], { folder })

  expect(code).toBe(3)
  expect(err).toContain(`127.0.0.1:${port} is taken by another program.`)
})

test('[PROG-11] an unreachable store is explained without its password, and the exit code is 3', async () => {
  const store = 'postgres://assent:sw0rdfish@127.0.0.1:1/assent'
  const key = Buffer.alloc(32, 1).toString('base64')
  const folder = await aFolder({ 'a.yaml': `store: "${store}"\nkeys: { k1: "${key}" }\n${oneServer}` })

  const { code, err } = await assent(['gateway', '--config', 'a.yaml'], { folder })

  expect(code).toBe(3)
  expect(err).toContain('PostgreSQL cannot be reached')
  expect(err).not.toContain('sw0rdfish')
})
