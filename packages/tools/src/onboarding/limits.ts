// Every size, count and wait of onboarding, named with its unit.

export const onboardingLimits = {
  /** How long a person may take unless the settings say otherwise. */
  waitMs: 180_000,
  /** How long a migration can be taken back unless the settings say otherwise. */
  rollbackMs: 7 * 24 * 60 * 60 * 1_000,
  /** Entries of the repository that are looked at; what lies beyond is said, not passed over. */
  entries: 50_000,
  depth: 24,
  /** Instruction files in one repository. */
  files: 200,
  /** Of a file that is read for its meaning. A longer one is named and left alone. */
  fileBytes: 262_144,
  /** Of a file of ours in the state folder. */
  stateBytes: 16_777_216,
  /** Of the claim of one process. */
  claimBytes: 4_096,
  findings: 200,
  /** Of the diff in what propose reports; what is put to a person is always whole. */
  diffCharsShown: 3_600,
  /** Of one question, and of the questions that one decision may be spread over. */
  messageChars: 8_000,
  questions: 10,
  /** Of the key that authenticates our files. */
  keyBytes: 32,
  commentChars: 1_000,
  /** Statements that are compared with each other. */
  statements: 5_000,
  globChars: 200,
  /** How often a busy lock is tried again, and how long in between at most. */
  lockTries: 12,
  lockPauseMs: 40,
  /** Of a story told by the client's model. */
  narrationMs: 20_000,
  narrationChars: 4_000,
  narrationTokens: 600,
} as const
