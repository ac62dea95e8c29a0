// A server's process, started once: probed for its revision, then passed to the adapter of that revision.
//
// The probe, `server/discover`, exists only in the newest revision. A server that does not answer it is sent
// `initialize` on the same process, and a late answer still counts.

import type { JsonObject } from '@assent/core'
import { errorCodes, isReply, type Message, type Reply } from '../protocol/messages.ts'
import type { Transport, TransportEvents } from './transport.ts'

export type SupportedGeneration = 'newest' | 'older'

interface Ended {
  readonly reason: string
  /** Whether the process could not be started. */
  readonly neverStarted: boolean
}

const probeId = 'assent-probe'

export class ProbedProcess {
  readonly #wire: Transport
  readonly #answer = Promise.withResolvers<SupportedGeneration>()
  readonly #missed: Message[] = []
  #reader: TransportEvents | undefined
  #askAgain: (() => void) | undefined
  #isDecided = false
  #isClosedEarly = false
  #ended: Ended | undefined

  constructor(open: (events: TransportEvents) => Transport) {
    // The reader is notified too when the process ends, so this rejection may be ignored.
    this.#answer.promise.catch(() => undefined)
    this.#wire = open({
      onMessage: (message) => this.#receive(message),
      onClosed: (reason, neverStarted = false) => {
        this.#ended = { reason, neverStarted }
        this.#answer.reject(new Error(reason))
        this.#reader?.onClosed(reason, neverStarted)
      },
    })
  }

  /** Sends the probe. Rejects when the process ends without an answer. */
  ask(params: JsonObject): Promise<SupportedGeneration> {
    const question = { jsonrpc: '2.0', id: probeId, method: 'server/discover', params } as const
    this.#askAgain = () => {
      this.#askAgain = undefined
      this.#wire.send(question).catch(this.#answer.reject)
    }
    this.#wire.send(question).catch(this.#answer.reject)
    return this.#answer.promise
  }

  /** How the process ended; undefined while it runs. */
  get ended(): Ended | undefined {
    return this.#ended
  }

  /**
   * Passes the process to its next reader. The previous reader receives nothing more; none can close it before
   * `decided`.
   */
  handTo(events: TransportEvents): Transport {
    this.#reader = events
    this.#isClosedEarly = false
    const { reason, neverStarted } = this.#ended ?? {}
    if (reason !== undefined) queueMicrotask(() => events.onClosed(reason, neverStarted))
    for (const message of this.#missed.splice(0)) queueMicrotask(() => events.onMessage(message))
    return {
      send: (message) => this.#wire.send(message),
      close: () => {
        if (this.#reader !== events) return
        if (this.#isDecided) this.#wire.close()
        else this.#isClosedEarly = true
      },
    }
  }

  /** The current reader keeps the process, and may close it from now on. */
  decided(): void {
    this.#isDecided = true
    if (this.#isClosedEarly) this.#wire.close()
  }

  close(): void {
    this.#wire.close()
  }

  #receive(message: Message): void {
    if (isReply(message) && message.id === probeId) this.#answered(message)
    else if (this.#reader === undefined) this.#missed.push(message)
    else this.#reader.onMessage(message)
  }

  #answered(reply: Reply): void {
    // A server may support the revision and refuse the first attempt for another reason.
    if ('error' in reply && reply.error.code === errorCodes.unsupportedVersion && this.#askAgain !== undefined)
      this.#askAgain()
    else this.#answer.resolve(isNewest(reply) ? 'newest' : 'older')
  }
}

function isNewest(reply: Reply): boolean {
  return 'result' in reply && Array.isArray(reply.result.supportedVersions)
}
