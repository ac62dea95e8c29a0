// Every size and wait of the terminal surface, named with its unit.

export const terminalLimits = {
  /** What is typed sooner after a decision was drawn was meant for something else: nobody has read it yet. */
  settleMs: 300,
  /** More options than this are searched by typing. */
  optionsAtSight: 9,
  /** Of one argument of an action; the rest is shown on request. */
  argumentChars: 600,
  argumentLines: 24,
  /** All lines of an action together, before the rest is shown on request. */
  actionLines: 40,
  claimChars: 2_000,
  /** The longest a timer can be set for at once. */
  timerMaxMs: 2 ** 31 - 1,
} as const
