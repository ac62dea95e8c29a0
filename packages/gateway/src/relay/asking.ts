// Whether people may be asked now: the switch, and how many questions are open, of each caller, of each server and in all.
//
// A question counts from the moment it is put until it is answered, its call has ended, or its time is up, because a caller
// that was told to come back may never come. It counts in the process that put it, which is told when the answer comes to
// another; one that is in the store is counted there instead, for all processes.

import { randomUUID } from 'node:crypto'
import { type AnswerName, type Full, isPlainObject, type OpenLimits, TooManyOpen } from '@assent/core'
import { relayLimits } from '../limits.ts'
import { shownWaitMs } from '../surfaces/ask-deadline.ts'
import { type AskEnd, nobodyWatches, type Watch } from '../watch/watch.ts'
import { errorCodes } from '../wire/messages.ts'
import { asksDisabled, withAskMeta, withoutAsking } from './capabilities.ts'
import type { Call, Given, QuestionRefusal, Wanted } from './exchange.ts'

export interface AskingOptions {
  readonly isEnabled: boolean
  readonly askWaitMs: number
  /** Whether answers that look like a secret may pass to this server. */
  readonly allowsSecrets?: (server: string) => boolean
  /** Whether this server's questions are put in the client alone, although there is an inbox. */
  readonly isClientOnly?: (server: string) => boolean
  /** Questions open at once; the limits of the process unless given. */
  readonly open?: SomeOpenLimits
}

/** What is not said of servers and tenants is what all may have. */
export type SomeOpenLimits = Pick<OpenLimits, 'perCaller' | 'total'> & Partial<OpenLimits>

export type Opened =
  /** Without a round when no person is asked anything. */
  | { readonly ok: true; readonly round?: OpenRound }
  | { readonly ok: false; readonly why: QuestionRefusal; readonly code: number; readonly reason: string }

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
  /** Of these, how many have ended in the store without the caller having come for the answer. */
  endedInStore: number
  /** The asks in the store that are still open, as far as is known here. */
  readonly inStore: Set<string>
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

  allowsSecrets(server: string): boolean {
    return this.#options.allowsSecrets?.(server) === true
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

  /** Whether this server's questions are put in the client alone, although there is an inbox. */
  isClientOnly(server: string): boolean {
    return this.#options.isClientOnly?.(server) === true
  }

  /** The call as this server sees it: where people may not be asked, its client cannot be asked either. */
  seenBy(call: Call, server: string): Call {
    if (!this.#options.isEnabled) return { ...call, client: withoutAsking(call.client) }
    if (!this.isClientOnly(server)) return call
    const { client } = call
    return { ...call, client: { ...client, capabilities: withAskMeta(client.declared) } }
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
      return { ok: false, why: 'disabled', code: errorCodes.methodNotFound, reason: asksDisabled }
    }
    this.#forgetOverdue()
    const full = this.#fullFor(principal, server, asks)
    if (full !== undefined) {
      const reason = new TooManyOpen(full, this.limits, server).message
      return { ok: false, why: `too-many-open-${full}`, code: errorCodes.refused, reason }
    }
    const round = { id: this.#others.name(), atMs: this.#now() }
    const open = {
      principal,
      server,
      asks,
      counted: 0,
      endedInStore: 0,
      inStore: new Set<string>(),
      untilMs: round.atMs + this.#longestMs(wanted),
    }
    this.#rounds.set(round.id, open)
    this.#size += asks
    this.#count(open, asks)
    for (let ask = 0; ask < asks; ask++) this.#watch.asked(server)
    void over?.then(() => this.#over(server, round))
    return { ok: true, round }
  }

  /** How long the last of these is open. Those in the store may be open longer, and are counted there. */
  #longestMs(wanted: Readonly<Record<string, Wanted>>): number {
    return Math.max(...Object.values(wanted).map((one) => shownWaitMs(this.#options, one)))
  }

  /** One of these questions is in the store from now on, and counted there. */
  onRecord(round: OpenRound | undefined, ask: string): void {
    const open = this.#rounds.get(round?.id ?? '')
    open?.inStore.add(ask)
    if (open !== undefined && open.counted > 0) this.#count(open, -1)
  }

  /**
   * Asks in the store end without this process: withdrawn because their call was lost, or answered while the caller is away.
   * @param stillOpen of these asks, those that are open
   */
  async recount(stillOpen: (asks: readonly string[]) => Promise<readonly string[]>): Promise<void> {
    const asked = [...this.#rounds.values()].flatMap(({ inStore }) => [...inStore]).slice(0, relayLimits.recountedAsks)
    if (asked.length === 0) return
    const open = new Set(await stillOpen(asked))
    const ended = new Set(asked.filter((ask) => !open.has(ask)))
    for (const round of this.#rounds.values()) {
      for (const ask of [...round.inStore].filter((one) => ended.has(one))) {
        round.inStore.delete(ask)
        if (round.endedInStore === round.asks) continue
        round.endedInStore += 1
        this.#size -= 1
      }
    }
  }

  /** The copy of a question for the inbox found no room; the client is still asked. */
  noRoom(full: Full): void {
    this.#watch.refused(`too-many-open-${full}` satisfies QuestionRefusal)
  }

  /** What came back for these questions, judged. Ends nothing twice: a round that is not open makes no more room. */
  ended(
    server: string,
    round: OpenRound | undefined,
    given: readonly Given[],
    names: readonly (AnswerName | undefined)[] = [],
  ): void {
    if (round === undefined) return
    if (this.#rounds.has(round.id)) this.#forget(round.id)
    else this.#others.ended(round.id)
    const waitedMs = Math.max(0, this.#now() - round.atMs)
    for (const [at, one] of given.entries()) this.#watch.ended(server, endOf(one), waitedMs, names[at])
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

  #forget(id: string): void {
    const round = this.#rounds.get(id)
    if (round === undefined) return
    this.#rounds.delete(id)
    this.#size -= round.asks - round.endedInStore
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
  if (given.end !== undefined) return given.end
  if (given.result.action === 'accept') return 'accepted'
  return given.result.action === 'decline' ? 'declined' : 'cancelled'
}
