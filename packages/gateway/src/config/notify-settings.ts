// The settings of messages to approvers, under `notify`.

import { choice, count, duration, text, url, type ValueKind } from './kinds.ts'
import { group, list, named, optional, optionalGroup, required, type ValueOf, value } from './setting.ts'
import { network } from './special-kinds.ts'
import { day, minute } from './units.ts'

const channelName = /^[a-z][a-z0-9-]{0,31}$/
const channelWords = 'lower-case letters, digits and "-", at most 32, beginning with a letter'
// Without spaces, quotes and brackets: an address is written into the header of a mail.
const mailAddress = text(
  'a mail address, such as `team@example.com`',
  /^[^\s<>()[\],;:"\\@]{1,64}@[A-Za-z0-9.-]{1,253}$/,
)

/** Key bytes of a Standard Webhooks secret. */
const secretBytes = { least: 24, most: 64 }

const webhookSecret: ValueKind<string> = {
  words: '`whsec_` and 24 to 64 random bytes in base64',
  schema: { type: 'string', minLength: 1 },
  read: (raw) => {
    const problem = 'must be whsec_ and 24 to 64 random bytes in base64'
    const suggestion = 'Write whsec_ and then what this command prints: assent config key'
    const [, base64] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(String(raw)) ?? []
    const bytes = base64 === undefined ? 0 : Buffer.from(base64, 'base64').length
    if (bytes < secretBytes.least || bytes > secretBytes.most) return { ok: false, problem, suggestion }
    return { ok: true, value: String(raw) }
  },
  show: () => '…',
}

const webhookSettings = optionalGroup('An HTTP request (POST) for each message.', {
  url: required(
    url({ mayBePlain: true }),
    'The address that gets the messages. An https address, or http in one of `notify.networks`. For `ntfy` it ends with the topic, such as `https://ntfy.example.com/approvals`.',
    { isSecret: true },
  ),
  format: value(
    choice('standard', 'slack', 'teams', 'ntfy'),
    'standard',
    'The body: `standard` is an event in the Standard Webhooks format for your own programs; `slack` is for Slack incoming webhooks, `teams` for the webhooks of Teams Workflows, `ntfy` for an ntfy server.',
  ),
  secret: optional(webhookSecret, 'Signs each request. Required with `standard`, and not used by the other formats.', {
    isSecret: true,
  }),
  token: optional(
    text('a text without spaces', /^[\x21-\x7e]{1,1024}$/),
    'Only for `ntfy`: the access token, if the topic is protected.',
    { isSecret: true },
  ),
})

const mailSettings = optionalGroup('A mail for each message and address. Needs `notify.smtp`.', {
  to: list(mailAddress, [], 'The addresses. Each one gets its own mail.'),
  domain: optional(
    text('a domain, such as `example.com`', /^[A-Za-z0-9.-]{1,253}$/),
    'Only for people, instead of `to`: the mail goes to `<subject>@<domain>`. A subject that is an address in this domain already is used as it is.',
  ),
})

const smtpSettings = optionalGroup('The mail server that takes the mails.', {
  host: required(text('a host name or an address', /^[A-Za-z0-9.:-]+$/), 'The host of the mail server.'),
  port: value(count(1, 65_535), 587, 'Its port.'),
  tls: value(
    choice('starttls', 'implicit', 'none'),
    'starttls',
    'How the connection is encrypted: `starttls` (usually port 587) and `implicit` (usually port 465) both require a valid certificate. `none` is allowed only on this machine and in `notify.networks`.',
  ),
  user: optional(text('a text'), 'The user name at the mail server.'),
  password: optional(text('a text'), 'Its password, such as `${env:SMTP_PASSWORD}`.', { isSecret: true }),
  from: required(mailAddress, 'The sender of the mails.'),
})

export const notifySettings = optionalGroup(
  'Messages to the people who may decide a question: when it is raised, before it expires, and when it has ended. A message has the title of the question and a link to it in the inbox. The link carries no authority: the inbox requires a session. Needs the inbox.',
  {
    to: named(
      list(text('the name of a channel', channelName), [], 'The channels of this group or person.'),
      { pattern: /^(?:group|person):\S+$/, words: '`group:<name at the issuer>` or `person:<subject>`' },
      'Which channels notify a group or a person: `group:release-managers: [chat, mail]`. `person:*` applies to every person who has no entry.',
    ),
    channels: named(
      group('One channel: `webhook` or `mail`.', { webhook: webhookSettings, mail: mailSettings }, ['webhook', 'mail']),
      { pattern: channelName, words: channelWords },
      'The channels, by name.',
    ),
    remind_before: value(
      duration(0, 7 * day),
      10 * minute,
      'How long before a question expires its approvers are reminded. No reminder is sent in the first half of the time that they have. `0s` sends none.',
    ),
    networks: list(
      network,
      [],
      'Networks in which webhooks may be sent to private addresses, and messages without TLS, such as `10.0.0.0/8`. Without an entry here, webhooks to private, loopback and link-local addresses are refused, also if a public name leads there.',
    ),
    smtp: smtpSettings,
  },
)

export type NotifySettings = NonNullable<ValueOf<typeof notifySettings>>
export type ChannelSettings = NotifySettings['channels'][string]
export type WebhookSettings = NonNullable<ChannelSettings['webhook']>
export type SmtpSettings = NonNullable<NotifySettings['smtp']>

/** The topic of an ntfy address and the address to publish to; undefined if it has no topic. */
export function ntfyTopic(address: URL): { readonly root: URL; readonly topic: string } | undefined {
  const [, before = '', topic] = /^(.*\/)([A-Za-z0-9_-]{1,64})\/?$/.exec(address.pathname) ?? []
  return topic === undefined ? undefined : { root: new URL(before, address), topic }
}

/** The secrets of these settings. A webhook's address is one: whoever has it can post there. */
export function notifySecrets(notify: NotifySettings | undefined): string[] {
  if (notify === undefined) return []
  const ofChannels = Object.values(notify.channels).flatMap(({ webhook }) =>
    webhook === undefined ? [] : [webhook.url.href, webhook.secret, webhook.token],
  )
  return [...ofChannels, notify.smtp?.password].filter((secret) => secret !== undefined)
}
