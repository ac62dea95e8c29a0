// Clients that listen here to calls that run in another process, since they came back after a broken connection.
//
// That process is written to now and then, so that it knows of its listener and repeats what a letter did not bring. One that
// reads none of its letters for as long as a lease lasts is taken for dead, and the client is told so.

import type { JsonObject } from '@assent/core'
import { within } from '../../fleet/within.ts'
import { fleetLimits, relayLimits } from '../../limits.ts'
import { isReply, readMessage, stringAt } from '../../wire/messages.ts'
import type { Serving } from '../context.ts'
import { type Listener, notKept, readPlace, type StreamPlace } from './call-stream.ts'
import type { ClientSession } from './session.ts'

interface FarStream {
  readonly place: StreamPlace
  readonly listener: Listener
  /** The number of the last message that came. */
  last: number
  /** Called with each sign of life. */
  onSign: () => void
  /** Called when there is nothing to listen to any more. */
  readonly onOver: () => void
}

/** While nobody knows how long its letters lie, because the store is away. */
const silentLeases = 3

export class FarStreams {
  readonly #serving: Serving
  readonly #onTrouble: (error: unknown) => void
  readonly #listening = new Map<string, FarStream>()

  constructor(serving: Serving, onTrouble: (error: unknown) => void) {
    this.#serving = serving
    this.#onTrouble = onTrouble
    serving.mailbox.on('taken-up', ({ principal, content }) => this.#hear(principal, content))
  }

  /** Resolves when the reply was sent, or the client stopped listening. True when the process of the call is gone. */
  async takeUp(session: ClientSession, place: StreamPlace, listener: Listener, signal: AbortSignal): Promise<boolean> {
    const over = Promise.withResolvers<true>()
    const { principal, id } = session
    const far: FarStream = {
      place,
      listener,
      last: place.number,
      onSign: () => undefined,
      onOver: () => over.resolve(true),
    }
    const key = keyOf(principal, place.stream)
    this.#listening.get(key)?.onOver()
    this.#listening.set(key, far)
    signal.addEventListener('abort', far.onOver, { once: true })
    try {
      do {
        const sign = Promise.withResolvers<true>()
        far.onSign = () => sign.resolve(true)
        const letter = { session: id, stream: place.stream, after: far.last }
        const by = { tenant: this.#serving.tenant, principal }
        await this.#serving.mailbox.send(place.replica, by, 'take-up', letter).catch(this.#onTrouble)
        if (!(await this.#isAlive(place.replica, Promise.race([sign.promise, over.promise])))) return true
      } while ((await within(fleetLimits.listenAgainMs, over.promise)) === undefined)
      return false
    } finally {
      if (this.#listening.get(key) === far) this.#listening.delete(key)
    }
  }

  /**
   * False when it is taken for dead. A letter that lies in its box for as long as a lease lasts says so, whoever sent it: a
   * client that has to come back once more, because we die too, waits no longer for that.
   */
  async #isAlive(replica: string, sign: Promise<true>): Promise<boolean> {
    const endsAt = performance.now() + silentLeases * relayLimits.leaseMs
    while (performance.now() < endsAt) {
      if ((await within(fleetLimits.forwardLookMs, sign)) !== undefined) return true
      const waitedMs = await this.#serving.store.letters.waitsMs(replica).catch(this.#onTrouble)
      if ((waitedMs ?? 0) > relayLimits.leaseMs) return false
    }
    return false
  }

  #hear(principal: string, content: JsonObject): void {
    const far = this.#listening.get(keyOf(principal, stringAt(content, 'stream') ?? ''))
    if (far === undefined) return
    far.onSign()
    if (content.isKept !== true) {
      far.listener.end(notKept(far.place), undefined)
      return void far.onOver()
    }
    const message = readMessage(stringAt(content, 'message') ?? '')
    const name = stringAt(content, 'name')
    const number = readPlace(name ?? '')?.number
    // What was repeated has been said.
    if (message === undefined || number === undefined || number <= far.last) return
    far.last = number
    if (!isReply(message)) return void far.listener.say(message, name)
    far.listener.end(message, name)
    far.onOver()
  }
}

/** Whoever names a stream of somebody else listens to nothing, and keeps nobody from listening. */
function keyOf(principal: string, stream: string): string {
  return `${principal}\n${stream}`
}
