// The settings of messages to approvers, under `notify`.

import { choice, count, duration, text, url, type ValueKind } from './kinds.ts'
import { groupName } from './policy-settings.ts'
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
    'The format of the body. `standard`: an event in the Standard Webhooks format, for your own programs. `slack`: for Slack incoming webhooks. `teams`: for the webhooks of Teams Workflows. `ntfy`: for an ntfy server.',
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

const mailSettings = optionalGroup('Sends each message as one mail per address. Needs `notify.smtp`.', {
  to: list(mailAddress, [], 'The addresses. Each one gets its own mail.'),
  domain: optional(
    text('a domain, such as `example.com`', /^[A-Za-z0-9.-]{1,253}$/),
    'Only for people, instead of `to`: the mail goes to `<subject>@<domain>`. If the subject is already an address in this domain, the mail goes there.',
  ),
})

const smtpSettings = optionalGroup('The mail server that takes the mails.', {
  host: required(text('a host name or an address', /^[A-Za-z0-9.:-]+$/), 'The host of the mail server.'),
  port: value(count(1, 65_535), 587, 'The port of the mail server.'),
  tls: value(
    choice('starttls', 'implicit', 'none'),
    'starttls',
    'How the connection is encrypted: `starttls` (usually port 587) and `implicit` (usually port 465) both require a valid certificate. `none` is allowed only on this machine and in `notify.networks`.',
  ),
  user: optional(text('a text'), 'The user name at the mail server.'),
  password: optional(text('a text'), 'The password at the mail server, such as `${env:SMTP_PASSWORD}`.', {
    isSecret: true,
  }),
  from: required(mailAddress, 'The sender of the mails.'),
})

export const notifySettings = optionalGroup(
  'Messages to the people who may decide a question: when it is raised, before it expires, and when it has ended. A message has the title of the question and a link to it in the inbox. The link alone gives no access: the inbox requires a session. Needs the inbox.',
  {
    to: named(
      list(text('the name of a channel', channelName), [], 'The channels of this group or person.'),
      {
        pattern: new RegExp(`^(?:group|person):\\S+$|${groupName.source}`),
        words: 'a group from `groups`, `group:<name at the issuer>` or `person:<subject>`',
      },
      'Which channels notify a group or a person: `release: [chat, mail]`. A name without `group:` or `person:` is a group from the setting `groups`: its channels are notified if any of its members may decide. `person:*` applies to everyone else: people without an entry of their own, none of whose groups has one.',
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
      'Networks, such as `10.0.0.0/8`, in which webhooks may have private addresses and messages need no TLS. Other webhooks to private, loopback and link-local addresses are refused, also if a public name leads there.',
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

/** The secrets of these settings. A webhook's address is one: everybody who has it can post there. */
export function notifySecrets(notify: NotifySettings | undefined): string[] {
  if (notify === undefined) return []
  const ofChannels = Object.values(notify.channels).flatMap(({ webhook }) =>
    webhook === undefined ? [] : [webhook.url.href, webhook.secret, webhook.token],
  )
  return [...ofChannels, notify.smtp?.password].filter((secret) => secret !== undefined)
}
