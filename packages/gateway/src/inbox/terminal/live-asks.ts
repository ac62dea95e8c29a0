// The open asks of one person, updated while the list is shown.
//
// It follows the store's changes, as open pages of the web inbox do. An ask that ended stays listed for `endedShownMs`,
// so that the person sees who ended it and how.

import type { AskView, ChangeView, Person } from '@assent/core'
import type { AskService } from '../ask-service.ts'
import type { ChangeFeed } from '../changes.ts'
import { terminalInboxLimits } from '../limits.ts'

interface ListedAsk {
  readonly view: AskView
  /** When this process noticed that it ended. */
  readonly endedAtMs?: number
}

export interface LiveAsksOptions {
  readonly service: AskService
  readonly feed: ChangeFeed
  readonly person: Person
  readonly now: () => number
  readonly onError: (error: unknown) => void
}

export class LiveAsks {
  readonly #options: LiveAsksOptions
  readonly #listed = new Map<string, ListedAsk>()
  readonly #listeners = new Set<(id: string) => void>()
  #hasMore = false

  constructor(options: LiveAsksOptions) {
    this.#options = options
  }

  /** Resolves when all asks are loaded and changes are followed; follows until the signal aborts. */
  async start(signal: AbortSignal): Promise<void> {
    const { feed, person, onError } = this.#options
    let hasBegun = false
    const begin = () => {
      // The first time, this method loads them.
      if (hasBegun) void this.#reload().catch(onError)
      hasBegun = true
    }
    const notify = ({ id }: ChangeView) => void this.look(id).catch(onError)
    await feed.follow(person, { begin, notify, end: () => undefined }, signal)
    await this.#load()
  }

  get hasMore(): boolean {
    return this.#hasMore
  }

  /** Newest first. */
  list(): readonly AskView[] {
    const views = [...this.#listed.values()].map(({ view }) => view)
    return views.sort((a, b) => b.raisedAtMs - a.raisedAtMs || (a.id < b.id ? 1 : -1))
  }

  /** Calls back with the id of each ask that changed. Returns a function that unsubscribes. */
  listen(onChange: (id: string) => void): () => void {
    this.#listeners.add(onChange)
    return () => this.#listeners.delete(onChange)
  }

  /** Deletes asks that ended a while ago, and reads those again whose deadline has passed. */
  tidy(): void {
    const nowMs = this.#options.now()
    for (const [id, { view, endedAtMs }] of this.#listed) {
      if (endedAtMs !== undefined && nowMs - endedAtMs > terminalInboxLimits.endedShownMs) this.#listed.delete(id)
      else if (endedAtMs === undefined && view.decideByMs <= nowMs) void this.look(id).catch(this.#options.onError)
    }
    if (this.#hasMore && this.#listed.size < terminalInboxLimits.asks / 2) {
      this.#hasMore = false
      void this.#load().catch(this.#options.onError)
    }
  }

  /** Reads one ask again. */
  async look(id: string): Promise<void> {
    const { service, person, now } = this.#options
    const read = await service.read(person, id)
    const before = this.#listed.get(id)
    if (!read.ok) this.#listed.delete(id)
    else if (read.view.ask.state.kind === 'open') this.#keep(read.view.ask)
    else if (before !== undefined) {
      this.#listed.set(id, { view: read.view.ask, endedAtMs: before.endedAtMs ?? now() })
    }
    for (const notify of this.#listeners) notify(id)
  }

  async #reload(): Promise<void> {
    for (const id of [...this.#listed.keys()]) await this.look(id)
    await this.#load()
  }

  async #load(): Promise<void> {
    const { service, person } = this.#options
    let cursor: string | undefined
    for (let pages = 0; pages * terminalInboxLimits.page < terminalInboxLimits.asks; pages++) {
      const at = cursor === undefined ? {} : { cursor }
      const page = await service.page(person, { show: 'open', pageSize: terminalInboxLimits.page, ...at })
      for (const ask of page.asks) this.#keep(ask)
      cursor = page.next
      if (cursor === undefined) break
    }
    this.#hasMore = cursor !== undefined
    for (const notify of this.#listeners) notify('')
  }

  #keep(view: AskView): void {
    // An ask that ended never reopens: ignore an older read that arrives later.
    if (this.#listed.get(view.id)?.endedAtMs === undefined) this.#listed.set(view.id, { view })
  }
}
