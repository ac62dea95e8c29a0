// Every size, count and duration of the tools, named with its unit.

export const toolLimits = {
  /** Of a question of an agent, which a person has to read. */
  questionChars: 2_000,
  /** Of a plan, a phase or a summary: with the text that we add it still fits into one ask. */
  summaryChars: 4_000,
  options: 50,
  optionChars: 200,
  /** Of what a person may write back at a checkpoint. */
  noteChars: 1_000,
  openQuestions: 10,
  openQuestionChars: 250,
  phases: 100,
  filesModified: 500,
  /** Files that are shown by name; the others are counted. */
  filesShown: 20,
  namesChars: 600,
  pathChars: 500,
  commitMessageChars: 2_000,
  taskNameChars: 80,
  /** Stored decisions of one plan; the newest are kept. */
  decisions: 500,
  /** The timeout of one run of git, and the size limit of its output. */
  gitMs: 5_000,
  gitBytes: 1_048_576,
  /** Commits since the start of the phase that are read. */
  commits: 50,
  /** How often one call asks for the commit of a phase before the agent gets `commit_missing`. */
  commitAttempts: 2,
  /** Of a completion file. A larger file is not changed. */
  recordBytes: 1_048_576,
} as const
