// Signals by NATS: for fleets in which LISTEN/NOTIFY would take too much of the database.
//
// Names only, published after the commit, kept by nobody. While NATS is away signals are let go: the slow poll finds what
// they would have told, so a broker that is down, slow or lossy costs delay and nothing else.

import type { NatsConnection, NodeConnectionOptions } from '@nats-io/transport-node'
import { readPayload, takePayload } from './payload.ts'
import type { Signals } from './signals.ts'

export interface NatsSignalsOptions {
  /** `nats://` or `tls://`, with `user:password@` or `token@` where the server wants one. Several, separated by commas. */
  readonly url: string
  /** What this store's processes tell each other under. */
  readonly subject: string
  readonly onTrouble: (error: unknown) => void
}

// Far below what any server takes (1 MiB), and large enough that a burst is few messages.
const payloadChars = 32_000
// What may wait to be sent; beyond it signals are let go.
const outboxKeys = 100_000
const connectMs = 2_000
const firstRetryMs = 100
const lastRetryMs = 5_000

export class NatsSignals implements Signals {
  readonly transport = 'nats'
  readonly isNamed = true
  readonly counts = { received: 0, reconnects: 0 }
  readonly #options: NatsSignalsOptions
  readonly #outbox: string[] = []
  #connection: NatsConnection | undefined
  #connecting: Promise<void> | undefined
  #isUp = false
  #isSending = false
  #onSignal: ((key?: string) => void) | undefined
  #retry: NodeJS.Timeout | undefined
  #retryMs = firstRetryMs
  #closed = false

  constructor(options: NatsSignalsOptions) {
    this.#options = options
    // At once, or the first signals of a process would be let go while it connects.
    this.#begin()
  }

  publish(key: string): void {
    this.#begin()
    if (!this.#isUp || this.#outbox.length >= outboxKeys) return
    this.#outbox.push(key)
    if (this.#isSending) return
    this.#isSending = true
    setImmediate(() => this.#send())
  }

  /** The connection is kept from the first start on: waiting comes and goes, listening is cheap. */
  start(onSignal: (key?: string) => void): void {
    this.#onSignal = onSignal
    this.#begin()
  }

  stop(): void {
    this.#onSignal = undefined
  }

  async close(): Promise<void> {
    this.#closed = true
    this.stop()
    clearTimeout(this.#retry)
    await this.#connecting
    this.#send()
    const connection = this.#connection
    // What was published last shall still leave; but nobody waits for a broker that does not answer.
    const limit = new Promise<void>((resolve) => setTimeout(resolve, connectMs).unref())
    if (this.#isUp) await Promise.race([connection?.flush().catch(() => undefined), limit])
    await connection?.close()
  }

  #begin(): void {
    if (this.#closed || this.#connection !== undefined || this.#connecting !== undefined || this.#retry !== undefined)
      return
    this.#connecting = this.#connect().finally(() => {
      this.#connecting = undefined
    })
  }

  async #connect(): Promise<void> {
    try {
      // Loaded by whoever uses it: a program on one person's machine starts sooner without.
      const { connect } = await import('@nats-io/transport-node')
      // Once connected, the client itself comes back after a break, as often as it takes.
      this.#connection = await connect({
        ...addressOf(this.#options.url),
        timeout: connectMs,
        maxReconnectAttempts: -1,
      })
      this.#connection.subscribe(this.#options.subject, {
        callback: (error, message) => {
          if (error !== null) return this.#options.onTrouble(error)
          this.counts.received += 1
          for (const key of readPayload(message.string())) this.#onSignal?.(key)
        },
      })
      await this.#connection.flush()
      this.#up()
      void this.#follow(this.#connection).catch(this.#options.onTrouble)
    } catch (error) {
      await this.#connection?.close().catch(() => undefined)
      this.#connection = undefined
      this.#again(error)
    }
  }

  async #follow(connection: NatsConnection): Promise<void> {
    for await (const { type } of connection.status()) {
      if (type === 'reconnect') {
        this.counts.reconnects += 1
        this.#up()
      }
      if (type !== 'disconnect') continue
      this.#isUp = false
      this.#outbox.length = 0
      if (!this.#closed) this.#options.onTrouble(new Error('The connection to NATS broke; waiting goes on by polling.'))
    }
    // The client has given up for good, because it was told to or because it may not come in any more.
    this.#isUp = false
    this.#connection = undefined
    if (!this.#closed) this.#again(new Error('NATS no longer lets us in; waiting goes on by polling.'))
  }

  #up(): void {
    this.#isUp = true
    this.#retryMs = firstRetryMs
    // Whatever was signalled before this moment was not heard.
    this.#onSignal?.()
  }

  #again(error: unknown): void {
    if (this.#closed) return
    this.counts.reconnects += 1
    this.#options.onTrouble(error)
    this.#retry = setTimeout(() => {
      this.#retry = undefined
      this.#begin()
    }, this.#retryMs)
    this.#retry.unref()
    this.#retryMs = Math.min(this.#retryMs * 2, lastRetryMs)
  }

  #send(): void {
    this.#isSending = false
    try {
      while (this.#outbox.length > 0 && this.#isUp) {
        this.#connection?.publish(this.#options.subject, takePayload(this.#outbox, payloadChars))
      }
    } catch (error) {
      this.#outbox.length = 0
      this.#options.onTrouble(error)
    }
  }
}

/** What the client is told; it does not look for credentials in the address by itself. */
function addressOf(text: string): NodeConnectionOptions {
  const urls = text.split(',').map((one) => new URL(one.trim()))
  const [{ username, password, protocol }] = urls as [URL]
  const [user, pass] = [decodeURIComponent(username), decodeURIComponent(password)]
  const who = pass !== '' ? { user, pass } : user === '' ? {} : { token: user }
  return { servers: urls.map(({ host }) => host), ...who, ...(protocol === 'tls:' ? { tls: {} } : {}) }
}
