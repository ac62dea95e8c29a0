// Repeats a step of a store that a busy machine or database did not finish in time. Only for steps that can be repeated
// safely: a step that failed may have been done.

import { setTimeout as sleep } from 'node:timers/promises'

const retriedForMs = 60_000
const deadlocks: readonly unknown[] = ['40P01', '40001']
const lockNotAvailable = '55P03'

/** @param isBusy whether the step is repeated after this error */
export async function retried<Value>(
  step: () => Promise<Value>,
  isBusy: (error: unknown) => boolean = isUnavailable,
): Promise<Value> {
  const giveUpAt = performance.now() + retriedForMs
  for (;;) {
    try {
      return await step()
    } catch (error) {
      if (!isBusy(error) || performance.now() > giveUpAt) throw error
    }
    await sleep(50)
  }
}

/** The store cannot be used now. A deadlock does not count: no load explains it. */
export function isUnavailable(error: unknown): boolean {
  const { code } = error as { code?: unknown }
  return code === 'store_unavailable' && !deadlocks.includes(databaseCode(error))
}

/** The machine or the database was too slow. A lock that another session holds does not count either. */
export function tookTooLong(error: unknown): boolean {
  return isUnavailable(error) && databaseCode(error) !== lockNotAvailable
}

function databaseCode(error: unknown): unknown {
  const { cause } = error as { cause?: { code?: unknown } }
  return cause?.code
}
