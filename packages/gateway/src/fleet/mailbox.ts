// This process among those that share a store: its name, and the letters it gets and sends.
//
// The box is opened when something here can first be written to: a program that serves one client alone never looks.

import { randomUUID } from 'node:crypto'
import type { JsonObject, KeyRing } from '@assent/core'
import type { Box, Letter as Sealed, Store } from '@assent/store'
import { fleetLimits } from '../limits.ts'
import { objectAt, stringAt } from '../wire/messages.ts'
import { openLetter, sealLetter } from './sealed-letter.ts'

export interface Letter {
  readonly tenant: string
  /** On whose behalf it was sent: the seal says so. */
  readonly principal: string
  /** The process to answer to. */
  readonly from: string
  readonly content: JsonObject
}

export type Reader = (letter: Letter) => void

export interface Correspondence {
  tell(kind: string, content: JsonObject): void
  /** Resolves when all that was told so far is sent. */
  readonly sent: Promise<unknown>
}

const replicaName = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export class Mailbox {
  /** How this process is known to the others; nobody can guess it, and it means nothing. */
  readonly replica: string = randomUUID()
  readonly #store: Store
  readonly #keys: KeyRing
  readonly #onTrouble: (error: unknown) => void
  readonly #readers = new Map<string, Reader>()
  readonly #closing = new AbortController()
  #box: Box | undefined
  #reading: Promise<void> | undefined

  constructor(store: Store, keys: KeyRing, onTrouble: (error: unknown) => void) {
    this.#store = store
    this.#keys = keys
    this.#onTrouble = onTrouble
  }

  /** A new name for something of this process, which says whose it is. Nobody can guess it. */
  newName(): string {
    return `${randomUUID()}.${this.replica}`
  }

  /** The process whose name for something this can be; whether there is one, nobody knows. */
  static replicaOf(name: string): string | undefined {
    const replica = name.split('.', 2)[1] ?? ''
    return replicaName.test(replica) ? replica : undefined
  }

  /** Who reads letters of this kind. */
  on(kind: string, reader: Reader): void {
    this.#readers.set(kind, reader)
  }

  open(): void {
    if (this.#box !== undefined || this.#closing.signal.aborted) return
    this.#box = this.#store.letters.open(this.replica)
    this.#reading = this.#read(this.#box)
  }

  /** False when there was no room for it. */
  async send(
    to: string,
    by: { tenant: string; principal: string },
    kind: string,
    content: JsonObject,
  ): Promise<boolean> {
    return this.#store.letters.send(to, this.#written(by, kind, content), fleetLimits.letters)
  }

  async sendToAll(by: { tenant: string; principal: string }, kind: string, content: JsonObject): Promise<boolean> {
    return this.#store.letters.sendToAll(this.#written(by, kind, content), fleetLimits.letters)
  }

  /** Letters to one process, sent one after the other, so that none overtakes another. */
  correspondence(to: string, by: { tenant: string; principal: string }): Correspondence {
    let sent: Promise<unknown> = Promise.resolve()
    return {
      tell: (kind, content) => {
        sent = sent.then(() => this.send(to, by, kind, content))
        sent.catch(this.#onTrouble)
      },
      get sent() {
        return sent
      },
    }
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#reading
    this.#box?.close()
  }

  #written({ tenant, principal }: { tenant: string; principal: string }, kind: string, content: JsonObject): Sealed {
    const nowMs = this.#store.nowMs()
    const id = this.#store.letters.newId(nowMs)
    const body = sealLetter(this.#keys, { id, tenant, principal, nowMs }, { from: this.replica, kind, content })
    return { id, tenant, principal, body }
  }

  async #read(box: Box): Promise<void> {
    const { signal } = this.#closing
    while (!signal.aborted) {
      try {
        for (const letter of await box.next(signal)) this.#deliver(letter)
      } catch (error) {
        this.#onTrouble(error)
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, fleetLimits.retryMs)
          signal.addEventListener('abort', () => {
            clearTimeout(timer)
            resolve()
          })
        })
      }
    }
  }

  #deliver(sealed: Sealed): void {
    const opened = openLetter(this.#keys, { ...sealed, nowMs: this.#store.nowMs() }, sealed.body)
    const from = stringAt(opened, 'from')
    const content = objectAt(opened, 'content')
    // Not ours: of another key ring, or written by someone who is no gateway.
    if (from === undefined || content === undefined) {
      this.#onTrouble(new Error('A letter between gateways could not be read. Have they all the same keys?'))
      return
    }
    if (from === this.replica) return
    const { tenant, principal } = sealed
    this.#readers.get(stringAt(opened, 'kind') ?? '')?.({ tenant, principal, from, content })
  }
}
