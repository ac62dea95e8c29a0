// What every action gets: the repository, our folder in it, the installation's key, the clock and the source of ids.

export interface Site {
  /** The repository, without symbolic links in its own path. */
  readonly root: string
  /** Our folder, from the root. */
  readonly stateFolder: string
  /** The user's Assent home, outside the repository, without symbolic links in its path. */
  readonly home: string
  /** Authenticates our files in the repository. */
  readonly key: Buffer
  readonly waitMs: number
  /** `waitMs` is the default: if the caller can retry for the answer, the person may take longer. */
  readonly isDefaultWait: boolean
  readonly rollbackMs: number
  readonly nowMs: () => number
  /** Short, unique, fit for a file name. */
  readonly newId: () => string
  /** Called each time the work reaches a named point; a test stops the process there. */
  readonly reached: (point: string) => void
}
