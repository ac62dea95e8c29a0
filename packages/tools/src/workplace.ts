// Where an agent works: the folder of its project, and where what the tools remember is kept.

export interface Workplace {
  /** The project: where git is looked at and plans are kept. */
  readonly folder: string
  /** Where completion files are, from the project's folder. */
  readonly plansFolder: string
  /** Where phases are remembered across restarts; without it, in this process alone. */
  readonly stateFolder: string | undefined
  readonly nowMs: () => number
}
