// Clients that were asked and stay silent: after a while the question is in the inbox too, and the first answer counts.
//
// The ask that will be there has its id from the beginning, and the id travels with the call. Until the time is up there
// is only a timer; an answer that comes before it leaves no ask behind. If the process goes away with the timer, the client
// still has its copy.

import { randomBytes } from 'node:crypto'
import { type Ask, askView, endingInWords, isTooManyOpen, newId, type WithdrawReason } from '@assent/core'
import type { Store } from '@assent/store'
import { relayLimits } from '../limits.ts'
import type { Asking, OpenRound } from '../relay/asking.ts'
import type { Call, Given, Wanted } from '../relay/exchange.ts'
import { readOwnJson } from '../wire/own-json.ts'
import { type AskedCall, answerOf, givenOf, raiseAsk } from './inbox-asks.ts'
import { waitForAsk } from './wait-for-ask.ts'

export interface SilenceSettings {
  readonly askWaitMs: number
  /** How long a client that was asked may say nothing. Undefined: as long as the person may take. */
  readonly silentAfterMs?: number | undefined
}

/** One question that a client was asked. */
export interface Put {
  readonly call: AskedCall
  readonly server: string
  readonly wanted: Wanted
  readonly round?: OpenRound | undefined
  /** Puts the call on record, for questions that nobody needs answered once its process is gone. */
  readonly record?: () => Promise<string>
}

interface Waiting {
  readonly timer: NodeJS.Timeout
  /** For whoever wants to know when it is in the inbox. */
  shown: PromiseWithResolvers<void> | undefined
}

export class Silence {
  readonly #store: Store
  readonly #settings: SilenceSettings
  readonly #asking: Asking
  readonly #onTrouble: (error: unknown) => void
  readonly #waiting = new Map<string, Waiting>()

  constructor(store: Store, settings: SilenceSettings, asking: Asking, onTrouble: (error: unknown) => void) {
    this.#store = store
    this.#settings = settings
    this.#asking = asking
    this.#onTrouble = onTrouble
  }

  /** From now on the client has so long. The id of the ask to come; undefined where silence changes nothing. */
  begin(put: Put): string | undefined {
    const { silentAfterMs } = this.#settings
    if (silentAfterMs === undefined || this.#waiting.size >= relayLimits.silentWaits) return undefined
    const id = newId('ask', Date.now(), randomBytes)
    const { record } = put
    const text = written(put)
    const show = () => this.show(readPut(text, record), id).catch((error: unknown) => this.#notShown(error))
    const timer = setTimeout(() => void show(), silentAfterMs)
    timer.unref()
    this.#waiting.set(id, { timer, shown: undefined })
    return id
  }

  /** Puts it into the inbox now. What is there already stays as it is. One that is about to end needs no room. */
  async show({ call, server, wanted, round, record }: Put, id: string, isEnding = false): Promise<string> {
    const waiting = this.#forget(id)
    const { askWaitMs, silentAfterMs = 0 } = this.#settings
    const room = isEnding ? undefined : this.#asking
    const raising = { server, waitMs: askWaitMs - silentAfterMs, id, room, round }
    const callId = await record?.()
    await raiseAsk(this.#store, call, wanted, callId === undefined ? raising : { ...raising, callId })
    waiting?.shown?.resolve()
    return id
  }

  /** What counts when the client has answered; undefined when it is no answer and the inbox goes on asking. */
  async answered(put: Put, id: string, given: Given): Promise<Given | undefined> {
    if (this.#forget(id) !== undefined) return given
    if ('error' in given) return undefined
    const { tenant, principal } = put.call
    const person = { principal, groups: [] }
    const answer = () => this.#store.asks.answer({ tenant, id, person, via: 'client', answer: answerOf(given.result) })
    let answered = await answer()
    if (answered.kind === 'not-found') {
      // Another process may still have the timer: an ask that is there, and ended, is not raised again.
      await this.show(put, id, true)
      answered = await answer()
    }
    if (answered.kind === 'ended') return givenOf(answered.ask)
    return answered.kind === 'invalid' || answered.kind === 'malformed' ? undefined : given
  }

  /** Nobody waits for it any more. */
  async withdraw({ tenant }: Call, id: string, reason: WithdrawReason): Promise<void> {
    if (this.#forget(id) === undefined) await this.#store.asks.withdraw(tenant, id, reason)
  }

  /**
   * Resolves once the inbox has what the client need not be asked any more, with the reason in words: it was answered
   * there, or it waits there and the client's call cannot be held longer.
   */
  async elsewhere({ tenant, principal }: Call, id: string, forMs: number, signal: AbortSignal): Promise<string> {
    const until = performance.now() + forMs
    const waiting = this.#waiting.get(id)
    if (waiting !== undefined) {
      waiting.shown ??= Promise.withResolvers<void>()
      await waiting.shown.promise
    }
    const timeoutMs = Math.max(0, until - performance.now())
    const ask = await waitForAsk(this.#store, { tenant, id }, timeoutMs, signal, this.#onTrouble)
    const isOver = ask !== undefined && ask !== 'unknown' && ask.state.kind !== 'open'
    return isOver ? wordsOf(ask, principal, this.#store.nowMs()) : 'It is asked in the inbox now.'
  }

  /** Where the inbox has no room the client is asked on alone, as it would be without an inbox. */
  #notShown(error: unknown): void {
    if (isTooManyOpen(error)) this.#asking.noRoom(error.full)
    else this.#onTrouble(error)
  }

  #forget(id: string): Waiting | undefined {
    const waiting = this.#waiting.get(id)
    clearTimeout(waiting?.timer)
    this.#waiting.delete(id)
    return waiting
  }
}

/**
 * What is kept until the time is up: what an ask is made of, as text. The request has been answered long before, and a timer
 * that held it would hold its headers and its connection too, a hundred thousand times.
 */
function written({ call, server, wanted, round }: Put): string {
  const { tenant, principal, method, params } = call
  const needed = Object.entries(params).filter(([name]) => name === 'name' || name === 'arguments')
  const asked: AskedCall = { tenant, principal, method, params: Object.fromEntries(needed) }
  return JSON.stringify({ call: asked, server, wanted: { ...wanted, params: {} }, round })
}

function readPut(text: string, record: Put['record']): Put {
  const put = readOwnJson(text) as unknown as Omit<Put, 'record'>
  return record === undefined ? put : { ...put, record }
}

/** Who, how and when, as the person whose call it is would read it. */
function wordsOf(ask: Ask, principal: string, nowMs: number): string {
  const naming = { nameOf: (name: string) => name, describe: () => ({}) }
  return endingInWords(askView(ask, { principal, groups: [] }, naming), nowMs) ?? ''
}
