// The sessions that one caller has with one server. A session carries one asking call at a time; what cannot ask may run
// beside it, on the first.

import { upstreamLimits } from '../../limits.ts'
import type { ClientProfile } from '../../relay/exchange.ts'
import type { Notification } from '../../wire/messages.ts'
import { type OpenWire, Session } from './session.ts'

export class SessionPool {
  readonly #open: OpenWire
  readonly #most: number
  readonly #onStray: () => void
  readonly #listeners = new Set<(notification: Notification) => void>()
  readonly #taken = new Set<Session>()
  readonly #waiting: (() => void)[] = []
  #sessions: Session[] = []
  #opening = 0
  #first: Promise<Session> | undefined
  lastUsedMs: number = performance.now()
  logLevel: string | undefined

  constructor(open: OpenWire, most: number, onStray: () => void) {
    this.#open = open
    this.#most = most
    this.#onStray = onStray
  }

  /** The session for everything that cannot ask. */
  async first(client: ClientProfile): Promise<Session> {
    this.lastUsedMs = performance.now()
    this.#sessions = this.#sessions.filter((session) => session.isOpen)
    const [standing] = this.#sessions
    if (standing !== undefined) return standing
    this.#first ??= this.#begin(client).finally(() => {
      this.#first = undefined
    })
    return this.#first
  }

  /** A session for one asking call. Whoever takes it gives it back. */
  async take(client: ClientProfile): Promise<Session> {
    for (;;) {
      if (this.#sessions.length + this.#opening === 0) await this.first(client)
      const free = this.#sessions.find((session) => session.isOpen && !this.#taken.has(session))
      if (free !== undefined) return this.#prepared(free)
      if (this.#sessions.length + this.#opening < this.#most) {
        const session = await this.#begin(client)
        if (!this.#taken.has(session)) return this.#prepared(session)
        continue
      }
      if (this.#waiting.length >= upstreamLimits.waitingCalls)
        throw new Error('Too many calls are waiting for this server.')
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
  }

  giveBack(session: Session): void {
    this.lastUsedMs = performance.now()
    this.#taken.delete(session)
    const idle = this.#sessions.filter((one) => !this.#taken.has(one)).length
    if (!session.isOpen || (idle > upstreamLimits.idleConnections && this.#waiting.length === 0)) this.#drop(session)
    this.#waiting.shift()?.()
  }

  onNotification(listener: (notification: Notification) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  get isIdle(): boolean {
    return this.#taken.size === 0 && this.#listeners.size === 0 && this.#opening === 0
  }

  close(): void {
    for (const session of this.#sessions) session.close()
    this.#sessions = []
  }

  async #prepared(session: Session): Promise<Session> {
    this.#taken.add(session)
    if (this.logLevel === undefined || session.logLevel === this.logLevel) return session
    await session.request('logging/setLevel', { level: this.logLevel })
    session.logLevel = this.logLevel
    return session
  }

  async #begin(client: ClientProfile): Promise<Session> {
    this.#opening += 1
    try {
      const session = await Session.open(this.#open, client, {
        onNotification: (notification) => {
          for (const listener of this.#listeners) listener(notification)
        },
        onStray: this.#onStray,
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
