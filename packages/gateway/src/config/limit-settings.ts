// The settings of sizes, counts and timeouts, under `limits`.

import { clientLimits, programLimits, protocolLimits, relayLimits, serverLimits } from '../limits.ts'
import { count, duration, size } from './kinds.ts'
import { group, value } from './setting.ts'
import { day, hour, minute } from './units.ts'

const kib = 1_024
const mib = 1_024 * kib

export const limitSettings = group(
  'Sizes, counts and timeouts. At a limit, the gateway refuses new work. It does not drop work in progress.',
  {
    open_per_caller: value(
      count(1, 100_000),
      relayLimits.openPerCaller,
      'Open questions of one caller. Questions in the inbox, and questions of a server that waits in its call, are counted across all gateways on one store. Questions that only the client shows are counted per process. The same applies to the next three limits.',
    ),
    open_per_server: value(count(1, 1_000_000), relayLimits.openPerServer, 'Open questions of one server.'),
    open_per_tenant: value(
      count(1, 1_000_000),
      relayLimits.openPerTenant,
      'Open questions of one tenant. On PostgreSQL the limit may be exceeded by one question from each other database connection that is storing one at that moment.',
    ),
    open_total: value(
      count(1, 1_000_000),
      relayLimits.openTotal,
      'Open questions of all tenants in one store. With several gateways, more questions may be open: for each other gateway 1 % more, plus the questions that it is storing at that moment.',
    ),
    questions_per_round: value(count(1, 64), relayLimits.asksPerRound, 'Questions that one call may ask at once.'),
    rounds_per_call: value(count(1, 1_000), relayLimits.roundsPerCall, 'Rounds of questions in one call.'),
    held_calls: value(
      count(1, 1_000_000),
      relayLimits.heldCalls,
      'Calls to one 2025 server that the gateway holds open while people decide.',
    ),
    message_size: value(
      size(kib, 64 * mib),
      protocolLimits.messageBytes,
      'Size of one message in either direction, checked before parsing.',
    ),
    message_depth: value(
      count(8, 1_000),
      protocolLimits.messageDepth,
      'Nesting depth of objects and lists in a message.',
    ),
    sessions: value(count(1, 1_000_000), clientLimits.sessions, 'Sessions of 2025 clients.'),
    sessions_per_caller: value(
      count(1, 1_000_000),
      clientLimits.sessionsPerCaller,
      'Sessions of 2025 clients of one caller.',
    ),
    streams_per_caller: value(
      count(1, 1_000_000),
      clientLimits.streamsPerCaller,
      'Standalone streams for notifications of one caller.',
    ),
    unread_size: value(
      size(64 * kib, 1_024 * mib),
      clientLimits.unreadBytes,
      'Data buffered on one stream for a client that does not read; beyond it the stream is closed.',
    ),
    session_idle: value(
      duration(minute, 7 * day),
      clientLimits.sessionIdleMs,
      'A session that is idle this long ends.',
    ),
    connections: value(count(1, 1_000_000), programLimits.connections, 'Concurrent client connections.'),
    request_within: value(
      duration(1_000, 10 * minute),
      programLimits.requestWithinMs,
      'Timeout for receiving one request, headers and body.',
    ),
    request_hold: value(
      duration(100, 5 * minute),
      relayLimits.holdMs,
      'How long a request of a 2026-07-28 client waits for an answer from the inbox. After that the client is asked to retry, which it does automatically. Set it below the shortest idle timeout of the proxies in front of the gateway.',
    ),
    reconnect_after: value(
      duration(100, minute),
      clientLimits.reconnectAfterMs,
      'Reconnection delay for 2025 clients whose stream broke. The official SDKs try twice, so they reconnect to a gateway that restarts within almost twice this time.',
    ),
    keep_alive: value(
      duration(1_000, 5 * minute),
      clientLimits.keepAliveMs,
      'Interval of keep-alive comments on an idle stream, so that intermediaries do not close it.',
    ),
    server_open_within: value(
      duration(100, 10 * minute),
      serverLimits.openMs,
      'Timeout for a server to negotiate the protocol revision and to open a session.',
    ),
    server_reply_within: value(
      duration(100, hour),
      serverLimits.replyMs,
      'Timeout for requests to a 2025 server during which it cannot ask a person, such as `tools/list`.',
    ),
    server_silent_within: value(
      duration(1_000, 7 * day),
      serverLimits.silentMs,
      'Timeout of a call in which the server sends nothing: no result, no question, no progress. The caller then gets an error that says that the effect of the call is unknown.',
    ),
    server_connections: value(
      count(1, 10_000),
      serverLimits.connections,
      'Concurrent sessions of one client with a server that has `isolation: call`.',
    ),
    server_processes: value(
      count(1, 1_000),
      serverLimits.processes,
      'Concurrent processes of one client with a server that has `isolation: call` and a `command`.',
    ),
    processes: value(
      count(1, 100_000),
      serverLimits.processesTotal,
      'Concurrent processes of all servers (`command`). A client that needs another one gets an error.',
    ),
    server_idle: value(
      duration(1_000, 7 * day),
      serverLimits.idleMs,
      'The process or session of a client without sessions (2026-07-28) is stopped after this idle time.',
    ),
    server_waiting_calls: value(
      count(0, 100_000),
      serverLimits.waitingCalls,
      'Calls of one client that may wait for a session (`isolation: call`).',
    ),
    drain: value(
      duration(0, hour),
      programLimits.drainMs,
      'Maximum duration of a shutdown (SIGTERM): work that another gateway can continue is handed over, the rest may finish.',
    ),
    drain_notice: value(
      duration(0, minute),
      programLimits.drainNoticeMs,
      'With PostgreSQL: the first part of `drain`. Requests are served as before while `/readyz` returns 503, so that a load balancer stops sending requests before any is refused. At most half of `drain`. Set it to the time that the load balancer needs to notice the 503.',
    ),
  },
)
