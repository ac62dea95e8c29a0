// Runs contests: raises the ask, lets the processes loose on it, and sends a latecomer after them.
//
// The latecomer sees to it that every contest ends: a quorum may not come together. Nearly always it finds the ask ended,
// and then it must hear what all others heard.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Store } from '../packages/store/src/index.ts'
import { clockMs, preciseNowMs, raisedAtMs, tryMove } from './race-attempt.part.ts'
import type { Crew } from './race-crew.part.ts'
import type { Raced } from './race-judge.part.ts'
import { type Address, openStore } from './race-place.part.ts'
import { type Attempt, type Contest, type Deadline, workers } from './race-plan.part.ts'

/** The supervisor's own: `raise` stands at the moment that the racing processes' clocks refer to. */
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

export async function raceOnce(stores: SupervisorStores, crew: Crew, contest: Contest): Promise<Raced> {
  const { draft, deadline, attempts } = contest
  const ask = await stores[deadline === 'between' ? 'raise' : 'database'].asks.raise(draft)
  const heat = { tenant: ask.tenant, askId: ask.id, attempts }
  const startAtMs = deadline === 'during' ? ask.decideByMs : undefined
  // The asker, who waits through all of it and must be woken with the same news.
  const waited =
    deadline === 'during' ? stores.database.asks.wait(ask.tenant, ask.id, { timeoutMs: patienceMs }) : undefined
  if (startAtMs !== undefined) await sleepUntil(startAtMs - aheadMs)
  const replies = await crew.race(startAtMs === undefined ? heat : { ...heat, startAtMs })

  if (startAtMs !== undefined) await sleepUntil(startAtMs + 1)
  const late = latecomers[deadline]
  const last = await tryMove(stores[deadline === 'between' ? 'after' : 'database'], ask.tenant, ask.id, late)
  const heard = (await waited)?.state
  return { ...contest, replies: [...replies, last], ...(heard === undefined ? {} : { heard }) }
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

/** Works through a list, so many at a time. */
export async function inLanes<T, R>(lanes: number, list: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  const rest = list.values()
  const lane = async () => {
    for (const item of rest) results.push(await work(item))
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return results
}
