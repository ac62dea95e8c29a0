// Applies the limits of a configuration to this process.

import type { Config } from '../config/settings.ts'
import { clientLimits, programLimits, protocolLimits, relayLimits, serverLimits, setLimits } from '../limits.ts'

export function applyLimits({ limits }: Config): void {
  setLimits(protocolLimits, {
    messageBytes: limits.message_size,
    messageDepth: limits.message_depth,
  })
  setLimits(relayLimits, {
    holdMs: limits.request_hold,
    openPerCaller: limits.open_per_caller,
    openPerServer: limits.open_per_server,
    openPerTenant: limits.open_per_tenant,
    openTotal: limits.open_total,
    asksPerRound: limits.questions_per_round,
    roundsPerCall: limits.rounds_per_call,
    heldCalls: limits.held_calls,
  })
  setLimits(serverLimits, {
    openMs: limits.server_open_within,
    replyMs: limits.server_reply_within,
    silentMs: limits.server_silent_within,
    connections: limits.server_connections,
    processes: limits.server_processes,
    processesTotal: limits.processes,
    idleMs: limits.server_idle,
    waitingCalls: limits.server_waiting_calls,
  })
  setLimits(clientLimits, {
    sessions: limits.sessions,
    sessionsPerCaller: limits.sessions_per_caller,
    streamsPerCaller: limits.streams_per_caller,
    unreadBytes: limits.unread_size,
    sessionIdleMs: limits.session_idle,
    keepAliveMs: limits.keep_alive,
    reconnectAfterMs: limits.reconnect_after,
  })
  setLimits(programLimits, {
    connections: limits.connections,
    requestWithinMs: limits.request_within,
    drainMs: limits.drain,
    drainNoticeMs: limits.drain_notice,
  })
}
