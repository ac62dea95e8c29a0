// Messages between replicas that share a store: to one replica, or to all.
//
// I1  A message is stored before its receiver is notified, so a lost signal only delays it.
// I2  The receiver of a message deletes it and handles it once. A message to all stays until it expires, and each replica
//     handles it once.
// I3  A message decides nothing: its receiver checks it like a request from a client.

import { randomBytes } from 'node:crypto'
import { type Engine, insertOnce } from '../engine/engine.ts'
import { query } from '../engine/statement.ts'
import type { Notifier } from '../notify/notifier.ts'
import { type Waiter, Waiters } from '../notify/waiters.ts'
import { type BoxRow, lookIntoBox, type MessageRow, readNotices, takeMessages, waitsInBox } from './read-messages.ts'
import { findMessage, type SendParams, sendMessage } from './send-message.ts'

/** A message between replicas. */
export interface Message {
  readonly id: string
  readonly tenant: string
  /** The principal on whose behalf it was sent. */
  readonly principal: string
  /** The store does not interpret it. */
  readonly body: string
}

export interface MessageLimits {
  readonly keepMs: number
  /** Messages in one box: in total, and per principal. */
  readonly inBox: number
  readonly ofOne: number
}

/** The messages to one replica. */
export interface Box {
  /** The messages since the last call, as soon as there are any; none if the signal aborts. */
  next(signal: AbortSignal): Promise<Message[]>
  close(): void
}

const allReplicas = '*'
const takenAtOnce = 500
// More than a box may hold, so that one read returns all of them.
const noticesAtOnce = 20_000
// `sent_at` is set before the commit, so a reader must look back at least this far.
const commitDelayMs = 5_000

const readTime = query<Record<string, never>, { now: number }>('read_time', 'select :now as now')

export class Messages {
  readonly #engine: Engine
  readonly #notifier: Notifier | undefined
  readonly #pollMs: number
  readonly #waiters = new Waiters()

  /** @param notifier notifies other processes too; without it they find messages by polling */
  constructor(engine: Engine, notifier: Notifier | undefined, pollMs: number) {
    this.#engine = engine
    this.#notifier = notifier
    this.#pollMs = pollMs
  }

  /** An id that sorts by its creation time; messages of one sender are read in this order. */
  newId(nowMs: number): string {
    return `${nowMs.toString(36).padStart(9, '0')}${nextCount()}${randomBytes(12).toString('hex')}`
  }

  /** False if the box is full; then nothing was sent. */
  async send(to: string, message: Message, { keepMs, inBox, ofOne }: MessageLimits): Promise<boolean> {
    const { id, tenant, principal, body } = message
    const params = { box: to, id, tenant, principal, body, keep: keepMs, at_most: inBox, at_most_of_one: ofOne }
    if (!(await this.#sent(params))) return false
    if (this.#notifier === undefined) this.#waiters.notify(nameOf(to))
    else this.#notifier.changed(nameOf(to), '')
    return true
  }

  async #sent(params: SendParams): Promise<boolean> {
    if ((await insertOnce(this.#engine, 'messages', sendMessage, params)).length === 1) return true
    // Ids are unique: a message that exists already is this one, inserted before its connection broke.
    return (await this.#engine.run(findMessage, { box: params.box, id: params.id })).length === 1
  }

  async sendToAll(message: Message, limits: MessageLimits): Promise<boolean> {
    return this.send(allReplicas, message, limits)
  }

  /** How long the oldest message in this box has waited; 0 if there is none. A live replica reads almost at once. */
  async waitsMs(box: string): Promise<number> {
    const [first] = await this.#engine.run(waitsInBox, { box })
    return first?.waited ?? 0
  }

  /** Opens the box of a replica, for messages to it and to all. */
  open(box: string): Box {
    const names = [nameOf(box), nameOf(allReplicas)]
    const waiter = this.#notifier?.waiterForTenants(...names) ?? this.#waiters.open(names)
    return new OpenBox(this.#engine, box, waiter, this.#pollMs)
  }
}

class OpenBox implements Box {
  readonly #engine: Engine
  readonly #box: string
  readonly #waiter: Waiter
  readonly #pollMs: number
  /** Messages to all that were read: id to `sent_at`. */
  readonly #seen = new Map<string, number>()
  #sinceMs: number | undefined
  /** Messages to be returned by `next`. */
  readonly #ready: Message[] = []
  /** Messages that were read, and may or may not have been deleted. */
  readonly #inBox = new Map<string, BoxRow>()
  /** Messages that were returned, until they expire: id to `expires_at`. */
  readonly #taken = new Map<string, number>()

  constructor(engine: Engine, box: string, waiter: Waiter, pollMs: number) {
    this.#engine = engine
    this.#box = box
    this.#waiter = waiter
    this.#pollMs = pollMs
  }

  async next(signal: AbortSignal): Promise<Message[]> {
    while (!signal.aborted) {
      // One after the other: messages that were taken must not be lost if the second read fails.
      this.#ready.push(...(await this.#take()))
      this.#ready.push(...(await this.#notices()))
      if (this.#ready.length > 0) return this.#ready.splice(0)
      await this.#waiter.wait(this.#pollMs, signal)
    }
    return []
  }

  close(): void {
    this.#waiter.close()
  }

  /**
   * A message is returned after it was deleted. If the connection breaks, it is unknown whether it was deleted, so it is read
   * first; one that was returned before is skipped if it is still there.
   */
  async #take(): Promise<Message[]> {
    const box = this.#box
    for (const row of await this.#engine.run(lookIntoBox, { box, at_most: takenAtOnce })) this.#inBox.set(row.id, row)
    if (this.#inBox.size === 0) return []
    const ids = [...this.#inBox.keys()].sort()
    await this.#engine.runRepeatable(takeMessages, { box, last: ids.at(-1) ?? '', ids: ids.join(' ') })
    const rows = [...this.#inBox.values()].filter(({ id }) => !this.#taken.has(id))
    this.#inBox.clear()
    this.#remember(rows)
    return rows
      .filter(({ is_late }) => is_late === 0)
      .map(messageOf)
      .sort(byId)
  }

  #remember(rows: readonly BoxRow[]): void {
    for (const { id, expires_at } of rows) this.#taken.set(id, expires_at)
    const now = rows[0]?.now ?? 0
    for (const [id, expiresAt] of this.#taken) {
      // In the order of arrival, which is nearly the order of expiry.
      if (expiresAt > now) return
      this.#taken.delete(id)
    }
  }

  async #notices(): Promise<Message[]> {
    if (this.#sinceMs === undefined) {
      const [time] = await this.#engine.run(readTime, {})
      this.#sinceMs = (time?.now ?? 0) - commitDelayMs
    }
    const rows = await this.#engine.run(readNotices, { box: allReplicas, since: this.#sinceMs, at_most: noticesAtOnce })
    const fresh = rows.filter(({ id }) => !this.#seen.has(id))
    for (const { id, sent_at } of fresh) this.#seen.set(id, sent_at)
    const last = rows.at(-1)
    if (last !== undefined) this.#sinceMs = Math.max(this.#sinceMs, last.now - commitDelayMs)
    for (const [id, at] of this.#seen) if (at < this.#sinceMs) this.#seen.delete(id)
    return fresh.map(messageOf).sort(byId)
  }
}

function messageOf({ id, tenant, principal, body }: MessageRow): Message {
  return { id, tenant, principal, body }
}

function byId(a: Message, b: Message): number {
  return a.id < b.id ? -1 : 1
}

/** Not a tenant's name: those contain no control characters. */
function nameOf(box: string): string {
  return `\u0001messages ${box}`
}

let count = 0

function nextCount(): string {
  count = (count + 1) % 36 ** 4
  return count.toString(36).padStart(4, '0')
}
