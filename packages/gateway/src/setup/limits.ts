// The sizes and timeouts of `assent init` and `assent doctor`, named with their unit.

export const initLimits = {
  /** Bytes of a client's configuration file. Large, because some clients store their history in it. */
  fileBytes: 67_108_864,
  /** Lines shown around a change. */
  contextLines: 3,
} as const

export const doctorLimits = {
  /** The time for all checks. Ending what was started takes up to two seconds more, so the command ends within 20. */
  checksMs: 17_500,
  /** How long `node --version` may take. */
  nodeMs: 3_000,
  /** Lines of a server's standard error that are shown, and their length. */
  outputLines: 3,
  outputLineChars: 200,
  /** How long to wait for the remaining output of a server that exited. */
  outputGraceMs: 300,
  /** How long the program that listens on the inbox's port may take to identify itself. */
  portMs: 2_000,
  pageChars: 65_536,
} as const
