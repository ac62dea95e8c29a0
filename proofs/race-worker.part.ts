// One of the processes that race: a replica of Assent as far as the database can tell.
//
// It opens three stores on the same database. `database` has no clock of its own, as in production. The other two stand
// for replicas that disagree about the time: by `before` the deadline is a few milliseconds away, by `after` it has
// passed. One clock moved by hand would not do: calls overlap, and each must have one time from beginning to end.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Store } from '../packages/store/src/index.ts'
import { clockMs, preciseNowMs, type Reply, tryMove } from './race-attempt.part.ts'
import { type Address, openStore } from './race-place.part.ts'
import type { Attempt, StoreName } from './race-plan.part.ts'

export interface Opening {
  readonly address: Address
  readonly worker: number
}

/** Of one contest, the part that one process plays. */
export interface Heat {
  readonly heat: number
  readonly tenant: string
  readonly askId: string
  /** When delays count from, by the wall clock. At once when it is absent. */
  readonly startAtMs?: number
  readonly attempts: readonly Attempt[]
}

export type WorkerMessage = { readonly ready: true } | { readonly heat: number; readonly replies: readonly Reply[] }

// A timer is never early but often late, and one of half a millisecond waits for a whole one.
const shortestSleepMs = 0.5

const { address, worker }: Opening = JSON.parse(process.argv[2] ?? '')
const stores: Readonly<Record<StoreName, Store>> = {
  before: await openStore(address, () => clockMs('before', worker)),
  after: await openStore(address, () => clockMs('after', worker)),
  database: await openStore(address),
}
process.on('message', (heat: Heat) => void race(heat))
// Also when the supervisor died: nobody is left to race for.
process.on('disconnect', () => process.exit())
tell({ ready: true })

async function race({ heat, tenant, askId, startAtMs = preciseNowMs(), attempts }: Heat): Promise<void> {
  const replies = await Promise.all(
    attempts.map(async (attempt) => {
      const waitMs = startAtMs + attempt.delayMs - preciseNowMs()
      if (waitMs > shortestSleepMs) await sleep(waitMs)
      return tryMove(stores[attempt.store], tenant, askId, attempt)
    }),
  )
  tell({ heat, replies })
}

function tell(message: WorkerMessage): void {
  process.send?.(message)
}
