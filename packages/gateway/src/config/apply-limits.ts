// Gives the limits of a configuration their effect.

import { downstreamLimits, programLimits, relayLimits, upstreamLimits, wireLimits } from '../limits.ts'
import type { Config } from './settings.ts'

export function applyLimits({ limits }: Config): void {
  Object.assign(wireLimits, {
    messageBytes: limits.message_size,
    messageDepth: limits.message_depth,
  } satisfies Partial<typeof wireLimits>)
  Object.assign(relayLimits, {
    holdMs: limits.request_hold,
    openPerCaller: limits.open_per_caller,
    openPerServer: limits.open_per_server,
    openPerTenant: limits.open_per_tenant,
    openTotal: limits.open_total,
    asksPerRound: limits.questions_per_round,
    roundsPerCall: limits.rounds_per_call,
    parkedCalls: limits.parked_calls,
  } satisfies Partial<typeof relayLimits>)
  Object.assign(upstreamLimits, {
    openMs: limits.server_open_within,
    replyMs: limits.server_reply_within,
    silentMs: limits.server_silent_within,
    connections: limits.server_connections,
    processes: limits.server_processes,
    processesTotal: limits.processes,
    idleMs: limits.server_idle,
    waitingCalls: limits.server_waiting_calls,
  } satisfies Partial<typeof upstreamLimits>)
  Object.assign(downstreamLimits, {
    sessions: limits.sessions,
    sessionsPerCaller: limits.sessions_per_caller,
    streamsPerCaller: limits.streams_per_caller,
    unreadBytes: limits.unread_size,
    sessionIdleMs: limits.session_idle,
    keepAliveMs: limits.keep_alive,
    comesBackAfterMs: limits.reconnect_after,
  } satisfies Partial<typeof downstreamLimits>)
  Object.assign(programLimits, {
    connections: limits.connections,
    requestWithinMs: limits.request_within,
    drainMs: limits.drain,
    drainNoticeMs: limits.drain_notice,
  } satisfies Partial<typeof programLimits>)
}
