// Clients that were asked and stay silent: after a while the question is in the inbox too, and the first answer counts.
//
// The ask that will be there has its id from the beginning, and the id travels with the call. Until the time is up there
// is only a timer; an answer that comes before it leaves no ask behind. If the process goes away with the timer, the client
// still has its copy.

import { randomBytes } from 'node:crypto'
import { type Ask, askMeta, isTooManyOpen, newId, readAskMeta, type WithdrawReason } from '@assent/core'
import type { Store } from '@assent/store'
import { relayLimits } from '../limits.ts'
import type { Asking, OpenRound } from '../relay/asking.ts'
import type { Call, Given, Wanted } from '../relay/exchange.ts'
import { readOwnJson } from '../wire/own-json.ts'
import { shownWaitMs } from './ask-deadline.ts'
import { type AskedCall, answerOf, givenOf, isSecretState, raiseAsk } from './inbox-asks.ts'
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
  /** The server waits inside its call. */
  readonly isHeld?: boolean
  readonly round?: OpenRound | undefined
  /** Puts the call on record, for questions that nobody needs answered once its process is gone. */
  readonly record?: () => Promise<string>
}

/** The answer that counts, and whether it was given in the inbox, or nobody gave it there in time. */
export interface Counting {
  readonly given: Given
  readonly isFromInbox?: boolean
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
    const waiting = put.call.waiting?.afterwards
    const show = () => this.show(readPut(text, record, waiting), id).catch((error: unknown) => this.#notShown(error))
    const timer = setTimeout(() => void show(), silentAfterMs)
    timer.unref()
    this.#waiting.set(id, { timer, shown: undefined })
    return id
  }

  /** Puts it into the inbox now. What is there already stays as it is. One that is about to end needs no room. */
  async show({ call, server, wanted, isHeld, round, record }: Put, id: string, isEnding = false): Promise<string> {
    const waiting = this.#forget(id)
    const { silentAfterMs = 0 } = this.#settings
    const room = isEnding ? undefined : this.#asking
    const raising = { server, waitMs: shownWaitMs(this.#settings, wanted, silentAfterMs), isHeld, id, room, round }
    const callId = await record?.()
    await raiseAsk(this.#store, call, wanted, callId === undefined ? raising : { ...raising, callId })
    waiting?.shown?.resolve()
    return id
  }

  /** What counts when the client has answered; undefined when it is no answer and the inbox goes on asking. */
  async answered(put: Put, id: string, given: Given): Promise<Counting | undefined> {
    if (this.#forget(id) !== undefined) return { given }
    if ('error' in given) return undefined
    const { tenant, principal } = put.call
    const person = { principal, groups: [] }
    const refusesSecrets = !this.#asking.allowsSecrets(put.server)
    const request = { tenant, id, person, via: 'client', answer: answerOf(given.result), refusesSecrets } as const
    const answer = () => this.#store.asks.answer(request)
    let answered = await answer()
    if (answered.kind === 'not-found') {
      // Another process may still have the timer: an ask that is there, and ended, is not raised again.
      await this.show(put, id, true)
      answered = await answer()
    }
    if (answered.kind === 'ended') {
      const { state } = answered.ask
      const isOwn = state.kind === 'settled' && state.via === 'client'
      return { given: givenOf(answered.ask), ...(isOwn ? {} : { isFromInbox: true }) }
    }
    // The server gets it from here, so the store need not keep it.
    if (answered.kind === 'settled' && isSecretState(answered.ask)) await this.#store.asks.deleteSecret(tenant, id)
    const isNone = ['invalid', 'malformed', 'looks-secret'].includes(answered.kind)
    return isNone ? undefined : { given }
  }

  /** Nobody waits for it any more. */
  async withdraw({ tenant }: Call, id: string, reason: WithdrawReason): Promise<void> {
    if (this.#forget(id) === undefined) await this.#store.asks.withdraw(tenant, id, reason)
  }

  /**
   * Resolves once the inbox has what the client need not be asked any more, with the reason in words: it was answered
   * there, or it waits there and the client's call cannot be held longer.
   */
  async elsewhere({ tenant }: Call, id: string, forMs: number, signal: AbortSignal): Promise<string> {
    const until = performance.now() + forMs
    const waiting = this.#waiting.get(id)
    if (waiting !== undefined) {
      waiting.shown ??= Promise.withResolvers<void>()
      await waiting.shown.promise
    }
    const timeoutMs = Math.max(0, until - performance.now())
    const ask = await waitForAsk(this.#store, { tenant, id }, timeoutMs, signal, this.#onTrouble)
    const isOver = ask !== undefined && ask !== 'unknown' && ask.state.kind !== 'open'
    return isOver ? wordsOf(ask) : 'It is asked in the inbox now.'
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
function written({ call, server, wanted, isHeld, round }: Put): string {
  const { tenant, principal, method, params } = call
  const needed = Object.entries(params).filter(([name]) => name === 'name' || name === 'arguments')
  const asked: AskedCall = { tenant, principal, method, params: Object.fromEntries(needed) }
  const meta = readAskMeta(wanted.params)
  const ours = meta === undefined ? {} : { _meta: askMeta(meta) }
  return JSON.stringify({ call: asked, server, wanted: { ...wanted, params: ours }, isHeld, round })
}

function readPut(text: string, record: Put['record'], waiting: AskedCall['waiting']): Put {
  const read = readOwnJson(text) as unknown as Omit<Put, 'record'>
  const put = waiting === undefined ? read : { ...read, call: { ...read.call, waiting } }
  return record === undefined ? put : { ...put, record }
}

/**
 * Why the client need not ask any more. It goes to the client, so it says nothing of the answer or the comment: those are
 * for the server that asked.
 */
function wordsOf({ state }: Ask): string {
  return state.kind === 'settled' ? 'It was answered in the inbox.' : 'It is no longer asked.'
}
