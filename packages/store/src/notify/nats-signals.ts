// Signals over NATS, for clusters in which LISTEN/NOTIFY would load the database too much.
//
// Each tenant has its own subject, and a process subscribes to those of the tenants that it waits for. Signals are published
// after the commit and stored nowhere. While NATS is unavailable they are dropped: the slow poll finds the same changes, so a
// broker that is down, slow or lossy only causes a delay.

import { createHash } from 'node:crypto'
import type { Msg, NatsConnection, NodeConnectionOptions, Subscription } from '@nats-io/transport-node'
import { storeLimits } from '../limits.ts'
import { type AskSignal, readSignal, writeSignal } from './ask-signal.ts'
import { readPayload, takePayload } from './payload.ts'
import { Reconnect } from './reconnect.ts'
import type { OnSignal, Signals } from './signals.ts'

export interface NatsSignalsOptions {
  /** `nats://` or `tls://`, with `user:password@` or `token@` if the server requires it. Several, separated by commas. */
  readonly url: string
  /** All processes of this store publish to subjects below this one. */
  readonly subject: string
  readonly onError: (error: unknown) => void
}

// Far below the limit of any server (1 MiB), and large enough that a burst needs few messages.
const payloadChars = 32_000
// Signals waiting to be sent; more are dropped.
const outboxSignals = 100_000
const connectTimeoutMs = 2_000

export class NatsSignals implements Signals {
  readonly transport = 'nats'
  readonly isNamed = true
  readonly counts = { received: 0, reconnects: 0 }
  readonly #options: NatsSignalsOptions
  /** Lines to be sent, by subject. */
  readonly #outbox = new Map<string, string[]>()
  #outboxSize = 0
  /** The subjects that this process subscribes to, or only the wildcard for all of them. */
  readonly #subjects = new Set<string>()
  readonly #reconnect = new Reconnect()
  readonly #subscriptions: Subscription[] = []
  #connection: NatsConnection | undefined
  #connecting: Promise<void> | undefined
  #isConnected = false
  #isSending = false
  #onSignal: OnSignal | undefined
  #isClosed = false

  constructor(options: NatsSignalsOptions) {
    this.#options = options
    // At once: the first signals of a process would be dropped while it connects.
    this.#begin()
  }

  publish(signal: AskSignal): void {
    this.#begin()
    if (!this.#isConnected || this.#outboxSize >= outboxSignals) return
    const subject = this.#subjectOf(signal.tenant)
    const lines = this.#outbox.get(subject) ?? []
    lines.push(writeSignal(signal))
    this.#outbox.set(subject, lines)
    this.#outboxSize += 1
    if (this.#isSending) return
    this.#isSending = true
    setImmediate(() => this.#send())
  }

  /** Subscriptions stay until the connection is closed: tenants are waited for again and again. */
  follow(tenant: string): void {
    const all = `${this.#options.subject}.*`
    if (this.#subjects.has(all)) return
    const subject = this.#subjects.size < storeLimits.natsSubjects ? this.#subjectOf(tenant) : all
    if (this.#subjects.has(subject)) return
    if (subject === all) this.#unsubscribe()
    this.#subjects.add(subject)
    if (this.#connection !== undefined) this.#subscribe(this.#connection, subject)
  }

  /** The connection stays open from the first start on: waiters come and go, and listening is cheap. */
  start(onSignal: OnSignal): void {
    this.#onSignal = onSignal
    this.#begin()
  }

  stop(): void {
    this.#onSignal = undefined
  }

  suspect(): void {
    this.#onSignal?.('lost')
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.stop()
    this.#reconnect.cancel()
    await this.#connecting
    this.#send()
    const connection = this.#connection
    // Send what was published last, but do not wait for a broker that does not answer.
    const limit = new Promise<void>((resolve) => setTimeout(resolve, connectTimeoutMs).unref())
    if (this.#isConnected) await Promise.race([connection?.flush().catch(() => undefined), limit])
    await connection?.close()
  }

  #begin(): void {
    if (this.#isClosed || this.#connection !== undefined) return
    if (this.#connecting !== undefined || this.#reconnect.isScheduled) return
    this.#connecting = this.#connect().finally(() => {
      this.#connecting = undefined
    })
  }

  async #connect(): Promise<void> {
    try {
      // Loaded only when it is used: a program on one person's machine starts faster without it.
      const { connect } = await import('@nats-io/transport-node')
      // Once connected, the client itself reconnects after a break, without a limit.
      this.#connection = await connect({
        ...addressOf(this.#options.url),
        timeout: connectTimeoutMs,
        maxReconnectAttempts: -1,
        // This process has notified its own waiters already.
        noEcho: true,
      })
      for (const subject of this.#subjects) this.#subscribe(this.#connection, subject)
      await this.#connection.flush()
      this.#connected()
      void this.#followStatus(this.#connection).catch(this.#options.onError)
    } catch (error) {
      await this.#connection?.close().catch(() => undefined)
      this.#subscriptions.length = 0
      this.#connection = undefined
      this.#retry(error)
    }
  }

  #subscribe(connection: NatsConnection, subject: string): void {
    const callback = (error: Error | null, message: Msg) => {
      if (error !== null) return this.#options.onError(error)
      this.counts.received += 1
      for (const signal of readPayload(message.string()).map(readSignal)) {
        if (signal !== undefined) this.#onSignal?.(signal)
      }
    }
    this.#subscriptions.push(connection.subscribe(subject, { callback }))
  }

  #unsubscribe(): void {
    for (const subscription of this.#subscriptions.splice(0)) subscription.unsubscribe()
    this.#subjects.clear()
  }

  /** A digest, because a tenant's name may contain characters that a subject may not. */
  #subjectOf(tenant: string): string {
    return `${this.#options.subject}.${createHash('sha256').update(tenant).digest('base64url').slice(0, 16)}`
  }

  async #followStatus(connection: NatsConnection): Promise<void> {
    for await (const { type } of connection.status()) {
      if (type === 'reconnect') {
        this.counts.reconnects += 1
        this.#connected()
      }
      if (type !== 'disconnect') continue
      this.#isConnected = false
      this.#emptyOutbox()
      if (!this.#isClosed)
        this.#options.onError(new Error('The connection to NATS broke; waiting continues by polling.'))
    }
    // The client does not reconnect any more: it was closed, or the server no longer accepts its credentials.
    this.#isConnected = false
    this.#subscriptions.length = 0
    this.#connection = undefined
    if (!this.#isClosed) this.#retry(new Error('NATS no longer accepts the connection; waiting continues by polling.'))
  }

  #connected(): void {
    this.#isConnected = true
    this.#reconnect.succeeded()
    // Signals sent before this moment were not received.
    this.#onSignal?.('lost')
  }

  #retry(error: unknown): void {
    if (this.#isClosed) return
    this.counts.reconnects += 1
    this.#options.onError(error)
    this.#reconnect.schedule(() => this.#begin())
  }

  #send(): void {
    this.#isSending = false
    try {
      for (const [subject, lines] of this.#outbox) {
        while (lines.length > 0 && this.#isConnected) {
          this.#connection?.publish(subject, takePayload(lines, payloadChars))
        }
      }
    } catch (error) {
      this.#options.onError(error)
    }
    this.#emptyOutbox()
  }

  #emptyOutbox(): void {
    this.#outbox.clear()
    this.#outboxSize = 0
  }
}

/** The client does not read credentials from the address by itself. */
function addressOf(text: string): NodeConnectionOptions {
  const urls = text.split(',').map((one) => new URL(one.trim()))
  const [{ username, password, protocol }] = urls as [URL]
  const [user, pass] = [decodeURIComponent(username), decodeURIComponent(password)]
  const credentials = pass !== '' ? { user, pass } : user === '' ? {} : { token: user }
  return { servers: urls.map(({ host }) => host), ...credentials, ...(protocol === 'tls:' ? { tls: {} } : {}) }
}
