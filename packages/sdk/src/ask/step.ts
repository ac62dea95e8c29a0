// What an author passes to a step, and what the work of a step gets.

/** Names of the SDK's own steps begin with this, and no others. */
export const ownStepPrefix = 'assent:'
/** Uses up an approval, and keeps its receipt. */
export const receiptStepPrefix: string = `${ownStepPrefix}receipt `
/** Opens the page of a secret, and keeps its id. */
export const pageStepPrefix: string = `${ownStepPrefix}secret `

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
  /**
   * At most so many characters as JSON, up to 262,144. Without a store, a step whose result would not fit into the state is then
   * not run. With a store, a larger result than 262,144 characters fails the step after its work.
   */
  readonly maxResultChars?: number
}
