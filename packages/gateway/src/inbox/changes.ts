// Tells open pages that something happened to an ask of theirs, from any moment on.
//
// One reading of the store serves all pages of this process. What is told is a number, an id and a word: hints to look
// again. A page that comes back with the last number it saw is told what it missed, or, if that is too much, to start anew.

import { type ChangeView, mayDecide, type Person } from '@assent/core'
import type { Bell, Change, Store } from '@assent/store'
import { inboxLimits } from '../limits.ts'

export interface Told extends ChangeView {
  readonly seq: number
}

export interface Follower {
  tell(change: Told): void
  /** The number to come back with, without anything to tell. */
  at(seq: number): void
  /** Too much was missed: load everything again, and follow from this number on. */
  startAnew(seq: number): void
  /** Nothing more is told here: come back with the last number. */
  end(): void
}

interface Following {
  readonly person: Person
  readonly follower: Follower
  seq: number
  /** What happened while the missed part was still being told; undefined from then on. */
  held: Told[] | undefined
}

interface Running {
  readonly bell: Bell
  readonly started: Promise<void>
  /** Ends the wait for the bell when the last page has left. */
  readonly left: AbortController
}

export class ChangeFeed {
  readonly #store: Store
  readonly #tenant: string
  readonly #onTrouble: (error: unknown) => void
  readonly #all = new Set<Following>()
  #seq = 0
  #isOver = false
  #running: Running | undefined

  constructor(store: Store, tenant: string, onTrouble: (error: unknown) => void) {
    this.#store = store
    this.#tenant = tenant
    this.#onTrouble = onTrouble
  }

  get following(): number {
    return this.#all.size
  }

  countOf(person: Person): number {
    return [...this.#all].filter((one) => one.person.principal === person.principal).length
  }

  /** Sends everybody elsewhere, now and from now on. */
  end(): void {
    this.#isOver = true
    for (const { follower } of [...this.#all]) follower.end()
  }

  /** Follows until the signal aborts. Without `lastSeq` it begins now. */
  async follow(person: Person, lastSeq: number | undefined, follower: Follower, signal: AbortSignal): Promise<void> {
    if (this.#isOver) return follower.end()
    const following: Following = { person, follower, seq: 0, held: [] }
    this.#all.add(following)
    signal.addEventListener('abort', () => this.#leave(following), { once: true })
    await this.#start()
    following.seq = this.#seq
    if (lastSeq === undefined || lastSeq > this.#seq) follower.at(this.#seq)
    else await this.#tellMissed(following, lastSeq)
    const held = following.held ?? []
    following.held = undefined
    for (const change of held) tell(following, change)
  }

  async #tellMissed(following: Following, lastSeq: number): Promise<void> {
    const missed = await this.#store.changes.since(this.#tenant, lastSeq, inboxLimits.missedChanges)
    if (missed.more) return following.follower.startAnew(following.seq)
    following.seq = lastSeq
    for (const [change, mayKnow] of await this.#judged(missed.changes)) if (mayKnow(following)) tell(following, change)
    following.seq = Math.max(following.seq, missed.lastSeq)
    following.follower.at(following.seq)
  }

  #leave(following: Following): void {
    this.#all.delete(following)
    if (this.#all.size > 0) return
    this.#running?.left.abort()
    this.#running?.bell.close()
    this.#running = undefined
  }

  async #start(): Promise<void> {
    if (this.#running === undefined) {
      const bell = this.#store.changes.listen(this.#tenant)
      const started = this.#store.changes.last(this.#tenant).then((seq) => {
        this.#seq = seq
      })
      const running = { bell, started, left: new AbortController() }
      this.#running = running
      started.then(
        () => this.#run(running),
        () => undefined,
      )
      // Who comes next tries again.
      started.catch(() => {
        bell.close()
        if (this.#running === running) this.#running = undefined
      })
    }
    await this.#running.started
  }

  async #run(running: Running): Promise<void> {
    while (this.#running === running) {
      try {
        await this.#readOn()
        await running.bell.rung(inboxLimits.keepAliveMs, running.left.signal)
      } catch (error) {
        this.#onTrouble(error)
        await new Promise((resolve) => setTimeout(resolve, inboxLimits.retryMs))
      }
    }
  }

  async #readOn(): Promise<void> {
    for (;;) {
      const { changes, lastSeq, more } = await this.#store.changes.since(
        this.#tenant,
        this.#seq,
        inboxLimits.changesPage,
      )
      for (const [change, mayKnow] of await this.#judged(changes)) {
        for (const following of this.#all) {
          if (!mayKnow(following)) continue
          if (following.held === undefined) tell(following, change)
          else following.held.push(change)
        }
      }
      this.#seq = lastSeq
      if (!more) return
    }
  }

  /** Each change with who may know of it: those who may decide the ask. Each ask is read once. */
  async #judged(changes: readonly Change[]): Promise<(readonly [Told, (following: Following) => boolean])[]> {
    const ids = [...new Set(changes.map(({ id }) => id))]
    const asks = await Promise.all(ids.map((id) => this.#store.asks.read(this.#tenant, id)))
    const electorates = new Map(asks.flatMap((ask) => (ask === undefined ? [] : [[ask.id, ask.electorate] as const])))
    return changes.flatMap(({ seq, id, move }) => {
      const electorate = electorates.get(id)
      if (electorate === undefined) return []
      return [[{ seq, id, change: move }, ({ person }: Following) => mayDecide(electorate, person)] as const]
    })
  }
}

function tell(following: Following, change: Told): void {
  if (change.seq <= following.seq) return
  following.seq = change.seq
  following.follower.tell(change)
}
