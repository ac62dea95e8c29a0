// Notifies open pages about changes to the asks of their person.
//
// One reader of the store serves all pages of this process, and reads only changes that concern their people. A notice
// has a sequence number, an ask id and the kind of change; the page then reads the ask again. A page that reconnects with
// its last sequence number receives what it missed, or, if that is too much, a request to reload.
//
// I1  A page begins at the position of the reader, after any read that began without its person.

import { approverNames, type ChangeView, maySee, type Person } from '@assent/core'
import type { Change, ChangeListener, Store } from '@assent/store'
import { sleep } from '../protocol/sleep.ts'
import { inboxLimits } from './limits.ts'

export interface ChangeNotice extends ChangeView {
  readonly seq: number
}

export interface Follower {
  notify(change: ChangeNotice): void
  /** The current position, without a change. */
  at(seq: number): void
  /** Too much was missed: reload everything, then follow from this position. */
  reload(seq: number): void
  /** This feed is closed: reconnect with the last position. */
  end(): void
}

interface Following {
  readonly person: Person
  readonly follower: Follower
  seq: number
  /** Includes this person while the page is open. */
  listener: ChangeListener | undefined
  /** Changes that arrive while missed ones are being sent; undefined afterwards. */
  queued: ChangeNotice[] | undefined
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
  readonly #all = new Set<Following>()
  #seq = 0
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
    return [...this.#all].filter((one) => one.person.principal === person.principal).length
  }

  /** Closes all streams, and every later one as soon as it opens. */
  end(): void {
    this.#isClosed = true
    for (const { follower } of [...this.#all]) follower.end()
  }

  /** Follows until the signal aborts. Without `lastSeq` it starts at the current position. */
  async follow(person: Person, lastSeq: number | undefined, follower: Follower, signal: AbortSignal): Promise<void> {
    if (this.#isClosed) return follower.end()
    const following: Following = { person, follower, seq: 0, listener: undefined, queued: [] }
    this.#all.add(following)
    signal.addEventListener('abort', () => this.#leave(following), { once: true })
    try {
      await this.#start(following)
      following.seq = this.#seq
      if (lastSeq === undefined || lastSeq > this.#seq) follower.at(this.#seq)
      else await this.#sendMissed(following, lastSeq)
    } catch (error) {
      this.#leave(following)
      throw error
    }
    const queued = following.queued ?? []
    following.queued = undefined
    for (const change of queued) notify(following, change)
  }

  async #sendMissed(following: Following, lastSeq: number): Promise<void> {
    const names = approverNames(following.person)
    const missed = await this.#store.changes.since(this.#tenant, names, lastSeq, inboxLimits.missedChanges)
    if (missed.more) return following.follower.reload(following.seq)
    following.seq = lastSeq
    for (const change of missed.changes) if (maySee(change, following.person)) notify(following, noticeOf(change))
    following.seq = Math.max(following.seq, missed.lastSeq)
    following.follower.at(following.seq)
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
      const started = this.#store.changes.last(this.#tenant).then((seq) => {
        this.#seq = seq
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
      const { changes, lastSeq, more } = await listener.since(this.#seq, inboxLimits.changesPage)
      for (const change of changes) {
        const notice = noticeOf(change)
        for (const following of this.#all) {
          if (!maySee(change, following.person)) continue
          if (following.queued === undefined) notify(following, notice)
          else following.queued.push(notice)
        }
      }
      this.#seq = lastSeq
      if (!more) return
    }
  }
}

function noticeOf({ seq, id, move }: Change): ChangeNotice {
  return { seq, id, change: move }
}

function notify(following: Following, change: ChangeNotice): void {
  if (change.seq <= following.seq) return
  following.seq = change.seq
  following.follower.notify(change)
}
