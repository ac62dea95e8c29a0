// Signals by LISTEN/NOTIFY.
//
// Published after the commit and many at a time: `pg_notify` inside every deciding transaction would cost a large part
// of their number, and a lost signal costs only delay.
//
// Its connections lead to the database itself. Through a pooler LISTEN stays with whichever server connection it ran on.

import pg from 'pg'
import type { ConnectionSettings } from '../engine/connection-settings.ts'
import { cut } from '../engine/pulse-line.ts'
import { readPayload, takePayload } from './payload.ts'
import type { Signals } from './signals.ts'

export interface PostgresSignalsOptions {
  readonly config: pg.ClientConfig
  readonly settings: ConnectionSettings
  readonly channel: string
  readonly onTrouble: (error: unknown) => void
}

// PostgreSQL refuses payloads of 8,000 bytes; keys are ours and short.
const payloadChars = 1_900
// Under load, what ends within this time shares a message; each costs this process and the database some work.
const gatherMs = 1
const firstRetryMs = 100
const lastRetryMs = 5_000
const closeWithinMs = 2_000

export class PostgresSignals implements Signals {
  readonly transport = 'listen'
  readonly isNamed = true
  readonly counts = { received: 0, reconnects: 0 }
  readonly #options: PostgresSignalsOptions
  readonly #outbox: string[] = []
  #publisher: Promise<pg.Client> | undefined
  #listener: pg.Client | undefined
  #onSignal: ((key?: string) => void) | undefined
  #retry: NodeJS.Timeout | undefined
  #retryMs = firstRetryMs
  #isSending = false
  #closed = false

  constructor(options: PostgresSignalsOptions) {
    this.#options = options
  }

  publish(key: string): void {
    this.#outbox.push(key)
    if (this.#isSending) return
    this.#isSending = true
    setTimeout(() => void this.#send(), gatherMs)
  }

  /** The connection is kept from the first start on: waiting comes and goes, listening is cheap. */
  start(onSignal: (key?: string) => void): void {
    this.#onSignal = onSignal
    if (this.#listener === undefined && this.#retry === undefined) void this.#listen()
  }

  stop(): void {
    this.#onSignal = undefined
  }

  async close(): Promise<void> {
    this.#closed = true
    this.stop()
    clearTimeout(this.#retry)
    const publisher = await this.#publisher?.catch(() => undefined)
    await Promise.all([this.#listener, publisher].map(async (client) => client && ended(client)))
  }

  /** The database has fallen silent. A connection on which nothing is ever sent would not notice, and hear nothing more. */
  doubt(): void {
    if (this.#listener !== undefined) this.#lost(new Error('The database does not answer; what it told is not heard.'))
  }

  async #send(): Promise<void> {
    try {
      while (this.#outbox.length > 0 && !this.#closed) {
        const payload = takePayload(this.#outbox, payloadChars)
        this.#publisher ??= this.#newPublisher()
        const values = [this.#options.channel, payload]
        const statement = { name: 'wake', text: 'select pg_notify($1, $2)', values }
        await this.#options.settings.run(await this.#publisher, statement)
      }
    } catch (error) {
      // One that does not answer would otherwise stay open beside the next.
      this.#publisher?.then(cut, () => undefined)
      this.#publisher = undefined
      this.#outbox.length = 0
      this.#options.onTrouble(error)
    } finally {
      this.#isSending = false
    }
  }

  #newPublisher(): Promise<pg.Client> {
    const publisher = this.#connect((error) => {
      // One that broke while nothing was sent; the next message gets another.
      if (this.#publisher === publisher) this.#publisher = undefined
      this.#options.onTrouble(error)
    })
    return publisher
  }

  async #listen(): Promise<void> {
    this.#retry = undefined
    try {
      this.#listener = await this.#connect((error) => this.#lost(error))
      if (this.#closed) return cut(this.#listener)
      this.#listener.on('notification', ({ payload = '' }) => {
        this.counts.received += 1
        for (const key of readPayload(payload)) this.#onSignal?.(key)
      })
      await this.#listener.query(`listen ${pg.escapeIdentifier(this.#options.channel)}`)
      this.#retryMs = firstRetryMs
      // Whatever was signalled before this moment was not heard.
      this.#onSignal?.()
    } catch (error) {
      this.#lost(error)
    }
  }

  #lost(error: unknown): void {
    // Whatever was wrong with it, it shall not stay open beside the next.
    if (this.#listener !== undefined) cut(this.#listener)
    this.#listener = undefined
    if (this.#closed || this.#retry !== undefined) return
    this.counts.reconnects += 1
    this.#options.onTrouble(error)
    this.#retry = setTimeout(() => void this.#listen(), this.#retryMs)
    this.#retryMs = Math.min(this.#retryMs * 2, lastRetryMs)
  }

  async #connect(onLost: (error: unknown) => void): Promise<pg.Client> {
    const { config, settings } = this.#options
    const client = new pg.Client(config)
    client.on('error', onLost)
    await client.connect()
    await settings.apply(client)
    if (settings.isPooled(client)) {
      cut(client)
      throw new Error('The connection for LISTEN leads through a pooler; waiting goes on by polling.')
    }
    return client
  }
}

/** Nobody waits for a database that does not say farewell. */
async function ended(client: pg.Client): Promise<void> {
  const late = setTimeout(cut, closeWithinMs, client)
  await client.end()
  clearTimeout(late)
}
