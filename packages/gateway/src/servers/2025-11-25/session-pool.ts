// The sessions of one caller with one server: one for all its calls, or one per call with `isolation: call`.

import type { Call, ClientProfile } from '../../call/model.ts'
import { serverLimits } from '../../limits.ts'
import type { Notification } from '../../protocol/messages.ts'
import type { Timeouts } from '../timeouts.ts'
import { type OpenTransport, Session } from './session.ts'

export interface PoolOptions {
  /** Most concurrent sessions, when each call has its own session; undefined when all calls share one. */
  readonly perCall: number | undefined
  readonly onStray: () => void
  readonly timeouts?: Timeouts | undefined
}

type Listener = Pick<Call, 'notify' | 'ask'>

export class SessionPool {
  readonly #open: OpenTransport
  readonly #options: PoolOptions
  readonly #listeners = new Set<Listener>()
  /** Number of running calls per session. */
  readonly #used = new Map<Session, number>()
  readonly #waiting: (() => void)[] = []
  #sessions: Session[] = []
  #opening = 0
  #first: Promise<Session> | undefined
  lastUsedMs: number = performance.now()
  logLevel: string | undefined

  constructor(open: OpenTransport, options: PoolOptions) {
    this.#open = open
    this.#options = options
  }

  /** The session for requests that cannot ask; also for calls, when they share one. */
  async first(client: ClientProfile): Promise<Session> {
    this.lastUsedMs = performance.now()
    this.#first ??= this.#existingOrNew(client).finally(() => {
      this.#first = undefined
    })
    return this.#first
  }

  /** A session for a call that may ask. Return it with `giveBack`. */
  async take(client: ClientProfile): Promise<Session> {
    const { perCall } = this.#options
    if (perCall === undefined) return this.#prepared(await this.first(client))
    for (;;) {
      if (this.#sessions.length + this.#opening === 0) await this.first(client)
      const free = this.#sessions.find((session) => session.isOpen && session.isClean && !this.#used.has(session))
      if (free !== undefined) return this.#prepared(free)
      if (this.#sessions.length + this.#opening < perCall) {
        const session = await this.#begin(client)
        if (!this.#used.has(session)) return this.#prepared(session)
        continue
      }
      if (this.#waiting.length >= serverLimits.waitingCalls)
        throw new Error('Too many calls are waiting for this server.')
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
  }

  giveBack(session: Session): void {
    this.lastUsedMs = performance.now()
    const left = (this.#used.get(session) ?? 1) - 1
    if (left > 0) this.#used.set(session, left)
    else this.#used.delete(session)
    if (left === 0 && this.#isSpent(session)) this.#drop(session)
    this.#waiting.shift()?.()
  }

  /** Passes on the server's messages outside calls, until the returned function is called. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener)
    if (listener.ask !== undefined) for (const session of this.#sessions) session.onListening()
    return () => this.#listeners.delete(listener)
  }

  /** Sends a notification on every open session. */
  notify(notification: Notification): void {
    for (const session of this.#sessions) if (session.isOpen) session.notify(notification)
  }

  get isIdle(): boolean {
    return this.#used.size === 0 && this.#listeners.size === 0 && this.#opening === 0
  }

  close(): void {
    for (const session of this.#sessions) session.close()
    this.#sessions = []
  }

  async #existingOrNew(client: ClientProfile): Promise<Session> {
    for (const session of [...this.#sessions]) {
      if (await session.isAlive()) return session
      if (!this.#used.has(session)) this.#drop(session)
    }
    return this.#begin(client)
  }

  /** Whether a session is not reused: it has ended, an abandoned call may still ask on it, or enough are idle. */
  #isSpent(session: Session): boolean {
    if (!session.isOpen) return true
    if (this.#options.perCall === undefined) return false
    const idle = this.#sessions.filter((one) => !this.#used.has(one)).length
    return !session.isClean || (idle > serverLimits.idleConnections && this.#waiting.length === 0)
  }

  async #prepared(session: Session): Promise<Session> {
    this.#used.set(session, (this.#used.get(session) ?? 0) + 1)
    if (this.logLevel === undefined || session.logLevel === this.logLevel) return session
    session.logLevel = this.logLevel
    await session.request('logging/setLevel', { level: this.logLevel })
    return session
  }

  async #begin(client: ClientProfile): Promise<Session> {
    this.#opening += 1
    try {
      const session = await Session.open(this.#open, client, {
        onNotification: (notification) => {
          for (const { notify } of this.#listeners) notify(notification)
        },
        onStray: this.#options.onStray,
        timeouts: this.#options.timeouts,
        asker: () => [...this.#listeners].findLast(({ ask }) => ask !== undefined)?.ask,
      })
      this.#sessions.push(session)
      return session
    } finally {
      this.#opening -= 1
      this.#waiting.shift()?.()
    }
  }

  #drop(session: Session): void {
    this.#sessions = this.#sessions.filter((one) => one !== session)
    session.close()
  }
}
