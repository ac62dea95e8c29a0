// Signals over NATS, for clusters in which LISTEN/NOTIFY would load the database too much.
//
// Keys are published after the commit and stored nowhere. While NATS is unavailable they are dropped: the slow poll finds the
// same changes, so a broker that is down, slow or lossy only causes a delay.

import type { NatsConnection, NodeConnectionOptions } from '@nats-io/transport-node'
import { readPayload, takePayload } from './payload.ts'
import { Reconnect } from './reconnect.ts'
import type { OnSignal, Signals } from './signals.ts'

export interface NatsSignalsOptions {
  /** `nats://` or `tls://`, with `user:password@` or `token@` if the server requires it. Several, separated by commas. */
  readonly url: string
  /** The subject that all processes of this store publish to. */
  readonly subject: string
  readonly onError: (error: unknown) => void
}

// Far below the limit of any server (1 MiB), and large enough that a burst needs few messages.
const payloadChars = 32_000
// Keys waiting to be sent; more are dropped.
const outboxKeys = 100_000
const connectTimeoutMs = 2_000

export class NatsSignals implements Signals {
  readonly transport = 'nats'
  readonly isNamed = true
  readonly counts = { received: 0, reconnects: 0 }
  readonly #options: NatsSignalsOptions
  readonly #outbox: string[] = []
  readonly #reconnect = new Reconnect()
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

  publish(key: string): void {
    this.#begin()
    if (!this.#isConnected || this.#outbox.length >= outboxKeys) return
    this.#outbox.push(key)
    if (this.#isSending) return
    this.#isSending = true
    setImmediate(() => this.#send())
  }

  /** The connection stays open from the first start on: waiters come and go, and listening is cheap. */
  start(onSignal: OnSignal): void {
    this.#onSignal = onSignal
    this.#begin()
  }

  stop(): void {
    this.#onSignal = undefined
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
      })
      this.#connection.subscribe(this.#options.subject, {
        callback: (error, message) => {
          if (error !== null) return this.#options.onError(error)
          this.counts.received += 1
          for (const key of readPayload(message.string())) this.#onSignal?.(key)
        },
      })
      await this.#connection.flush()
      this.#connected()
      void this.#followStatus(this.#connection).catch(this.#options.onError)
    } catch (error) {
      await this.#connection?.close().catch(() => undefined)
      this.#connection = undefined
      this.#retry(error)
    }
  }

  async #followStatus(connection: NatsConnection): Promise<void> {
    for await (const { type } of connection.status()) {
      if (type === 'reconnect') {
        this.counts.reconnects += 1
        this.#connected()
      }
      if (type !== 'disconnect') continue
      this.#isConnected = false
      this.#outbox.length = 0
      if (!this.#isClosed)
        this.#options.onError(new Error('The connection to NATS broke; waiting continues by polling.'))
    }
    // The client does not reconnect any more: it was closed, or the server no longer accepts its credentials.
    this.#isConnected = false
    this.#connection = undefined
    if (!this.#isClosed) this.#retry(new Error('NATS no longer accepts the connection; waiting continues by polling.'))
  }

  #connected(): void {
    this.#isConnected = true
    this.#reconnect.succeeded()
    // Signals sent before this moment were not received.
    this.#onSignal?.()
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
      while (this.#outbox.length > 0 && this.#isConnected) {
        this.#connection?.publish(this.#options.subject, takePayload(this.#outbox, payloadChars))
      }
    } catch (error) {
      this.#outbox.length = 0
      this.#options.onError(error)
    }
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
