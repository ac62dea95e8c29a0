// What can be set about onboarding.

/** How the tool `onboarding` works in a project. */
export interface OnboardingSettings {
  /** Where its state, backups and traces are kept, from the project's folder; `.copilot-state` unless said. */
  readonly stateFolder?: string
  /** How long a person may take; three minutes unless said. */
  readonly waitMs?: number
  /** How long a migration can be taken back; seven days unless said. */
  readonly rollbackMs?: number
}
