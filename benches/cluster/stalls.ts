// Stalls of the database on a shared machine, longer than a gateway waits.

import { setTimeout as sleep } from 'node:timers/promises'

const stallsMost = 5
const stallMs = 1_000

/** Does it again after such a stall: one stall must not end the run. */
export async function afterStalls<T>(work: () => Promise<T>): Promise<T> {
  for (let stalls = 0; ; stalls++) {
    try {
      return await work()
    } catch (error) {
      if (stalls === stallsMost || !String(error).includes('cannot reach its database')) throw error
      await sleep(stallMs)
    }
  }
}
