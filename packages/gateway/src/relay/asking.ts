// Whether people may be asked now: the switch, and how many questions are open, of each caller, of each server and in all.
//
// A question counts from the moment it is put until it is answered, its call has ended, or its time is up, because a caller
// that was told to come back may never come. It counts in the process that put it, which is told when the answer comes to
// another; one that is in the store is counted there instead, for all processes.

import { randomUUID } from 'node:crypto'
import { type Full, isPlainObject, type OpenLimits, TooManyOpen } from '@assent/core'
import { relayLimits } from '../limits.ts'
import { type AskEnd, type AskRefusal, nobodyWatches, type Watch } from '../watch/watch.ts'
import { errorCodes } from '../wire/messages.ts'
import { withoutAsking } from './capabilities.ts'
import type { Call, Given, Wanted } from './exchange.ts'

export interface AskingOptions {
  readonly isEnabled: boolean
  readonly askWaitMs: number
  /** Questions open at once; the limits of the process unless given. */
  readonly open?: SomeOpenLimits
}

/** What is not said of servers and tenants is what all may have. */
export type SomeOpenLimits = Pick<OpenLimits, 'perCaller' | 'total'> & Partial<OpenLimits>

export type Opened =
  /** Without a round when no person is asked anything. */
  | { readonly ok: true; readonly round?: OpenRound }
  | { readonly ok: false; readonly code: number; readonly reason: string }

/** Questions that were put together. It travels with the caller, so that any process knows how long they were open. */
export type OpenRound = { readonly id: string; readonly atMs: number }

/** Processes that share a store put questions for each other's callers, and get the answers to each other's questions. */
export interface OtherProcesses {
  /** A name for questions that are put here. */
  name(): string
  /** The answers to questions that are not known here, whoever put them, have come. */
  ended(round: string): void
}

const nobodyElse: OtherProcesses = { name: randomUUID, ended: () => undefined }
const marginMs = 1_000

interface Round {
  readonly principal: string
  readonly server: string
  readonly asks: number
  /** Of these, how many the store does not count. */
  counted: number
  readonly untilMs: number
}

export class Asking {
  readonly #options: AskingOptions
  readonly #watch: Watch
  readonly #now: () => number
  readonly #others: OtherProcesses
  // In the order in which they were put, which is nearly that of their ends.
  readonly #rounds = new Map<string, Round>()
  readonly #byCaller = new Map<string, number>()
  readonly #byServer = new Map<string, number>()
  #counted = 0
  #size = 0

  constructor(
    options: AskingOptions,
    watch: Watch = nobodyWatches,
    now: () => number = Date.now,
    others: OtherProcesses = nobodyElse,
  ) {
    this.#others = others
    this.#options = options
    this.#watch = watch
    this.#now = now
  }

  /** Questions that are open. */
  get size(): number {
    this.#forgetOverdue()
    return this.#size
  }

  /** As they are now: a reload changes them. */
  get limits(): OpenLimits {
    const { open } = this.#options
    if (open !== undefined) return { perServer: open.total, perTenant: open.total, ...open }
    const { openPerCaller, openPerServer, openPerTenant, openTotal } = relayLimits
    return { perCaller: openPerCaller, perServer: openPerServer, perTenant: openPerTenant, total: openTotal }
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
    const full = this.#fullFor(principal, server, asks)
    if (full !== undefined) {
      this.noRoom(full)
      return { ok: false, code: errorCodes.refused, reason: new TooManyOpen(full, this.limits, server).message }
    }
    const round = { id: this.#others.name(), atMs: this.#now() }
    const open = { principal, server, asks, counted: 0, untilMs: round.atMs + this.#options.askWaitMs }
    this.#rounds.set(round.id, open)
    this.#size += asks
    this.#count(open, asks)
    for (let ask = 0; ask < asks; ask++) this.#watch.asked(server)
    void over?.then(() => this.#over(server, round))
    return { ok: true, round }
  }

  /** One of these questions is in the store from now on, and counted there. */
  onRecord(round: OpenRound | undefined): void {
    const open = this.#rounds.get(round?.id ?? '')
    if (open !== undefined && open.counted > 0) this.#count(open, -1)
  }

  /** A question found no room, here or in the store. */
  noRoom(full: Full): void {
    this.#watch.refused(`too-many-open-${full}` satisfies AskRefusal)
  }

  /** What came back for these questions, judged. Ends nothing twice: a round that is not open makes no more room. */
  ended(server: string, round: OpenRound | undefined, given: readonly Given[]): void {
    if (round === undefined) return
    if (this.#rounds.has(round.id)) this.#forget(round.id)
    else this.#others.ended(round.id)
    for (const one of given) this.#watch.ended(server, endOf(one), Math.max(0, this.#now() - round.atMs))
  }

  /** The answers to questions that were put here have come to another process. */
  endedElsewhere(round: string): void {
    this.#forget(round)
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
    this.#size -= round.asks
    this.#count(round, -round.counted)
  }

  #count(round: Round, more: number): void {
    round.counted += more
    this.#counted += more
    add(this.#byCaller, round.principal, more)
    add(this.#byServer, round.server, more)
  }

  /** A process serves one tenant, so that all it has are its tenant's. */
  #fullFor(principal: string, server: string, asks: number): Full | undefined {
    const { perCaller, perServer, perTenant, total } = this.limits
    if ((this.#byCaller.get(principal) ?? 0) + asks > perCaller) return 'caller'
    if ((this.#byServer.get(server) ?? 0) + asks > perServer) return 'server'
    if (this.#counted + asks > perTenant) return 'tenant'
    return this.#counted + asks > total ? 'total' : undefined
  }

  #forgetOverdue(): void {
    const now = this.#now()
    for (const [id, { untilMs }] of this.#rounds) {
      if (untilMs > now) return
      this.#forget(id)
    }
  }

  #refuse(why: AskRefusal, code: number, reason: string): Opened {
    this.#watch.refused(why)
    return { ok: false, code, reason }
  }
}

function add(counts: Map<string, number>, name: string, more: number): void {
  const left = (counts.get(name) ?? 0) + more
  if (left > 0) counts.set(name, left)
  else counts.delete(name)
}

function endOf(given: Given): AskEnd {
  if ('error' in given) {
    const { data } = given.error
    return isPlainObject(data) && data.reason === 'expired' ? 'expired' : 'undeliverable'
  }
  if (given.result.action === 'accept') return 'accepted'
  return given.result.action === 'decline' ? 'declined' : 'cancelled'
}
