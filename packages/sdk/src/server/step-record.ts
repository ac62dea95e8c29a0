// The key under which a store keeps the steps of one call.

import type { DurableSteps } from './durable.ts'

export interface StepRecord {
  readonly steps: DurableSteps
  readonly tenant: string
  readonly callId: string
  readonly owner: string
  readonly keepMs: number
  /** Steps that run in this process now, so that a second caller waits for them. */
  readonly running: Map<string, Promise<void>>
  readonly nowMs: () => number
}
