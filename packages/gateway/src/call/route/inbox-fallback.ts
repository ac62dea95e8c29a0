// Shows a question in the inbox as well when the client has not answered it for a while. The first answer counts.
//
// Owns: the timers of the questions that clients are asked. If the process dies with a timer, the client still has its
// copy of the question.
// I1  The ask's id is assigned when the client is asked and travels with the call.
// I2  Until the timer fires no ask is stored, and an earlier answer from the client leaves none behind.
// I3  A question that the store could not take is shown as soon as it can, unless its server stopped waiting.

import { randomBytes } from 'node:crypto'
import {
  type Ask,
  actionMetaOf,
  askLimits,
  askMeta,
  compact,
  isAssentError,
  isTooManyOpen,
  newId,
  readAskMeta,
  type WithdrawReason,
} from '@assent/core'
import type { Store } from '@assent/store'
import { relayLimits } from '../../limits.ts'
import { readOwnJson } from '../../protocol/own-json.ts'
import { type OpenRound, openForMs } from '../call-state.ts'
import { shownParams } from '../candidate-calls.ts'
import type { Call, InputRequest, InputResponse } from '../model.ts'
import { needsPasskey } from '../presence.ts'
import type { OpenAskLimits } from '../screen/open-limits.ts'
import { questionText } from '../text/questions.ts'
import { shownWaitMs } from './ask-deadline.ts'
import {
  type Announces,
  type AskedCall,
  answerOf,
  decisionOf,
  givenOf,
  isApproval,
  raiseAsk,
  storedAnswer,
} from './inbox-asks.ts'
import { waitForAsk } from './wait-for-ask.ts'

export interface InboxFallbackSettings {
  readonly askWaitMs: number
  /** How long the client may take before the inbox asks too. Undefined: until the question expires. */
  readonly silentAfterMs?: number | undefined
  readonly announces?: Announces | undefined
}

/** One question that was sent to a client. */
export interface Put {
  readonly call: AskedCall
  readonly server: string
  readonly wanted: InputRequest
  /** The server waits inside its call. */
  readonly isHeld?: boolean
  readonly round?: OpenRound | undefined
  /** Records the call, so that the question is withdrawn when this process dies. */
  readonly record?: () => Promise<string>
}

/** The answer that counts. `isFromInbox` also when the ask ended in the inbox without an answer. */
export interface Counting {
  readonly given: InputResponse
  readonly isFromInbox?: boolean
}

interface Waiting {
  readonly timer: NodeJS.Timeout
  /** Resolves when the inbox shows the question; created on the first wait. */
  shown: PromiseWithResolvers<void> | undefined
  /** The ask was to be stored and the store failed, so it may be stored. */
  readonly mayBeStored: boolean
}

export class InboxFallback {
  readonly #store: Store
  readonly #settings: InboxFallbackSettings
  readonly #asking: OpenAskLimits
  readonly #onError: (error: unknown) => void
  readonly #waiting = new Map<string, Waiting>()
  /** Asks whose timer has fired and that are being stored. */
  readonly #showing = new Set<string>()

  constructor(store: Store, settings: InboxFallbackSettings, asking: OpenAskLimits, onError: (error: unknown) => void) {
    this.#store = store
    this.#settings = settings
    this.#asking = asking
    this.#onError = onError
  }

  /** Starts the client's timer. Returns the id of the ask to raise; undefined when there is no fallback. */
  begin(put: Put): string | undefined {
    const { silentAfterMs } = this.#settings
    if (silentAfterMs === undefined || this.#waiting.size >= relayLimits.silentWaits) return undefined
    const id = newId('ask', Date.now(), randomBytes)
    const { record } = put
    const text = serialized(put)
    const waiting = put.call.waiting?.afterwards
    this.#later(id, silentAfterMs, () => readPut(text, record, waiting))
    return id
  }

  #later(id: string, afterMs: number, put: () => Put, before?: Waiting): void {
    const timer = setTimeout(() => void this.#showNow(id, put), afterMs)
    timer.unref()
    this.#waiting.set(id, { timer, shown: before?.shown, mayBeStored: before !== undefined })
  }

  async #showNow(id: string, put: () => Put): Promise<void> {
    const before = this.#waiting.get(id)
    const showing = this.show(put(), id)
    this.#showing.add(id)
    try {
      await showing
    } catch (error) {
      this.#notShown(error)
      // The client need not be asked for long, and its caller has not stopped waiting for the answer.
      const isOpen = this.#showing.has(id) && openForMs(put(), this.#store.nowMs()) < this.#settings.askWaitMs
      if (isOpen && isAssentError(error, 'store_unavailable')) this.#later(id, relayLimits.renewEveryMs, put, before)
    } finally {
      this.#showing.delete(id)
    }
  }

  /**
   * Shows the question in the inbox now; an existing ask stays unchanged. With `isEnding` the open limits do not apply.
   */
  async show({ call, server, wanted, isHeld, round, record }: Put, id: string, isEnding = false): Promise<string> {
    const waiting = this.#delete(id)
    const room = isEnding ? undefined : this.#asking
    const elapsedMs = openForMs({ round }, this.#store.nowMs())
    const waitMs = Math.max(shownWaitMs(this.#settings, wanted, elapsedMs), askLimits.decideMinMs)
    // An ask that the client's answer ends at once is not announced.
    const announces = isEnding ? undefined : this.#settings.announces
    const raising = { server, waitMs, isHeld, id, room, round, presence: this.#asking.presence, announces }
    const callId = await record?.()
    await raiseAsk(this.#store, call, wanted, callId === undefined ? raising : { ...raising, callId })
    waiting?.shown?.resolve()
    return id
  }

  /** The answer that counts after the client answered; undefined when it cannot be used and the inbox still asks. */
  async answered(put: Put, id: string, given: InputResponse): Promise<Counting | undefined> {
    if (this.#delete(id)?.mayBeStored === false) return { given }
    if ('error' in given) return undefined
    const converted = isApproval(put.wanted) ? decisionOf(put.wanted, given.result) : answerOf(given.result)
    if (converted === undefined) return undefined
    const { tenant, principal, groups = [] } = put.call
    const person = { principal, groups }
    const refusesSecrets = !this.#asking.allowsSecrets(put.server)
    const needsPresence = needsPasskey(this.#asking.presence, put.wanted)
    const request = { tenant, id, person, via: 'client', answer: converted, refusesSecrets, needsPresence } as const
    const answer = () => this.#store.asks.answer(request)
    let answered = await answer()
    if (answered.kind === 'not-found') {
      // Another replica may still have the timer. An ask that exists and has ended is not raised again.
      await this.show(put, id, true)
      answered = await answer()
    }
    if (answered.kind === 'ended') {
      const { state } = answered.ask
      const isOwn = state.kind === 'settled' && state.via === 'client'
      return { given: givenOf(answered.ask), ...(isOwn ? {} : { isFromInbox: true }) }
    }
    // Anything else did not decide the ask: it is not valid, needs a passkey, or this person may not decide.
    if (answered.kind !== 'settled') return undefined
    // An approval is used by its grant, however often the client sends it.
    return { given: isApproval(put.wanted) ? givenOf(answered.ask) : storedAnswer(given, answered.ask) }
  }

  /** Cancels the timer. An ask that was raised stays. */
  stop(id: string): void {
    this.#delete(id)
  }

  /** Cancels the timer, or withdraws the ask if it was raised. */
  async withdraw({ tenant }: Call, id: string, reason: WithdrawReason): Promise<void> {
    if (this.#delete(id)?.mayBeStored !== false) await this.#store.asks.withdraw(tenant, id, reason)
  }

  /**
   * Resolves with the reason, as text for the client, once the client need not ask any more: the question was answered
   * in the inbox, or it is open there and the client's call cannot be held longer.
   */
  async elsewhere({ tenant }: Call, id: string, forMs: number, signal: AbortSignal): Promise<string> {
    const until = performance.now() + forMs
    const waiting = this.#waiting.get(id)
    if (waiting !== undefined) {
      waiting.shown ??= Promise.withResolvers<void>()
      await waiting.shown.promise
    }
    const timeoutMs = Math.max(0, until - performance.now())
    const ask = await waitForAsk(this.#store, { tenant, id }, timeoutMs, signal, this.#onError)
    const isOver = ask !== undefined && ask !== 'unknown' && ask.state.kind !== 'open'
    return isOver ? reasonFor(ask) : questionText.nowInInbox
  }

  /** When the inbox is at its limit only the client is asked, as without an inbox. */
  #notShown(error: unknown): void {
    if (isTooManyOpen(error)) this.#asking.noRoom(error.limit)
    else this.#onError(error)
  }

  #delete(id: string): Waiting | undefined {
    const waiting = this.#waiting.get(id)
    clearTimeout(waiting?.timer)
    this.#waiting.delete(id)
    this.#showing.delete(id)
    return waiting
  }
}

/**
 * Serializes the parts that an ask is made of. The request ends long before the timer fires; a timer that referenced it
 * would keep its headers and its connection in memory, for up to a hundred thousand questions.
 */
function serialized({ call, server, wanted, isHeld, round }: Put): string {
  const { tenant, principal, method, params, caller } = call
  const asked: AskedCall = { tenant, principal, method, params: shownParams(params), ...compact({ caller }) }
  const meta = readAskMeta(wanted.params)
  const ours = meta === undefined ? {} : { _meta: { ...askMeta(meta), ...actionMetaOf(wanted.params) } }
  return JSON.stringify({ call: asked, server, wanted: { ...wanted, params: ours }, isHeld, round })
}

function readPut(text: string, record: Put['record'], waiting: AskedCall['waiting']): Put {
  const read = readOwnJson(text) as unknown as Omit<Put, 'record'>
  const put = waiting === undefined ? read : { ...read, call: { ...read.call, waiting } }
  return record === undefined ? put : { ...put, record }
}

/**
 * The reason that the client gets. It contains neither the answer nor the comment: those are only for the server that
 * asked.
 */
function reasonFor({ state }: Ask): string {
  return state.kind === 'settled' ? questionText.answeredInInbox : questionText.notOpen
}
