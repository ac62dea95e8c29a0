// Every size, count and wait of the gateway, named with its unit. Refuse the new; never evict the old.

export const wireLimits = {
  /** Of one message, either way, before it is parsed. */
  messageBytes: 4_194_304,
  messageDepth: 256,
  /** Of one line of a server's standard error that is passed on. */
  stderrLineChars: 2_000,
} as const

export const relayLimits = {
  /** How long a person may take unless configured. */
  askWaitMs: 600_000,
  /** Asks that one call may have open at once. */
  asksPerRound: 16,
  roundsPerCall: 64,
  /** What a sealed state may hold beside the server's own. */
  stateTtlExtraMs: 60_000,
  /** Calls held for servers that wait inside them, in this process. */
  parkedCalls: 10_000,
  /** How long a held call is ours without another word, and how often that word is given. */
  leaseMs: 15_000,
  renewEveryMs: 5_000,
  /** What was noted of questions that only passed through is written at least this often. */
  auditEveryMs: 25,
  auditBatch: 500,
} as const

export const upstreamLimits = {
  /** To learn which revision a server speaks, and to open a session with it. */
  openMs: 30_000,
  /** Of any answer of a server to something nobody waits for a person in. */
  replyMs: 60_000,
  /**
   * Connections that one caller may have to one server at once, and calls that may wait for one; a 2025 connection
   * carries one call at a time. Where each is a process of its own there are fewer.
   */
  connections: 64,
  processes: 4,
  waitingCalls: 256,
  /** Idle connections kept for the next call, and for how long where nobody says when the caller leaves. */
  idleConnections: 4,
  idleMs: 60_000,
  restartFirstMs: 200,
  restartLastMs: 30_000,
} as const

export const downstreamLimits = {
  sessions: 10_000,
  sessionIdleMs: 1_800_000,
  keepAliveMs: 15_000,
} as const
