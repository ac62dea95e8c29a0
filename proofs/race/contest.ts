// Runs contests: raises the ask, starts the attempts of all processes, and sends a latecomer after them.
//
// The latecomer makes every contest end, because a quorum may not be reached. Nearly always it finds the ask ended, and
// then it must get the same reply as all others.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Store } from '../../packages/store/src/index.ts'
import { retried } from '../../test-kit/retried.ts'
import { clockMs, preciseNowMs, raisedAtMs, tryMove } from './attempt.ts'
import type { Raced } from './judge.ts'
import { type Attempt, type Contest, type Deadline, workers } from './plan.ts'
import { type Address, openStore } from './test-db.ts'
import type { WorkerPool } from './worker-pool.ts'

/** The supervisor's stores: `raise` has a fixed clock at the moment that the racing processes' clocks refer to. */
export type SupervisorStores = Readonly<Record<'raise' | 'after' | 'database', Store>>

// The message that starts a contest at its deadline must arrive before the first actor's time.
const aheadMs = 40
const patienceMs = 30_000

export async function openSupervisorStores(address: Address): Promise<SupervisorStores> {
  return {
    raise: await openStore(address, () => raisedAtMs),
    after: await openStore(address, () => clockMs('after', workers)),
    database: await openStore(address),
  }
}

export async function raceOnce(stores: SupervisorStores, pool: WorkerPool, contest: Contest): Promise<Raced> {
  const { draft, deadline, attempts } = contest
  const ask = await retried(() => stores[deadline === 'between' ? 'raise' : 'database'].asks.raise(draft))
  const heat = { tenant: ask.tenant, askId: ask.id, attempts }
  const startAtMs = deadline === 'during' ? ask.decideByMs : undefined
  // The asker, who waits during the contest and must get the same outcome.
  const wait = () => stores.database.asks.wait(ask.tenant, ask.id, { timeoutMs: patienceMs })
  const waited = deadline === 'during' ? retried(wait) : undefined
  if (startAtMs !== undefined) await sleepUntil(startAtMs - aheadMs)
  const replies = await pool.race(startAtMs === undefined ? heat : { ...heat, startAtMs })

  if (startAtMs !== undefined) await sleepUntil(startAtMs + 1)
  const late = latecomers[deadline]
  const last = await tryMove(stores[deadline === 'between' ? 'after' : 'database'], ask.tenant, ask.id, late)
  const waiterState = (await waited)?.state
  return { ...contest, replies: [...replies, last], ...(waiterState === undefined ? {} : { waiterState }) }
}

const someoneElse = { actor: -1, worker: workers, delayMs: 0 }
const latecomers: Readonly<Record<Deadline, Attempt>> = {
  far: { ...someoneElse, kind: 'withdraw', reason: 'caller-gone', store: 'database' },
  between: { ...someoneElse, kind: 'expire', store: 'after' },
  during: { ...someoneElse, kind: 'expire', store: 'database' },
}

async function sleepUntil(atMs: number): Promise<void> {
  const waitMs = atMs - preciseNowMs()
  if (waitMs > 0) await sleep(waitMs)
}

/** Processes a list with limited concurrency. */
export async function inLanes<T, R>(lanes: number, list: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  const rest = list.values()
  const lane = async () => {
    for (const item of rest) results.push(await work(item))
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return results
}
