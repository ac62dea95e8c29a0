// Every size, count and wait that the sdk enforces, named with its unit. Refuse the new; never evict the old.

export const sdkLimits = {
  /** How long a person may take unless an ask says otherwise. */
  waitMs: 5 * 60 * 1_000,
  /**
   * Through a gateway of ours, which ends each question by the timeout it was sent: how much later our own timer fires in a
   * call that waits, in case the gateway is stuck, ...
   */
  gatewayGraceMs: 30 * 1_000,
  /** ... how long a question whose caller can come back stays open where nobody chose a timeout, ... */
  resumableWaitMs: 24 * 60 * 60 * 1_000,
  /** ... and how much later than its question's end a caller may bring the answer that a person gave in time. */
  returnWithinMs: 25 * 60 * 60 * 1_000,
  /** No person reads an approval and accepts it sooner. */
  unseenAfterMs: 300,
  /** The longest that may be set for it. */
  unseenAfterMostMs: 10 * 1_000,
  /** How long a yes may wait to be used unless a gate says otherwise. */
  useWithinMs: 60 * 1_000,
  /** While a person decides, the caller hears this often that its call is alive. */
  progressEveryMs: 12 * 1_000,
  /** How much longer than its questions sealed state lives, so that a late answer is told that it was late. */
  stateGraceMs: 60 * 60 * 1_000,
  /** Of one journal, as text; what is sealed around it still fits into a token. */
  journalChars: 160 * 1_024,
  /** Of one run: asks and steps together. */
  entries: 512,
  asksAtOnce: 16,
  /** Approvals that may be open at once in the store, whoever raised them: see `OpenLimits`. */
  openAsks: { perCaller: 100, perServer: 10_000, perTenant: 20_000, total: 100_000 },
  /** How long a round waits for slower branches of its handler to reach what they asked before. */
  branchesMs: 500,
  stepNameChars: 128,
  /** What of a question is kept in a journal to name it in an error. */
  labelChars: 80,
  /** Of what is worked out once per question rather than once per run. */
  remembered: 256,
  rememberedNameChars: 4_096,
  /** Yeses used in this process that could still come back. */
  usedGrants: 100_000,
  /** Of one request about the page of a secret, and how often it is tried. */
  secretRequestMs: 10_000,
  secretTries: 2,
} as const
