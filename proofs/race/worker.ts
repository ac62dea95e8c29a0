// One of the racing processes: to the database it looks like a replica of Assent.
//
// It opens three stores on the same database. `database` uses the database's clock, as in production. The other two
// simulate replicas that disagree about the time: for `before` the deadline is a few milliseconds away, for `after` it has
// passed. One adjustable clock would not work: calls overlap, and each needs one fixed time.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Store } from '../../packages/store/src/index.ts'
import { clockMs, preciseNowMs, type Reply, tryMove } from './attempt.ts'
import type { Attempt, StoreName } from './plan.ts'
import { type Address, openStore } from './test-db.ts'

export interface Opening {
  readonly address: Address
  readonly worker: number
}

/** The part of a contest that one process runs. */
export interface Heat {
  readonly heat: number
  readonly tenant: string
  readonly askId: string
  /** The wall-clock time from which delays count; by default now. */
  readonly startAtMs?: number
  readonly attempts: readonly Attempt[]
}

export type WorkerMessage = { readonly ready: true } | { readonly heat: number; readonly replies: readonly Reply[] }

// A timer is never early but often late, and half a millisecond is rounded up to one.
const shortestSleepMs = 0.5

const { address, worker }: Opening = JSON.parse(process.argv[2] ?? '')
const stores: Readonly<Record<StoreName, Store>> = {
  before: await openStore(address, () => clockMs('before', worker)),
  after: await openStore(address, () => clockMs('after', worker)),
  database: await openStore(address),
}
process.on('message', (heat: Heat) => void race(heat))
// Also if the supervisor has ended.
process.on('disconnect', () => process.exit())
send({ ready: true })

async function race({ heat, tenant, askId, startAtMs = preciseNowMs(), attempts }: Heat): Promise<void> {
  const replies = await Promise.all(
    attempts.map(async (attempt) => {
      const waitMs = startAtMs + attempt.delayMs - preciseNowMs()
      if (waitMs > shortestSleepMs) await sleep(waitMs)
      return tryMove(stores[attempt.store], tenant, askId, attempt)
    }),
  )
  send({ heat, replies })
}

function send(message: WorkerMessage): void {
  process.send?.(message)
}
