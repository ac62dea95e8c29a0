// One call that a session-based server is working on, from our request to its reply.
//
// The server is blocked inside it while it asks. `next` says how things stand: the reply, or the questions that are open.
// A question of which the server did not say in which call it asks is carried by one of the calls in progress. When that one
// ends the question moves to another (session.ts), unless a client without a session has left with it: then it stays, and
// the reply of its call waits for the client to come back.

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
import { withTokenOf } from '../progress-token.ts'
import { readQuestion } from './questions.ts'
import { SharedQuestion } from './shared-question.ts'

interface Question {
  readonly id: RequestId
  readonly wanted: Wanted
  readonly timer: NodeJS.Timeout
  readonly deadline: number
  /** The calls of which one asked; undefined where it is known that this one did. */
  readonly askers?: readonly LiveCall[] | undefined
}

/** A question that outlives the call that carried it. */
export type Moving = Omit<Question, 'timer'> & { readonly askers: readonly LiveCall[] }

export interface Started {
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
  /** The questions that were answered, by the ids of their requests. */
  readonly #answered = new Map<RequestId, string>()
  /** Answers that came when the server had stopped waiting for them. */
  readonly #undelivered = new Set<string>()
  #call: Call
  #end: Outcome | undefined
  #changed = Promise.withResolvers<void>()
  #keys = 0

  constructor({ id, requestId, server, call, waitMs }: Started, reply: (reply: Reply) => Promise<boolean>) {
    this.id = id
    this.requestId = requestId
    this.#server = server
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

  get isAsking(): boolean {
    return this.#open.size > 0
  }

  /** What was called, and how long its caller waits. */
  get called(): Pick<Call, 'method' | 'params' | 'leavesAfterMs'> {
    return this.#call
  }

  /**
   * A question, answered at once when it may not be put to anyone here.
   * @param askers the calls in progress, where the server did not say in which of them it asks
   */
  onRequest(request: Request, askers?: readonly LiveCall[]): void {
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
    // Silence is no answer, and the server must hear so: nobody may ever come back for it.
    // A little later than the question itself ends, so that its end is on record as silence and not as ours.
    const waitMs = shownWaitMs({ askWaitMs: this.#waitMs }, wanted) + relayLimits.giveUpLaterMs
    const isShared = askers !== undefined && isForPeople(wanted)
    this.#ask({
      id: request.id,
      wanted: isShared ? { ...wanted, shared: new SharedQuestion(askers) } : wanted,
      deadline: performance.now() + waitMs,
      askers,
    })
  }

  /** Carries a question on that another call carried before. */
  carryOn(question: Moving): void {
    this.#ask(question)
  }

  /** The server took one of its requests back. False when it is not one that this call carries or has answered. */
  onCancelled(requestId: unknown): boolean {
    const question = [...this.#open].find(([, { id }]) => id === requestId)
    if (question !== undefined) {
      settle(question[1])
      this.#close(question[0])
      this.#change()
      return true
    }
    // Only a request that is not answered is cancelled, so our answer crossed this on its way, and was not used.
    const crossed = this.#answered.get(requestId as RequestId)
    if (crossed === undefined) return false
    this.#undelivered.add(crossed)
    return true
  }

  onNotification(notification: Notification): void {
    this.#call.notify(withTokenOf(notification, this.#call))
  }

  /** Ends the call. The questions that may be another call's and do not stay are returned: they go on there. */
  finish(outcome: Outcome): readonly Moving[] {
    this.#end ??= outcome
    return this.#letGo((question) => this.#stays(question))
  }

  /** Ends the call for a caller that does not come back: no question stays. */
  leave(outcome: Outcome): readonly Moving[] {
    this.#end ??= outcome
    return this.#letGo(() => false)
  }

  /** Closes what stayed when the last call that may have asked it has ended. */
  closeOrphans(): void {
    this.#letGo((question) => this.#othersOf(question).length > 0)
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
      settle(question)
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
      if (this.#open.size > 0) {
        // What the server asks in one breath arrives in one piece: let the rest of it be read.
        await new Promise((resolve) => setImmediate(resolve))
        if (this.#open.size > 0) return this.#needsPeople()
        continue
      }
      if (this.#end !== undefined) return this.#end
      await this.#changed.promise
    }
  }

  #ask(question: Omit<Question, 'timer'>): void {
    this.#keys += 1
    const key = `ask_${this.#keys}`
    const timer = setTimeout(() => this.#giveUp(key), Math.max(question.deadline - performance.now(), 0))
    this.#open.set(key, { ...question, timer })
    this.#change()
  }

  #needsPeople(): Outcome {
    const wanted = Object.fromEntries([...this.#open].map(([key, question]) => [key, question.wanted]))
    return { kind: 'needs-people', wanted, resume: { held: this.id }, over: this.#over(Object.keys(wanted)) }
  }

  /** Resolves when none of these questions is open any more. */
  async #over(keys: readonly string[]): Promise<void> {
    while (keys.some((key) => this.#open.has(key))) await this.#changed.promise
  }

  #letGo(stays: (question: Question) => boolean): readonly Moving[] {
    const moving: Moving[] = []
    for (const [key, question] of [...this.#open]) {
      if (stays(question)) continue
      this.#close(key)
      const { timer: _timer, ...rest } = question
      const askers = this.#othersOf(question)
      if (askers.length > 0) moving.push({ ...rest, askers })
      else settle(question)
    }
    this.#change()
    return moving
  }

  /** Its client shows it, and comes back with the answer. */
  #stays(question: Question): boolean {
    const { scope, client } = this.#call
    return scope === '' && client.shows?.(question.wanted, this.#server) === true && this.#othersOf(question).length > 0
  }

  #othersOf({ askers = [] }: Question): readonly LiveCall[] {
    return askers.filter((one) => one !== this && !one.isFinished)
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

/** The server waits for it no longer. */
function settle({ wanted }: Question): void {
  if ('shared' in wanted && wanted.shared instanceof SharedQuestion) wanted.shared.isOpen = false
}

function isForPeople(wanted: Wanted): wanted is Wanted & { kind: 'form' | 'url' } {
  return wanted.kind === 'form' || wanted.kind === 'url'
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
