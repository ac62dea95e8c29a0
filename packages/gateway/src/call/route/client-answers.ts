// Takes the client's answers to the questions of one round: which of them count, and which questions move to the inbox.
//
// Owns: nothing between requests; the answers that count are in the state of the round (`kept`).
// I1  With an inbox, an answer to a question for a person counts only if it can come from one; otherwise the inbox asks
//     (person-answers.ts).
// I2  Of the client's and the inbox's answer to one question, the first counts (inbox-fallback.ts).
// I3  A round that was sent already raises no more asks.

import { isTooManyOpen } from '@assent/core'
import { own } from '../../protocol/own.ts'
import { type RoutingState, relayPart } from '../call-state.ts'
import type { CallerWait, CallLayer, TimedResponses } from '../layers.ts'
import type { Call, InputRequest, InputResponse } from '../model.ts'
import { needsPasskey } from '../presence.ts'
import type { Counting, InboxFallback } from './inbox-fallback.ts'
import { isFromPerson, isYes, type PersonSettings, type SortedAnswers } from './person-answers.ts'
import { isPage, putOf, type RoundAsks } from './round-asks.ts'
import { type AnswerSender, forClientOf, keyOfApproval, type RoundResult } from './send-answers.ts'
import { needsPerson } from './surfaces.ts'
import type { UnseenAnswers } from './unseen-answers.ts'

interface Parts {
  readonly settings: PersonSettings
  readonly unseen: UnseenAnswers
  readonly fallback: InboxFallback
  readonly asks: RoundAsks
  readonly sender: Pick<AnswerSender, 'sent'>
}

export class ClientAnswers {
  readonly #settings: PersonSettings
  readonly #unseen: UnseenAnswers
  readonly #fallback: InboxFallback
  readonly #asks: RoundAsks
  readonly #sender: Pick<AnswerSender, 'sent'>

  constructor({ settings, unseen, fallback, asks, sender }: Parts) {
    this.#settings = settings
    this.#unseen = unseen
    this.#fallback = fallback
    this.#asks = asks
    this.#sender = sender
  }

  /** The round with the client's answers, or its result: of a round that was sent already, or of a server that is refused. */
  async take(
    call: Call,
    below: CallLayer,
    state: RoutingState,
    came: TimedResponses,
    wait: CallerWait,
  ): Promise<RoundResult | 'running'> {
    try {
      return await this.#taken(call, below, state, came, wait)
    } catch (error) {
      if (!isTooManyOpen(error)) throw error
      await this.#asks.withdrawRound(call, state)
      return below.refuse(call, relayPart(state), error)
    }
  }

  /** Adds the client's answers: those that can come from a person are kept, the other questions move to the inbox. */
  async #taken(
    call: Call,
    below: CallLayer,
    state: RoutingState,
    came: TimedResponses,
    wait: CallerWait,
  ): Promise<RoundResult | 'running'> {
    const before = asksClientToApprove(state) ? await this.#sender.sent(call, state, wait) : undefined
    if (before !== undefined) return before
    const { kept, hasInboxAnswer, moving, tooFast, fastNow } = await this.#sorted(call, below, state, came)
    // A round that was sent already raises no more asks.
    const sent = moving.length === 0 ? undefined : await this.#sender.sent(call, state, wait)
    if (sent !== undefined) return sent
    const taken = { ...state, kept: { ...state.kept, ...kept }, ...(hasInboxAnswer ? { hasInboxAnswer } : {}) }
    const moved = await this.#asks.moveToInbox(call, below, taken, moving, tooFast)
    for (const [key, given, afterMs] of fastNow) {
      await this.#asks.noteFast(call, own(moved.inInbox, key), given, afterMs)
    }
    return moved
  }

  async #sorted(call: Call, below: CallLayer, state: RoutingState, came: TimedResponses): Promise<SortedAnswers> {
    let { hasInboxAnswer = false } = state
    const kept: [string, InputResponse][] = []
    const moving: string[] = []
    const repeated: string[] = []
    const fastNow: [key: string, given: InputResponse, afterMs: number][] = []
    for (const [key, { given, afterMs }] of Object.entries(came)) {
      const wanted = own(state.wanted, key)
      if (wanted === undefined || Object.hasOwn(state.inInbox, key)) continue
      // A client cannot prove presence: the inbox asks.
      if (isYes(given) && needsPasskey(this.#settings.presence ?? 'none', wanted)) {
        moving.push(key)
        continue
      }
      // Agreeing to open a page is not an answer: what the person does on the page is, and we wait for that.
      const isOpening = isPage(wanted) && isYes(given)
      const isTimely = given !== undefined && (isOpening || this.#canCount(call, wanted, given, afterMs))
      const mayRepeat = isTimely && !isOpening && afterMs !== undefined && needsPerson(wanted)
      const isRepeated = mayRepeat && (await this.#unseen.has(call, state, key))
      const counts =
        isTimely && !isRepeated && !isOpening ? await this.#first(call, below, state, key, given) : undefined
      if (counts === undefined) moving.push(key)
      else kept.push([key, counts.given])
      hasInboxAnswer ||= counts?.isFromInbox === true
      if (isRepeated) repeated.push(key)
      if (given !== undefined && !isTimely) {
        await this.#unseen.note(call, state, key)
        fastNow.push([key, given, afterMs ?? 0])
      }
    }
    const tooFast = [...repeated, ...fastNow.map(([key]) => key)]
    return { kept: Object.fromEntries(kept), hasInboxAnswer, moving, tooFast, fastNow }
  }

  #canCount({ client }: Call, wanted: InputRequest, given: InputResponse, afterMs: number | undefined): boolean {
    return !needsPerson(wanted) || isFromPerson(this.#settings, client, given, afterMs)
  }

  /** The first of the client's and the inbox's answer; undefined when the inbox still asks. */
  async #first(
    call: Call,
    below: CallLayer,
    state: RoutingState,
    key: string,
    given: InputResponse,
  ): Promise<Counting | undefined> {
    const [copy, wanted] = [own(state.copies, key), own(state.wanted, key)]
    if (copy === undefined || wanted === undefined) return { given }
    if (!call.signal.aborted) return this.#fallback.answered(putOf(call, below, state, wanted), copy, given)
    await this.#fallback.withdraw(call, copy, 'call-cancelled')
    return { given }
  }
}

/** Whether the client still has to approve the call. An approval that was sent already is neither stored nor asked again. */
function asksClientToApprove(state: RoutingState): boolean {
  const key = keyOfApproval(state)
  return key !== undefined && forClientOf(state).includes(key)
}
