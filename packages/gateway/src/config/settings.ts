// Every setting of the gateway, described once: its name, kind, default and meaning.
//
// Whoever adds a setting adds it here, gives it its effect, and runs `npm run settings`. What has no effect yet is marked
// `notYet` and refused: a setting that is silently ignored is worse than an error.

import { askLimits } from '@assent/core'
import { downstreamLimits, programLimits, relayLimits, upstreamLimits, wireLimits } from '../limits.ts'
import { address, choice, count, duration, flag, size, text, url } from './kinds.ts'
import { group, list, named, notYet, optional, optionalGroup, required, type ValueOf, value } from './setting.ts'
import { issuerName, namePrefix, sealSecret, storeAddress, wakeAddress } from './special-kinds.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const kib = 1_024
const mib = 1_024 * kib

const headerName = /^[A-Za-z0-9!#$%&'*+.^_|~-]+$/
const toolPattern = text('the name of a tool, or a pattern with `*`', /^\S{1,128}$/)

const server = group(
  'One MCP server: at an address (`url`), or a program that is started (`command`).',
  {
    url: optional(
      url({ mayBePlain: true }),
      'The address of its Streamable HTTP endpoint. Use https for anything that is not on your own network.',
    ),
    headers: named(
      required(text('a text'), 'The value of the header.', { isSecret: true }),
      { pattern: headerName, words: 'the name of an HTTP header' },
      'Headers that are sent with every request to `url`: the credentials the gateway itself has there. Of what clients send to the gateway only `forward_headers` are passed on.',
      { isSecret: true },
    ),
    command: optional(
      text('the name or path of a program'),
      'The program to start. It speaks MCP on its standard input and output.',
    ),
    args: list(text('a text'), [], 'Its arguments.', { isSecret: true }),
    env: named(
      required(text('a text'), 'The value of the variable.', { isSecret: true }),
      { pattern: /^[A-Za-z_][A-Za-z0-9_]*$/, words: 'the name of an environment variable' },
      "Variables for it. It gets these, and of the gateway's own only what a program needs to start (`PATH`, `HOME` and the like) and to reach the network (proxy, certificate and npm registry settings).",
      { isSecret: true },
    ),
    cwd: optional(
      text('a folder'),
      "The folder it is started in, relative to the configuration file. The gateway's own unless given.",
    ),
    isolation: value(
      choice('session', 'call'),
      'session',
      'What a process or session of a server of the 2025 revisions is shared by: all calls of one client (`session`), or nothing, so that each call has its own (`call`). A server that keeps state between calls needs `session`.',
    ),
    processes: optional(
      count(1, 100_000),
      'Processes of this server that may run at once, for all clients. `limits.processes` counts too.',
    ),
    allow_secret_answers: value(
      flag,
      false,
      'Whether an answer from a client that looks like a secret (a private key, an access token, a card number) passes to it. Otherwise the server gets an error that says why. In the inbox and in a terminal the person is asked to confirm such an answer instead.',
    ),
    tools: group(
      'Which of its tools clients can use, and under which names. A tool that is not offered is not listed, and a call of it gets the error for an unknown tool; nothing reaches the server.',
      {
        allow: list(
          toolPattern,
          ['*'],
          "Only these tools are offered. Patterns are compared with the server's own names of its tools; `*` stands for any text.",
        ),
        deny: list(toolPattern, [], 'These tools are not offered, even if `allow` names them.'),
        rename: named(
          required(text('a name of at most 128 characters, without spaces', /^\S{1,128}$/), 'The name for clients.'),
          { pattern: /^\S{1,128}$/, words: "the server's own name of a tool" },
          "Other names for tools, by the server's own names. The inbox and the audit log show the server's own.",
        ),
      },
    ),
    prefix: optional(
      namePrefix,
      'With several servers: what stands before its names, in place of its own name (`name__tool`). `false` leaves the prefix out, at one server at most; a name of it that would then be the name of something at another server keeps the prefix. A prefixed name of a tool that is longer than 64 characters is shortened to its beginning and a digest.',
      { fallbackWords: 'the name of the server' },
    ),
    timeouts: group('How long it may take, where that is not what `limits` says for all servers.', {
      start: optional(
        duration(100, 10 * minute),
        'To say which revision it speaks, and to open a session; for a program, to start.',
        { fallbackWords: '`limits.server_open_within`' },
      ),
      reply: optional(duration(100, hour), 'To answer what cannot ask a person, such as a list.', {
        fallbackWords: '`limits.server_reply_within`',
      }),
      silent: optional(
        duration(1_000, 7 * day),
        'To give any sign of life in a call: a result, a question or progress.',
        { fallbackWords: '`limits.server_silent_within`' },
      ),
    }),
    surfaces: list(
      choice('client', 'inbox'),
      [],
      'Where its questions are put, the first choice first: some of `asks.surfaces`.',
      { fallbackWords: '`asks.surfaces`' },
    ),
    forward_headers: list(
      text('the name of an HTTP header', headerName),
      [],
      "Headers of clients' HTTP requests that are passed on to `url`. Each request to the server carries those of the client's request that it is made for. Never passed on: `Authorization`, `Cookie`, `DPoP`, `Host`, `Accept`, `Expect`, `Last-Event-ID`, `Content-*`, `Mcp-*`, `Proxy-*` and what belongs to a connection.",
    ),
    secrets: group('Whether it may ask people for passwords, keys and tokens, on a page of the inbox.', {
      allowed: value(
        flag,
        false,
        'What a person hands over is encrypted in their browser for this server alone. A server that is started finds its credential in its environment (`ASSENT_SECRETS_URL`, `ASSENT_SECRETS_TOKEN`); one at a `url` needs `token`.',
      ),
      token: optional(
        text('at least 32 letters, digits and signs', /^[\x21-\x7e]{32,1024}$/),
        'What the server at `url` proves itself with when it opens a page: the same text as its own `ASSENT_SECRETS_TOKEN`. `assent config key` makes one.',
        { isSecret: true },
      ),
    }),
  },
  ['url', 'command'],
)

export const settings = group('The configuration of `assent gateway`.', {
  listen: value(
    address,
    { host: '127.0.0.1', port: 7420 },
    'Where clients connect. Anything but a loopback address needs `identity`. Not used with `--stdio`.',
  ),
  hosts: list(
    text('a host name, without a port', /^[A-Za-z0-9.-]+$|^\[[0-9a-fA-F:]+\]$/),
    [],
    'Names under which clients reach the gateway. Requests under any other name are refused, so that a web page cannot reach it through a name of its own. Loopback names, and the host of `identity.audience`, are always among them.',
  ),
  origins: list(
    url({ mayBePlain: true }),
    [],
    'Web origins whose pages may use the gateway, such as `https://inspector.example.com`. Pages from loopback may use a gateway that listens there.',
  ),
  store: value(
    storeAddress,
    { engine: 'sqlite', path: '' },
    'Where asks, held calls and the audit are kept. Several gateways may share a PostgreSQL database. The path of a file is relative to the configuration.',
    {
      isSecret: true,
      fallbackWords:
        '`sqlite:` in a folder of yours: `assent.db` in `$ASSENT_HOME`, else `$XDG_STATE_HOME/assent` or what your system has for it',
    },
  ),
  wake: value(
    wakeAddress,
    undefined,
    'What tells the other gateways on the same database that something happened: PostgreSQL itself (LISTEN/NOTIFY), or NATS, which takes that work off the database of a large fleet. LISTEN does not work through a connection pooler such as PgBouncer: give the address of the database itself here, or use NATS, or changes are found by polling alone. It carries names only and decides nothing; when it fails, waiting goes on by looking every two seconds. All gateways of one database have the same.',
    { isSecret: true, fallbackWords: '`postgres`' },
  ),
  keys: named(
    required(sealSecret, 'The key.', { isSecret: true }),
    // Not digits alone: JavaScript sorts such names before all others, and the first key is the one that seals.
    {
      pattern: /^(?![0-9]+$)[a-z0-9][a-z0-9_-]{0,31}$/,
      words: 'lower-case letters, digits, "-" and "_", at most 32, and not digits alone',
    },
    'The keys that seal the state which travels with clients. The first seals, every key opens. To rotate without refusing anyone: add the new key last and reload all gateways (SIGHUP), one after the other; put it first, and reload them; remove the old one after two days, or `asks.wait` and a day where that is longer. Needed with PostgreSQL; with SQLite a key is made and kept in a file beside the database.',
    { isSecret: true },
  ),
  identity: optionalGroup(
    'Who may use the gateway over HTTP. With it every request needs a bearer token of this issuer, and a person is the issuer plus the subject of the token. Without it the gateway listens on loopback alone, and everyone there is one local person.',
    {
      issuer: required(
        issuerName,
        'The issuer, exactly as it calls itself. Its keys are found through its metadata (OpenID Connect Discovery or RFC 8414).',
      ),
      audience: required(
        text('a text, best the address of this endpoint', /^\S+$/),
        'What tokens must be made out for: the public address of this endpoint, such as `https://assent.example.com/mcp`.',
      ),
      resource: optional(
        url(),
        'The public address of this endpoint, where `audience` is something else. Clients are told to ask for tokens for it.',
      ),
      scopes: list(
        text('a scope', /^[\x21\x23-\x5B\x5D-\x7E]+$/),
        [],
        'Scopes that a token must have, all of them. One that lacks any is answered with 403.',
      ),
      algorithms: list(
        choice('RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'),
        ['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA', 'Ed25519'],
        'Signatures that are accepted. Shared secrets (HS256) and unsigned tokens never are.',
      ),
      token_type: value(
        choice('any', 'at+jwt'),
        'any',
        'With `at+jwt` only tokens marked as access tokens (RFC 9068) are accepted. With `any` also tokens without a type or with `JWT`. ID tokens and logout tokens never are.',
      ),
      subject_claim: value(
        text('the name of a claim', /^\S+$/),
        'sub',
        'The claim that says who a person is. Another than `sub` only where the issuer gives a person another `sub` in each client (Microsoft Entra ID: `oid`); one that can be changed or passes to somebody else, such as an email address, must not be used.',
      ),
      groups_claim: optional(
        text('the name of a claim'),
        'The claim that lists the groups of a person, such as `groups`. Without it nobody is in any group.',
      ),
      clock_tolerance: value(duration(0, 5 * minute), 30_000, 'How far the clocks of issuer and gateway may be apart.'),
      keys_fresh: value(
        duration(1_000, day),
        10 * minute,
        "How long the issuer's keys are used before they are fetched again. A key that is not known is looked for at once.",
      ),
      keys_kept: value(
        duration(1_000, 7 * day),
        hour,
        'How long they stay good while the issuer cannot be reached. After that nobody is let in.',
      ),
    },
  ),
  servers: named(
    server,
    {
      pattern: /^[a-z][a-z0-9-]{0,31}$/,
      words: 'lower-case letters, digits and "-", at most 32, beginning with a letter',
    },
    'The servers behind the gateway, by name. With one, everything passes under its own name; with several, a tool is called `name__tool` (see `prefix`).',
  ),
  asks: group('Questions that servers put to people.', {
    enabled: value(
      flag,
      true,
      'Whether servers may ask at all. With `false` they are told that the client cannot be asked, and a question that comes anyway is refused with -32601.',
    ),
    wait: optional(
      duration(askLimits.decideMinMs, askLimits.useWithinMaxMs),
      'The longest that a person may take. A shorter timeout of the asking server or of a caller that cannot come back counts instead; after it the question is closed, and its asker is told that nobody answered. Unless set, a question of a server that is written with the Assent SDK for 2026-07-28 stays open for 24h in the inbox, because its caller can come back for the answer. For `assent` without a configuration it is also the timeout of its tools.',
      { fallbackWords: '`10m`' },
    ),
    surfaces: list(
      choice('client', 'inbox'),
      ['client'],
      'Where people are asked, the first choice first. With `inbox`, what a client cannot show, or answered before anyone can have read it, is asked in the web inbox; clients that cannot wait get a handle to fetch the result with.',
    ),
    unseen_after: value(
      duration(0, 10_000),
      relayLimits.unseenAfterMs,
      "An answer of a client that arrives sooner than this is not a person's. With an inbox the question goes there. Without one a form that was accepted passes and is recorded as unattended, and an approval counts as not given.",
    ),
    silent_after: optional(
      duration(1_000, day),
      'With an inbox: when the first of `surfaces` has said nothing for so long, the other one is asked as well. Both stay open, and the first valid answer counts. Unless set, only the first is asked; with `[inbox, client]` that is the inbox alone.',
    ),
  }),
  inbox: group('The web inbox, served where clients connect.', {
    url: optional(
      url({ mayBePlain: true }),
      'Where people reach it, when that is not the address of `listen`: behind a proxy, for example. An https address, or http on this machine. Needed with `identity`.',
    ),
    client_id: optional(
      text('a text', /^[\x20-\x7E]+$/),
      'With `identity`: what the issuer calls the inbox. Register it there as a web application with the redirect address `<inbox.url>/sign-in/callback`; people then sign in with their own account.',
    ),
    client_secret: optional(
      text('a text'),
      'Its secret at the issuer, such as `${env:INBOX_SECRET}`. Without one it is a public client, which PKCE alone protects.',
      { isSecret: true },
    ),
    scopes: list(
      text('a scope', /^[\x21\x23-\x5B\x5D-\x7E]+$/),
      ['profile'],
      'What is asked of the issuer beside `openid`: `profile` for names to show; some issuers tell groups only when asked for `groups`.',
    ),
    session: optional(
      duration(5 * minute, 30 * day),
      'How long a person stays signed in. `12h` unless given with `identity`, and `3d` by link.',
    ),
  }),
  policies: notYet('There are no approval policies in this version: a question is asked when a server asks it.'),
  limits: group(
    'Sizes, counts and waits. What goes beyond a limit is refused; nothing that was let in is dropped for it.',
    {
      open_per_caller: value(
        count(1, 100_000),
        relayLimits.openPerCaller,
        'Questions that one caller may have open at once. Those that are in the store, because the inbox shows them or a server waits in its call, are counted there, for all gateways that share it; those that only the client is asked are counted in the process that asked. The same holds for the next three.',
      ),
      open_per_server: value(
        count(1, 1_000_000),
        relayLimits.openPerServer,
        'Questions of one server that may be open at once.',
      ),
      open_per_tenant: value(
        count(1, 1_000_000),
        relayLimits.openPerTenant,
        'Questions of one tenant that may be open at once.',
      ),
      open_total: value(
        count(1, 1_000_000),
        relayLimits.openTotal,
        'Questions of all tenants in one store that may be open at once. All gateways count them about once a second: by as many as the others raise meanwhile it may be passed.',
      ),
      questions_per_round: value(count(1, 64), relayLimits.asksPerRound, 'Questions that one call may put at once.'),
      rounds_per_call: value(
        count(1, 1_000),
        relayLimits.roundsPerCall,
        'How often one call may come back with questions.',
      ),
      parked_calls: value(
        count(1, 1_000_000),
        relayLimits.parkedCalls,
        'Calls to servers of the 2025 revisions that may be held for people at once, for each server.',
      ),
      message_size: value(
        size(kib, 64 * mib),
        wireLimits.messageBytes,
        'Of one message, either way, before it is parsed.',
      ),
      message_depth: value(
        count(8, 1_000),
        wireLimits.messageDepth,
        'How deep objects and lists may be nested in a message.',
      ),
      sessions: value(count(1, 1_000_000), downstreamLimits.sessions, 'Sessions of clients of the 2025 revisions.'),
      sessions_per_caller: value(count(1, 1_000_000), downstreamLimits.sessionsPerCaller, 'The same for one caller.'),
      streams_per_caller: value(
        count(1, 1_000_000),
        downstreamLimits.streamsPerCaller,
        'Streams on which one caller only listens for changes.',
      ),
      unread_size: value(
        size(64 * kib, 1_024 * mib),
        downstreamLimits.unreadBytes,
        'What may lie ready on one stream for a client that does not read; beyond it the stream is closed.',
      ),
      session_idle: value(
        duration(minute, 7 * day),
        downstreamLimits.sessionIdleMs,
        'After this long unused, a session ends.',
      ),
      connections: value(count(1, 1_000_000), programLimits.connections, 'Connections of clients at once.'),
      request_within: value(
        duration(1_000, 10 * minute),
        programLimits.requestWithinMs,
        'How long a client may take to send one request, headers and body.',
      ),
      request_hold: value(
        duration(100, 5 * minute),
        relayLimits.holdMs,
        'How long a request of a 2026-07-28 client waits for an answer from the inbox. Then the reply makes the client retry, which it does by itself. Set it below the shortest idle timeout of the proxies in front.',
      ),
      reconnect_after: value(
        duration(100, minute),
        downstreamLimits.comesBackAfterMs,
        'When a 2025 client is to come back after its stream broke. The official SDKs try twice, so a gateway that restarts within almost twice this time is found again.',
      ),
      keep_alive: value(
        duration(1_000, 5 * minute),
        downstreamLimits.keepAliveMs,
        'How often a waiting stream says that it is still there, so that nothing in between closes it.',
      ),
      server_open_within: value(
        duration(100, 10 * minute),
        upstreamLimits.openMs,
        'How long a server may take to say which revision it speaks, and to open a session.',
      ),
      server_reply_within: value(
        duration(100, hour),
        upstreamLimits.replyMs,
        'How long a server of the 2025 revisions may take to answer what cannot ask a person, such as a list.',
      ),
      server_silent_within: value(
        duration(1_000, 7 * day),
        upstreamLimits.silentMs,
        'How long a server may say nothing in a call: no result, no question, no progress. Then the call is given up, and its caller hears that nobody knows whether it did anything.',
      ),
      server_connections: value(
        count(1, 10_000),
        upstreamLimits.connections,
        'Sessions that one client may have at once with a server that has `isolation: call`.',
      ),
      server_processes: value(
        count(1, 1_000),
        upstreamLimits.processes,
        'The same where each is a process (`command`).',
      ),
      processes: value(
        count(1, 100_000),
        upstreamLimits.processesTotal,
        'Processes of all servers (`command`) that the gateway may run at once. A client that needs one more gets an error.',
      ),
      server_idle: value(
        duration(1_000, 7 * day),
        upstreamLimits.idleMs,
        'After this long unused, the process or session of a client without sessions (2026-07-28) is stopped.',
      ),
      server_waiting_calls: value(
        count(0, 100_000),
        upstreamLimits.waitingCalls,
        'Calls of one client that may wait for such a session.',
      ),
      drain: value(
        duration(0, hour),
        programLimits.drainMs,
        'How long a gateway that was told to stop (SIGTERM) takes at most: what can go on at another one is handed over, the rest may come to its end.',
      ),
      drain_notice: value(
        duration(0, minute),
        programLimits.drainNoticeMs,
        'With PostgreSQL: how long of that it serves as before while `/readyz` says 503, so that a balancer stops sending to it before anything is refused. At most half of `drain`. As long as the balancer takes to notice.',
      ),
    },
  ),
  log: group('What is written to standard error, one JSON object per line.', {
    level: value(choice('trace', 'debug', 'info', 'warn', 'error', 'silent'), 'info', 'The least that is written.'),
    servers: value(
      flag,
      false,
      'Whether what servers print to their standard error is written too. It is theirs, and may hold anything: answers and secrets as well.',
    ),
  }),
  metrics: group('Figures for Prometheus.', {
    enabled: value(flag, true, 'Whether `/metrics` is served.'),
    listen: optional(
      address,
      'A place of its own for `/metrics`, `/healthz` and `/readyz`. Without it `/metrics` is on `listen`, and answers only requests that come directly from this machine.',
    ),
  }),
})

export type Config = ValueOf<typeof settings>
export type ServerSettings = ValueOf<typeof server>
export type IdentitySettings = NonNullable<Config['identity']>
