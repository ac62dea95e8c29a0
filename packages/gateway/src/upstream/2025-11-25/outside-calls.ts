// What a server of the session-based revisions asks while none of its calls is in progress.
//
// Servers ask for roots when a session begins and when the client says that they changed: that request waits until the
// client listens or makes a call. No person is asked outside a call.

import type { JsonObject } from '@assent/core'
import { upstreamLimits } from '../../limits.ts'
import { canBeAsked, undeclared } from '../../relay/capabilities.ts'
import type { Call, Wanted } from '../../relay/exchange.ts'
import { errorCodes, errorReply, type Reply, type Request, type RequestId } from '../../wire/messages.ts'
import { readQuestion } from './questions.ts'

export interface Asker {
  /** The server asked a question while none of its calls was in progress. */
  readonly onStray: () => void
  /** How to ask the client something that belongs to no call, while it listens. */
  readonly asker: () => Call['ask']
}

export class OutsideCalls {
  readonly #capabilities: JsonObject
  readonly #events: Asker
  readonly #send: (reply: Reply) => void
  /** Requests for roots that came before there was anybody to ask. */
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
      this.#send(errorReply(id, errorCodes.methodNotFound, `This client does not know ${method}.`))
    } else if (wanted.kind !== 'roots') {
      this.#events.onStray()
      this.#send(errorReply(id, errorCodes.refused, 'No call is in progress, so no client can be asked.'))
    } else if (canBeAsked(this.#capabilities, 'roots')) this.#askForRoots(request, wanted)
    else this.#send({ jsonrpc: '2.0', id, error: undeclared({ capabilities: this.#capabilities }, 'roots') })
  }

  /** The requests that wait for somebody to ask, for a call that starts now or a client that listens now. */
  take(): readonly Request[] {
    const waiting = [...this.#early.values()]
    this.#early.clear()
    for (const { timer } of waiting) clearTimeout(timer)
    return waiting.map(({ request }) => request)
  }

  #askForRoots(request: Request, wanted: Wanted): void {
    const { id } = request
    const ask = this.#events.asker()
    const refuse = () =>
      this.#send(errorReply(id, errorCodes.refused, 'The client does not listen, so it could not be asked.'))
    if (ask !== undefined) {
      void ask(wanted).then((given) => {
        const said = 'result' in given ? { result: given.result } : { error: given.error }
        this.#send({ jsonrpc: '2.0', id, ...said })
      })
    } else if (this.#early.size >= upstreamLimits.earlyRequests) refuse()
    else {
      const giveUp = () => {
        this.#early.delete(id)
        refuse()
      }
      this.#early.set(id, { request, timer: setTimeout(giveUp, upstreamLimits.openMs) })
    }
  }
}
