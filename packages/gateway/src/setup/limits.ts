// The sizes and timeouts of `assent init` and `assent doctor`, named with their unit.

export const initLimits = {
  /** Bytes of a client's configuration file. Large, because some clients store their history in it. */
  fileBytes: 67_108_864,
  /** Lines shown around a change. */
  contextLines: 3,
} as const

export const doctorLimits = {
  /** How long a server may take to start and reply; on the first start npx downloads it. */
  answerMs: 90_000,
  /** How long to wait for the remaining output of a server that exited. */
  outputGraceMs: 300,
  /** How long the program that listens on the inbox's port may take to identify itself. */
  portMs: 2_000,
  pageChars: 65_536,
} as const
