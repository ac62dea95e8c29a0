// Wakes whoever waits for an ask, wherever it was settled.
//
// Three ways, each enough by itself: this process settled it; another process signalled; the slow poll found it among
// what ended lately. The poll is why losing every signal costs only delay. Whoever follows all asks of a tenant is rung
// at every move of any of them, and at every poll.

import { findEndedSince } from '../asks/find-asks.ts'
import type { Engine } from '../engine/engine.ts'
import { query } from '../engine/statement.ts'
import { type Bell, Bells } from './bells.ts'
import type { Signals } from './signals.ts'

export interface WatchOptions {
  readonly pollMs: number
  /** Told about trouble in the background, where there is no caller to throw at. */
  readonly onTrouble: (error: unknown) => void
}

// An ask's end is stamped before it is committed; whoever reads the list of ends must look back at least this far.
const commitDelayMs = 5_000
const pageEnds = 5_000

const readClock = query<Record<string, never>, { now: number }>('read_clock', 'select :now as now')

export class Watch {
  readonly #engine: Engine
  readonly #signals: Signals
  readonly #options: WatchOptions
  readonly #bells = new Bells()
  #poll: NodeJS.Timeout | undefined
  /** How long it has been listened for. */
  #listenedMs: () => number = () => 0
  #sinceMs: number | undefined
  #polling = false
  #late = 0

  constructor(engine: Engine, signals: Signals, options: WatchOptions) {
    this.#engine = engine
    this.#signals = signals
    this.#options = options
  }

  /** Told by whoever raised, counted or ended an ask in this process, after the commit. */
  moved(tenant: string, id: string): void {
    const key = keyOf(tenant, id)
    this.#ring(key)
    this.#signals.publish(key)
  }

  listen(tenant: string, id: string): Bell {
    return this.#listen([keyOf(tenant, id)])
  }

  listenToAll(...tenants: readonly string[]): Bell {
    return this.#listen(tenants.map((tenant) => keyOf(tenant, '')))
  }

  #listen(keys: readonly string[]): Bell {
    const isFirst = this.#bells.size === 0
    const bell = this.#bells.listen(keys, () => {
      if (this.#bells.size === 0) this.#rest()
    })
    if (isFirst) this.#begin()
    return bell
  }

  /** Ends that no signal told of: the poll found them while somebody still waited. */
  get late(): number {
    return this.#late
  }

  /** How many are waiting. */
  get listening(): number {
    return this.#bells.size
  }

  async close(): Promise<void> {
    this.#rest()
    await this.#signals.close()
  }

  /** Nothing is looked for at once: whoever listens has its first look after this, and most waits are shorter than a poll. */
  #begin(): void {
    this.#listenedMs = stopwatch()
    this.#sinceMs = undefined
    this.#signals.start((key) => (key === undefined ? void this.#lookForEnds() : void this.#ring(key)))
    this.#poll = setInterval(() => void this.#lookForEnds(), this.#options.pollMs)
  }

  #rest(): void {
    clearInterval(this.#poll)
    this.#poll = undefined
    this.#signals.stop()
  }

  /** False when there is no waiter for this one. */
  #ring(key: string): boolean {
    const isAwaited = this.#bells.ring(key)
    this.#bells.ring(tenantOf(key))
    return isAwaited
  }

  #ringAllTenants(): void {
    for (const key of this.#bells.names) if (key.endsWith(' ')) this.#bells.ring(key)
  }

  async #lookForEnds(): Promise<void> {
    this.#ringAllTenants()
    if (this.#polling) return
    this.#polling = true
    try {
      if (this.#sinceMs === undefined) {
        const listenedMs = this.#listenedMs
        const [clock] = await this.#engine.run(readClock, {})
        this.#sinceMs = Math.floor((clock?.now ?? 0) - listenedMs() - commitDelayMs)
      }
      await this.#ringEndsSince(this.#sinceMs)
    } catch (error) {
      this.#options.onTrouble(error)
    } finally {
      this.#polling = false
    }
  }

  async #ringEndsSince(sinceMs: number): Promise<void> {
    let since = sinceMs
    for (;;) {
      const ends = await this.#engine.run(findEndedSince, { since, at_most: pageEnds })
      for (const { tenant, id } of ends) if (this.#ring(keyOf(tenant, id))) this.#late += 1
      const last = ends.at(-1)
      if (last === undefined) return
      this.#sinceMs = Math.max(sinceMs, last.now - commitDelayMs)
      // A full page in one and the same millisecond cannot be paged through; the next poll sees it again.
      if (ends.length < pageEnds || last.ended_at === since) return
      since = last.ended_at
    }
  }
}

/** By whichever clock says more: one of them stands still while the machine sleeps, the other may be set back. */
function stopwatch(): () => number {
  const [steadyAt, wallAt] = [performance.now(), Date.now()]
  return () => Math.max(performance.now() - steadyAt, Date.now() - wallAt)
}

/** The key of the whole tenant: an id never holds a space, a tenant's name may. */
function tenantOf(key: string): string {
  return key.slice(0, key.lastIndexOf(' ') + 1)
}

function keyOf(tenant: string, id: string): string {
  return `${tenant} ${id}`
}
