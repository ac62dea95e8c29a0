// Exit codes. Scripts rely on these numbers; the help lists them.

export const exitCodes = {
  ok: 0,
  /** The checked object, such as a configuration, has a problem. */
  problem: 1,
  /** The command line is invalid. */
  usage: 2,
  /** The environment prevents it: a port is taken, the store cannot be reached. */
  cannotRun: 3,
  /** The ask does not exist, or this person has no access to it. */
  noSuchAsk: 4,
  /** The ask has ended or was already answered; this answer changed nothing. */
  tooLate: 5,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]
