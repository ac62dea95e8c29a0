// The asks that wait for one person, kept up to date while they look.
//
// It follows the store's changes, as open pages of the web inbox do. What ended stays for a moment, so that whoever
// looks at it sees who ended it and how.

import type { AskView, Person } from '@assent/core'
import type { AskDesk } from '../inbox/ask-desk.ts'
import type { ChangeFeed } from '../inbox/changes.ts'
import { terminalInboxLimits } from '../limits.ts'

interface Held {
  readonly view: AskView
  /** When it was seen to have ended. */
  readonly endedAtMs?: number
}

export interface LiveAsksOptions {
  readonly desk: AskDesk
  readonly feed: ChangeFeed
  readonly person: Person
  readonly now: () => number
  readonly onTrouble: (error: unknown) => void
}

export class LiveAsks {
  readonly #options: LiveAsksOptions
  readonly #held = new Map<string, Held>()
  readonly #listeners = new Set<(id: string) => void>()
  #hasMore = false

  constructor(options: LiveAsksOptions) {
    this.#options = options
  }

  /** Resolves when everything is there and followed; follows until the signal aborts. */
  async start(signal: AbortSignal): Promise<void> {
    const { feed, person } = this.#options
    const again = () => void this.#load().catch(this.#options.onTrouble)
    const look = (id: string) => void this.look(id).catch(this.#options.onTrouble)
    await feed.follow(
      person,
      undefined,
      { tell: ({ id }) => look(id), at: () => undefined, startAnew: again, end: () => undefined },
      signal,
    )
    await this.#load()
  }

  get hasMore(): boolean {
    return this.#hasMore
  }

  /** Newest first. */
  list(): readonly AskView[] {
    const views = [...this.#held.values()].map(({ view }) => view)
    return views.sort((a, b) => b.raisedAtMs - a.raisedAtMs || (a.id < b.id ? 1 : -1))
  }

  /** Calls back with the id of whatever changed. Returns how to stop. */
  listen(onChange: (id: string) => void): () => void {
    this.#listeners.add(onChange)
    return () => this.#listeners.delete(onChange)
  }

  /** Lets go of what ended a while ago, and looks again at what must have ended by the clock. */
  tidy(): void {
    const nowMs = this.#options.now()
    for (const [id, { view, endedAtMs }] of this.#held) {
      if (endedAtMs !== undefined && nowMs - endedAtMs > terminalInboxLimits.endedShownMs) this.#held.delete(id)
      else if (endedAtMs === undefined && view.decideByMs <= nowMs) void this.look(id).catch(this.#options.onTrouble)
    }
    if (this.#hasMore && this.#held.size < terminalInboxLimits.asks / 2) {
      this.#hasMore = false
      void this.#load().catch(this.#options.onTrouble)
    }
  }

  /** Reads one ask again. */
  async look(id: string): Promise<void> {
    const { desk, person, now } = this.#options
    const told = await desk.read(person, id)
    const before = this.#held.get(id)
    if (!told.ok) this.#held.delete(id)
    else if (told.view.ask.state.kind === 'open') this.#keep(told.view.ask)
    else if (before !== undefined) {
      this.#held.set(id, { view: told.view.ask, endedAtMs: before.endedAtMs ?? now() })
    }
    for (const tell of this.#listeners) tell(id)
  }

  async #load(): Promise<void> {
    const { desk, person } = this.#options
    let cursor: string | undefined
    for (let pages = 0; pages * terminalInboxLimits.page < terminalInboxLimits.asks; pages++) {
      const at = cursor === undefined ? {} : { cursor }
      const page = await desk.page(person, { show: 'open', pageSize: terminalInboxLimits.page, ...at })
      for (const ask of page.asks) this.#keep(ask)
      cursor = page.next
      if (cursor === undefined) break
    }
    this.#hasMore = cursor !== undefined
    for (const tell of this.#listeners) tell('')
  }

  #keep(view: AskView): void {
    // What has ended never opens again: an older reading that arrives later changes nothing.
    if (this.#held.get(view.id)?.endedAtMs === undefined) this.#held.set(view.id, { view })
  }
}
