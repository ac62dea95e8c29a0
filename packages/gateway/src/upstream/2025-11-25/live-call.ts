// One call that a sessionful server is working on, from our request to its reply.
//
// The server is blocked inside it while it asks: whatever it asks comes here, because its connection carries no other
// call. `next` says how things stand: the reply, or the questions that are open.

import type { JsonObject } from '@assent/core'
import { relayLimits } from '../../limits.ts'
import { canBeAsked, undeclared } from '../../relay/capabilities.ts'
import { type Call, failed, type Given, type Outcome, type Wanted } from '../../relay/exchange.ts'
import { expired } from '../../relay/judge-wanted.ts'
import { shownWaitMs } from '../../surfaces/ask-deadline.ts'
import {
  errorCodes,
  errorReply,
  type Notification,
  type Reply,
  type Request,
  type RequestId,
} from '../../wire/messages.ts'
import { readQuestion } from './questions.ts'

interface Question {
  readonly id: RequestId
  readonly wanted: Wanted
  readonly timer: NodeJS.Timeout
}

export class LiveCall {
  readonly id: string
  readonly requestId: RequestId
  readonly #waitMs: number
  readonly #reply: (reply: Reply) => Promise<boolean>
  readonly #open = new Map<string, Question>()
  /** The questions that were answered, by the ids of their requests. */
  readonly #answered = new Map<RequestId, string>()
  /** Answers that came when the server had stopped waiting for them. */
  readonly #undelivered = new Set<string>()
  #call: Call
  #end: Outcome | undefined
  #changed = Promise.withResolvers<void>()
  #keys = 0

  constructor(id: string, requestId: RequestId, call: Call, waitMs: number, reply: (reply: Reply) => Promise<boolean>) {
    this.id = id
    this.requestId = requestId
    this.#call = call
    this.#waitMs = waitMs
    this.#reply = reply
  }

  /** Who may continue it. */
  get principal(): string {
    return this.#call.principal
  }

  /** The request that now waits for it: what the server says on the way goes there. */
  attach(call: Call): void {
    this.#call = call
  }

  /** A question, answered at once when it may not be put to anyone here. */
  onRequest(request: Request): void {
    const wanted = readQuestion(request)
    if (wanted === undefined) {
      void this.#reply(
        errorReply(request.id, errorCodes.methodNotFound, `This client does not know ${request.method}.`),
      )
      return
    }
    if (!canBeAsked(this.#call.client.capabilities, wanted.kind)) {
      const { client } = this.#call
      this.#call.onRefused?.(client.asksDisabled === true && isForPeople(wanted) ? 'disabled' : 'unsupported')
      void this.#reply({ jsonrpc: '2.0', id: request.id, error: undeclared(client, wanted.kind) })
      return
    }
    this.#keys += 1
    const key = `ask_${this.#keys}`
    // Silence is no answer, and the server must hear so: nobody may ever come back for it.
    // A little later than the question itself ends, so that its end is on record as silence and not as ours.
    const timer = setTimeout(
      () => this.#giveUp(key),
      shownWaitMs({ askWaitMs: this.#waitMs }, wanted) + relayLimits.giveUpLaterMs,
    )
    this.#open.set(key, { id: request.id, wanted, timer })
    this.#change()
  }

  onNotification(notification: Notification): void {
    const withdrawn = notification.method === 'notifications/cancelled' ? notification.params?.requestId : undefined
    const question = [...this.#open].find(([, { id }]) => withdrawn !== undefined && id === withdrawn)
    if (question !== undefined) {
      this.#close(question[0])
      this.#change()
      return
    }
    // Only a request that is not answered is cancelled, so our answer crossed this on its way, and was not used.
    const crossed = this.#answered.get(withdrawn as RequestId)
    if (crossed === undefined) this.#call.notify(notification)
    else this.#undelivered.add(crossed)
  }

  finish(outcome: Outcome): void {
    this.#end ??= outcome
    for (const key of [...this.#open.keys()]) this.#close(key)
    this.#change()
  }

  get isFinished(): boolean {
    return this.#end !== undefined
  }

  answer(given: Readonly<Record<string, Given>>): void {
    for (const [key, answer] of Object.entries(given)) {
      const question = this.#open.get(key)
      if (question === undefined) {
        // The server took its question back, or its call has ended. The same answer given again is no other.
        if (![...this.#answered.values()].includes(key)) this.#undelivered.add(key)
        continue
      }
      this.#answered.set(question.id, key)
      this.#close(key)
      // By name, because what else we know of an answer is no business of the server's, and strict ones refuse it.
      const said = 'result' in answer ? { result: answer.result } : { error: answer.error }
      void this.#reply({ jsonrpc: '2.0', id: question.id, ...said }).then((isSent) => {
        if (!isSent) this.#undelivered.add(key)
      })
    }
  }

  /** The keys of answers that the server had stopped waiting for, since this was asked last. */
  takeUndelivered(): readonly string[] {
    const keys = [...this.#undelivered]
    this.#undelivered.clear()
    return keys
  }

  async next(): Promise<Outcome> {
    for (;;) {
      if (this.#end !== undefined) return this.#end
      if (this.#open.size > 0) {
        // What the server asks in one breath arrives in one piece: let the rest of it be read.
        await new Promise((resolve) => setImmediate(resolve))
        if (this.#end === undefined && this.#open.size > 0) return this.#needsPeople()
        continue
      }
      await this.#changed.promise
    }
  }

  #needsPeople(): Outcome {
    const wanted = Object.fromEntries([...this.#open].map(([key, question]) => [key, question.wanted]))
    return { kind: 'needs-people', wanted, resume: { held: this.id }, over: this.#over(Object.keys(wanted)) }
  }

  /** Resolves when none of these questions is open any more. */
  async #over(keys: readonly string[]): Promise<void> {
    while (this.#end === undefined && keys.some((key) => this.#open.has(key))) await this.#changed.promise
  }

  #giveUp(key: string): void {
    const id = this.#open.get(key)?.id
    this.answer({ [key]: expired })
    // Not an answer of a person: one that comes now is too late.
    if (id !== undefined) this.#answered.delete(id)
    this.#change()
  }

  #close(key: string): void {
    clearTimeout(this.#open.get(key)?.timer)
    this.#open.delete(key)
  }

  #change(): void {
    const { resolve } = this.#changed
    this.#changed = Promise.withResolvers<void>()
    resolve()
  }
}

function isForPeople({ kind }: Wanted): boolean {
  return kind === 'form' || kind === 'url'
}

export function outcomeOf(reply: Reply): Outcome {
  if ('result' in reply) return { kind: 'finished', result: withoutRounds(reply.result) }
  return failed(reply.error.code, reply.error.message, reply.error.data)
}

/** In these revisions a result never asks. What a client of the newest one would take for a question was not judged. */
function withoutRounds(result: JsonObject): JsonObject {
  if (!Object.hasOwn(result, 'resultType')) return result
  const { resultType: _type, inputRequests: _questions, requestState: _state, ...rest } = result
  return rest
}
