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
} as const
