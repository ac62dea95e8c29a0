/** What a run found; every entry but the last two counts as a failure of the proof. */
export interface Findings {
  /** Runs without the required approvals, or more often than once. */
  readonly wronglyRun: string[]
  /** Approvals by the requester or another excluded person that counted. */
  readonly excludedCounted: string[]
  readonly changedBytes: string[]
  /** Everything else that did not happen as expected. */
  readonly differences: string[]
  /** What happened, by kind, so that the report can show that the runs differ. */
  readonly events: string[]
}
