// Every size and wait of the terminal surface, named with its unit.

export const terminalLimits = {
  /** Keys pressed sooner after a decision was drawn are ignored: the person cannot have read it yet. */
  settleMs: 300,
  /** More options than this are searched by typing. */
  optionsAtSight: 9,
  /** Shown of one argument of an action; the rest is shown on request. */
  argumentChars: 600,
  argumentLines: 24,
  /** Shown of all arguments together; the rest is shown on request. */
  actionLines: 40,
  /** The longest delay of a timer in Node. */
  timerMaxMs: 2 ** 31 - 1,
} as const
