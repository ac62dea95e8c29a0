// Decides where each question is put: the client that made the call, or the inbox.
//
// A question goes to the inbox when the client did not declare it, is known not to show it, gave an answer that nobody can
// have read, or says nothing for too long: then both have it, and the first answer counts. With the inbox as first choice
// it is the other way round. Without an inbox nothing changes on the way. It knows no revision: what the client is to be asked comes
// back as `needs-people`; while only the inbox is waited for, that list is empty.

import {
  type Ask,
  isTooManyOpen,
  type JsonObject,
  type JsonValue,
  readForm,
  type Surface,
  type TooManyOpen,
  type WithdrawReason,
} from '@assent/core'
import type { Store } from '@assent/store'
import { drawingProblem, wasSeen } from '../clients/believe.ts'
import { holdableMs } from '../clients/patience.ts'
import { traitsOf } from '../clients/traits-of.ts'
import type { Leaving, Moment } from '../fleet/leaving.ts'
import { relayLimits } from '../limits.ts'
import type { Asking } from '../relay/asking.ts'
import { canBeAsked } from '../relay/capabilities.ts'
import { type Call, type ClientProfile, failed, type Given, type Outcome, type Wanted } from '../relay/exchange.ts'
import { noAnswer } from '../relay/judge-wanted.ts'
import { type Resume, readResume } from '../relay/relay.ts'
import { errorCodes, objectAt } from '../wire/messages.ts'
import { givenOf, type Raising, raiseAsk } from './inbox-asks.ts'
import { type Place, readPlace, writePlace } from './place.ts'
import { type Put, Silence } from './silence.ts'
import { waitForAsk, within } from './wait-for-ask.ts'
import { tellOfWaiting } from './waiting.ts'

/** What stands below: the relay itself, or calls that are kept on record. */
export interface Below {
  start(call: Call): Promise<Outcome>
  continue(call: Call, resume: Resume, given: Readonly<Record<string, Given>>): Promise<Outcome>
  /** Its questions find no room: a server that waits for the answers hears so; otherwise the call ends. */
  refuse(call: Call, resume: Resume, error: TooManyOpen): Promise<Outcome>
  /** Puts the call on record, for questions that nobody needs answered once its process is gone. Its id. */
  record?(resume: Resume): Promise<string>
}

/** How a caller can be made to wait for the inbox. */
export interface Hold {
  /** How long this request may be held. */
  readonly forMs: number
  /** Whether the caller comes back by itself when told to, so that a request it breaks off ends nothing. */
  readonly comesBack: boolean
  /** When this process leaves: the moment from which the caller waits elsewhere. Undefined for one who stays to the end. */
  readonly goesAt?: Moment
}

export interface Came {
  /** Undefined when the inbox was faster, or has it alone from now on. */
  readonly given?: Given
  /** Since the client was asked; undefined where nobody knows, and then it is not doubted. */
  readonly afterMs?: number
}

export interface RoutingSettings {
  /** Where a person may be asked, the first choice first. */
  readonly surfaces: readonly Surface[]
  /** No person reads and answers sooner. */
  readonly unseenAfterMs: number
  readonly askWaitMs: number
  /** How long the first choice may say nothing before the other one is asked as well. */
  readonly silentAfterMs?: number | undefined
  /** How long a call can be held, whatever is known of its client. */
  readonly patienceMs?: number
}

/** Told of an answer that nobody can have given: by which call, to which server's question. */
export type OnUnseen = (call: Call, server: string, key: string) => void

/** An ask ends by the database's clock, which may be a little behind. */
const marginMs = 200

/** Why a wait is given up. Made once: without a reason each abort makes an exception of its own, with its stack. */
const nobodyWaits = 'Nobody waits for it any more.'

/** A place in this process, where it can be known that nobody waits any more. */
type LivePlace = Place & { readonly over?: Promise<void> }

export class Routing {
  readonly #store: Store
  readonly #settings: RoutingSettings
  readonly #onUnseen: OnUnseen
  readonly #onTrouble: (error: unknown) => void
  readonly #leaving: Leaving
  readonly #asking: Asking
  readonly silence: Silence

  constructor(
    store: Store,
    settings: RoutingSettings,
    asking: Asking,
    leaving: Leaving,
    onUnseen: OnUnseen = () => undefined,
    onTrouble: (error: unknown) => void = () => undefined,
  ) {
    this.#onTrouble = onTrouble
    this.silence = new Silence(store, settings, asking, onTrouble)
    this.#asking = asking
    this.#store = store
    this.#settings = settings
    this.#leaving = leaving
    this.#onUnseen = onUnseen
  }

  get hasInbox(): boolean {
    return this.#settings.surfaces.includes('inbox')
  }

  /** What a client says of itself, and what servers are told: with an inbox, people can always be asked. */
  profile(info: JsonObject, declared: JsonObject): ClientProfile {
    const capabilities = this.hasInbox ? { ...declared, elicitation: { form: {}, url: {} } } : declared
    return { info, declared, capabilities }
  }

  /** Says at any moment how long a call that began now can still be held for a caller that cannot come back by itself. */
  patienceOf(call: Call, over: 'http' | 'stdio'): () => Hold {
    const beganAt = performance.now()
    const progress = objectAt(call.params, '_meta')?.progressToken !== undefined
    const allMs = this.#settings.patienceMs ?? holdableMs(traitsOf(call.client.info).patience, { progress, over })
    const goesAt = this.#leaving.next
    return () => ({ forMs: Math.max(0, allMs - (performance.now() - beganAt)), comesBack: false, goesAt })
  }

  async start(call: Call, below: Below, hold: Hold): Promise<Outcome> {
    return this.#onward(call, below, await below.start(call), hold)
  }

  async continue(
    call: Call,
    below: Below,
    resume: JsonValue,
    came: Readonly<Record<string, Came>>,
    hold: Hold,
  ): Promise<Outcome> {
    const place = readPlace(resume)
    if (place !== undefined) {
      const standing = await this.#takenOrRefused(call, below, place, came)
      return isOutcome(standing) ? this.#onward(call, below, standing, hold) : this.#follow(call, below, standing, hold)
    }
    const unrouted = readResume(resume)
    if (unrouted === undefined) return lostPlace
    for (const [key, { given, afterMs }] of Object.entries(came)) {
      // There is nowhere else to ask, so it passes; but nobody shall take it for a person's.
      if (given !== undefined && isNo(given) && !this.#isBelieved(call.client, given, afterMs))
        this.#onUnseen(call, unrouted.server, key)
    }
    return this.#onward(call, below, await below.continue(call, unrouted, givens(came)), hold)
  }

  async #onward(call: Call, below: Below, outcome: Outcome, hold: Hold): Promise<Outcome> {
    const standing = await this.#placed(call, below, outcome)
    return isOutcome(standing) ? standing : this.#follow(call, below, standing, hold)
  }

  /** Where a call stands that has to be routed, or what goes to the caller. Who asks for more than has room may ask for less. */
  async #placed(call: Call, below: Below, first: Outcome): Promise<LivePlace | Outcome> {
    let outcome = first
    for (let round = 0; round < relayLimits.roundsPerCall; round++) {
      try {
        return (await this.#placeOf(call, below, outcome)) ?? outcome
      } catch (error) {
        if (!isTooManyOpen(error) || outcome.kind !== 'needs-people') throw error
        outcome = await below.refuse(call, placeIn(outcome), error)
      }
    }
    return askedTooOften
  }

  async #takenOrRefused(
    call: Call,
    below: Below,
    place: Place,
    came: Readonly<Record<string, Came>>,
  ): Promise<Place | Outcome> {
    try {
      return await this.#taken(call, below, place, came)
    } catch (error) {
      if (!isTooManyOpen(error)) throw error
      for (const copy of Object.values(place.copies)) await this.silence.withdraw(call, copy, 'undeliverable')
      await this.#takeBack(call, Object.values(place.inInbox))
      return below.refuse(call, place.resume, error)
    }
  }

  /** Where a call stands that has to be routed; undefined when its outcome can go to the caller as it is. */
  async #placeOf(call: Call, below: Below, outcome: Outcome): Promise<LivePlace | undefined> {
    if (!this.hasInbox || outcome.kind !== 'needs-people') return undefined
    const resume = placeIn(outcome)
    const { wanted, asks = {}, over } = outcome
    const copies = await this.#pagesOf(call, resume, wanted, asks)
    const onRecord = { ...asks, ...copies }
    const elsewhere = Object.keys(wanted).filter((key) => !this.#clientShows(call.client, wanted[key] as Wanted))
    const place = { resume, wanted, onRecord, inInbox: {}, copies, kept: {}, waits: 0 }
    try {
      return { ...(await this.#moved(call, below, place, elsewhere)), ...(over === undefined ? {} : { over }) }
    } catch (error) {
      if (isTooManyOpen(error)) await this.#takeBack(call, Object.values(copies))
      throw error
    }
  }

  /**
   * The asks of the pages for secrets among these. A page has its ask before anybody hears of its address, because only
   * through it can the page be used; so the inbox shows it from the beginning, whoever else is asked.
   */
  async #pagesOf(
    call: Call,
    resume: Resume,
    wanted: Readonly<Record<string, Wanted>>,
    onRecord: Readonly<Record<string, string>>,
  ): Promise<Readonly<Record<string, string>>> {
    const pages = Object.entries(wanted).filter(([, one]) => isPage(one))
    return this.#allOrNone(call, pages, async ([key, one]) => {
      return own(onRecord, key) ?? (await raiseAsk(this.#store, call, one, this.#raising(resume)))
    })
  }

  /** Goes on as far as it can: to the client's questions, to what is still open in the inbox, or to the end. */
  async #follow(call: Call, below: Below, from: LivePlace, hold: Hold): Promise<Outcome> {
    let place = from
    for (let round = 0; round < relayLimits.roundsPerCall; round++) {
      const { wanted, inInbox, kept } = place
      const forClient = Object.keys(wanted).filter((key) => !Object.hasOwn(inInbox, key) && !Object.hasOwn(kept, key))
      if (forClient.length > 0) return unfinished(this.#copied(call, below, place, forClient), forClient)
      const quietMs = await this.#quietMs(call, place)
      const answers = await this.#wait(call, place, { ...hold, forMs: Math.min(hold.forMs, quietMs) })
      if (answers === undefined && quietMs < hold.forMs && !this.#isSentOn(place, hold)) {
        place = this.#alsoTheClient(call, place)
        continue
      }
      if (answers === undefined) return unfinished({ ...place, waits: place.waits + 1 }, [])

      const outcome = await below.continue(call, place.resume, { ...kept, ...answers })
      const next = await this.#placed(call, below, outcome)
      if (isOutcome(next)) return next
      place = next
    }
    return askedTooOften
  }

  /** The place with what the client brought: answers that can be a person's are kept, other questions move on. */
  async #taken(call: Call, below: Below, place: Place, came: Readonly<Record<string, Came>>): Promise<Place> {
    const kept: [string, Given][] = []
    const moving: string[] = []
    for (const [key, { given, afterMs }] of Object.entries(came)) {
      const one = Object.hasOwn(place.wanted, key) ? place.wanted[key] : undefined
      if (one === undefined || Object.hasOwn(place.inInbox, key)) continue
      const isOpening = isPage(one) && isYes(given)
      const isSeen = given !== undefined && (isOpening || this.#isSeen(call.client, one, given, afterMs))
      // Whoever agreed to open a page has not answered: what they do there is the answer, and is waited for.
      const counts = isSeen && !isOpening ? await this.#first(call, below, place, key, given) : undefined
      if (counts !== undefined) kept.push([key, counts])
      else moving.push(key)
      if (given !== undefined && !isSeen) this.#onUnseen(call, place.resume.server, key)
    }
    return this.#moved(call, below, { ...place, kept: { ...place.kept, ...Object.fromEntries(kept) } }, moving)
  }

  /** The place with these questions in the inbox; the ask of a held call is there already. */
  async #moved(call: Call, below: Below, place: Place, keys: readonly string[]): Promise<Place> {
    const moving = keys.map((key) => [key, place.wanted[key]] as const)
    const moved = await this.#allOrNone(call, moving, async ([key, one]) => {
      const onRecord = own(place.onRecord, key)
      const copy = own(place.copies, key)
      const copied = one && copy && (await this.silence.show(putOf(call, below, place, one), copy))
      return onRecord ?? copied ?? (one && (await this.#raised(call, below, place.resume, one)))
    })
    const untilMs = this.#store.nowMs() + this.#settings.askWaitMs
    const time = Object.keys(moved).length === 0 ? {} : { untilMs }
    return { ...place, ...time, inInbox: { ...place.inInbox, ...moved } }
  }

  /** The ask of each question. Where one finds no room none is left: nobody would hear the answer. */
  async #allOrNone<Value>(
    call: Call,
    questions: readonly (readonly [string, Value])[],
    raise: (question: readonly [string, Value]) => Promise<string | undefined>,
  ): Promise<Readonly<Record<string, string>>> {
    const asks: [string, string][] = []
    try {
      for (const question of questions) {
        const ask = await raise(question)
        if (ask !== undefined) asks.push([question[0], ask])
      }
    } catch (error) {
      if (isTooManyOpen(error))
        await this.#takeBack(
          call,
          asks.map(([, ask]) => ask),
        )
      throw error
    }
    return Object.fromEntries(asks)
  }

  async #takeBack(call: Call, asks: readonly string[]): Promise<void> {
    for (const ask of asks) await this.#withdraw(call, ask, 'undeliverable')
  }

  #raising({ server, round }: Resume): Raising {
    return { server, waitMs: this.#settings.askWaitMs, room: this.#asking, round }
  }

  async #raised(call: Call, below: Below, resume: Resume, wanted: Wanted): Promise<string | undefined> {
    const callId = await below.record?.(resume)
    const raising = this.#raising(resume)
    return raiseAsk(this.#store, call, wanted, callId === undefined ? raising : { ...raising, callId })
  }

  /** The answers, once all are there. Undefined when the caller must come back for them. */
  async #wait(call: Call, place: LivePlace, hold: Hold): Promise<Record<string, Given> | undefined> {
    const { inInbox, over } = place
    const { forMs, comesBack } = hold
    const asks = Object.entries(inInbox)
    if (asks.length === 0) return {}
    const giveUp = new AbortController()
    const signal = AbortSignal.any([call.signal, giveUp.signal])
    let isOver = false
    void over?.then(() => {
      isOver = true
      giveUp.abort(nobodyWaits)
    })
    const goesAt = momentOf(place, hold)
    const stay = goesAt === undefined ? () => undefined : this.#leaving.at(goesAt, () => giveUp.abort(nobodyWaits))
    const stopTelling = tellOfWaiting(call)
    const leftMs = place.untilMs === undefined ? this.#settings.askWaitMs : place.untilMs - this.#store.nowMs()
    const timeoutMs = Math.min(forMs, Math.max(0, leftMs) + marginMs)
    try {
      const ended = await Promise.all(
        asks.map(async ([key, id]) => {
          const ask = { tenant: call.tenant, id }
          return [key, await waitForAsk(this.#store, ask, timeoutMs, signal, this.#onTrouble)] as const
        }),
      )
      const open = ended.filter(([, ask]) => ask === 'unknown' || ask?.state.kind === 'open')
      // By the store's word, or by ours where it has none: who waits for a store that is away must not wait for ever.
      const isTimeUp = timeoutMs < forMs && (!comesBack || open.some(([, ask]) => ask === 'unknown'))
      if (open.length > 0 && !signal.aborted && !isTimeUp) return undefined
      if (open.length > 0 && call.signal.aborted && comesBack) return undefined
      if (open.length > 0 && !call.signal.aborted && !isOver && this.#isSentOn(place, hold)) return undefined
      const reason = this.#leaving.has('over') ? 'owner-lost' : call.signal.aborted ? 'call-cancelled' : 'caller-gone'
      for (const [key, ask] of open) {
        const withdrawing = this.#withdraw(call, inInbox[key] ?? '', reason)
        // A store that could not say how things stand has held up the call long enough.
        if (ask !== 'unknown') await withdrawing
      }
      return Object.fromEntries(ended.map(([key, ask]) => [key, isEnded(ask) ? givenOf(ask) : noAnswer]))
    } finally {
      stay()
      stopTelling()
      giveUp.abort(nobodyWaits)
    }
  }

  /** Whether this process leaves, and who waits here can wait elsewhere. */
  #isSentOn(place: LivePlace, hold: Hold): boolean {
    const goesAt = momentOf(place, hold)
    return goesAt !== undefined && this.#leaving.has(goesAt)
  }

  /** Not worth holding up the call for: its time ends by itself. */
  async #withdraw({ tenant }: Call, id: string, reason: WithdrawReason): Promise<void> {
    await within(this.#store.asks.withdraw(tenant, id, reason), 0).catch(this.#onTrouble)
  }

  /** The place with an ask to come for each of these, should the client stay silent. */
  #copied(call: Call, below: Below, place: LivePlace, keys: readonly string[]): LivePlace {
    const copies = keys.flatMap((key): [string, string][] => {
      const wanted = place.wanted[key]
      // The asks of a held call are in the inbox from the beginning.
      const isThere = Object.hasOwn(place.copies, key) || Object.hasOwn(place.onRecord, key)
      if (!this.hasInbox || isThere || (wanted?.kind !== 'form' && wanted?.kind !== 'url')) return []
      const copy = this.silence.begin(putOf(call, below, place, wanted))
      return copy === undefined ? [] : [[key, copy]]
    })
    return { ...place, copies: { ...place.copies, ...Object.fromEntries(copies) } }
  }

  /** Of the client's answer and another one, the one that came first; undefined when the inbox goes on asking. */
  async #first(call: Call, below: Below, place: Place, key: string, given: Given): Promise<Given | undefined> {
    const [copy, wanted] = [own(place.copies, key), place.wanted[key]]
    if (copy === undefined || wanted === undefined) return given
    if (!call.signal.aborted) return this.silence.answered(putOf(call, below, place, wanted), copy, given)
    await this.silence.withdraw(call, copy, 'call-cancelled')
    return given
  }

  get #inboxFirst(): boolean {
    const { surfaces } = this.#settings
    return surfaces.includes('client') && surfaces.indexOf('inbox') === 0
  }

  /** With the inbox as first choice: how long it may still be silent before the client is asked too. */
  async #quietMs(call: Call, { wanted, inInbox }: Place): Promise<number> {
    const { silentAfterMs } = this.#settings
    const [id] = Object.entries(inInbox).flatMap(([key, ask]) => (this.#canShow(call.client, wanted[key]) ? [ask] : []))
    if (!this.#inboxFirst || silentAfterMs === undefined || id === undefined) return Number.POSITIVE_INFINITY
    const ask = await this.#store.asks.read(call.tenant, id)
    return ask === undefined
      ? Number.POSITIVE_INFINITY
      : Math.max(0, ask.raisedAtMs + silentAfterMs - this.#store.nowMs())
  }

  /** What the inbox was asked and the client can show goes to the client too. */
  #alsoTheClient(call: Call, place: LivePlace): LivePlace {
    const moving = Object.entries(place.inInbox).filter(([key]) => this.#canShow(call.client, place.wanted[key]))
    const staying = Object.entries(place.inInbox).filter(([key]) => !this.#canShow(call.client, place.wanted[key]))
    const copies = { ...place.copies, ...Object.fromEntries(moving) }
    return { ...place, copies, inInbox: Object.fromEntries(staying) }
  }

  #clientShows(client: ClientProfile, wanted: Wanted): boolean {
    const isForPeople = wanted.kind === 'form' || wanted.kind === 'url'
    return this.#canShow(client, wanted) && !(isForPeople && this.#inboxFirst)
  }

  #canShow(client: ClientProfile, wanted: Wanted | undefined): boolean {
    if (wanted === undefined) return false
    if (wanted.kind !== 'form' && wanted.kind !== 'url') return true
    if (!this.#settings.surfaces.includes('client') || !canBeAsked(client.declared, wanted.kind)) return false
    const traits = traitsOf(client.info)
    if (wanted.kind === 'url') return traits.showsLinks
    const read = readForm(wanted.schema)
    return read.ok && drawingProblem(traits, read.form) === undefined
  }

  #isSeen({ info }: ClientProfile, wanted: Wanted, given: Given, afterMs: number | undefined): boolean {
    return (wanted.kind !== 'form' && wanted.kind !== 'url') || this.#isBelieved({ info }, given, afterMs)
  }

  #isBelieved({ info }: Pick<ClientProfile, 'info'>, given: Given, afterMs: number | undefined): boolean {
    if (afterMs === undefined) return true
    const action = 'result' in given ? given.result.action : 'cancel'
    if (action !== 'accept' && action !== 'decline' && action !== 'cancel') return false
    const content = 'result' in given ? objectAt(given.result, 'content') : undefined
    const hasContent = content !== undefined && Object.keys(content).length > 0
    return wasSeen(traitsOf(info), { action, hasContent, afterMs }, this.#settings.unseenAfterMs)
  }
}

function unfinished({ over, ...place }: LivePlace, forClient: readonly string[]): Outcome {
  const wanted = Object.fromEntries(forClient.map((key) => [key, place.wanted[key] as Wanted]))
  return { kind: 'needs-people', wanted, resume: writePlace(place), ...(over === undefined ? {} : { over }) }
}

/** Who does not come back is put off instead, which is of no use while a server waits in this process. */
function momentOf({ over }: LivePlace, { comesBack, goesAt }: Hold): Moment | undefined {
  return comesBack || over === undefined ? goesAt : undefined
}

function isOutcome(standing: Place | Outcome): standing is Outcome {
  return 'kind' in standing
}

function placeIn({ resume }: Outcome & { kind: 'needs-people' }): Resume {
  const place = readResume(resume)
  if (place === undefined) throw new Error('The relay lost its place.')
  return place
}

function isPage(wanted: Wanted): boolean {
  return wanted.kind === 'url' && wanted.secret !== undefined
}

function isYes(given: Given | undefined): boolean {
  return given !== undefined && 'result' in given && given.result.action === 'accept'
}

function isEnded(ask: Ask | 'unknown' | undefined): ask is Ask {
  return ask !== undefined && ask !== 'unknown'
}

function putOf(call: Call, below: Below, { resume }: Place, wanted: Wanted): Put {
  const put = { call, server: resume.server, wanted, round: resume.round }
  const record = below.record?.bind(below, resume)
  return record === undefined ? put : { ...put, record }
}

// hasOwn, because a server may call its question "constructor".
function own(record: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined
}

function isNo(given: Given): boolean {
  return 'result' in given && (given.result.action === 'decline' || given.result.action === 'cancel')
}

function givens(came: Readonly<Record<string, Came>>): Record<string, Given> {
  return Object.fromEntries(
    Object.entries(came).flatMap(([key, { given }]) => (given === undefined ? [] : [[key, given]])),
  )
}

export const askedTooOften: Outcome = failed(errorCodes.refused, 'The server asked too often.')
const lostPlace = failed(errorCodes.invalidParams, 'This state is not valid for this request.')
