// Every size, count and wait of onboarding, named with its unit.

export const onboardingLimits = {
  /** How long a person may take, unless configured. */
  waitMs: 180_000,
  /** How long a migration can be rolled back, unless configured. */
  rollbackMs: 7 * 24 * 60 * 60 * 1_000,
  /** Entries of the repository that are read; the result names what was left out. */
  entries: 50_000,
  depth: 24,
  /** Instruction files in one repository. */
  files: 200,
  /** The largest file that is analysed. A larger one is reported and not changed. */
  fileBytes: 262_144,
  /** The largest file in the state folder. */
  stateBytes: 16_777_216,
  /** The largest lock file of one process. */
  claimBytes: 4_096,
  findings: 200,
  /** Shown of the diff in the result of propose; a person is always shown the whole diff. */
  diffCharsShown: 3_600,
  /** The length of one question, and the number of questions that one decision may need. */
  messageChars: 8_000,
  questions: 10,
  /** The length of the key that authenticates our files. */
  keyBytes: 32,
  commentChars: 1_000,
  /** Statements that are compared with each other. */
  statements: 5_000,
  globChars: 200,
  /** How often a lock is tried, and the longest pause in between. */
  lockTries: 12,
  lockPauseMs: 40,
  /** Limits of the summary that the client's model writes. */
  narrationMs: 20_000,
  narrationInputChars: 12_000,
  narrationChars: 4_000,
  narrationTokens: 600,
} as const
