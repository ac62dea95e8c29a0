import { expect, test } from 'vitest'
import { configOf, key, mistakes, oneServer } from './read-config.suite.ts'
import { readConfig } from './read-config.ts'

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
  [
    'a name that resembles no setting',
    'quux: 1',
    /f:2:1: Unknown setting `quux`\. docs\/reference\/settings\.md lists/,
  ],
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
  ['wrong quiet hours', 'desktop: { quiet: 22-7 }', /desktop\.quiet must be hours such as 22:00-07:00/],
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
  [
    'arguments of calls that are not recorded',
    'record_arguments: true',
    /record_arguments has no effect without record: calls/,
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
  ['a policy without an effect', 'policies: [{ name: x, tools: "*" }]', /policies.1 needs allow or deny or ask/],
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

test('[PROG-1] settings for the desktop and for onboarding are a warning for a gateway, and none for `assent` without a command', () => {
  const around = { variables: { ASSENT_DESKTOP_NOTIFY: 'false' }, readFile: () => ({ ok: false, reason: '' }) as const }
  const read = readConfig(oneServer, around)

  expect(read).toMatchObject({ ok: true, config: { desktop: { notify: false } } })
  expect(read.warnings).toMatchObject([{ path: 'desktop.notify', words: expect.stringContaining('has no effect') }])
  expect(readConfig(oneServer, { ...around, isStandalone: true }).warnings).toEqual([])

  const folder = { ...around, variables: { ASSENT_ONBOARDING_FOLDER: '.assent' } }
  expect(readConfig(oneServer, folder).warnings).toMatchObject([{ path: 'onboarding.folder' }])
  expect(readConfig(oneServer, { ...folder, isStandalone: true }).warnings).toEqual([])
})

test('[PRESENCE-1] a setting that needs passkeys needs the inbox on every surface', () => {
  expect(configOf(oneServer).inbox.presence).toBe('none')
  const inbox = 'inbox: { presence: approvals }'
  expect(configOf(`${oneServer}\nasks: { surfaces: [client, inbox] }\n${inbox}`).inbox.presence).toBe('approvals')
  expect(mistakes(`${oneServer}\n${inbox}`)).toEqual([
    'f:2:20: inbox.presence needs the inbox, which asks for the passkey. Add inbox to the surfaces, or set inbox.presence to none.',
  ])
  const clientOnly = 'servers: { files: { command: my-server, surfaces: [client] } }'
  expect(mistakes(`${clientOnly}\nasks: { surfaces: [client, inbox] }\n${inbox}`)).toEqual([
    expect.stringContaining('servers.files.surfaces must contain inbox'),
  ])
  expect(mistakes(`${oneServer}\ninbox: { presence: some }`)).toHaveLength(1)
})
