// The sessions that one caller has with one server: one for all its calls, or one for each where the configuration says so.

import { upstreamLimits } from '../../limits.ts'
import type { Call, ClientProfile } from '../../relay/exchange.ts'
import type { Notification } from '../../wire/messages.ts'
import type { Timeouts } from '../timeouts.ts'
import { type OpenWire, Session } from './session.ts'

export interface PoolOptions {
  /** Sessions at once where each call has its own; undefined where all calls share one. */
  readonly perCall: number | undefined
  readonly onStray: () => void
  readonly timeouts?: Timeouts | undefined
}

type Listener = Pick<Call, 'notify' | 'ask'>

export class SessionPool {
  readonly #open: OpenWire
  readonly #options: PoolOptions
  readonly #listeners = new Set<Listener>()
  /** The sessions that calls run on, with how many each. */
  readonly #used = new Map<Session, number>()
  readonly #waiting: (() => void)[] = []
  #sessions: Session[] = []
  #opening = 0
  #first: Promise<Session> | undefined
  lastUsedMs: number = performance.now()
  logLevel: string | undefined

  constructor(open: OpenWire, options: PoolOptions) {
    this.#open = open
    this.#options = options
  }

  /** The session for everything that cannot ask; where calls share one, for them too. */
  async first(client: ClientProfile): Promise<Session> {
    this.lastUsedMs = performance.now()
    this.#first ??= this.#standing(client).finally(() => {
      this.#first = undefined
    })
    return this.#first
  }

  /** A session for a call that may ask. The caller gives it back. */
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
      if (this.#waiting.length >= upstreamLimits.waitingCalls)
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

  /** Passes on what the server says outside calls, until the function that comes back is called. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener)
    if (listener.ask !== undefined) for (const session of this.#sessions) session.onListening()
    return () => this.#listeners.delete(listener)
  }

  /** Tells the server something on the session that all its requests share, if there is one. */
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

  async #standing(client: ClientProfile): Promise<Session> {
    for (const session of [...this.#sessions]) {
      if (await session.isAlive()) return session
      if (!this.#used.has(session)) this.#drop(session)
    }
    return this.#begin(client)
  }

  /** A session that carries no other call: it has ended, a call that was given up may still ask on it, or there are enough. */
  #isSpent(session: Session): boolean {
    if (!session.isOpen) return true
    if (this.#options.perCall === undefined) return false
    const idle = this.#sessions.filter((one) => !this.#used.has(one)).length
    return !session.isClean || (idle > upstreamLimits.idleConnections && this.#waiting.length === 0)
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
