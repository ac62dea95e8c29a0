// One call that a session-based server is working on, from our request to its reply.
//
// The server is blocked inside the call while it asks. `next` returns the reply, or the open questions. A question that
// the server did not attribute to a call is carried by one of the calls in progress. When that call ends, the question
// moves to another one (session.ts), unless a client without a session is showing it: then the question stays, and the
// reply of its call waits until the client retries.

import type { JsonObject } from '@assent/core'
import { canBeAsked, undeclared } from '../../call/capabilities.ts'
import { type Call, failed, type InputRequest, type InputResponse, type Outcome } from '../../call/model.ts'
import { shownWaitMs } from '../../call/route/ask-deadline.ts'
import { expired } from '../../call/screen/screen-questions.ts'
import { relayLimits } from '../../limits.ts'
import {
  errorCodes,
  errorReply,
  type Notification,
  type Reply,
  type Request,
  type RequestId,
} from '../../protocol/messages.ts'
import { withTokenOf } from '../progress-token.ts'
import { readQuestion } from './questions.ts'
import { SharedQuestion } from './shared-question.ts'

interface Question {
  readonly id: RequestId
  readonly wanted: InputRequest
  readonly timer: NodeJS.Timeout
  readonly deadline: number
  /** The calls that may have asked it; undefined when this call is known to have asked it. */
  readonly askers?: readonly LiveCall[] | undefined
}

/** A question that outlives the call that carried it. */
export type Moving = Omit<Question, 'timer'> & { readonly askers: readonly LiveCall[] }

export interface LiveCallStart {
  readonly id: string
  readonly requestId: RequestId
  readonly server: string
  readonly call: Call
  /** How long a person may take. */
  readonly waitMs: number
}

export class LiveCall {
  readonly id: string
  readonly requestId: RequestId
  readonly #server: string
  readonly #waitMs: number
  readonly #reply: (reply: Reply) => Promise<boolean>
  readonly #open = new Map<string, Question>()
  /** Keys of answered questions, by request id. */
  readonly #answered = new Map<RequestId, string>()
  /** Keys of answers that the server no longer waited for. */
  readonly #undelivered = new Set<string>()
  #call: Call
  #end: Outcome | undefined
  #changed = Promise.withResolvers<void>()
  #keys = 0

  constructor({ id, requestId, server, call, waitMs }: LiveCallStart, reply: (reply: Reply) => Promise<boolean>) {
    this.id = id
    this.requestId = requestId
    this.#server = server
    this.#call = call
    this.#waitMs = waitMs
    this.#reply = reply
  }

  /** The only principal that may continue the call. */
  get principal(): string {
    return this.#call.principal
  }

  /** Sets the request that now waits for the call and receives its notifications. */
  attach(call: Call): void {
    this.#call = call
  }

  get isAsking(): boolean {
    return this.#open.size > 0
  }

  /** The called method and params, and how long the caller waits. */
  get called(): Pick<Call, 'method' | 'params' | 'leavesAfterMs'> {
    return this.#call
  }

  /**
   * A question of the server. It is refused immediately when the client cannot be asked.
   * @param askers the calls in progress, when the server did not attribute the question to one of them
   */
  onRequest(request: Request, askers?: readonly LiveCall[]): void {
    const wanted = readQuestion(request)
    if (wanted === undefined) {
      void this.#reply(
        errorReply(request.id, errorCodes.methodNotFound, `This client does not support ${request.method}.`),
      )
      return
    }
    if (!canBeAsked(this.#call.client.capabilities, wanted.kind)) {
      const { client } = this.#call
      this.#call.onRefused?.(client.asksDisabled === true && isForPeople(wanted) ? 'disabled' : 'unsupported')
      void this.#reply({ jsonrpc: '2.0', id: request.id, error: undeclared(client, wanted.kind) })
      return
    }
    // Reply to the server when no answer arrives: the client may never retry. Do so a little after the question's own
    // deadline, so that it is recorded as expired and not as withdrawn by the gateway.
    const waitMs = shownWaitMs({ askWaitMs: this.#waitMs }, wanted) + relayLimits.expireLaterMs
    const isShared = askers !== undefined && isForPeople(wanted)
    this.#ask({
      id: request.id,
      wanted: isShared ? { ...wanted, shared: new SharedQuestion(askers) } : wanted,
      deadline: performance.now() + waitMs,
      askers,
    })
  }

  /** Takes over a question from another call. */
  carryOn(question: Moving): void {
    this.#ask(question)
  }

  /** The server cancelled one of its requests. False when this call neither carries nor has answered it. */
  onCancelled(requestId: unknown): boolean {
    const question = [...this.#open].find(([, { id }]) => id === requestId)
    if (question !== undefined) {
      markClosed(question[1])
      this.#close(question[0])
      this.#change()
      return true
    }
    // A server cancels only unanswered requests: our answer and its cancellation crossed, and the answer was not used.
    const crossed = this.#answered.get(requestId as RequestId)
    if (crossed === undefined) return false
    this.#undelivered.add(crossed)
    return true
  }

  onNotification(notification: Notification): void {
    this.#call.notify(withTokenOf(notification, this.#call))
  }

  /** Ends the call. Returns the questions that another call must take over. */
  finish(outcome: Outcome): readonly Moving[] {
    this.#end ??= outcome
    return this.#release((question) => this.#stays(question))
  }

  /** Ends the call for a caller that will not retry: no question stays. */
  leave(outcome: Outcome): readonly Moving[] {
    this.#end ??= outcome
    return this.#release(() => false)
  }

  /** Closes the questions for which every call that may have asked them has ended. */
  closeOrphans(): void {
    this.#release((question) => this.#othersOf(question).length > 0)
  }

  get isFinished(): boolean {
    return this.#end !== undefined
  }

  answer(given: Readonly<Record<string, InputResponse>>): void {
    for (const [key, answer] of Object.entries(given)) {
      const question = this.#open.get(key)
      if (question === undefined) {
        // The server cancelled its question, or its call has ended. A repeated answer does not count as undelivered.
        if (![...this.#answered.values()].includes(key)) this.#undelivered.add(key)
        continue
      }
      this.#answered.set(question.id, key)
      markClosed(question)
      this.#close(key)
      // Copy by name: other members of an answer are internal, and strict servers reject unknown members.
      const body = 'result' in answer ? { result: answer.result } : { error: answer.error }
      void this.#reply({ jsonrpc: '2.0', id: question.id, ...body }).then((isSent) => {
        if (!isSent) this.#undelivered.add(key)
      })
    }
  }

  /** The keys of undelivered answers since the last call of this method. */
  takeUndelivered(): readonly string[] {
    const keys = [...this.#undelivered]
    this.#undelivered.clear()
    return keys
  }

  async next(): Promise<Outcome> {
    for (;;) {
      if (this.#open.size > 0) {
        // Questions sent together arrive together: wait one tick, so that all of them are read.
        await new Promise((resolve) => setImmediate(resolve))
        if (this.#open.size > 0) return this.#inputRequired()
        continue
      }
      if (this.#end !== undefined) return this.#end
      await this.#changed.promise
    }
  }

  #ask(question: Omit<Question, 'timer'>): void {
    this.#keys += 1
    const key = `ask_${this.#keys}`
    const timer = setTimeout(() => this.#expire(key), Math.max(question.deadline - performance.now(), 0))
    this.#open.set(key, { ...question, timer })
    this.#change()
  }

  #inputRequired(): Outcome {
    const wanted = Object.fromEntries([...this.#open].map(([key, question]) => [key, question.wanted]))
    return { kind: 'input-required', wanted, state: { held: this.id }, over: this.#over(Object.keys(wanted)) }
  }

  /** Resolves when none of these questions is open any more. */
  async #over(keys: readonly string[]): Promise<void> {
    while (keys.some((key) => this.#open.has(key))) await this.#changed.promise
  }

  #release(stays: (question: Question) => boolean): readonly Moving[] {
    const moving: Moving[] = []
    for (const [key, question] of [...this.#open]) {
      if (stays(question)) continue
      this.#close(key)
      const { timer: _timer, ...rest } = question
      const askers = this.#othersOf(question)
      if (askers.length > 0) moving.push({ ...rest, askers })
      else markClosed(question)
    }
    this.#change()
    return moving
  }

  /** Whether the client shows the question and will retry with the answer. */
  #stays(question: Question): boolean {
    const { scope, client } = this.#call
    return scope === '' && client.shows?.(question.wanted, this.#server) === true && this.#othersOf(question).length > 0
  }

  #othersOf({ askers = [] }: Question): readonly LiveCall[] {
    return askers.filter((one) => one !== this && !one.isFinished)
  }

  #expire(key: string): void {
    const id = this.#open.get(key)?.id
    this.answer({ [key]: expired })
    // Not a person's answer: an answer that arrives from now on is too late.
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

/** Marks a shared question as closed: the server no longer waits for its answer. */
function markClosed({ wanted }: Question): void {
  if ('shared' in wanted && wanted.shared instanceof SharedQuestion) wanted.shared.isOpen = false
}

function isForPeople(wanted: InputRequest): wanted is InputRequest & { kind: 'form' | 'url' } {
  return wanted.kind === 'form' || wanted.kind === 'url'
}

export function replyOutcome(reply: Reply): Outcome {
  if ('result' in reply) return { kind: 'finished', result: withoutRounds(reply.result) }
  return failed(reply.error.code, reply.error.message, reply.error.data)
}

/** Removes members that a client of the newest revision would read as questions: they were not screened. */
function withoutRounds(result: JsonObject): JsonObject {
  if (!Object.hasOwn(result, 'resultType')) return result
  const { resultType: _type, inputRequests: _questions, requestState: _state, ...rest } = result
  return rest
}
