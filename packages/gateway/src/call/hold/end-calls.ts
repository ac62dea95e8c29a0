// At shutdown: ends the calls of this replica in the store, several at a time.
//
// Owns: nothing.
// I1  It takes a limited time. It stops when the store cannot be reached: each statement would wait for its timeout.
// I2  What is left is ended by other replicas, or after a restart, because this replica's lease ends next.

import { isAssentError } from '@assent/core'
import { clusterLimits } from '../../limits.ts'
import { within } from '../../protocol/within.ts'

/** Statements at once: fewer than the connections of a store. */
const atOnce = 4

type End = () => Promise<unknown>

/** One function per item, with those that are added meanwhile. */
export function* each<Item>(items: Iterable<Item>, end: (item: Item) => Promise<unknown>): Iterable<End> {
  for (const item of items) yield () => end(item)
}

export async function endCalls(ends: Iterable<Iterable<End>>, onError: (error: unknown) => void): Promise<void> {
  const left = oneByOne(ends)
  const untilMs = performance.now() + clusterLimits.abortGraceMs
  let isAvailable = true
  const work = async () => {
    while (isAvailable && performance.now() < untilMs) {
      const { done, value: end } = left.next()
      if (done === true) return
      try {
        await end()
      } catch (error) {
        if (isAssentError(error, 'store_unavailable')) isAvailable = false
        onError(error)
      }
    }
  }
  await within(clusterLimits.abortGraceMs, Promise.all(Array.from({ length: atOnce }, work)))
}

function* oneByOne<Item>(groups: Iterable<Iterable<Item>>): Generator<Item, undefined> {
  for (const group of groups) yield* group
}
