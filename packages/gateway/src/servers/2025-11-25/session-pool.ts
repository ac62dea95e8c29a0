// The sessions of one caller with one server: one for all its calls, or one per call with `isolation: call`.
//
// I1  A session that has ended and that no call uses does not count towards the limit.
// I2  Each place that becomes free wakes one waiting call; one whose caller has left passes the place on.
// I3  A closed pool has no sessions, also none that was being opened, and no call waits for one.

import type { Call, ClientProfile } from '../../call/model.ts'
import { serverLimits } from '../../limits.ts'
import type { Notification } from '../../protocol/messages.ts'
import type { Timeouts } from '../timeouts.ts'
import { type OpenTransport, Session } from './session.ts'

export interface PoolOptions {
  /** Most concurrent sessions, when each call has its own session; undefined when all calls share one. */
  readonly perCall: number | undefined
  readonly onStray: () => void
  /** Called with what the server sends outside calls, also if no client listens. */
  readonly onNotification?: ((notification: Notification) => void) | undefined
  readonly timeouts?: Timeouts | undefined
}

type Listener = Pick<Call, 'notify' | 'ask'>

export class SessionPool {
  readonly #open: OpenTransport
  readonly #options: PoolOptions
  readonly #listeners = new Set<Listener>()
  /** Number of running calls per session. */
  readonly #used = new Map<Session, number>()
  /** The calls that wait for a place, in order. Each is resolved with whether it got one. */
  readonly #waiting = new Set<(isWoken: boolean) => void>()
  #sessions: Session[] = []
  #opening = 0
  #first: Promise<Session> | undefined
  #isClosed = false
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

  /** A session for a call that may ask; undefined if its caller left first. Return it with `giveBack`. */
  async take({ client, signal }: Pick<Call, 'client' | 'signal'>): Promise<Session | undefined> {
    const session = await this.#taken(client, signal)
    if (session === undefined || !signal.aborted) return session
    this.giveBack(session)
    return undefined
  }

  giveBack(session: Session): void {
    this.lastUsedMs = performance.now()
    const left = (this.#used.get(session) ?? 1) - 1
    if (left > 0) this.#used.set(session, left)
    else this.#used.delete(session)
    if (left === 0 && this.#isSpent(session)) this.#drop(session)
    else this.#wake()
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
    const isOpening = this.#opening > 0 || this.#first !== undefined
    return this.#used.size === 0 && this.#listeners.size === 0 && !isOpening
  }

  close(): void {
    this.#isClosed = true
    for (const session of this.#sessions) session.close()
    this.#sessions = []
    while (this.#waiting.size > 0) this.#wake()
  }

  async #taken(client: ClientProfile, signal: AbortSignal): Promise<Session | undefined> {
    const { perCall } = this.#options
    if (perCall === undefined) return this.#prepared(await this.first(client))
    while (!signal.aborted) {
      if (this.#isClosed) throw closedPool()
      this.#dropEnded()
      if (this.#sessions.length + this.#opening === 0) await this.first(client)
      const free = this.#sessions.find((session) => session.isOpen && session.isClean && !this.#used.has(session))
      if (free !== undefined) return this.#prepared(free)
      if (this.#sessions.length + this.#opening < perCall) {
        const session = await this.#begin(client)
        if (!this.#used.has(session)) return this.#prepared(session)
        continue
      }
      if (this.#waiting.size >= serverLimits.waitingCalls)
        throw new Error('Too many calls are waiting for this server.')
      await this.#placeOrLeft(signal)
    }
    return undefined
  }

  /** Resolves when a place may be free, or when the caller has left. */
  async #placeOrLeft(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const leave = () => {
      if (this.#waiting.delete(resolve)) resolve(false)
    }
    this.#waiting.add(resolve)
    signal.addEventListener('abort', leave, { once: true })
    const isWoken = await promise
    signal.removeEventListener('abort', leave)
    if (isWoken && signal.aborted) this.#wake()
  }

  #wake(): void {
    const [next] = this.#waiting
    if (next === undefined) return
    this.#waiting.delete(next)
    next(true)
  }

  #dropEnded(): void {
    for (const session of this.#sessions) if (!session.isOpen && !this.#used.has(session)) this.#drop(session)
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
    return !session.isClean || (idle > serverLimits.idleConnections && this.#waiting.size === 0)
  }

  async #prepared(session: Session): Promise<Session> {
    this.#used.set(session, (this.#used.get(session) ?? 0) + 1)
    if (this.logLevel === undefined || session.logLevel === this.logLevel) return session
    session.logLevel = this.logLevel
    await session.request('logging/setLevel', { level: this.logLevel })
    return session
  }

  async #begin(client: ClientProfile): Promise<Session> {
    if (this.#isClosed) throw closedPool()
    this.#opening += 1
    try {
      const session = await Session.open(this.#open, client, {
        onNotification: (notification) => {
          this.#options.onNotification?.(notification)
          for (const { notify } of this.#listeners) notify(notification)
        },
        onStray: this.#options.onStray,
        timeouts: this.#options.timeouts,
        asker: () => [...this.#listeners].findLast(({ ask }) => ask !== undefined)?.ask,
      })
      if (this.#isClosed) {
        session.close()
        throw closedPool()
      }
      this.#sessions.push(session)
      return session
    } finally {
      this.#opening -= 1
      this.#wake()
    }
  }

  #drop(session: Session): void {
    this.#sessions = this.#sessions.filter((one) => one !== session)
    session.close()
    this.#wake()
  }
}

function closedPool(): Error {
  return new Error('The connection was closed.')
}
