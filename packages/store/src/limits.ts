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
} as const
