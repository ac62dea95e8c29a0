// Notifies open pages about changes to the asks of their person.
//
// One reader of the store serves all pages of this process, and reads only changes that concern their people. A notice
// has an ask id and the kind of change; the page then reads the ask again. A page reads its lists when its stream begins, so a
// page that reconnects has missed nothing.
//
// I1  A page begins at the position of the reader, after any read that began without its person.
// I2  No position comes from a page: a forged one could make the database read everything.

import type { ChangeView, Person } from '@assent/core'
import type { Change, ChangeListener, Store } from '@assent/store'
import { sleep } from '../protocol/sleep.ts'
import { Followers } from './followers.ts'
import { inboxLimits } from './limits.ts'

export interface Follower {
  /** Changes arrive from now on: read everything. Called again if changes were missed, after the database was restored. */
  begin(): void
  notify(change: ChangeView): void
  /** This feed is closed: reconnect. */
  end(): void
}

interface Following {
  readonly person: Person
  readonly follower: Follower
  /** Includes this person while the page is open. */
  listener: ChangeListener | undefined
  /** Changes that arrive before it begins are part of what it then reads. */
  hasBegun: boolean
}

interface Running {
  readonly listener: ChangeListener
  readonly started: Promise<void>
  /** Aborted when the last page disconnects. */
  readonly stopped: AbortController
}

export class ChangeFeed {
  readonly #store: Store
  readonly #tenant: string
  readonly #onError: (error: unknown) => void
  readonly #all = new Followers<Following>()
  #position = ''
  #isClosed = false
  #running: Running | undefined
  #reading: Promise<void> = Promise.resolve()

  constructor(store: Store, tenant: string, onError: (error: unknown) => void) {
    this.#store = store
    this.#tenant = tenant
    this.#onError = onError
  }

  get following(): number {
    return this.#all.size
  }

  countOf(person: Person): number {
    return this.#all.countOf(person)
  }

  /** Closes all streams, and every later one as soon as it opens. */
  end(): void {
    this.#isClosed = true
    for (const { follower } of [...this.#all]) follower.end()
  }

  /** Follows until the signal aborts. */
  async follow(person: Person, follower: Follower, signal: AbortSignal): Promise<void> {
    if (this.#isClosed) return follower.end()
    const following: Following = { person, follower, listener: undefined, hasBegun: false }
    this.#all.add(following)
    signal.addEventListener('abort', () => this.#leave(following), { once: true })
    try {
      await this.#start(following)
    } catch (error) {
      this.#leave(following)
      throw error
    }
    following.hasBegun = true
    follower.begin()
  }

  #leave(following: Following): void {
    if (!this.#all.delete(following)) return
    following.listener?.remove(following.person)
    if (this.#all.size > 0) return
    this.#running?.stopped.abort()
    this.#running?.listener.close()
    this.#running = undefined
  }

  async #start(following: Following): Promise<void> {
    if (this.#running === undefined) {
      const listener = this.#store.changes.listen(this.#tenant)
      const started = this.#store.changes.last(this.#tenant).then((position) => {
        this.#position = position
      })
      const running = { listener, started, stopped: new AbortController() }
      this.#running = running
      started.then(
        () => this.#run(running),
        () => undefined,
      )
      // The next page tries again.
      started.catch(() => {
        listener.close()
        if (this.#running === running) this.#running = undefined
      })
    }
    following.listener = this.#running.listener
    following.listener.add(following.person)
    await this.#running.started
    await this.#reading
  }

  async #run(running: Running): Promise<void> {
    while (this.#running === running) {
      try {
        const reading = this.#readNew(running.listener)
        this.#reading = reading.catch(() => undefined)
        await reading
        await running.listener.wait(inboxLimits.keepAliveMs, running.stopped.signal)
      } catch (error) {
        this.#onError(error)
        await sleep(inboxLimits.retryMs, running.stopped.signal)
      }
    }
  }

  async #readNew(listener: ChangeListener): Promise<void> {
    for (;;) {
      const { changes, position, more, isRestored } = await listener.since(this.#position, inboxLimits.changesPage)
      for (const change of changes)
        for (const { follower, hasBegun } of this.#all.of(change)) if (hasBegun) follower.notify(noticeOf(change))
      this.#position = position
      if (isRestored) for (const { follower, hasBegun } of this.#all) if (hasBegun) follower.begin()
      if (!more) return
    }
  }
}

function noticeOf({ id, move }: Change): ChangeView {
  return { id, change: move }
}
