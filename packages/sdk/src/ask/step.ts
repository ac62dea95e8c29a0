// What an author passes to a step, and what the work of a step gets.

/** Names of the SDK's own steps begin with this, and no others. */
export const ownStepPrefix = 'assent:'

export interface StepContext {
  /** Identifies this step of this call, the same in every round, attempt and process: an idempotency key. */
  readonly key: string
  /** Aborts when the caller cancels or the attempt times out. */
  readonly signal: AbortSignal
  /** 1 for the first attempt. */
  readonly attempt: number
}

export interface StepOptions {
  /** How often the work is tried again after it failed; 0 by default. */
  readonly retry?: number
  /** How long one attempt may take, in milliseconds. Then its signal aborts and it counts as failed. */
  readonly timeoutMs?: number
  /**
   * With a store: what happens to a step whose process died in the middle. `stop` (the default) reports `step_unclear`;
   * `retry` runs it again with the same key, so the work must be idempotent.
   */
  readonly onCrash?: 'stop' | 'retry'
  /** At most so many characters as JSON. Without a store, a step whose result would not fit into the state is then not run. */
  readonly maxResultChars?: number
}
