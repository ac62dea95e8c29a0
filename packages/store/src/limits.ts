// The sizes and counts that the store itself enforces.

export const storeLimits = {
  /** Unverified asks that one process records as reported. Beyond this it clears the list and may report one again. */
  reportedUnverified: 10_000,
  /** Asks or grants that are compared with the audit log at a time. */
  comparedAtOnce: 200,
  /** How often a difference is checked again while gateways keep writing. */
  comparedAgain: 5,
  /** Problems that one verification lists. */
  problemsReported: 100,
  /** Approvers that a signal about a changed ask names. With more, it concerns every process. */
  signalApprovers: 8,
  /** Tenants whose NATS subjects one process subscribes to. Beyond this it subscribes to all of them. */
  natsSubjects: 1_000,
  /** Asks that this process has raised and will wait for, and how long it expects to wait for one. */
  raisedAsks: 10_000,
  raisedAskMs: 5_000,
  /** Asks that this process has just settled and keeps for the requests that wait for them, and for how long. */
  settledAsks: 1_000,
  settledAskMs: 5_000,
  /** Audit entries that are added to the log in one step, and that are read at a time. */
  integratedAtOnce: 2_000,
  entriesPage: 1_000,
  /** How long the process that extended a log last is left alone with it; while it does, it checks for new entries more often. */
  sequencerLeaseMs: 1_500,
  sequencerBusyMs: 400,
  sequencerIdleMs: 1_000,
  /** A transaction that has written and stays open for longer is reported: its entries are missing in the log until it ends. */
  longTransactionMs: 10_000,
  /** Asks or notes that `assent retain` erases in one step, and asks that it reads at a time. */
  erasedAtOnce: 500,
  comparedForPerson: 5_000,
  /** Its pause after a step, as a share of the time of the step, and the longest. */
  retentionPauseShare: 0.5,
  retentionPauseMostMs: 1_000,
  /** How far the clock may be stepped back while it runs. */
  retentionClockMs: 60_000,
  /** Asks that a page with filters looks at; the next page continues there. */
  searchedAtOnce: 2_000,
} as const
