// Whether people may be asked now: the switch, and how many questions are open, of each caller and in all.
//
// A question counts from the moment it is put until it is answered, its call has ended, or its time is up, because a caller
// that was told to come back may never come. It counts in the process that put it: replicas do not share the count.

import { randomUUID } from 'node:crypto'
import { isPlainObject } from '@assent/core'
import { relayLimits } from '../limits.ts'
import { type AskEnd, type AskRefusal, nobodyWatches, type Watch } from '../watch/watch.ts'
import { errorCodes } from '../wire/messages.ts'
import { withoutAsking } from './capabilities.ts'
import type { Call, Given, Wanted } from './exchange.ts'

export interface AskingOptions {
  readonly isEnabled: boolean
  readonly askWaitMs: number
  /** Questions open at once; the limits of the process unless given. */
  readonly open?: { readonly perCaller: number; readonly total: number }
}

export type Opened =
  /** Without a round when no person is asked anything. */
  | { readonly ok: true; readonly round?: OpenRound }
  | { readonly ok: false; readonly code: number; readonly reason: string }

/** Questions that were put together. It travels with the caller, so that any process knows how long they were open. */
export type OpenRound = { readonly id: string; readonly atMs: number }

const marginMs = 1_000

interface Round {
  readonly principal: string
  readonly asks: number
  readonly untilMs: number
}

export class Asking {
  readonly #options: AskingOptions
  readonly #watch: Watch
  readonly #now: () => number
  // In the order in which they were put, which is nearly that of their ends.
  readonly #rounds = new Map<string, Round>()
  readonly #byCaller = new Map<string, number>()
  #total = 0

  constructor(options: AskingOptions, watch: Watch = nobodyWatches, now: () => number = Date.now) {
    this.#options = options
    this.#watch = watch
    this.#now = now
  }

  /** Questions that are open. */
  get size(): number {
    this.#forgetOverdue()
    return this.#total
  }

  /** The call as servers see it: where nobody may be asked, its client cannot be asked either. */
  seenBy(call: Call): Call {
    if (this.#options.isEnabled || !Object.hasOwn(call.client.capabilities, 'elicitation')) return call
    return { ...call, client: { ...call.client, capabilities: withoutAsking(call.client.capabilities) } }
  }

  /** @param over resolves when a held call no longer waits for the answers */
  open(
    { principal }: Call,
    server: string,
    wanted: Readonly<Record<string, Wanted>>,
    over: Promise<void> | undefined,
  ): Opened {
    const asks = Object.values(wanted).filter(({ kind }) => kind === 'form' || kind === 'url').length
    if (asks === 0) return { ok: true }
    if (!this.#options.isEnabled) {
      const reason = 'Asking people is switched off at this gateway (asks.enabled: false), so nobody was asked.'
      return this.#refuse('switched-off', errorCodes.methodNotFound, reason)
    }
    this.#forgetOverdue()
    const { perCaller, total } = this.#options.open ?? {
      perCaller: relayLimits.openPerCaller,
      total: relayLimits.openTotal,
    }
    const before = this.#byCaller.get(principal) ?? 0
    if (before + asks > perCaller) {
      return this.#full(`You have ${before} questions open, and may have ${perCaller}. Answer some, then try again.`)
    }
    if (this.#total + asks > total) return this.#full('Too many questions are open at this gateway. Try again later.')
    const round = { id: randomUUID(), atMs: this.#now() }
    this.#rounds.set(round.id, { principal, asks, untilMs: round.atMs + this.#options.askWaitMs })
    this.#byCaller.set(principal, before + asks)
    this.#total += asks
    for (let ask = 0; ask < asks; ask++) this.#watch.asked(server)
    void over?.then(() => this.#over(server, round))
    return { ok: true, round }
  }

  /** What came back for these questions, judged. Ends nothing twice: a round that is not open makes no more room. */
  ended(server: string, round: OpenRound | undefined, given: readonly Given[]): void {
    if (round === undefined) return
    this.#forget(round.id)
    for (const one of given) this.#watch.ended(server, endOf(one), Math.max(0, this.#now() - round.atMs))
  }

  /** A held call no longer waits for these: their time was up, or its server or caller took them back. */
  #over(server: string, { id, atMs }: OpenRound): void {
    const round = this.#rounds.get(id)
    if (round === undefined) return
    this.#forget(id)
    // The one who gave up began to count a little before us.
    const end = this.#now() >= round.untilMs - marginMs ? 'expired' : 'withdrawn'
    for (let ask = 0; ask < round.asks; ask++) this.#watch.ended(server, end, Math.max(0, this.#now() - atMs))
  }

  /** Questions that may not be asked, whoever asks them. */
  notAllowed(): void {
    this.#watch.refused('not-allowed' satisfies AskRefusal)
  }

  #forget(id: string): void {
    const round = this.#rounds.get(id)
    if (round === undefined) return
    this.#rounds.delete(id)
    this.#total -= round.asks
    const left = (this.#byCaller.get(round.principal) ?? 0) - round.asks
    if (left > 0) this.#byCaller.set(round.principal, left)
    else this.#byCaller.delete(round.principal)
  }

  #forgetOverdue(): void {
    const now = this.#now()
    for (const [id, { untilMs }] of this.#rounds) {
      if (untilMs > now) return
      this.#forget(id)
    }
  }

  #full(reason: string): Opened {
    return this.#refuse('too-many-open', errorCodes.refused, reason)
  }

  #refuse(why: AskRefusal, code: number, reason: string): Opened {
    this.#watch.refused(why)
    return { ok: false, code, reason }
  }
}

function endOf(given: Given): AskEnd {
  if ('error' in given) {
    const { data } = given.error
    return isPlainObject(data) && data.reason === 'expired' ? 'expired' : 'undeliverable'
  }
  if (given.result.action === 'accept') return 'accepted'
  return given.result.action === 'decline' ? 'declined' : 'cancelled'
}
