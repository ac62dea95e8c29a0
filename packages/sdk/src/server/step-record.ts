// The key under which a store keeps the steps of one call.

import type { DurableSteps } from './durable.ts'

export interface StepRecord {
  readonly steps: DurableSteps
  readonly tenant: string
  readonly callId: string
  readonly owner: string
  readonly keepMs: number
}
