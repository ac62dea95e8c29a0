// Options of `assent doctor`.

export interface DoctorOptions {
  readonly json?: true
  /** False with --no-start. */
  readonly start: boolean
  readonly trustProject?: true
}
