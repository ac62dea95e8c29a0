// The settings of onboarding.

export interface OnboardingOptions {
  /** The repository. */
  readonly folder: string
  /** The user's Assent home, outside the repository: it holds the key that authenticates onboarding's files. */
  readonly home: string
  /** Where state, backups and traces are kept, from the project's folder; `.copilot-state` by default. */
  readonly stateFolder?: string
  /** How long a person may take; three minutes by default. */
  readonly waitMs?: number | undefined
  /** How long a migration can be rolled back; seven days by default. */
  readonly rollbackMs?: number
  readonly nowMs?: (() => number) | undefined
  /** Called at each named point of the work; a test stops the process there. */
  readonly reached?: ((point: string) => void) | undefined
}
