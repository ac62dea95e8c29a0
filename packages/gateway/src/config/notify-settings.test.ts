import { expect, test } from 'vitest'
import { around, configOf, mistakes, oneServer } from './read-config.suite.ts'
import { redactor, secretsOf } from './redact.ts'

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

/** A configuration whose `notify` has these lines. */
function notify(...lines: string[]): string {
  return [oneServer, 'asks: { surfaces: [inbox] }', 'notify:', ...lines.map((line) => `  ${line}`)].join('\n')
}

const to = 'to: { group:ops: [chat] }'
const chat = `channels: { chat: { webhook: { url: "https://hooks.example.com/x", secret: ${secret} } } }`
const mail = 'channels: { chat: { mail: { to: [team@example.com] } } }'
const smtp = 'smtp: { host: mail.example.com, from: assent@example.com }'

test('[MESSAGE-1] channels are named once, and groups and people refer to them', () => {
  const text = notify(
    'to:',
    '  group:release-managers: [bus, managers]',
    '  person:ann: [own]',
    '  person:*: [own]',
    'remind_before: 30m',
    'networks: [10.0.0.0/8]',
    'channels:',
    '  bus: { webhook: { url: "https://bus.example.com/assent", secret: "${env:HOOK}" } }',
    '  managers: { mail: { to: [managers@example.com] } }',
    '  own: { mail: { domain: example.com } }',
    'smtp: { host: mail.example.com, user: assent, password: "${env:PASSWORD}", from: assent@example.com }',
  )
  const config = configOf(text, around({ HOOK: secret, PASSWORD: 'pass word 1' }))

  expect(config.notify).toMatchObject({
    to: { 'group:release-managers': ['bus', 'managers'], 'person:ann': ['own'], 'person:*': ['own'] },
    remind_before: 30 * 60_000,
    networks: ['10.0.0.0/8'],
    channels: {
      bus: { webhook: { url: new URL('https://bus.example.com/assent'), format: 'standard', secret }, mail: undefined },
      own: { webhook: undefined, mail: { to: [], domain: 'example.com' } },
    },
    smtp: { host: 'mail.example.com', port: 587, tls: 'starttls', password: 'pass word 1' },
  })
})

const ofGroups = (...lines: string[]) => `groups: { release: [person:ann], managers: [group:release-managers] }
${notify(...lines)}`

test('[MESSAGE-1] a recipient can be a group of groups', () => {
  expect(configOf(ofGroups('to: { release: [chat] }', chat)).notify?.to).toEqual({ release: ['chat'] })
  expect(mistakes(ofGroups('to: { relaese: [chat] }', chat))).toEqual([
    'f:5:18: notify.to.relaese names the group relaese, which is not in groups. Did you mean release?',
  ])
})

test('[MESSAGE-1] a channel with a domain is for people, and for a group that has only people', () => {
  const own = 'channels: { chat: { mail: { domain: example.com } } }'

  expect(mistakes(ofGroups('to: { release: [chat] }', own, smtp))).toEqual([])
  expect(mistakes(ofGroups('to: { managers: [chat] }', own, smtp))).toEqual([
    expect.stringContaining('managers.1 is chat, which has a domain: a group at the issuer has no address'),
  ])
})

test('[MESSAGE-1] without notify there are no messages', () => {
  expect(configOf(oneServer).notify).toBeUndefined()
})

test.each<[string, string[], RegExp]>([
  [
    'a channel that does not exist',
    ['to: { group:ops: [chta] }', chat],
    /f:4:20: notify\.to\.group:ops\.1 is chta, which is not in notify\.channels\. Did you mean chat\?/,
  ],
  [
    'a recipient that is no group',
    ['to: { ops: [chat] }', chat],
    /f:4:14: notify\.to\.ops names the group ops, which is not in groups\. Add it to groups\./,
  ],
  [
    'a recipient of no kind',
    ['to: { "team:ops": [chat] }', chat],
    /notify\.to\.team:ops is not a valid name: it must be a group from `groups`, `group:/,
  ],
  ['no recipients', [chat], /notify\.to is required/],
  [
    'a channel without recipients',
    [to, `${chat.slice(0, -2)}, other: { mail: { to: [a@b.c] } } }`, smtp],
    /notify\.channels\.other has no effect/,
  ],
  ['a channel of no kind', [to, 'channels: { chat: {} }'], /notify\.channels\.chat needs webhook or mail/],
  [
    'a channel of two kinds',
    [to, `channels: { chat: { webhook: { url: "https://a.b" , secret: ${secret} }, mail: { to: [a@b.c] } } }`, smtp],
    /has webhook and mail: only one is allowed/,
  ],
  [
    'a misspelt member',
    [to, 'channels: { chat: { webhook: { urll: "https://a.b" } } }'],
    /Unknown setting `notify\.channels\.chat\.webhook\.urll`\. Did you mean `url`\?/,
  ],
  [
    'an unknown format',
    [to, 'channels: { chat: { webhook: { url: "https://a.b", format: slck } } }'],
    /Did you mean slack\?/,
  ],
  [
    'a signed webhook without a secret',
    [to, 'channels: { chat: { webhook: { url: "https://a.b" } } }'],
    /webhook\.secret is required.*assent config key/,
  ],
  [
    'a secret that is too short',
    [to, 'channels: { chat: { webhook: { url: "https://a.b", secret: whsec_c2hvcnQ= } } }'],
    /webhook\.secret must be whsec_ and 24 to 64 random bytes/,
  ],
  [
    'a secret without its prefix',
    [to, `channels: { chat: { webhook: { url: "https://a.b", secret: ${secret.slice(6)} } } }`],
    /webhook\.secret must be whsec_/,
  ],
  [
    'a secret that is not used',
    [to, `channels: { chat: { webhook: { url: "https://a.b", format: slack, secret: ${secret} } } }`],
    /secret has no effect with format slack/,
  ],
  [
    'a token that is not used',
    [to, `channels: { chat: { webhook: { url: "https://a.b", secret: ${secret}, token: t } } }`],
    /token has no effect with format standard/,
  ],
  [
    'an ntfy address without a topic',
    [to, 'channels: { chat: { webhook: { url: "https://ntfy.example.com", format: ntfy } } }'],
    /url has no topic/,
  ],
  [
    'plain http',
    [to, `channels: { chat: { webhook: { url: "http://a.b", secret: ${secret} } } }`],
    /url must be an https address/,
  ],
  [
    'a loopback address',
    [to, `channels: { chat: { webhook: { url: "https://127.0.0.1/x", secret: ${secret} } } }`],
    /url is a private address, to which webhooks are refused/,
  ],
  [
    'a private address in another form',
    [to, `channels: { chat: { webhook: { url: "https://0x0a000001/x", secret: ${secret} } } }`],
    /url is a private address/,
  ],
  [
    'a mapped address',
    [to, `channels: { chat: { webhook: { url: "https://[::ffff:10.0.0.1]/x", secret: ${secret} } } }`],
    /url is a private address/,
  ],
  ['mail without a mail server', [to, mail], /notify\.smtp is required for mails/],
  ['a mail server without mail', [to, chat, smtp], /notify\.smtp has no effect without a channel for mail/],
  ['mail without addresses', [to, 'channels: { chat: { mail: {} } }', smtp], /mail needs to or domain/],
  [
    'a domain for a group',
    [to, 'channels: { chat: { mail: { domain: example.com } } }', smtp],
    /group:ops\.1 is chat, which has a domain: a group at the issuer has no address/,
  ],
  [
    'an address with a header in it',
    [to, 'channels: { chat: { mail: { to: ["a@b.c\\r\\nBcc: x@y.z"] } } }', smtp],
    /must be a mail address/,
  ],
  [
    'a password without a user',
    [to, mail, `${smtp.slice(0, -2)}, password: x }`],
    /notify\.smtp needs both user and password/,
  ],
  [
    'mail in the clear',
    [to, mail, `${smtp.slice(0, -2)}, tls: none }`],
    /notify\.smtp\.tls is none, but the mail server is outside/,
  ],
])('[MESSAGE-1] [PROG-1] %s is reported with its place', (_what, lines, words) => {
  expect(mistakes(notify(...lines)).join('\n')).toMatch(words)
})

test('[MESSAGE-1] messages need the inbox', () => {
  expect(mistakes(notify(to, chat).replace('[inbox]', '[client]'))).toEqual([
    expect.stringContaining('notify needs the inbox, which its links open. Add inbox to asks.surfaces.'),
  ])
})

test.each([
  [
    'http in a stated network',
    ['networks: [10.0.0.0/8]', to, `channels: { chat: { webhook: { url: "http://10.1.2.3/x", secret: ${secret} } } }`],
  ],
  [
    'http to a name with a stated network',
    ['networks: [10.0.0.0/8]', to, `channels: { chat: { webhook: { url: "http://bus.lan/x", secret: ${secret} } } }`],
  ],
  ['mail in the clear on this machine', [to, mail, 'smtp: { host: 127.0.0.1, tls: none, from: assent@example.com }']],
  [
    'an ntfy topic with a token',
    [to, 'channels: { chat: { webhook: { url: "https://ntfy.sh/ops", format: ntfy, token: tk_1 } } }'],
  ],
])('[MESSAGE-1] %s is allowed', (_what, lines) => {
  expect(mistakes(notify(...lines))).toEqual([])
})

test('[MESSAGE-1] [WATCH-4] secrets of channels are redacted, and so are the addresses of webhooks', () => {
  const url = 'https://hooks.example.com/T0/B0/s3cr3t'
  const text = notify(
    'to: { group:ops: [bus, phone, mail] }',
    `channels: { bus: { webhook: { url: "${url}", secret: ${secret} } }, phone: { webhook: { url: "https://n.example.com/topic", format: ntfy, token: tk_12345678 } }, mail: { mail: { to: [a@b.c] } } }`,
    `${smtp.slice(0, -2)}, user: u, password: hunter2222 }`,
  )
  const redact = redactor(secretsOf(configOf(text)))

  const shown = redact(`${url} ${secret} tk_12345678 hunter2222`)

  expect(shown).toBe('[secret] [secret] [secret] [secret]')
})
