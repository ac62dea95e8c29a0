// How the program ends. Scripts rely on these numbers; the help lists them.

export const exitCodes = {
  ok: 0,
  /** What was looked at has a mistake, such as a configuration. */
  problem: 1,
  /** The command line itself is wrong. */
  usage: 2,
  /** The world around is not as it must be: a port is taken, the store cannot be reached. */
  cannotRun: 3,
  /** There is no such ask, or it is not for this person. */
  noSuchAsk: 4,
  /** The ask has ended or was answered before; this answer changed nothing. */
  tooLate: 5,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]
