// Whether people may be asked now: the switch, and the limits on open questions per caller, per server and in total.
//
// A question counts in the process that asked it, from when it is asked until it is answered, its call has ended, or its
// time is up. A stored question is counted in the store instead, for all replicas. A question that its caller carries
// together with the state of its call does not count: nothing waits for it here, and its answer may reach any replica.

import { randomUUID } from 'node:crypto'
import {
  type AnswerName,
  compact,
  isPlainObject,
  type OpenLimitName,
  type OpenLimits,
  type PresenceSetting,
  TooManyOpen,
} from '@assent/core'
import { relayLimits } from '../../limits.ts'
import { errorCodes } from '../../protocol/messages.ts'
import type { OpenRound } from '../call-state.ts'
import { withAskMeta, withoutAsking } from '../capabilities.ts'
import { type Call, type InputRequest, type InputResponse, type QuestionRefusal, toolOf } from '../model.ts'
import { shownWaitMs } from '../route/ask-deadline.ts'
import { type AskEnd, type EndDetails, noTelemetry, type Telemetry } from '../telemetry-port.ts'
import { outcomeText } from '../text/outcomes.ts'

export interface AskingOptions {
  readonly isEnabled: boolean
  readonly askWaitMs: number
  /** Whether answers that look like a secret may pass to this server. */
  readonly allowsSecrets?: (server: string) => boolean
  /** Whether this server's questions are shown only in the client, although there is an inbox. */
  readonly isClientOnly?: (server: string) => boolean
  /** Which decisions need a passkey. */
  readonly presence?: PresenceSetting
  /** Limits on open questions; the defaults of the process if absent. */
  readonly open?: SomeOpenLimits
}

/** Limits per server and tenant default to the total. */
export type SomeOpenLimits = Pick<OpenLimits, 'perCaller' | 'total'> & Partial<OpenLimits>

export type Opened =
  /** Without a round when no person is asked. */
  | { readonly ok: true; readonly round?: OpenRound }
  | { readonly ok: false; readonly why: QuestionRefusal; readonly code: number; readonly reason: string }

/** The call whose question ended. */
type AskingCall = Pick<Call, 'principal' | 'method' | 'params'>

/** `name`: what a person answered, if one did. `askId`: the stored ask, if there is one. */
interface EndedQuestion {
  readonly answer: InputResponse
  readonly name?: AnswerName | undefined
  readonly askId?: string | undefined
}

const marginMs = 1_000

interface Round {
  readonly principal: string
  readonly server: string
  asks: number
  /** How many of these the store does not count. */
  counted: number
  /** How many of these have ended in the store before the caller fetched the answer. */
  endedInStore: number
  /** The stored asks that are still open, as far as this process knows. */
  readonly inStore: Set<string>
  readonly untilMs: number
  /** For the log. */
  readonly details: EndDetails
  /** Its caller carries it: only its stored questions count as open. */
  readonly isCarried?: true
}

export class OpenAskLimits {
  readonly #options: AskingOptions
  readonly #telemetry: Telemetry
  readonly #now: () => number
  // In the order in which they were asked, which is nearly the order in which they end.
  readonly #rounds = new Map<string, Round>()
  readonly #byCaller = new Map<string, number>()
  readonly #byServer = new Map<string, number>()
  #counted = 0
  #size = 0

  constructor(options: AskingOptions, watch: Telemetry = noTelemetry, now: () => number = Date.now) {
    this.#options = options
    this.#telemetry = watch
    this.#now = now
  }

  allowsSecrets(server: string): boolean {
    return this.#options.allowsSecrets?.(server) === true
  }

  /** Which decisions need a passkey now. */
  get presence(): PresenceSetting {
    return this.#options.presence ?? 'none'
  }

  /** Number of open questions. */
  get size(): number {
    this.#deleteOverdue()
    return this.#size
  }

  /** Read at each use, because a reload changes them. */
  get limits(): OpenLimits {
    const { open } = this.#options
    if (open !== undefined) return { perServer: open.total, perTenant: open.total, ...open }
    const { openPerCaller, openPerServer, openPerTenant, openTotal } = relayLimits
    return { perCaller: openPerCaller, perServer: openPerServer, perTenant: openPerTenant, total: openTotal }
  }

  /** Whether this server's questions are shown only in the client, although there is an inbox. */
  isClientOnly(server: string): boolean {
    return this.#options.isClientOnly?.(server) === true
  }

  /** The call as this server sees it: where people may not be asked, the client's capabilities do not offer it. */
  seenBy(call: Call, server: string): Call {
    if (!this.#options.isEnabled) return { ...call, client: withoutAsking(call.client) }
    if (!this.isClientOnly(server)) return call
    const { client } = call
    return { ...call, client: { ...client, capabilities: withAskMeta(client.declared) } }
  }

  /** @param over resolves when a held call no longer waits for the answers */
  open(
    call: Call,
    server: string,
    wanted: Readonly<Record<string, InputRequest>>,
    over: Promise<void> | undefined,
  ): Opened {
    const { principal, scope } = call
    const asks = Object.values(wanted).filter(({ kind }) => kind === 'form' || kind === 'url').length
    if (asks === 0) return { ok: true }
    if (!this.#options.isEnabled) {
      return { ok: false, why: 'disabled', code: errorCodes.methodNotFound, reason: outcomeText.asksDisabled }
    }
    const round = { id: randomUUID(), atMs: this.#now() }
    const count = () => {
      for (let ask = 0; ask < asks; ask++) this.#telemetry.asked(server)
    }
    // The caller has no session and its server does not wait, so the caller carries the state.
    if (over === undefined && scope === '') {
      count()
      return { ok: true, round }
    }
    this.#deleteOverdue()
    const full = this.#fullFor(principal, server, asks)
    if (full !== undefined) {
      const reason = new TooManyOpen(full, this.limits, server).message
      return { ok: false, why: `too-many-open-${full}`, code: errorCodes.refused, reason }
    }
    const open = {
      principal,
      server,
      asks,
      counted: 0,
      endedInStore: 0,
      inStore: new Set<string>(),
      untilMs: round.atMs + this.#longestMs(wanted),
      details: detailsOf(call),
    }
    this.#rounds.set(round.id, open)
    this.#size += asks
    this.#count(open, asks)
    count()
    void over?.then(() => this.#over(server, round))
    return { ok: true, round }
  }

  /** How long the last of these is open. Stored questions may be open longer; they are counted in the store. */
  #longestMs(wanted: Readonly<Record<string, InputRequest>>): number {
    return Math.max(...Object.values(wanted).map((one) => shownWaitMs(this.#options, one)))
  }

  /** One of these questions is now stored, and counted in the store. */
  onRecord(round: OpenRound | undefined, ask: string): void {
    if (round === undefined) return
    const open = this.#rounds.get(round.id) ?? this.#carried(round)
    if (open.counted > 0) this.#count(open, -1)
    else if (open.isCarried === true) {
      open.asks += 1
      this.#size += 1
    }
    open.inStore.add(ask)
  }

  /** A round that its caller carries, of which a question is now stored. */
  #carried({ id, atMs }: OpenRound): Round {
    const untilMs = atMs + this.#options.askWaitMs
    const none = { principal: '', server: '', asks: 0, counted: 0, endedInStore: 0, details: {} }
    const open: Round = { ...none, inStore: new Set<string>(), untilMs, isCarried: true }
    this.#rounds.set(id, open)
    return open
  }

  /**
   * Updates the count for stored asks that ended without this process: withdrawn because their call was lost, or
   * answered while the caller is away.
   * @param stillOpen returns which of these asks are open
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

  /** The inbox copy of a question exceeded a limit; the client is still asked. */
  noRoom(full: OpenLimitName): void {
    this.#telemetry.refused(`too-many-open-${full}` satisfies QuestionRefusal)
  }

  /** Ends a round with its screened responses. A round that is not open is not counted twice. */
  ended(call: AskingCall, server: string, round: OpenRound | undefined, given: readonly EndedQuestion[]): void {
    if (round === undefined) return
    this.#delete(round.id)
    const waitedMs = Math.max(0, this.#now() - round.atMs)
    for (const { answer, name, askId } of given) {
      const details = { ...detailsOf(call), ...compact({ answer: name, ask: askId }) }
      this.#telemetry.ended(server, endOf(answer), waitedMs, details)
    }
  }

  /** A held call no longer waits for these: their time is up, or its server or caller cancelled them. */
  #over(server: string, { id, atMs }: OpenRound): void {
    const round = this.#rounds.get(id)
    if (round === undefined) return
    this.#delete(id)
    // The held call's timer started a little before ours.
    const end = this.#now() >= round.untilMs - marginMs ? 'expired' : 'withdrawn'
    const waitedMs = Math.max(0, this.#now() - atMs)
    const stored = [...round.inStore]
    for (let at = 0; at < round.asks; at++) {
      this.#telemetry.ended(server, end, waitedMs, { ...round.details, ...compact({ ask: stored[at] }) })
    }
  }

  #delete(id: string): void {
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

  /** A process serves one tenant, so all its questions belong to that tenant. */
  #fullFor(principal: string, server: string, asks: number): OpenLimitName | undefined {
    const { perCaller, perServer, perTenant, total } = this.limits
    if ((this.#byCaller.get(principal) ?? 0) + asks > perCaller) return 'caller'
    if ((this.#byServer.get(server) ?? 0) + asks > perServer) return 'server'
    if (this.#counted + asks > perTenant) return 'tenant'
    return this.#counted + asks > total ? 'total' : undefined
  }

  #deleteOverdue(): void {
    const now = this.#now()
    for (const [id, { untilMs }] of this.#rounds) {
      if (untilMs > now) return
      this.#delete(id)
    }
  }
}

function detailsOf(call: AskingCall): EndDetails {
  return { caller: call.principal, ...compact({ tool: toolOf(call) }) }
}

function add(counts: Map<string, number>, name: string, more: number): void {
  const left = (counts.get(name) ?? 0) + more
  if (left > 0) counts.set(name, left)
  else counts.delete(name)
}

function endOf(given: InputResponse): AskEnd {
  if ('error' in given) {
    const { data } = given.error
    const reason = isPlainObject(data) ? data.reason : undefined
    return reason === 'expired' || reason === 'lost' ? reason : 'undeliverable'
  }
  if (given.end !== undefined) return given.end
  if (given.result.action === 'accept') return 'accepted'
  return given.result.action === 'decline' ? 'declined' : 'cancelled'
}
