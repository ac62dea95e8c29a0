import { expect, test } from 'vitest'
import { problemText } from './problem.ts'
import { bare, configOf, mistakes } from './read-config.suite.ts'
import { readConfig } from './read-config.ts'

test('[SERVER-8] the settings of a server are read, and their defaults have no effect', () => {
  const { servers } = configOf(`asks: { surfaces: [client, inbox] }
servers:
  deploy:
    url: http://localhost:1/mcp
    tools: { allow: ["read_*"], deny: ["*_debug"], rename: { read_all: everything } }
    prefix: d
    timeouts: { start: 5s, reply: 2m, silent: 1h }
    surfaces: [inbox]
    forward_headers: [X-Team]
  bare: { command: my-server, prefix: false }
  plain: { command: my-server }`)

  expect(servers.deploy).toMatchObject({
    tools: { allow: ['read_*'], deny: ['*_debug'], rename: { read_all: 'everything' } },
    prefix: 'd',
    timeouts: { start: 5_000, reply: 120_000, silent: 3_600_000 },
    surfaces: ['inbox'],
    forward_headers: ['X-Team'],
  })
  expect(servers.bare?.prefix).toBe(false)
  expect(servers.plain).toMatchObject({
    tools: { allow: ['*'], deny: [], rename: {} },
    prefix: undefined,
    timeouts: { start: undefined, reply: undefined, silent: undefined },
    surfaces: [],
    forward_headers: [],
  })
})

test.each([
  [
    'a: { command: x, tools: { rename: { one: same, two: same } } }',
    'a.tools.rename.two gives the tool the same name as one',
  ],
  ['a: { command: x, tools: { deny: ["o*"], rename: { one: two } } }', 'renames a tool that is not offered'],
  [
    'a: { command: x, tools: { rename: { one: "t w o" } } }',
    'must be a name of at most 128 characters, without spaces',
  ],
  ['a: { command: x, prefix: false }, b: { command: x, prefix: false }', 'b.prefix is also false for a'],
  ['a: { command: x, prefix: b }, b: { command: x }', 'a.prefix is also the prefix of the server b'],
  ['a: { command: x, prefix: c }, b: { command: x, prefix: c }', 'b.prefix is also the prefix of the server a'],
  ['a: { command: x, prefix: assent }', 'a.prefix is the prefix of the built-in tools'],
  ['a: { command: x, prefix: My_Files }', 'Did you mean my-files?'],
  ['a: { command: x, prefix: a__b }', 'a.prefix must be lower-case letters'],
  ['a: { command: x, timeouts: { start: 10 } }', 'has no unit'],
  ['a: { command: x, surfaces: [inbox] }', 'a.surfaces has inbox, which is not in asks.surfaces'],
  ['a: { command: x, surfaces: [] }', 'a.surfaces must have at least one surface'],
  ['a: { command: x, forward_headers: [X-Team] }', 'a.forward_headers has no effect without url'],
  ['a: { url: "http://localhost:1/", forward_headers: [X-Team], headers: { x-team: a } }', 'which headers sets too'],
])('[SERVER-8] servers: { %s } is refused with the reason', (servers, reason) => {
  expect(mistakes(`servers: { ${servers} }`).join('\n')).toContain(reason)
})

test.each([
  'Authorization',
  'authorization',
  'Cookie',
  'Host',
  'Proxy-Authorization',
  'Connection',
  'Transfer-Encoding',
  'Content-Length',
  'Content-Type',
  'Mcp-Session-Id',
  'MCP-Protocol-Version',
  'Last-Event-ID',
  'DPoP',
])('[SERVER-7] the header %s is never forwarded', (name) => {
  const text = `servers: { a: { url: "http://localhost:1/", forward_headers: [${name}] } }`

  expect(mistakes(text)).toEqual([expect.stringContaining(`is ${name}, which is never forwarded`)])
})

test('[SERVER-4] prefixes and names so long that tool names are shortened cause a warning, not an error', () => {
  const warnings = (text: string) => {
    const read = readConfig(text, bare)
    return read.ok ? read.warnings.map((warning) => problemText('f', warning)) : ['refused']
  }
  const long = 'a-server-with-a-very-long-name'

  expect(warnings(`servers: { ${long}: { command: x }, b: { command: x } }`)).toEqual([
    expect.stringContaining(`servers.${long} is long: tools with names of more than 32 characters get a short form`),
  ])
  expect(warnings(`servers: { ${long}: { command: x, prefix: s }, b: { command: x } }`)).toEqual([])
  expect(warnings(`servers: { ${long}: { command: x, prefix: false }, b: { command: x } }`)).toEqual([])
  // With a single server, names have no prefix.
  expect(warnings(`servers: { ${long}: { command: x } }`)).toEqual([])
  expect(
    warnings(`servers: { a: { command: x, tools: { rename: { t: ${'t'.repeat(62)} } } }, b: { command: x } }`),
  ).toEqual([expect.stringContaining('servers.a.tools.rename.t gives the tool a prefixed name of more than 64')])
})
