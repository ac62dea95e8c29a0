// Every size, count and wait of the tools, named with its unit. Refuse the new; never evict the old.

export const toolLimits = {
  /** Of what an agent asks; a person has to read it. */
  questionChars: 2_000,
  /** Of a plan, a phase or a summary: with what we add it still fits into one ask. */
  summaryChars: 4_000,
  options: 50,
  optionChars: 200,
  /** Of what a person may write back at a checkpoint. */
  noteChars: 1_000,
  openQuestions: 10,
  openQuestionChars: 250,
  phases: 100,
  filesModified: 500,
  /** Files that are shown by name; of the others the number is told. */
  filesShown: 20,
  namesChars: 600,
  pathChars: 500,
  commitMessageChars: 2_000,
  taskNameChars: 80,
  /** Decisions that are remembered of one plan. */
  decisions: 500,
  /** Of one run of git, and of what it may print. */
  gitMs: 5_000,
  gitBytes: 1_048_576,
  /** Commits since the phase began that are looked at. */
  commits: 50,
  /** How often one call asks for the commit of a phase before the agent gets `commit_missing`. */
  commitAttempts: 2,
  /** Of a completion file: beyond, nothing is appended. */
  recordBytes: 1_048_576,
} as const
