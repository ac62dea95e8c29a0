// All sizes, counts and timeouts of the gateway, named with their unit. At a limit, new work is refused; nothing is
// evicted. Those that only one folder uses, such as the inbox, are in the `limits.ts` of that folder.
//
// These are the defaults. The program sets them from its configuration before anything runs and again on a reload
// (program/apply-limits.ts): one process has one set of limits, read where each is enforced. `setLimits` is the only way
// to change them.

const values = new WeakMap<object, object>()

/** A read-only view of the limits: assigning to one throws. `setLimits` changes the values behind it. */
function configurable<Limits extends object>(defaults: Limits): Readonly<Limits> {
  const current = { ...defaults }
  const view = {}
  for (const name of Object.keys(defaults) as (keyof Limits)[]) {
    Object.defineProperty(view, name, { enumerable: true, get: () => current[name] })
  }
  values.set(view, current)
  return Object.freeze(view) as Readonly<Limits>
}

/** Changes limits for this whole process. Returns a function that restores them. */
export function setLimits<Limits extends object>(limits: Limits, changes: Partial<Limits>): () => void {
  const before = { ...limits }
  const current = values.get(limits)
  if (current === undefined) throw new TypeError('These limits cannot be changed.')
  Object.assign(current, changes)
  return () => void Object.assign(current, before)
}

export const protocolLimits = configurable({
  /** Bytes of one message, in either direction, checked before parsing. */
  messageBytes: 4_194_304,
  /** Bytes drained past that limit so that the client can read our 413, before the connection is closed. */
  passedOverBytes: 4_194_304,
  /** Characters of a message whose member names contain escapes: it needs the slower parser. */
  messageSpelledChars: 1_048_576,
  messageDepth: 256,
  /** Members, items and brackets of one message, at all levels together. Bounds the time of one parse. */
  messageParts: 40_000,
  /** Characters of one message outside its strings: digits, literals and whitespace. */
  messageLooseChars: 1_048_576,
  /** Characters of one forwarded line of a server's standard error. */
  stderrLineChars: 2_000,
})

/** The policies about calls. */
export const policyLimits = configurable({
  /** How long a server's list of tools counts as current when a call is judged. */
  definitionsMs: 60_000,
  /** A list is read again for an unknown tool, unless it is newer than this. */
  listAgainMs: 1_000,
  definitionPages: 100,
  /** Lists that are kept: one for each server and caller. */
  definitionLists: 1_000,
  /** Characters of the title of an approval. */
  titleChars: 200,
  /** How long an approval can be given, if neither the policy nor the caller limits it. */
  decideWithinMs: 86_400_000,
  /** How long owners of the policies can accept a changed tool definition. */
  acceptWithinMs: 30 * 86_400_000,
  /** When owners are asked again about a definition that they declined, or after the ask expired. */
  askOwnersAgainMs: 86_400_000,
  /** Accepted tool definitions that are kept in memory. */
  acceptedDefinitions: 50_000,
  /** Uses of approvals that a retry may repeat: after an error, or when the call was not sent. The oldest is dropped. */
  repeatableUses: 10_000,
})

/** The regular expressions in forms. */
export const patternLimits = {
  /** Instructions of one compiled pattern. A counted repeat of up to 250 characters fits. */
  instructions: 520,
  /** Instructions times characters of the longest text: bounds the cost of one check. */
  steps: 260_000,
  /** Compiled patterns in the cache. */
  remembered: 256,
} as const

/** The HTTP connections to one server. */
export const connectionLimits = {
  idle: 256,
  sweepMs: 1_000,
  /**
   * How long after a request its connection may be reused when the server sends no `Keep-Alive`. The shortest common
   * default of servers is 2 s (gunicorn); 5 s is usual.
   */
  keptMs: 1_500,
  /** With `Keep-Alive`: its timeout minus a margin for latency and load, capped at `keptMostMs`. */
  hintMarginMs: 1_000,
  keptMostMs: 30_000,
  /** After this idle time, a close that already arrived is processed before the next request is written. */
  quietMs: 50,
  /** Redirects that one request may follow. */
  redirects: 5,
} as const

export const relayLimits = configurable({
  /** Default time in which a person has to answer. */
  askWaitMs: 600_000,
  /**
   * The same for a stored question from a server that sends ask metadata, in a resumable call, if all timeouts are
   * defaults.
   */
  resumableWaitMs: 24 * 60 * 60 * 1_000,
  /**
   * Questions open at once: per caller, per server, per tenant, and in total. Stored questions are counted in the
   * store, across replicas; questions that only pass through are counted in the process that forwards them.
   */
  openPerCaller: 100,
  openPerServer: 10_000,
  openPerTenant: 20_000,
  openTotal: 100_000,
  /** Questions that one call may have open at once. */
  asksPerRound: 16,
  /** Characters of the key that a server gives its question. */
  askKeyChars: 256,
  roundsPerCall: 64,
  /** Cached short tool names, and name conflicts that are remembered as logged. */
  shortNames: 10_000,
  /** How long a sealed state stays valid after its question's deadline. */
  stateTtlExtraMs: 60_000,
  /** Held calls in this process. */
  heldCalls: 10_000,
  /** Asks looked up in the store when open questions are counted for the metrics. */
  recountedAsks: 2_000,
  /** Duration of this replica's lease, and the interval of its renewal. */
  leaseMs: 6_000,
  renewEveryMs: 2_000,
  /**
   * Extra time that a finished wait gives the store to reply, and the retry interval while the store is unavailable.
   */
  storeGraceMs: 600,
  storeRetryMs: 250,
  /** How long after a timeout a write may still arrive at the store. */
  recordSettlesMs: 30_000,
  /** Outcomes that the store could not take yet, in this process. */
  pendingOutcomes: 10_000,
  /** Running timers for clients that have not answered, in this process. */
  silentWaits: 100_000,
  /**
   * How long after a question's deadline its 2025 server gets an answer if nothing else answered it. Until then the
   * store's answer counts, however long the database took to raise the ask.
   */
  expireLaterMs: 3_000,
  /** Delay of a cancellation that follows a person's answer, so that it reaches the server after the answer. */
  cancelAfterAnswerMs: 1_000,
  /** How often the store records that a caller still waits; the inbox shows the last such time. */
  callerSeenEveryMs: 20_000,
  /** How long a retry waits before that is recorded: if the answer is there already, nothing is. */
  callerBackMs: 250,
  /** How long after a question's deadline the reply of a chained gateway is awaited. */
  chainGraceMs: 2_000,
  /** A faster answer cannot come from a person. */
  unseenAfterMs: 300,
  /** How often a question is repeated to a client whose answer does not fit. */
  asksAgain: 2,
  /** Characters of the reason that a server gets for an answer that does not fit. */
  reasonChars: 1_000,
  /**
   * How long a request waits for the inbox before its caller is asked to retry: well under the usual client timeout of
   * a minute, and long enough that ten such rounds take four minutes.
   */
  holdMs: 25_000,
  /** How often a caller is asked to retry before its call is deferred; the official client retries ten times. */
  waitsMost: 8,
  /** How long the result of a deferred call can be fetched after the ask's deadline. */
  deferredExtraMs: 24 * 60 * 60 * 1_000,
  /** How often a request looks for the outcome of a round that another request sends. */
  claimedLookMs: 100,
  /** How long a request waits for the outcome that another one stores. */
  storedMeanwhileMs: 10_000,
  /** The longest polling interval, after backoff. */
  claimedLookMostMs: 1_000,
  /** Names of destructive tools that are known of one server. */
  destructiveTools: 2_000,
  /** Characters of the stored outcome of a round; a larger one is returned once and not stored. */
  roundOutcomeChars: 1_048_576,
  /** Audit entries of questions that only pass through are written at least this often. */
  auditEveryMs: 40,
  auditBatch: 500,
  /**
   * The record of calls. How often calls are written that no policy decided, and how long after a failure; calls in one
   * statement; calls that wait to be written, and characters of all of them; calls that wait before they run.
   */
  recordEveryMs: 100,
  recordRetryMs: 1_000,
  recordGroup: 500,
  recordRows: 10_000,
  recordChars: 16_777_216,
  recordCommits: 10_000,
  /** Characters of the recorded arguments of one call; longer ones are left out. */
  recordArgumentChars: 16_384,
  /** How long after the start the screening patterns are compiled, where the first response must be fast. */
  warmUpLaterMs: 3_000,
})

export const serverLimits = configurable({
  /** Time to detect a server's revision and to open a session with it. */
  openMs: 30_000,
  /** How long a session waits for its standalone stream before it is used without one. */
  streamMs: 500,
  /**
   * How long a process may leave the revision probe unanswered before it also gets the older revisions' first message.
   */
  probeMs: 2_000,
  /** How long a server that failed or timed out before may delay a list or the start of a client's session. */
  listDelayMs: 2_000,
  /** Timeout of a server's reply to a request in which it may not ask. */
  replyMs: 60_000,
  /** Timeout without a result, question or progress in a call in which the server may ask. */
  silentMs: 60 * 60 * 1_000,
  /**
   * With one session per call (`isolation: call`) to a session-based server: sessions that one caller may have at once,
   * and calls that may wait for one. The limit is lower where each session is a process.
   */
  connections: 64,
  processes: 4,
  waitingCalls: 256,
  /** Processes of all servers that this gateway may run at once. */
  processesTotal: 256,
  /** Programs of one caller without sessions that may use one server at once: each has its own session or process. */
  agents: 16,
  /** Roots requests of one session that wait for a client that can answer. */
  earlyRequests: 8,
  /** How long questions of an abandoned call are still attributed to it, so that no other call gets them. */
  abandonedMs: 60_000,
  /** How long closing a session waits for its last cancellation to be sent. */
  cancelMs: 5_000,
  /** After a call ended without a reply: timeout of the check whether the server still has the session. */
  sessionCheckMs: 5_000,
  /** Resources that one session may subscribe to at one server. */
  subscriptions: 256,
  /** Bounds of the server's SSE `retry` value. */
  retryLeastMs: 50,
  retryMostMs: 30_000,
  /** Idle sessions kept for the next call where each call has its own. */
  idleConnections: 4,
  /** How long an idle process or session of a client without sessions is kept, and how often that is checked. */
  idleMs: 600_000,
  idleLookMs: 15_000,
  /** Bytes buffered for a process that does not read. */
  unreadBytes: 16_777_216,
  /** For a message over the limit: how many more bytes are skipped, and how long they may take to arrive. */
  skippedBytes: 67_108_864,
  skippedMs: 5_000,
  restartFirstMs: 200,
  restartLastMs: 30_000,
})

export const clientLimits = configurable({
  sessions: 10_000,
  sessionsPerCaller: 1_000,
  /** Standalone streams of one caller. */
  streamsPerCaller: 256,
  /** Bytes buffered for a client that does not read. */
  unreadBytes: 16_777_216,
  sessionIdleMs: 1_800_000,
  keepAliveMs: 15_000,
  /** How long requests in progress may take to end after a stdio client has closed its input. */
  endGraceMs: 2_000,
  /** How often the event loop is checked for stalls, and how long after a question: longer than any `asks.unseen_after`. */
  stallTickMs: 100,
  stallsWatchedMs: 60_000,
  /** How long a question without a call may wait to move to another call before it is cancelled. */
  passedWithinMs: 2_000,
  /** A stream without events is opened after this time. */
  openWithinMs: 250,
  /** How long a session's call waits for its client to reconnect, and how many may wait in this process. */
  reconnectWithinMs: 30_000,
  brokenStreams: 1_000,
  /**
   * Reconnection delay that a session's client gets. The official SDKs try twice, so they reconnect to a gateway that
   * was unavailable for almost twice as long.
   */
  reconnectAfterMs: 6_000,
  /** The delay when other replicas are available. */
  reconnectSoonMs: 500,
  /** How long after its question a call is stored, so that another replica can continue it. */
  callKeptAfterMs: 250,
  /**
   * Answers to other replicas' questions that a session keeps in case their call continues here, and characters of
   * each.
   */
  earlyAnswers: 16,
  earlyAnswerChars: 65_536,
  /** How long a written reply is kept, because it may not have arrived; and characters of all such replies. */
  replyKeptMs: 10_000,
  keptReplyChars: 16_777_216,
})

/** Communication between replicas that share a store. */
export const clusterLimits = configurable({
  /** How long the copy of the list of live replicas is used, and how soon it is read again for one that is missing. */
  peersKeptMs: 1_000,
  peersAgainMs: 100,
  /** How long a replica remembers which other one serves a session. */
  ownerKeptMs: 5_000,
  /**
   * Validity of a forwarded request: shorter than a lease, so that a replica that was paused runs none that its sender
   * has given up. And how many of them a replica accepts in that time.
   */
  forwardValidMs: 5_000,
  forwardedAtOnce: 200_000,
  /** Timeout for connecting to another replica. */
  connectMs: 2_000,
  /** Connections to other replicas that are kept open for the next request, and for how long. */
  idleConnections: 256,
  idleMs: 30_000,
  /** While a request is forwarded: how often the sender checks whether the other replica is alive. */
  forwardLookMs: 1_000,
  /** How soon a cancellation is sent again that the other replica did not accept. */
  cancelAgainMs: 100,
  /**
   * At shutdown: how long before the end the final phase starts, and the interval at which remaining work is checked.
   */
  finalPhaseMs: 2_000,
  drainLookMs: 20,
  /** After the final phase: how long aborted calls may take to report their end. */
  abortGraceMs: 2_000,
  /**
   * At the end of draining: how long the other replicas have to confirm that they forward nothing more, and how long
   * requests that they sent before may take to arrive.
   */
  leaveMs: 1_000,
  leaveGraceMs: 100,
  /** How often a session's expiry is extended in the store, and a deleted session is noticed. */
  sessionExtendMs: 60_000,
  /** Settings kept per session, and how long its first request on another replica waits until they are applied. */
  settingsPerSession: 1_024,
  settingsWithinMs: 1_000,
})

export const programLimits = configurable({
  /** Concurrent client connections. */
  connections: 10_000,
  /** Timeout for receiving one request, against clients that send slowly. */
  requestWithinMs: 30_000,
  /** How long an idle connection stays open: longer than the usual 60 s of load balancers, so that they close it first. */
  idleConnectionMs: 65_000,
  /** Time for running work to finish after a stop signal. */
  drainMs: 30_000,
  /**
   * The first part of `drainMs`, in which requests are served as before while readiness is off: load balancers poll
   * every few seconds.
   */
  drainNoticeMs: 5_000,
  configBytes: 1_048_576,
  /** Interval of the sweep, which records expired asks and deletes rows that are no longer needed. */
  sweepEveryMs: 60_000,
  /** Interval and timeout of the store's health check. */
  readyLookMs: 1_000,
  readyWithinMs: 2_000,
  /** How long a confirmed write counts before readiness needs another. */
  readyWriteMs: 5_000,
})

export const identityLimits = configurable({
  /** Timeout for fetching one document of an issuer. */
  fetchMs: 5_000,
  /** How long a request waits for that fetch, which continues in the background. */
  waitMs: 1_000,
  /** Bytes of one document of an issuer. */
  documentBytes: 1_048_576,
  /** Interval between attempts to find an unknown key, or to reach an unavailable issuer. */
  lookAgainMs: 10_000,
  /** Interval between attempts to read the keys for the first time. */
  firstReadMs: 2_000,
  /** Number of verified tokens that are remembered; above it, the oldest is verified again. */
  verifiedTokens: 10_000,
})
