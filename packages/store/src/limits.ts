// Every size and count that the store enforces by itself, named with its unit.

export const storeLimits = {
  /** Unverified asks that one process remembers to have reported. Past this it starts over and may report one again. */
  reportedUnverified: 10_000,
  /** Asks or grants that are compared with the audit log at a time. */
  comparedAtOnce: 200,
  /** How often a difference is looked at again while gateways go on working. */
  comparedAgain: 5,
  /** Problems that one verification lists. */
  problemsReported: 100,
} as const
