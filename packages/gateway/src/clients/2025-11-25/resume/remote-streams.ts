// Clients that reconnected to this replica while their call runs in another process.
//
// This replica sends that process a message at regular intervals, so that it keeps its remote listener and repeats
// messages that were lost. A process that reads none of its mailbox for the duration of a lease is considered dead;
// `takeUp` then returns true.

import type { JsonObject } from '@assent/core'
import { clusterLimits, relayLimits } from '../../../limits.ts'
import { compoundKey } from '../../../protocol/compound-key.ts'
import { isReply, readMessage, stringAt } from '../../../protocol/messages.ts'
import { within } from '../../../protocol/within.ts'
import type { Serving } from '../../context.ts'
import type { ClientSession } from '../session.ts'
import { type Listener, notKept, readStreamPosition, type StreamPosition } from './call-stream.ts'

interface RemoteStream {
  readonly position: StreamPosition
  readonly listener: Listener
  /** The number of the last message received. */
  last: number
  /** Called for each message from that process. */
  onMessage: () => void
  /** Called when listening ends. */
  readonly onOver: () => void
}

/** Leases to wait while the store is unavailable, so that the age of unread messages is unknown. */
const silentLeases = 3

export class RemoteStreams {
  readonly #serving: Serving
  readonly #onError: (error: unknown) => void
  readonly #listening = new Map<string, RemoteStream>()

  constructor(serving: Serving, onError: (error: unknown) => void) {
    this.#serving = serving
    this.#onError = onError
    serving.mailbox.on('taken-up', ({ principal, content }) => this.#receive(principal, content))
  }

  /** Resolves when the reply was sent, or the client stopped listening. True when the call's process is dead. */
  async takeUp(
    session: ClientSession,
    position: StreamPosition,
    listener: Listener,
    signal: AbortSignal,
  ): Promise<boolean> {
    const over = Promise.withResolvers<true>()
    const { principal, id } = session
    const remote: RemoteStream = {
      position,
      listener,
      last: position.number,
      onMessage: () => undefined,
      onOver: () => over.resolve(true),
    }
    const key = keyOf(principal, position.stream)
    this.#listening.get(key)?.onOver()
    this.#listening.set(key, remote)
    signal.addEventListener('abort', remote.onOver, { once: true })
    try {
      do {
        const responded = Promise.withResolvers<true>()
        remote.onMessage = () => responded.resolve(true)
        const content = { session: id, stream: position.stream, after: remote.last }
        const by = { tenant: this.#serving.tenant, principal }
        await this.#serving.mailbox.send(position.replica, by, 'take-up', content).catch(this.#onError)
        if (!(await this.#isAlive(position.replica, Promise.race([responded.promise, over.promise])))) return true
      } while ((await within(clusterLimits.listenAgainMs, over.promise)) === undefined)
      return false
    } finally {
      if (this.#listening.get(key) === remote) this.#listening.delete(key)
    }
  }

  /**
   * False when the replica is considered dead: a message, from any sender, was unread in its mailbox for longer than a
   * lease. Any sender counts, so that a client whose second replica dies too does not wait another whole lease.
   */
  async #isAlive(replica: string, responded: Promise<true>): Promise<boolean> {
    const endsAt = performance.now() + silentLeases * relayLimits.leaseMs
    while (performance.now() < endsAt) {
      if ((await within(clusterLimits.forwardLookMs, responded)) !== undefined) return true
      const waitedMs = await this.#serving.store.messages.waitsMs(replica).catch(this.#onError)
      if ((waitedMs ?? 0) > relayLimits.leaseMs) return false
    }
    return false
  }

  #receive(principal: string, content: JsonObject): void {
    const remote = this.#listening.get(keyOf(principal, stringAt(content, 'stream') ?? ''))
    if (remote === undefined) return
    remote.onMessage()
    if (content.isKept !== true) {
      remote.listener.end(notKept(remote.position), undefined)
      return void remote.onOver()
    }
    const message = readMessage(stringAt(content, 'message') ?? '')
    const name = stringAt(content, 'name')
    const number = readStreamPosition(name ?? '')?.number
    // Skip messages that were already sent to the client.
    if (message === undefined || number === undefined || number <= remote.last) return
    remote.last = number
    if (!isReply(message)) return void remote.listener.send(message, name)
    remote.listener.end(message, name)
    remote.onOver()
  }
}

/** With the principal, so that naming another person's stream neither reads it nor replaces its listener. */
function keyOf(principal: string, stream: string): string {
  return compoundKey(principal, stream)
}
