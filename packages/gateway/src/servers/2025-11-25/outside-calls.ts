// Requests of a session-based server while none of its calls is in progress.
//
// Servers request roots when a session begins and when the client reports a change: such a request waits until the
// client listens or makes a call. No person is asked outside a call.

import type { JsonObject } from '@assent/core'
import { canBeAsked, undeclared } from '../../call/capabilities.ts'
import type { Call, InputRequest } from '../../call/model.ts'
import { serverLimits } from '../../limits.ts'
import { errorCodes, errorReply, type Reply, type Request, type RequestId } from '../../protocol/messages.ts'
import { readQuestion } from './questions.ts'

export interface Asker {
  /** The server asked a question while none of its calls was in progress. */
  readonly onStray: () => void
  /** The function that asks a listening client outside a call; undefined when no client listens. */
  readonly asker: () => Call['ask']
}

export class OutsideCalls {
  readonly #capabilities: JsonObject
  readonly #events: Asker
  readonly #send: (reply: Reply) => void
  /** Requests for roots that arrived before a client could be asked. */
  readonly #early = new Map<RequestId, { readonly request: Request; readonly timer: NodeJS.Timeout }>()

  constructor(capabilities: JsonObject, events: Asker, send: (reply: Reply) => void) {
    this.#capabilities = capabilities
    this.#events = events
    this.#send = send
  }

  asked(request: Request): void {
    const { id, method } = request
    const wanted = readQuestion(request)
    if (wanted === undefined) {
      this.#send(errorReply(id, errorCodes.methodNotFound, `This client does not support ${method}.`))
    } else if (wanted.kind !== 'roots') {
      this.#events.onStray()
      this.#send(errorReply(id, errorCodes.refused, 'No call is in progress, so no client can be asked.'))
    } else if (canBeAsked(this.#capabilities, 'roots')) this.#askForRoots(request, wanted)
    else this.#send({ jsonrpc: '2.0', id, error: undeclared({ capabilities: this.#capabilities }, 'roots') })
  }

  /** Removes and returns the waiting requests, for a call that starts or a client that begins to listen. */
  take(): readonly Request[] {
    const waiting = [...this.#early.values()]
    this.#early.clear()
    for (const { timer } of waiting) clearTimeout(timer)
    return waiting.map(({ request }) => request)
  }

  #askForRoots(request: Request, wanted: InputRequest): void {
    const { id } = request
    const ask = this.#events.asker()
    const refuse = () =>
      this.#send(errorReply(id, errorCodes.refused, 'The client has no open stream, so it could not be asked.'))
    if (ask !== undefined) {
      void ask(wanted).then((given) => {
        const body = 'result' in given ? { result: given.result } : { error: given.error }
        this.#send({ jsonrpc: '2.0', id, ...body })
      })
    } else if (this.#early.size >= serverLimits.earlyRequests) refuse()
    else {
      const timeOut = () => {
        this.#early.delete(id)
        refuse()
      }
      this.#early.set(id, { request, timer: setTimeout(timeOut, serverLimits.openMs) })
    }
  }
}
