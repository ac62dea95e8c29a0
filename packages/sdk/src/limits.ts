// Every size, count and wait that the sdk enforces, named with its unit. At a limit the new item is refused; only the
// caches and the sessions over HTTP remove old entries.

export const sdkLimits = {
  /** How long a person may take, unless an ask sets its own timeout. */
  waitMs: 5 * 60 * 1_000,
  /**
   * Through an Assent gateway, which ends each question by the timeout it was sent: how much later our own timer fires in a
   * call that waits, in case the gateway is stuck, ...
   */
  gatewayGraceMs: 30 * 1_000,
  /** ... how long a question whose caller can come back stays open if no timeout was chosen, ... */
  resumableWaitMs: 24 * 60 * 60 * 1_000,
  /** ... and how much later than its question's end a caller may send the answer that a person gave in time. */
  returnWithinMs: 25 * 60 * 60 * 1_000,
  /** No person reads an approval and accepts it sooner. */
  unseenAfterMs: 300,
  /** The largest `unseenAfterMs` that can be set. */
  unseenAfterMaxMs: 10 * 1_000,
  /** How long a yes may wait to be used, unless a gate sets its own time. */
  useWithinMs: 60 * 1_000,
  /** Interval of the progress notifications that the caller gets while a person decides. */
  progressEveryMs: 12 * 1_000,
  /** How much longer sealed state is valid than its questions, so that a late answer gets the error that it was late. */
  stateGraceMs: 60 * 60 * 1_000,
  /** Size of one journal as JSON; sealed, it still fits into a token. */
  journalChars: 160 * 1_024,
  /** Asks and steps of one call together. */
  entries: 512,
  asksAtOnce: 16,
  /** Approvals that may be open at once in the store, from all askers: see `OpenLimits`. */
  openAsks: { perCaller: 100, perServer: 10_000, perTenant: 20_000, total: 100_000 },
  /** How often one question is asked if its author's check does not accept the answers. */
  answerTries: 3,
  /** Length of the reason that the person then reads. */
  reasonChars: 1_000,
  /**
   * How long a handler may take to reach again what it reached in earlier rounds, while something new waits for that, unless
   * the server sets its own time. It only ends calls that are stuck: a handler that finishes without it is stopped at once.
   */
  repeatWithinMs: 10 * 1_000,
  stepNameChars: 128,
  /** Members of parsed arguments that travel in the state, because they differ from what the client sent. */
  argumentsInStateChars: 16 * 1_024,
  /** A larger result of a step stays in the store, if there is one, and is not sent with the state. */
  stepInStateChars: 16 * 1_024,
  /** The largest result as JSON that a store keeps, and that a step may declare. */
  stepResultChars: 256 * 1_024,
  /** So do further results of a call whose journal has this size: the rest is for arguments, questions and answers. */
  stepsInStateChars: 80 * 1_024,
  /** Reserved for a receipt before its approval is used. */
  receiptInStateChars: 4 * 1_024,
  stepRetries: 10,
  /** Before the second attempt of a step; doubled for each further one. */
  retryFirstMs: 200,
  retryMostMs: 5_000,
  /** How long a caller waits for a step that another process runs, and how often it looks at first. */
  ownerWaitMs: 25_000,
  ownerPollMs: 50,
  /** Stored of the error of a failed step. */
  errorMessageChars: 10 * 1_024,
  errorCodeChars: 128,
  errorDataChars: 4 * 1_024,
  /** Length of a question's label, which names it in journals and errors. */
  labelChars: 80,
  /** Entries of the cache of encoded questions. */
  cacheEntries: 256,
  cacheKeyChars: 4_096,
  /** Approvals used in this process whose state could still be sent again. */
  usedGrants: 100_000,
  /** Sessions of older clients that one HTTP handler keeps open. */
  httpSessions: 10_000,
  /** Timeout of one request about a secret's page, and how often it is tried. */
  secretRequestMs: 10_000,
  secretTries: 2,
} as const
