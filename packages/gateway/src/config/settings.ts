// Every setting of the gateway, described once: its name, kind, default and meaning.
//
// To add a setting: describe it here or in the file of its group, implement it, and run `npm run settings`.

import { askLimits, presenceSettings } from '@assent/core'
import type { PolicySettings } from '@assent/policy'
import { relayLimits } from '../limits.ts'
import { clusterSettings } from './cluster-settings.ts'
import { identitySettings } from './identity-settings.ts'
import { address, choice, duration, flag, text, url } from './kinds.ts'
import { limitSettings } from './limit-settings.ts'
import { notifySettings } from './notify-settings.ts'
import { groupSettings, policySettings } from './policy-settings.ts'
import { retentionSettings } from './retention-settings.ts'
import { serverSettings } from './server-settings.ts'
import { group, list, named, optional, required, type ValueOf, value } from './setting.ts'
import { network, sealSecret, storeAddress, wakeAddress } from './special-kinds.ts'
import { day, minute } from './units.ts'

export const settings = group('The configuration of `assent gateway`.', {
  listen: value(
    address,
    { host: '127.0.0.1', port: 7420 },
    'Where clients connect. An address other than loopback requires `identity`. Not used with `--stdio`.',
  ),
  hosts: list(
    text('a host name, without a port', /^[A-Za-z0-9.-]+$|^\[[0-9a-fA-F:]+\]$/),
    [],
    'Host names of the gateway. Requests with any other host name are refused, so that a web page cannot reach the gateway under its own host name (DNS rebinding). Loopback names and the host of `identity.audience` are always allowed.',
  ),
  origins: list(
    url({ mayBePlain: true }),
    [],
    'Web origins whose pages may use the gateway, such as `https://inspector.example.com`. If the gateway listens on loopback, pages from loopback may always use it.',
  ),
  trusted_proxies: list(
    network,
    [],
    'Networks of the reverse proxies in front of the gateway, such as `10.0.0.0/8`. For a request from one of them, Assent reads the address of the caller (`context.address` in policies) from the header `X-Forwarded-For`: the last address there that is not in these networks. Each proxy must add the address that it received the request from. From any other sender, Assent ignores the header.',
  ),
  store: value(
    storeAddress,
    { engine: 'sqlite', path: '' },
    'Where asks, held calls and the audit log are stored. Several gateways may share a PostgreSQL database; each then needs `cluster.listen`. The path of a file is relative to the configuration.',
    {
      isSecret: true,
      fallbackWords:
        '`sqlite:` in a folder of this user: `assent.db` in `$ASSENT_HOME`, else in `$XDG_STATE_HOME/assent` or the equivalent of your system',
    },
  ),
  wake: value(
    wakeAddress,
    undefined,
    'How gateways on the same database notify each other of changes: through PostgreSQL (LISTEN/NOTIFY), or through NATS, which takes this load off the database. LISTEN does not work through a connection pooler such as PgBouncer: then set this to the address of the database itself, or use NATS. If notifications fail, gateways find changes by polling every two seconds. Notifications contain names only and decide nothing. All gateways of one database need the same value.',
    { isSecret: true, fallbackWords: '`postgres`' },
  ),
  keys: named(
    required(sealSecret, 'The key.', { isSecret: true }),
    // Not only digits: JavaScript sorts such names before all others, and the first key is the one that seals.
    {
      pattern: /^(?![0-9]+$)[a-z0-9][a-z0-9_-]{0,31}$/,
      words: 'lower-case letters, digits, "-" and "_", at most 32, and not digits alone',
    },
    'The keys that seal the state that clients carry. The first key seals; every key can open. To rotate keys, add the new key last and reload all gateways (SIGHUP), one after the other. Then move it to the front and reload them again. Remove the old key after two days, or after `asks.wait` plus a day if that is longer. Required with PostgreSQL. With SQLite, Assent creates a key and stores it in a file next to the database.',
    { isSecret: true },
  ),
  cluster: clusterSettings,
  sessions: group('Sessions of clients of the 2025 revisions.', {
    resume: value(
      flag,
      true,
      'Whether a session survives a lost connection and the loss of its gateway. Its client then reconnects to any gateway and receives what it missed. With `false`, a call ends when its connection breaks, and the sessions of a gateway end with it.',
    ),
  }),
  identity: identitySettings,
  servers: named(
    serverSettings,
    {
      pattern: /^[a-z][a-z0-9-]{0,31}$/,
      words: 'lower-case letters, digits and "-", at most 32, beginning with a letter',
    },
    'The servers behind the gateway, by name. With one server, names are unchanged; with several, a tool is called `name__tool` (see `prefix`).',
  ),
  asks: group('Questions of servers to people.', {
    enabled: value(
      flag,
      true,
      'Whether servers may ask. With `false`, servers see a client that cannot be asked, and a question that they send anyway is refused with -32601.',
    ),
    wait: optional(
      duration(askLimits.decideMinMs, askLimits.useWithinMaxMs),
      'How long a person has to answer. After that the question expires, and the server gets this as the outcome. If the server has a shorter timeout, that applies. The same holds for a caller that cannot fetch the result later. By default, a question of a server that uses the Assent SDK with 2026-07-28 stays open for 24h in the inbox, because its caller can fetch the answer later. For `assent` without a configuration, this is also the timeout of its tools.',
      { fallbackWords: '`10m`' },
    ),
    surfaces: list(
      choice('client', 'inbox'),
      ['client'],
      'Where questions are shown, in order of preference. With `inbox`, the web inbox shows a question that the client cannot show, or that the client answers faster than a person can read. A client that cannot wait gets a handle, and fetches the result later.',
    ),
    unseen_after: value(
      duration(0, 10_000),
      relayLimits.unseenAfterMs,
      "An answer of a client that arrives sooner does not count as a person's. With an inbox, the question is then shown there. Without an inbox, the gateway passes an accepted form on and records it as unattended; it refuses an approval.",
    ),
    silent_after: optional(
      duration(1_000, day),
      'With an inbox: if the first of `surfaces` has not answered after this time, the question is shown on the other one too. Both stay open, and the first valid answer counts. By default only the first one is used.',
    ),
  }),
  inbox: group('The web inbox. The gateway serves it next to its endpoint.', {
    url: optional(
      url({ mayBePlain: true }),
      'The public address of the inbox, if it differs from `listen`, for example behind a proxy. An https address, or http on this machine. Required with `identity`.',
    ),
    client_id: optional(
      text('a text', /^[\x20-\x7E]+$/),
      'With `identity`: the client id of the inbox at the issuer. Register it there as a web application with the redirect address `<inbox.url>/sign-in/callback`; people then sign in with their own account.',
    ),
    client_secret: optional(
      text('a text'),
      'The client secret of the inbox at the issuer, such as `${env:INBOX_SECRET}`. Without one, the inbox is a public client, protected by PKCE only.',
      { isSecret: true },
    ),
    scopes: list(
      text('a scope', /^[\x21\x23-\x5B\x5D-\x7E]+$/),
      ['profile'],
      'Scopes that are requested in addition to `openid`. `profile` is for display names. Some issuers send groups only with `groups`.',
    ),
    undo: value(
      duration(0, minute),
      askLimits.undoMs,
      'How long the inbox holds a yes to something destructive before it sends it, so that the person can undo it. `0s` sends it at once. If less than 15 seconds are left until the deadline, it is always sent at once.',
    ),
    presence: value(
      choice(...presenceSettings),
      'none',
      'Which decisions need a passkey of the person, so that a program with their session or their shell cannot make them. `destructive`: a yes to something destructive. `approvals`: also every approval, and every question that can be answered with a yes, such as a plan, a commit or a yes/no question. `all`: also every other answer that accepts a question. A question that needs a passkey is asked in the web inbox only. Declining and dismissing never need a passkey. People without a passkey cannot accept such a question: they add one at `/passkeys` in the inbox.',
    ),
    session: optional(
      duration(5 * minute, 30 * day),
      'How long a person stays signed in. Default: `12h` with `identity`, `3d` with links.',
    ),
  }),
  desktop: group('How `assent` without a command notifies you of new questions. Not for a gateway.', {
    open: optional(
      flag,
      'Whether a new question opens the inbox in your browser if you have no page of it open, at most once in ten minutes.',
      { fallbackWords: '`true`' },
    ),
    notify: optional(
      flag,
      'Whether a new question shows a notification, with the title of the question and who asks. It uses `notify-send` on Linux, `osascript` on macOS and PowerShell on Windows.',
      { fallbackWords: '`true`' },
    ),
    quiet: optional(
      text('hours such as `22:00-07:00`', /^(?:[01]\d|2[0-3]):[0-5]\d-(?:[01]\d|2[0-3]):[0-5]\d$/),
      'Hours without notifications and without opened pages, in local time. Questions are still asked.',
    ),
  }),
  onboarding: group('The tool `onboarding` of `assent` without a command. Not for a gateway.', {
    wait: optional(
      duration(1_000, askLimits.decideMaxMs),
      'How long a person may take to answer a question of this tool. Not longer than `asks.wait`, if that is set.',
      { fallbackWords: '`asks.wait`, if that is set, else `3m`' },
    ),
    folder: optional(
      text('a path inside the repository, such as `.assent`', /^(?!\/)[^\\\p{C}]+$/u),
      'Where the tool keeps its state, backups and traces, relative to the repository. A migration can be rolled back only while this setting has the value that it had then.',
      { fallbackWords: '`.copilot-state`' },
    ),
    rollback: optional(duration(minute, 365 * day), 'How long a migration can be rolled back.', {
      fallbackWords: '`7d`',
    }),
  }),
  groups: groupSettings,
  policies: policySettings,
  record: value(
    choice('decisions', 'calls'),
    'decisions',
    'What is recorded besides questions and answers. `decisions` adds what policies decided. `calls` also adds a row for every tool call, prompt and read resource. With `calls`, a call that a policy decided runs only after its row is stored. Rows of other calls are written in groups within about 200 ms, and a crash can lose them.',
  ),
  record_arguments: value(
    flag,
    false,
    'With `record: calls`: whether the arguments of calls are recorded too, and not only their digest. Parts that look like a secret are left out. A secret in an unknown format is not recognised. Arguments of more than 16,384 characters are left out as a whole.',
  ),
  retention: retentionSettings,
  notify: notifySettings,
  limits: limitSettings,
  log: group('The log on standard error, one JSON object per line.', {
    level: value(choice('trace', 'debug', 'info', 'warn', 'error', 'silent'), 'info', 'The minimum level.'),
    servers: value(
      flag,
      false,
      'Whether the standard error of servers is logged too. It may contain anything, also answers and secrets.',
    ),
  }),
  metrics: group('Metrics for Prometheus.', {
    enabled: value(flag, true, 'Whether `/metrics` is served.'),
    listen: optional(
      address,
      'A separate address for `/metrics`, `/healthz` and `/readyz`. Without it, `/metrics` is served at `listen`, only to requests that come directly from this machine.',
    ),
  }),
})

/** Settings whose change takes effect only after a restart, besides switching the inbox or sign-in on or off. */
export const restartSettings = [
  'listen',
  'store',
  'wake',
  'cluster.listen',
  'cluster.address',
  'cluster.private_networks',
  'cluster.tls.cert',
  'cluster.tls.key',
  'cluster.tls.ca',
  'sessions.resume',
  'inbox.url',
  'metrics.listen',
  'limits.connections',
  'limits.request_within',
] as const

/** As written, before the rules between settings are checked. */
export type WrittenConfig = ValueOf<typeof settings>

export type Config = Omit<WrittenConfig, 'policies'> & {
  /** Undefined without policies. */
  readonly policies: PolicySettings | undefined
}
