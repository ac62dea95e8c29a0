// Messages between the replicas that share a store, and the name of this replica.
//
// The mailbox is read only after `open`, so a program that serves only one client never polls.

import { randomUUID } from 'node:crypto'
import type { JsonObject, KeyRing } from '@assent/core'
import type { Box, Message as Sealed, Store } from '@assent/store'
import { clusterLimits } from '../limits.ts'
import { objectAt, stringAt } from '../protocol/messages.ts'
import { sleep } from '../protocol/sleep.ts'
import { openMessage, sealMessage } from './sealed-message.ts'

export interface ReplicaMessage {
  readonly tenant: string
  /** The principal on whose behalf it was sent, verified by the seal. */
  readonly principal: string
  /** The replica to reply to. */
  readonly from: string
  readonly content: JsonObject
}

export type OnReplicaMessage = (message: ReplicaMessage) => void

export interface OrderedMessages {
  send(kind: string, content: JsonObject): void
  /** Resolves when all messages so far are sent. */
  readonly sent: Promise<unknown>
}

const replicaName = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export class Mailbox {
  /** The name of this replica: random, so that it cannot be guessed. */
  readonly replica: string = randomUUID()
  readonly #store: Store
  readonly #keys: KeyRing
  readonly #onError: (error: unknown) => void
  readonly #readers = new Map<string, OnReplicaMessage>()
  readonly #closing = new AbortController()
  #box: Box | undefined
  #reading: Promise<void> | undefined

  constructor(store: Store, keys: KeyRing, onError: (error: unknown) => void) {
    this.#store = store
    this.#keys = keys
    this.#onError = onError
  }

  /** A new name that contains this replica's name. Cannot be guessed. */
  newName(): string {
    return `${randomUUID()}.${this.replica}`
  }

  /** The replica in a name; undefined for a malformed name. The replica need not exist. */
  static replicaOf(name: string): string | undefined {
    const replica = name.split('.', 2)[1] ?? ''
    return replicaName.test(replica) ? replica : undefined
  }

  /** Registers the handler for messages of this kind. */
  on(kind: string, reader: OnReplicaMessage): void {
    this.#readers.set(kind, reader)
  }

  open(): void {
    if (this.#box !== undefined || this.#closing.signal.aborted) return
    this.#box = this.#store.messages.open(this.replica)
    this.#reading = this.#read(this.#box)
  }

  /** False when the mailbox of the receiver is full. */
  async send(
    to: string,
    by: { tenant: string; principal: string },
    kind: string,
    content: JsonObject,
  ): Promise<boolean> {
    return this.#store.messages.send(to, this.#sealed(by, kind, content), clusterLimits.messages)
  }

  async sendToAll(by: { tenant: string; principal: string }, kind: string, content: JsonObject): Promise<boolean> {
    return this.#store.messages.sendToAll(this.#sealed(by, kind, content), clusterLimits.messages)
  }

  /** Messages to one replica, sent in order. */
  messagesTo(to: string, by: { tenant: string; principal: string }): OrderedMessages {
    let sent: Promise<unknown> = Promise.resolve()
    return {
      send: (kind, content) => {
        sent = sent.then(() => this.send(to, by, kind, content))
        sent.catch(this.#onError)
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

  #sealed({ tenant, principal }: { tenant: string; principal: string }, kind: string, content: JsonObject): Sealed {
    const nowMs = this.#store.nowMs()
    const id = this.#store.messages.newId(nowMs)
    const body = sealMessage(this.#keys, { id, tenant, principal, nowMs }, { from: this.replica, kind, content })
    return { id, tenant, principal, body }
  }

  async #read(box: Box): Promise<void> {
    const { signal } = this.#closing
    while (!signal.aborted) {
      try {
        for (const sealed of await box.next(signal)) this.#deliver(sealed)
      } catch (error) {
        this.#onError(error)
        await sleep(clusterLimits.retryMs, signal)
      }
    }
  }

  #deliver(sealed: Sealed): void {
    const opened = openMessage(this.#keys, { ...sealed, nowMs: this.#store.nowMs() }, sealed.body)
    const from = stringAt(opened, 'from')
    const content = objectAt(opened, 'content')
    // Sealed with another key ring, or not written by a gateway.
    if (from === undefined || content === undefined) {
      this.#onError(
        new Error('A message between replicas could not be read. Check that all replicas have the same keys.'),
      )
      return
    }
    if (from === this.replica) return
    const { tenant, principal } = sealed
    this.#readers.get(stringAt(opened, 'kind') ?? '')?.({ tenant, principal, from, content })
  }
}
