// Notifies open pages about changes to the asks of their person.
//
// One reader of the store serves all pages of this process. A notice has a sequence number, an ask id and the kind of
// change; the page then reads the ask again. A page that reconnects with its last sequence number receives what it
// missed, or, if that is too much, a request to reload.

import { type ChangeView, mayDecide, type Person } from '@assent/core'
import type { Change, Store, Waiter } from '@assent/store'
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
  /** Changes that arrive while missed ones are being sent; undefined afterwards. */
  queued: ChangeNotice[] | undefined
}

interface Running {
  readonly waiter: Waiter
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
    const following: Following = { person, follower, seq: 0, queued: [] }
    this.#all.add(following)
    signal.addEventListener('abort', () => this.#leave(following), { once: true })
    await this.#start()
    following.seq = this.#seq
    if (lastSeq === undefined || lastSeq > this.#seq) follower.at(this.#seq)
    else await this.#sendMissed(following, lastSeq)
    const queued = following.queued ?? []
    following.queued = undefined
    for (const change of queued) notify(following, change)
  }

  async #sendMissed(following: Following, lastSeq: number): Promise<void> {
    const missed = await this.#store.changes.since(this.#tenant, lastSeq, inboxLimits.missedChanges)
    if (missed.more) return following.follower.reload(following.seq)
    following.seq = lastSeq
    for (const [change, maySee] of await this.#scoped(missed.changes)) if (maySee(following)) notify(following, change)
    following.seq = Math.max(following.seq, missed.lastSeq)
    following.follower.at(following.seq)
  }

  #leave(following: Following): void {
    this.#all.delete(following)
    if (this.#all.size > 0) return
    this.#running?.stopped.abort()
    this.#running?.waiter.close()
    this.#running = undefined
  }

  async #start(): Promise<void> {
    if (this.#running === undefined) {
      const waiter = this.#store.changes.listen(this.#tenant)
      const started = this.#store.changes.last(this.#tenant).then((seq) => {
        this.#seq = seq
      })
      const running = { waiter, started, stopped: new AbortController() }
      this.#running = running
      started.then(
        () => this.#run(running),
        () => undefined,
      )
      // The next page tries again.
      started.catch(() => {
        waiter.close()
        if (this.#running === running) this.#running = undefined
      })
    }
    await this.#running.started
  }

  async #run(running: Running): Promise<void> {
    while (this.#running === running) {
      try {
        await this.#readNew()
        await running.waiter.wait(inboxLimits.keepAliveMs, running.stopped.signal)
      } catch (error) {
        this.#onError(error)
        await sleep(inboxLimits.retryMs, running.stopped.signal)
      }
    }
  }

  async #readNew(): Promise<void> {
    for (;;) {
      const { changes, lastSeq, more } = await this.#store.changes.since(
        this.#tenant,
        this.#seq,
        inboxLimits.changesPage,
      )
      for (const [change, maySee] of await this.#scoped(changes)) {
        for (const following of this.#all) {
          if (!maySee(following)) continue
          if (following.queued === undefined) notify(following, change)
          else following.queued.push(change)
        }
      }
      this.#seq = lastSeq
      if (!more) return
    }
  }

  /** Each change with a check of who may see it: people who may decide the ask. Each ask is read once. */
  async #scoped(changes: readonly Change[]): Promise<(readonly [ChangeNotice, (following: Following) => boolean])[]> {
    const ids = [...new Set(changes.map(({ id }) => id))]
    const asks = await Promise.all(ids.map((id) => this.#store.asks.read(this.#tenant, id)))
    const approvalRules = new Map(
      asks.flatMap((ask) => (ask === undefined ? [] : [[ask.id, ask.approvalRule] as const])),
    )
    return changes.flatMap(({ seq, id, move }) => {
      const approvalRule = approvalRules.get(id)
      if (approvalRule === undefined) return []
      return [[{ seq, id, change: move }, ({ person }: Following) => mayDecide(approvalRule, person)] as const]
    })
  }
}

function notify(following: Following, change: ChangeNotice): void {
  if (change.seq <= following.seq) return
  following.seq = change.seq
  following.follower.notify(change)
}
