// A server's process, started once: asked which revision it speaks, then handed to the adapter of that revision.
//
// The question, `server/discover`, is known only to the newest revision. A server that does not answer it is sent
// `initialize` on the same process, and a late answer still counts.

import type { JsonObject } from '@assent/core'
import { errorCodes, isReply, type Message, type Reply } from '../wire/messages.ts'
import type { Wire, WireEvents } from './wire.ts'

export type Speaks = 'newest' | 'older'

interface Ended {
  readonly reason: string
  /** There was no process at all. */
  readonly neverStarted: boolean
}

const probeId = 'assent-probe'

export class ProbedProcess {
  readonly #wire: Wire
  readonly #answer = Promise.withResolvers<Speaks>()
  readonly #missed: Message[] = []
  #reader: WireEvents | undefined
  #askAgain: (() => void) | undefined
  #isDecided = false
  #isClosedEarly = false
  #ended: Ended | undefined

  constructor(open: (events: WireEvents) => Wire) {
    // A process that ends is reported to the reader too, so nobody has to wait for this.
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

  /** Sends the question. Rejects when the process ends without an answer. */
  ask(params: JsonObject): Promise<Speaks> {
    const question = { jsonrpc: '2.0', id: probeId, method: 'server/discover', params } as const
    this.#askAgain = () => {
      this.#askAgain = undefined
      this.#wire.send(question).catch(this.#answer.reject)
    }
    this.#wire.send(question).catch(this.#answer.reject)
    return this.#answer.promise
  }

  /** How it ended, once it has. */
  get ended(): Ended | undefined {
    return this.#ended
  }

  /** The process for its next reader. The previous reader receives nothing more, and no reader closes it before `decided`. */
  handTo(events: WireEvents): Wire {
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

  /** The reader that has it now keeps it. */
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
