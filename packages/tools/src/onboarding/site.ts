// Where onboarding works and what it is given: the repository, our folder in it, the clock and the source of ids.

export interface Site {
  /** The repository, without symbolic links in its own path. */
  readonly root: string
  /** Our folder, from the root. */
  readonly stateFolder: string
  readonly waitMs: number
  readonly rollbackMs: number
  readonly nowMs: () => number
  /** Short, unique, fit for a file name. */
  readonly newId: () => string
  /** Told each time the work has come to a named point; a test stops the process there. */
  readonly reached: (point: string) => void
}
