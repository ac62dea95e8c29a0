// The questions that a session has sent to its client, and their answers.
//
// Owns: the open questions of this process, questions that moved from an ended call to another one, and early answers
// to questions of other processes.
// I1  An answer is accepted only once, and only for a question that is open or was asked by a lost process.
// I2  A question whose answer is no longer needed is cancelled at the client.

import { understandsAskMeta } from '@assent/core'
import { canBeAsked, forClient } from '../../call/capabilities.ts'
import type { TimedResponse } from '../../call/layers.ts'
import type { Call, ClientProfile, InputRequest, InputResponse, Shared } from '../../call/model.ts'
import { shownWaitMs } from '../../call/route/ask-deadline.ts'
import { expired, noAnswer } from '../../call/screen/screen-questions.ts'
import { newNameAt } from '../../cluster/replica-names.ts'
import { clientLimits, relayLimits } from '../../limits.ts'
import type { Message, Reply, Request, RequestId } from '../../protocol/messages.ts'
import { withReason } from '../ask-again.ts'
import type { Serving } from '../context.ts'
import { ownStalls } from '../stalls.ts'
import { pushedQuestion } from './questions.ts'

export type Send = (message: Message) => void

/** One question to the client. */
interface Asked {
  readonly id: string
  /** The id under which another process asked the same question. */
  readonly earlierId: string | undefined
  readonly elapsedMs: number
}

/** A question that was sent to the client. */
interface Pushed {
  readonly id: RequestId
  readonly promise: Promise<Answer>
  readonly resolve: (given: InputResponse) => void
  readonly askedAt: number
  /** False when it was answered before it was shown. */
  readonly isShown: boolean
  readonly timer?: NodeJS.Timeout
}

interface Answer {
  readonly given: InputResponse
  /** Whether it answers the question that another process had sent. */
  readonly isEarlier?: boolean
  /** When it arrived, if not now. */
  readonly at?: number
}

/** Events that end a question before it is answered. */
interface Until {
  readonly over: Promise<void>
  /** Resolves with the reason that is sent to the client. */
  readonly elsewhere: Promise<string>
}

export class ClientQuestions {
  readonly #serving: Serving
  readonly #client: ClientProfile
  readonly #revision: string
  readonly #pushed = new Map<RequestId, (given: InputResponse) => void>()
  /** Questions still shown by the client whose call has ended; another call of this session takes them over. */
  readonly #passed = new Map<Shared, Pushed>()
  /** Answers to questions that other processes sent. */
  readonly #early = new Map<RequestId, Answer>()

  constructor(serving: Serving, client: ClientProfile, revision: string) {
    this.#serving = serving
    this.#client = client
    this.#revision = revision
  }

  /** An answer to a question that this process sent. Ids that are unknown or already answered are ignored. */
  take(reply: Reply): void {
    if (reply.id === null) return
    this.#pushed.get(reply.id)?.('error' in reply ? { error: reply.error } : { result: reply.result })
  }

  /** Stores an answer to a question of another process for a while, in case its call continues here. */
  takeEarly(reply: Reply): void {
    if (reply.id === null || 'error' in reply || this.#early.size >= clientLimits.earlyAnswers) return
    if (JSON.stringify(reply.result).length > clientLimits.earlyAnswerChars) return
    const { id, result } = reply
    this.#early.set(id, { given: { result }, isEarlier: true, at: performance.now() })
    setTimeout(() => this.#early.delete(id), clientLimits.reconnectWithinMs).unref()
  }

  /** Whether a question with this id is open in this process. */
  waitsFor(id: RequestId | null): boolean {
    return id !== null && this.#pushed.has(id)
  }

  /** Ends every open question without an answer. */
  end(): void {
    for (const resolve of [...this.#pushed.values()]) resolve(noAnswer)
  }

  /** Asks again, with the reason and before the same deadline, when an answer is invalid. */
  async askUntilValid(
    call: Call,
    wanted: InputRequest,
    send: Send,
    until: Until,
    first: Asked,
  ): Promise<TimedResponse | undefined> {
    const began = performance.now() - first.elapsedMs
    let reason: string | undefined
    for (let again = 0; ; again++) {
      const passed = this.#passed.get(sharedOf(wanted) as Shared)
      const askedAt = passed?.askedAt ?? performance.now()
      const elapsedMs = Math.max(0, askedAt - began)
      const isFirst = again === 0 && passed === undefined
      const asked = isFirst ? first : { id: newNameAt(this.#serving.replica), earlierId: undefined, elapsedMs }
      const answer = await this.ask(withReason(wanted, reason), send, call.signal, until, asked)
      if (answer === 'elsewhere') return {}
      if (answer === undefined) return undefined
      const { given, isEarlier, at = performance.now() } = answer
      const sinceAskedMs = at - (isEarlier ? began : askedAt)
      const came = { given, afterMs: sinceAskedMs - ownStalls.within(sinceAskedMs) }
      reason = again < relayLimits.asksAgain ? this.#serving.routing.problemWith(call, wanted, came) : undefined
      if (reason === undefined) return came
    }
  }

  /** Undefined when the answer is no longer needed. */
  async ask(
    wanted: InputRequest,
    send: Send,
    signal: AbortSignal,
    { over, elsewhere }: Until,
    asked: Asked,
  ): Promise<Answer | 'elsewhere' | undefined> {
    const { declared } = this.#client
    const waitMs = shownWaitMs(this.#serving, wanted, asked.elapsedMs)
    const shown = { ...wanted, params: forClient(wanted.params, declared, waitMs) }
    const question = canBeAsked(declared, wanted.kind) ? pushedQuestion(shown, this.#revision) : undefined
    if (question === undefined) return { given: noAnswer }
    const shared = sharedOf(wanted)
    const pushed = this.#takePassed(shared) ?? this.#push(send, question, asked)
    const { id, promise, resolve, isShown } = pushed
    // Another Assent gateway applies the timeout it was sent, and always replies.
    const graceMs = understandsAskMeta(declared) ? relayLimits.chainGraceMs : 0
    const timer = setTimeout(() => resolve(expired), waitMs + graceMs)
    const abort = () => resolve(noAnswer)
    signal.addEventListener('abort', abort, { once: true })
    let isPassedOn = false
    try {
      const answer = await Promise.race([promise, over, elsewhere])
      // Another call of this session takes the question over, so that the person is not asked again.
      isPassedOn = answer === undefined && shared?.isOpen === true
      if (isPassedOn && shared !== undefined) this.#passOn(shared, pushed, send)
      if (isPassedOn) return undefined
      const given = typeof answer === 'object' ? answer.given : answer
      // The reason says who answered elsewhere, how and when; the client may show it.
      const reason = typeof answer === 'string' ? answer : 'An answer is no longer needed.'
      const isWithoutAnswer =
        given === undefined || given === noAnswer || given === expired || typeof given === 'string'
      if (isShown && (isWithoutAnswer || (typeof answer === 'object' && answer.isEarlier === true))) {
        send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id, reason } })
      }
      return typeof answer === 'string' ? 'elsewhere' : (answer ?? undefined)
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
      if (!isPassedOn) this.#pushed.delete(id)
      if (asked.earlierId !== undefined) this.#pushed.delete(asked.earlierId)
    }
  }

  #push(send: Send, question: object, { id, earlierId }: Asked): Pushed {
    const { promise, resolve: settle } = Promise.withResolvers<Answer>()
    const resolve = (given: InputResponse) => settle({ given })
    this.#pushed.set(id, resolve)
    const isShown = earlierId === undefined || !this.#askedEarlier(earlierId, send, settle)
    if (isShown) send({ jsonrpc: '2.0', id, ...question } as Request)
    ownStalls.watch()
    return { id, promise, resolve, askedAt: performance.now(), isShown }
  }

  /** Leaves a question open for the call that takes it over, and cancels it if none does. */
  #passOn(shared: Shared, pushed: Pushed, send: Send): void {
    const timer = setTimeout(() => {
      this.#passed.delete(shared)
      this.#pushed.delete(pushed.id)
      const params = { requestId: pushed.id, reason: 'An answer is no longer needed.' }
      send({ jsonrpc: '2.0', method: 'notifications/cancelled', params })
    }, clientLimits.passedWithinMs)
    this.#passed.set(shared, { ...pushed, timer })
  }

  #takePassed(shared: Shared | undefined): Pushed | undefined {
    const passed = shared === undefined ? undefined : this.#passed.get(shared)
    if (shared === undefined || passed === undefined) return undefined
    clearTimeout(passed.timer)
    this.#passed.delete(shared)
    return passed
  }

  /**
   * A lost process asked the client the same question. An answer to that question is accepted, whether it has arrived
   * already or arrives later. Without one, the earlier question is cancelled and the client is asked again. True when
   * the answer has arrived already.
   */
  #askedEarlier(id: string, send: Send, settle: (answer: Answer) => void): boolean {
    const early = this.#early.get(id)
    this.#early.delete(id)
    if (early !== undefined) {
      settle(early)
      return true
    }
    this.#pushed.set(id, (given) => settle({ given, isEarlier: true }))
    const params = { requestId: id, reason: 'The same question is asked again.' }
    send({ jsonrpc: '2.0', method: 'notifications/cancelled', params })
    return false
  }
}

function sharedOf(wanted: InputRequest): Shared | undefined {
  return 'shared' in wanted ? wanted.shared : undefined
}

/** A new promise each time: one shared promise would retain every reaction attached to it (a memory leak). */
export function never(): Promise<never> {
  return new Promise(() => undefined)
}
