// Signals over LISTEN/NOTIFY.
//
// Published after the commit, and many at a time: `pg_notify` inside every deciding transaction would cost a large part of
// their throughput, and a lost signal only causes a delay.
//
// Its connections lead to the database itself: through a pooler, LISTEN would stay on one of the pooler's server connections.

import pg from 'pg'
import type { ConnectionSettings } from '../engine/connection-settings.ts'
import { destroyConnection } from '../engine/health-connection.ts'
import { type AskSignal, readSignal, writeSignal } from './ask-signal.ts'
import { readPayload, takePayload } from './payload.ts'
import { Reconnect } from './reconnect.ts'
import type { OnSignal, Signals } from './signals.ts'

export interface PostgresSignalsOptions {
  readonly config: pg.ClientConfig
  readonly settings: ConnectionSettings
  readonly channel: string
  readonly onError: (error: unknown) => void
}

// PostgreSQL refuses payloads of 8,000 bytes; signals are ours and short.
const payloadChars = 1_900
// Under load, signals published within this time share a message; each message costs this process and the database some work.
const gatherMs = 1
const closeTimeoutMs = 2_000

export class PostgresSignals implements Signals {
  readonly transport = 'listen'
  readonly isNamed = true
  readonly counts = { received: 0, reconnects: 0 }
  readonly #options: PostgresSignalsOptions
  readonly #outbox: string[] = []
  readonly #reconnect = new Reconnect()
  #publisher: Promise<pg.Client> | undefined
  /** The server process of the publishing connection. */
  #publisherPid: number | undefined
  #listener: pg.Client | undefined
  #isConnecting = false
  #onSignal: OnSignal | undefined
  #isSending = false
  #isClosed = false

  constructor(options: PostgresSignalsOptions) {
    this.#options = options
  }

  publish(signal: AskSignal): void {
    this.#outbox.push(writeSignal(signal))
    if (this.#isSending) return
    this.#isSending = true
    setTimeout(() => void this.#send(), gatherMs)
  }

  follow(): void {
    // One channel for all tenants: PostgreSQL passes every notification of a database to every listening connection anyway.
  }

  /** The connection stays open from the first start on: waiters come and go, and listening is cheap. */
  start(onSignal: OnSignal): void {
    this.#onSignal = onSignal
    if (this.#listener === undefined && !this.#isConnecting && !this.#reconnect.isScheduled) void this.#listen()
  }

  stop(): void {
    this.#onSignal = undefined
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.stop()
    this.#reconnect.cancel()
    const publisher = await this.#publisher?.catch(() => undefined)
    await Promise.all([this.#listener, publisher].map(async (client) => client && ended(client)))
  }

  /** The listening connection never sends anything, so it would not notice by itself that the database is gone. */
  suspect(): void {
    if (this.#listener !== undefined)
      this.#lost(new Error('The database does not answer; its notifications are not received.'))
  }

  async #send(): Promise<void> {
    try {
      while (this.#outbox.length > 0 && !this.#isClosed) {
        const payload = takePayload(this.#outbox, payloadChars)
        this.#publisher ??= this.#newPublisher()
        const values = [this.#options.channel, payload]
        const statement = { name: 'notify', text: 'select pg_notify($1, $2)', values }
        const publisher = await this.#publisher
        this.#publisherPid = processIdOf(publisher)
        await this.#options.settings.run(publisher, statement)
      }
    } catch (error) {
      // A connection that does not answer would otherwise stay open beside the next one.
      this.#publisher?.then(destroyConnection, () => undefined)
      this.#publisher = undefined
      this.#outbox.length = 0
      this.#options.onError(error)
    } finally {
      this.#isSending = false
    }
  }

  #newPublisher(): Promise<pg.Client> {
    const publisher = this.#connect((error) => {
      // It broke while idle; the next message opens another one.
      if (this.#publisher === publisher) this.#publisher = undefined
      this.#options.onError(error)
    })
    return publisher
  }

  async #listen(): Promise<void> {
    let listener: pg.Client | undefined
    const lost = (error: unknown) => {
      if (this.#listener === listener) this.#lost(error)
    }
    this.#isConnecting = true
    try {
      listener = await this.#connect(lost)
      if (this.#isClosed) return destroyConnection(listener)
      this.#listener = listener
      this.#isConnecting = false
      listener.on('notification', ({ payload = '', processId }) => {
        // PostgreSQL sends notifications back to their sender, which has notified its own waiters already.
        if (processId === this.#publisherPid) return
        this.counts.received += 1
        for (const signal of readPayload(payload).map(readSignal)) if (signal !== undefined) this.#onSignal?.(signal)
      })
      await listener.query(`listen ${pg.escapeIdentifier(this.#options.channel)}`)
      this.#reconnect.succeeded()
      // Signals sent before this moment were not received.
      this.#onSignal?.('lost')
    } catch (error) {
      this.#isConnecting = false
      lost(error)
    }
  }

  #lost(error: unknown): void {
    // It may still be open, and must not stay open beside the next one.
    if (this.#listener !== undefined) destroyConnection(this.#listener)
    this.#listener = undefined
    if (this.#isClosed || this.#reconnect.isScheduled) return
    this.counts.reconnects += 1
    this.#options.onError(error)
    this.#reconnect.schedule(() => void this.#listen())
  }

  async #connect(onLost: (error: unknown) => void): Promise<pg.Client> {
    const { config, settings } = this.#options
    const client = new pg.Client(config)
    client.on('error', onLost)
    try {
      await client.connect()
      await settings.apply(client)
      if (!settings.isPooled(client)) return client
      throw new Error('The connection for LISTEN leads through a pooler; waiting continues by polling.')
    } catch (error) {
      destroyConnection(client)
      throw error
    }
  }
}

function processIdOf(client: pg.Client): number | undefined {
  // Not in the driver's types.
  return (client as unknown as { processID: number | null }).processID ?? undefined
}

/** Does not wait for a database that does not answer. */
async function ended(client: pg.Client): Promise<void> {
  const late = setTimeout(destroyConnection, closeTimeoutMs, client)
  await client.end()
  clearTimeout(late)
}
