import { describe, expect, test } from 'vitest'
import { problemText } from './problem.ts'
import { readConfig } from './read-config.ts'
import type { Surroundings } from './references.ts'

const oneServer = 'servers: { files: { command: my-server } }'
const bare: Surroundings = { variables: {}, readFile: () => ({ ok: false, reason: 'the file does not exist' }) }

function around(variables: Record<string, string>, files: Record<string, string> = {}): Surroundings {
  return {
    variables,
    readFile: (path) => {
      const text = files[path]
      return text === undefined ? { ok: false, reason: 'the file does not exist' } : { ok: true, text }
    },
  }
}

function mistakes(text: string, surroundings = bare): string[] {
  const read = readConfig(text, surroundings)
  return read.ok ? [] : read.problems.map((problem) => problemText('f', problem))
}

function configOf(text: string, surroundings = bare) {
  const read = readConfig(text, surroundings)
  if (!read.ok) throw new Error(read.problems.map((problem) => problemText('f', problem)).join('\n'))
  return read.config
}

test('[PROG-1] a file with one server is enough, and all defaults apply', () => {
  const config = configOf(oneServer)

  expect(config).toMatchObject({
    listen: { host: '127.0.0.1', port: 7420 },
    store: { engine: 'sqlite' },
    identity: undefined,
    // Unset differs from set to the default: only an explicit timeout limits callers that can retry later.
    asks: { enabled: true, wait: undefined },
    limits: { open_per_caller: 100, open_per_server: 10_000, open_per_tenant: 20_000, open_total: 100_000 },
    servers: { files: { command: 'my-server', args: [] } },
  })
})

test('[PROG-1] JSON is read like YAML', () => {
  const written = '{"listen": "[::1]:80", "servers": {"a": {"url": "http://localhost:1/mcp"}}}'

  expect(configOf(written)).toMatchObject({ listen: { host: '::1', port: 80 } })
})

test('[PROG-1] all mistakes are reported at once, in the order of the file', () => {
  const text = `listen: nowhere
asks:
  wiat: 1m
  enabled: yes
servers:
  deploy: { comand: npx }
`
  expect(mistakes(text)).toEqual([
    'f:1:9: listen must be a host and a port. Write it like 127.0.0.1:7420.',
    'f:3:3: Unknown setting `asks.wiat`. Did you mean `wait`?',
    'f:4:12: asks.enabled must be true or false. Write true.',
    'f:6:13: Unknown setting `servers.deploy.comand`. Did you mean `command`?',
  ])
})

test.each([
  ['a name from another group', 'wait: 5m', /f:2:1: Unknown setting `wait`\. Did you mean `asks\.wait`\?/],
  ['a name that resembles no setting', 'quux: 1', /f:2:1: Unknown setting `quux`\. docs\/settings\.md lists/],
  ['a name that every object has', 'constructor: 1', /Unknown setting `constructor`/],
  ['a group that is a value', 'asks: 5m', /f:2:7: asks must be a map of settings/],
  ['a value that is a group', 'listen: { a: 1 }', /listen must be a host and a port/],
  ['a list that is a value', 'hosts: example.com', /hosts must be a list\. Write \[one, two\]\./],
  ['an unknown surface', 'asks: { surfaces: [client, inbx] }', /Did you mean inbox\?/],
  [
    '`silent_after` without a second surface',
    'asks: { silent_after: 30s }',
    /asks\.silent_after has no effect without a second surface/,
  ],
  [
    'a `silent_after` longer than `wait`',
    'asks: { surfaces: [client, inbox], silent_after: 10m }',
    /asks\.silent_after must be shorter than asks\.wait/,
  ],
  ['an empty list of surfaces', 'asks: { surfaces: [] }', /asks\.surfaces must have at least one surface/],
  [
    'an inbox with identity but without a client id',
    'asks: { surfaces: [inbox] }\nidentity: { issuer: "https://a", audience: "https://b" }\ninbox: { url: "https://c" }',
    /inbox\.client_id is required with identity/,
  ],
  [
    'an inbox without an address for the issuer to redirect to',
    'asks: { surfaces: [inbox] }\nidentity: { issuer: "https://a", audience: "https://b" }\ninbox: { client_id: x }',
    /inbox\.url is required with identity/,
  ],
  [
    'sign-in over plain http',
    'asks: { surfaces: [inbox] }\nidentity: { issuer: "https://a", audience: "https://b" }\ninbox: { client_id: x, url: "http://c" }',
    /inbox\.url must be an https address/,
  ],
  [
    'links over plain http to another machine',
    'asks: { surfaces: [inbox] }\ninbox: { url: "http://c" }',
    /inbox\.url must be an https address/,
  ],
  ['a client id without an issuer', 'inbox: { client_id: x }', /inbox\.client_id has no effect without identity/],
  [
    'an audience for which the issuer also makes ID tokens',
    'identity: { issuer: "https://a", audience: "https://b" }\ninbox: { client_id: "https://b" }',
    /identity\.audience is also inbox\.client_id/,
  ],
  [
    'a client secret without a client id',
    'inbox: { client_secret: x }',
    /inbox\.client_secret has no effect without inbox\.client_id/,
  ],
  ['a policy', 'policies: {}', /policies is not supported in this version/],
  ['a misspelt store scheme', 'store: postgress://db', /Did you mean postgres:\/\/…\?/],
  ['a broker without its scheme', 'wake: broker:4222', /Did you mean nats:\/\/broker:4222\?/],
  ['a broker of another kind', 'wake: redis://broker', /wake must be postgres, postgres:.*, or nats:/],
  ['a store path without its scheme', 'store: ./a.db', /start it with sqlite:/],
  ['a fraction', 'limits: { sessions: 1.5 }', /limits\.sessions must be a whole number/],
  [
    'a shared secret as algorithm',
    'identity: { issuer: "https://a", audience: "https://b", algorithms: [HS256] }',
    /identity\.algorithms\.1 must be one of/,
  ],
  ['an identity without an audience', 'identity: { issuer: "https://a" }', /identity\.audience is required/],
  [
    'an issuer over plain http',
    'identity: { issuer: "http://a.example", audience: "https://b" }',
    /must be an https address/,
  ],
])('[PROG-1] %s is a mistake', (_what, line, expected) => {
  const found = mistakes(`${oneServer}\n${line}`)

  expect(found).toHaveLength(1)
  expect(found[0]).toMatch(expected)
})

const key = Buffer.alloc(32, 7).toString('base64')

test.each([
  ['no server', 'asks: {}', /servers is required/],
  ['neither address nor command', 'servers: { a: {} }', /servers\.a needs url or command/],
  ['url and command', 'servers: { a: { url: "http://b", command: c } }', /has url and command: only one is allowed/],
  ['headers for a command', 'servers: { a: { command: c, headers: { X: y } } }', /headers has no effect without url/],
  ['arguments for an address', 'servers: { a: { url: "http://b", args: [x] } }', /args has no effect without command/],
  ['a server name with invalid characters', 'servers: { A_B: { command: c } }', /Did you mean a-b\?/],
  ['an address with a password', 'servers: { a: { url: "http://u:p@b" } }', /must not contain a user name or password/],
  ['NATS with SQLite', `wake: nats://broker:4222\n${oneServer}`, /wake has no effect without a PostgreSQL store/],
  ['PostgreSQL without keys', `store: postgres://db/a\n${oneServer}`, /keys is required with PostgreSQL/],
  [
    'an audience that is not an address',
    `identity: { issuer: "https://a", audience: "api://b" }\n${oneServer}`,
    /identity\.resource is required/,
  ],
  [
    'a key name of digits only',
    `keys: { k1: "${key}", 2: "${key}" }\n${oneServer}`,
    /keys\.2 is not a valid name: it must be .* not digits alone/,
  ],
  ['a key of the wrong size', `keys: { k1: c2hvcnQ= }\n${oneServer}`, /keys\.k1 has 5 bytes; a key has 32/],
  [
    'metrics at the address where clients connect',
    `metrics: { listen: "127.0.0.1:7420" }\n${oneServer}`,
    /is the address where clients connect/,
  ],
])('[PROG-1] a configuration with %s is refused', (_what, text, expected) => {
  expect(mistakes(text).join('\n')).toMatch(expected)
})

test.each([
  ['a tab', 'servers:\n\ta: 1', 'f:2:1: Indent with spaces, not with tabs.'],
  ['a name given twice', '{"asks": {}, "asks": {}}', 'f:1:14: Duplicate name.'],
  ['an alias', 'a: &x 1\nb: *x', 'f:1:7: Anchors and aliases are not supported: repeat the value.'],
  ['a tag', 'a: !!binary aGk=', 'f:1:13: Tags (!) are not supported: remove it.'],
  [
    'a brace that is never closed',
    'listen: 127.0.0.1:1\nservers: { a: { command: b }\nasks: { wait: 1m }\n',
    'f:2:10: This { is never closed: a } is missing.',
  ],
  ['a bracket that is never closed', 'hosts: [a, b\n', 'f:1:8: This [ is never closed: a ] is missing.'],
  ['an open quote', 'listen: "abc', 'f:1:13: A closing quote, bracket, brace or comma is missing.'],
])('[PROG-1] %s is a mistake, reported with our own message', (_what, text, expected) => {
  expect(mistakes(text)[0]).toBe(expected)
})

test('[PROG-1] aliases that expand exponentially are refused before they are expanded', () => {
  const lines = Array.from({ length: 30 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}]`)

  expect(mistakes(`a0: &a0 x\n${lines.join('\n')}`).length).toBeGreaterThan(0)
})

describe('units', () => {
  test.each([
    ['300ms', 300],
    ['30s', 30_000],
    ['10m', 600_000],
    ['2h', 7_200_000],
    ['7d', 604_800_000],
  ])('[PROG-2] %s is a duration', (text, ms) => {
    const least = ms < 1_000 ? { setting: 'server_open_within', group: 'limits' } : { setting: 'wait', group: 'asks' }
    const config = configOf(`${oneServer}\n${least.group}: { ${least.setting}: ${text} }`)

    expect(least.group === 'asks' ? config.asks.wait : config.limits.server_open_within).toBe(ms)
  })

  test.each([
    ['10', /has no unit/],
    ['10 minutes', /Did you mean 10m\?/],
    ['10min', /Did you mean 10m\?/],
    ['1 hour', /Did you mean 1h\?/],
    ['10S', /Did you mean 10s\?/],
    ['soon', /must be a duration/],
    ['-1s', /must be a duration/],
    ['100000d', /out of range/],
    ['999999999999d', /must be a duration|out of range/],
    ['0s', /out of range/],
  ])('[PROG-2] the wait %s is refused', (text, expected) => {
    expect(mistakes(`${oneServer}\nasks: { wait: ${text} }`)[0]).toMatch(expected)
  })

  test.each([
    ['8KiB', 8_192],
    ['4MiB', 4_194_304],
    ['1024B', 1_024],
  ])('[PROG-2] %s is a size', (text, bytes) => {
    expect(configOf(`${oneServer}\nlimits: { message_size: ${text} }`).limits.message_size).toBe(bytes)
  })

  test.each([
    ['8192', /has no unit/],
    ['8kb', /Did you mean 8KiB\?/],
    ['8 M', /Did you mean 8MiB\?/],
    ['1B', /out of range/],
  ])('[PROG-2] the size %s is refused', (text, expected) => {
    expect(mistakes(`${oneServer}\nlimits: { message_size: ${text} }`)[0]).toMatch(expected)
  })
})

describe('references', () => {
  const withHeader = (value: string) => `servers: { a: { url: "http://b", headers: { Authorization: "${value}" } } }`

  test('[PROG-3] a reference is replaced by the content of its variable or file, anywhere in a string', () => {
    const text = `${withHeader('Bearer ${env:TOKEN}')}\nkeys: { k1: "\${file:k1.key}" }`
    const config = configOf(text, around({ TOKEN: 't0ken' }, { 'k1.key': `${key}\n` }))

    expect(config.servers.a?.headers).toEqual({ Authorization: 'Bearer t0ken' })
    expect(config.keys.k1).toEqual(new Uint8Array(32).fill(7))
  })

  test('[FLEET-7] keys keep the order of the file: the first one seals', () => {
    const names = ['z', '2b', 'a-1', '007x', 'k']
    const written = names.map((name) => `${name}: "${key}"`).join(', ')

    expect(Object.keys(configOf(`keys: { ${written} }\n${oneServer}`).keys)).toEqual(names)
  })

  test('[PROG-3] references in a resolved value are not resolved again, and $${ escapes a reference', () => {
    const config = configOf(withHeader('${env:A} $${env:B}'), around({ A: '${env:B}', B: 'never' }))

    expect(config.servers.a?.headers).toEqual({ Authorization: '${env:B} ${env:B}' })
  })

  test.each([
    ['${env:NOT_SET}', 'needs the environment variable NOT_SET, which is not set'],
    ['${env:EMPTY}', 'needs the environment variable EMPTY, which is empty'],
    ['${file:not/here}', 'needs the file not/here, which cannot be read: the file does not exist'],
    ['${vault:x}', 'has an unknown kind of reference'],
    ['${env:OPEN', 'has a reference that is not closed: ${ without }'],
  ])('[PROG-3] %s is an error with its location', (value, expected) => {
    const [mistake] = mistakes(withHeader(value), around({ EMPTY: '' }))

    expect(mistake).toContain(`f:1:60: servers.a.headers.Authorization ${expected}`)
  })

  test('[PROG-3] error messages do not contain the value of a reference', () => {
    const secret = 'c4nary-0123456789'
    const everywhere = `listen: "\${env:S}"
store: "\${env:S}"
hosts: ["\${env:S} "]
keys: { k1: "\${env:S}" }
asks: { wait: "\${env:S}", enabled: "\${env:S}" }
identity: { issuer: "\${env:S}", audience: "\${env:S} x", scopes: ["a \${env:S}"], algorithms: ["\${env:S}"] }
limits: { sessions: "\${env:S}", message_size: "\${env:S}" }
log: { level: "\${env:S}" }
servers: { a: { url: "\${env:S}" } }`

    const found = mistakes(everywhere, around({ S: secret }))

    expect(found.length).toBeGreaterThan(10)
    expect(found.join('\n')).not.toContain(secret)
  })
})

describe('variables', () => {
  test('[PROG-4] variables override the file, separate list items with commas, and can add an optional group', () => {
    const config = configOf(
      `${oneServer}\nasks: { wait: 1m }\nhosts: [a.example]`,
      around({
        ASSENT_ASKS_WAIT: '2m',
        ASSENT_HOSTS: 'b.example, c.example',
        ASSENT_ASKS_ENABLED: 'false',
        ASSENT_LIMITS_SESSIONS: '7',
        ASSENT_LISTEN: '',
        ASSENT_IDENTITY_ISSUER: 'https://login.example',
        ASSENT_IDENTITY_AUDIENCE: 'https://assent.example/mcp',
      }),
    )

    expect(config).toMatchObject({
      asks: { wait: 120_000, enabled: false },
      hosts: ['b.example', 'c.example'],
      limits: { sessions: 7 },
      listen: { port: 7420 },
      identity: { issuer: 'https://login.example' },
    })
  })

  test('[PROG-4] an invalid value in a variable is reported with the name of the variable', () => {
    expect(mistakes(oneServer, around({ ASSENT_ASKS_WAIT: 'soon' }))).toEqual([
      'f (variable ASSENT_ASKS_WAIT): asks.wait must be a duration from 1s to 14d, such as 10m or 300ms.',
    ])
  })

  test('[PROG-4] a variable that overrides nothing is a warning, unless the file refers to it', () => {
    const text = `servers: { a: { command: b, env: { K: "\${env:ASSENT_OWN}" } } }`
    const read = readConfig(text, around({ ASSENT_ASKS_WIAT: '1m', ASSENT_OWN: 'x' }))

    expect(read.warnings.map((warning) => problemText('f', warning))).toEqual([
      'f (variable ASSENT_ASKS_WIAT): ASSENT_ASKS_WIAT matches no setting. Did you mean ASSENT_ASKS_WAIT?',
    ])
  })
})

test.each([
  ['0.0.0.0:7420', false],
  ['192.168.1.4:7420', false],
  ['[::]:7420', false],
  ['gateway.example:7420', false],
  ['127.0.0.1:7420', true],
  ['127.8.8.8:7420', true],
  ['localhost:7420', true],
  ['[::1]:7420', true],
])('[IDENT-1] without identity, listening on %s is allowed: %s', (listen, isAllowed) => {
  const identity = 'identity: { issuer: "https://login.example", audience: "https://assent.example/mcp" }'
  const text = `listen: "${listen}"\n${oneServer}`

  expect(mistakes(text)).toHaveLength(isAllowed ? 0 : 1)
  expect(mistakes(`${text}\n${identity}`)).toEqual([])
})

test('[SECRET-12] mistakes in the settings for secrets are reported at the setting', () => {
  const token = 'k'.repeat(43)
  const inbox = 'asks: { surfaces: [inbox] }'
  const config = configOf(`${inbox}
servers:
  a: { command: my-server, secrets: { allowed: true } }
  b: { url: "http://localhost:1/mcp", secrets: { allowed: true, token: ${token} } }
  c: { command: my-server }`)
  expect(config.servers.a?.secrets).toEqual({ allowed: true, token: undefined })
  expect(config.servers.c?.secrets).toEqual({ allowed: false, token: undefined })

  expect(
    mistakes(`${inbox}
servers:
  a: { command: my-server, secrets: { allowed: true, token: ${token} } }
  b: { url: "http://localhost:1/mcp", secrets: { allowed: true } }
  c: { url: "http://localhost:1/mcp", secrets: { token: ${token} } }
  d: { url: "http://localhost:1/mcp", secrets: { allowed: true, token: short } }`),
  ).toEqual(['f:6:72: servers.d.secrets.token must be at least 32 letters, digits and signs.'])
  expect(
    mistakes(`${inbox}
servers:
  a: { command: my-server, secrets: { allowed: true, token: ${token} } }
  b: { url: "http://localhost:1/mcp", secrets: { allowed: true } }
  c: { url: "http://localhost:1/mcp", secrets: { token: ${token} } }`).map((one) => one.replace(/^f:\d+:\d+: /, '')),
  ).toEqual([
    'servers.a.secrets.token has no effect without url: a started server gets a token from the gateway. Remove it.',
    'servers.b.secrets.token is required: it identifies this server. Create one with: assent config key',
    'servers.c.secrets.token has no effect without allowed: true. Add it.',
  ])
  const both = `servers: { a: { url: "http://localhost:1/", secrets: { allowed: true, token: ${token} } }, b: { url: "http://localhost:2/", secrets: { allowed: true, token: ${token} } } }`
  expect(mistakes(`${inbox}\n${both}`)).toEqual([
    expect.stringContaining('servers.a.secrets.token is also used by another server'),
    expect.stringContaining('servers.b.secrets.token is also used by another server'),
  ])
  expect(mistakes(`${inbox}\n${both}`).join()).not.toContain(token)
  const one = 'servers: { a: { command: my-server, secrets: { allowed: true } } }'
  expect(mistakes(one)).toEqual([expect.stringContaining('needs the inbox, which serves the pages')])
  expect(mistakes(`${inbox}\ninbox: { url: "http://inbox.example.com" }\n${one}`)).toEqual([
    expect.stringContaining('inbox.url must be an https address'),
    expect.stringContaining('needs an inbox over https'),
  ])
  expect(mistakes(`${inbox}\ninbox: { url: "http://localhost:8080" }\n${one}`)).toEqual([])
})

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
