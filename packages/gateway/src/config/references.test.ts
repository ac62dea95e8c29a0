import { describe, expect, test } from 'vitest'
import { problemText } from './problem.ts'
import { around, configOf, key, mistakes, oneServer } from './read-config.suite.ts'
import { readConfig } from './read-config.ts'

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
