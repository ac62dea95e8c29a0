import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { listening } from '../contract/servers.suite.ts'
import { aFolder, assent, assentHere } from './process.suite.ts'
import { mayColour } from './terminal.ts'

const oneServer = 'servers: { files: { command: my-server } }\n'
const colourCode = '\u001b['

test('[PROG-6] help teaches: what to write, what to type, how it ends', async () => {
  const { code, out, err } = await assent(['--help'])

  expect({ code, err }).toEqual({ code: 0, err: '' })
  for (const words of [
    'Begin here',
    'assent servers',
    'assent.yaml',
    'config check',
    '127.0.0.1:7420/mcp',
    'It ends with',
  ]) {
    expect(out).toContain(words)
  }
  expect(out).not.toContain(colourCode)
})

test('[PROG-6] the version is the one of the package', async () => {
  const { default: manifest } = await import('../../package.json', { with: { type: 'json' } })

  expect((await assent(['--version'])).out.trim()).toBe(manifest.version)
})

test.each([
  [[], 'Usage: assent'],
  [['gatway'], 'Did you mean gateway?'],
  [['gateway', '--config', 'a', '--studio'], 'Did you mean --stdio?'],
  [['config', 'check', 'a', 'b'], 'too many arguments'],
])('[PROG-6] the command line %j is wrong: it says why and ends with 2', async (words, expected) => {
  const { code, out, err } = await assentHere(words)

  expect({ code, out }).toEqual({ code: 2, out: '' })
  expect(err).toContain(expected)
})

test('[PROG-6] a sound configuration ends the check with 0, one with mistakes with 1', async () => {
  const folder = await aFolder({ 'good.yaml': oneServer, 'bad.yaml': `${oneServer}asks: { wiat: 1m }\n` })

  const [good, bad, none] = await Promise.all(
    ['good.yaml', 'bad.yaml', ''].map((file) => assent(['config', 'check', file].filter(Boolean), { folder })),
  )

  expect(good).toEqual({ code: 0, out: 'ok good.yaml: the server files, nothing to mend.\n', err: '' })
  expect(bad).toEqual({
    code: 1,
    out: '',
    err: 'error bad.yaml:2:9: asks.wiat is no setting. Did you mean wait?\n1 to mend in bad.yaml.\n',
  })
  expect(none).toEqual({ code: 1, out: '', err: 'error assent.yaml: there is no such file.\n' })
})

test('[PROG-6] scripts get JSON, with lines and columns', async () => {
  const file = join(await aFolder({ 'a.yaml': `${oneServer}asks: { wiat: 1m }\n` }), 'a.yaml')

  const { code, out } = await assentHere(['config', 'check', file, '--json'])

  expect(code).toBe(1)
  expect(JSON.parse(out)).toEqual({
    ok: false,
    file,
    problems: [{ path: 'asks.wiat', words: 'is no setting', suggestion: 'Did you mean wait?', line: 2, column: 9 }],
    warnings: [],
  })
})

test('[PROG-6] the schema and a new key come on standard output', async () => {
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

test('[PROG-11] a configuration with a mistake starts nothing and ends with 1', async () => {
  const folder = await aFolder({ 'a.yaml': 'listen: 0.0.0.0:7420\nservers: { a: { command: b } }' })

  const { code, err } = await assentHere(['gateway', '--config', join(folder, 'a.yaml')])

  expect(code).toBe(1)
  expect(err).toContain('Add identity, or listen on 127.0.0.1.')
})

test.each(['gateway', 'servers'])('[PROG-11] without a configuration `assent %s` says what to do', async (command) => {
  const folder = await aFolder()

  const { code, out, err } = await assent([command], { folder })

  expect({ code, out }).toEqual({ code: 1, out: '' })
  expect(err).toContain(`There is no assent.yaml in ${folder}.`)
  expect(err).toContain('--config')
  expect(err).toContain('servers:')
})

test('[PROG-11] a port that is taken is told in words, and ends with 3', async () => {
  const taken = createServer()
  await listening(taken)
  const { port } = taken.address() as AddressInfo
  const folder = await aFolder({ 'a.yaml': `listen: 127.0.0.1:${port}\nstore: sqlite:a.db\n${oneServer}` })

  const { code, err } = await assent(['gateway', '--config', 'a.yaml'], { folder })

  expect(code).toBe(3)
  expect(err).toContain(`127.0.0.1:${port} is taken by another program.`)
})

test('[PROG-11] a store that cannot be reached is told in words, without its password, and ends with 3', async () => {
  const store = 'postgres://assent:sw0rdfish@127.0.0.1:1/assent'
  const key = Buffer.alloc(32, 1).toString('base64')
  const folder = await aFolder({ 'a.yaml': `store: "${store}"\nkeys: { k1: "${key}" }\n${oneServer}` })

  const { code, err } = await assent(['gateway', '--config', 'a.yaml'], { folder })

  expect(code).toBe(3)
  expect(err).toContain('PostgreSQL cannot be reached')
  expect(err).not.toContain('sw0rdfish')
})
