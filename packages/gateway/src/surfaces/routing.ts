// Decides where each question is put: the client that made the call, or the inbox.
//
// A question goes to the inbox when the client did not declare it, is known not to show it, gave an answer that nobody can
// have read, or says nothing for too long: then both have it, and the first answer counts. With the inbox as first choice
// it is the other way round. Without an inbox nothing changes on the way. It knows no revision: what the client is to be asked comes
// back as `needs-people`; while only the inbox is waited for, that list is empty.

import {
  type Ask,
  isApprovalForm,
  isTooManyOpen,
  type JsonObject,
  type JsonValue,
  type Surface,
  type TooManyOpen,
  type WithdrawReason,
} from '@assent/core'
import type { RoundName, Store } from '@assent/store'
import { drawingProblem, wasSeen } from '../clients/believe.ts'
import { holdableMs } from '../clients/patience.ts'
import { traitsOf } from '../clients/traits-of.ts'
import type { Leaving, Moment } from '../fleet/leaving.ts'
import { relayLimits } from '../limits.ts'
import type { Asking } from '../relay/asking.ts'
import { canBeAsked, withAskMeta } from '../relay/capabilities.ts'
import { type ClaimedRounds, outcomeUnknown, type Standing } from '../relay/claimed-rounds.ts'
import {
  type Call,
  type ClientProfile,
  failed,
  type Given,
  heldId,
  type Outcome,
  type Wanted,
} from '../relay/exchange.ts'
import { checkGiven, expired, noAnswer, readKnownForm, unseen } from '../relay/judge-wanted.ts'
import { calledBy, type Resume, readResume } from '../relay/relay.ts'
import { errorCodes, objectAt } from '../wire/messages.ts'
import { storedWaitMs } from './ask-deadline.ts'
import { cancelledLater } from './cancelled-later.ts'
import { deliver } from './delivery.ts'
import { givenOf, type Raising, raiseAsk } from './inbox-asks.ts'
import { type Place, readPlace, writePlace } from './place.ts'
import { SeenCallers } from './seen-callers.ts'
import { type Counting, type Put, Silence } from './silence.ts'
import { UnseenAnswers, unseenAskId } from './unseen-answers.ts'
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
  /**
   * Whether the caller sends the request again when the reply says so. A request that such a caller drops ends nothing here;
   * whether the caller has a state to come back with, the adapter knows (`abandon`).
   */
  readonly comesBack: boolean
  /** Set where an earlier reply gave the caller a state or a handle: then other requests may send the same round. */
  readonly retry?: Retry
  /** When this process leaves: the moment from which the caller waits elsewhere. Undefined for one who stays to the end. */
  readonly goesAt?: Moment
}

export interface Retry {
  /**
   * Whether a claimed round runs to its end when this request breaks off: over HTTP that may be a lost connection, and the
   * caller comes back for the outcome. Otherwise the server is told that the caller cancelled.
   */
  readonly runsOn: boolean
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
  /** The same for one server, if it has fewer. */
  readonly surfacesOf?: (server: string) => readonly Surface[] | undefined
  /** No person reads and answers sooner. */
  readonly unseenAfterMs: number
  readonly askWaitMs: number
  /** The operator did not set `askWaitMs`. */
  readonly isAskWaitDefault?: boolean
  /** How long the first choice may say nothing before the other one is asked as well. */
  readonly silentAfterMs?: number | undefined
  /** How long a call can be held, whatever is known of its client. */
  readonly patienceMs?: number
}

/** `unseen` when the answer was not used as one; `unattended` when it passed to the server all the same. */
export type UnseenAnswer = 'unseen' | 'unattended'

/** Called for an answer that cannot be a person's: by which call, to which server's question. */
export type OnUnseen = (call: Call, server: string, key: string, how: UnseenAnswer) => void

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
  readonly #claims: ClaimedRounds
  readonly #seen: SeenCallers
  readonly #unseen: UnseenAnswers
  readonly silence: Silence

  constructor(
    store: Store,
    settings: RoutingSettings,
    asking: Asking,
    leaving: Leaving,
    claims: ClaimedRounds,
    onUnseen: OnUnseen = () => undefined,
    onTrouble: (error: unknown) => void = () => undefined,
  ) {
    this.#onTrouble = onTrouble
    this.silence = new Silence(store, settings, asking, onTrouble)
    this.#asking = asking
    this.#seen = new SeenCallers(store, onTrouble)
    this.#store = store
    this.#unseen = new UnseenAnswers(store, settings)
    this.#settings = settings
    this.#leaving = leaving
    this.#claims = claims
    this.#onUnseen = onUnseen
  }

  get hasInbox(): boolean {
    return this.#settings.surfaces.includes('inbox')
  }

  /** What a client says of itself, and what servers are told: with an inbox, people can always be asked. */
  profile(info: JsonObject, declared: JsonObject): ClientProfile {
    const capabilities = this.hasInbox ? { ...declared, elicitation: { form: {}, url: {} } } : declared
    const profile = { info, declared, capabilities: withAskMeta(capabilities) }
    return { ...profile, shows: (wanted, server) => this.#clientShows(profile, server, wanted) }
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
      const standing = await this.#takenOrRefused(call, below, place, asAsked(place.resume, came))
      if (standing === 'running') return unfinished({ ...place, waits: place.waits + 1 }, [])
      return isOutcome(standing) ? this.#onward(call, below, standing, hold) : this.#follow(call, below, standing, hold)
    }
    const unrouted = readResume(resume)
    if (unrouted === undefined) return lostPlace
    const given = await this.#unrouted(call, unrouted, asAsked(unrouted, came))
    return this.#onward(call, below, await below.continue(call, unrouted, given), hold)
  }

  /**
   * The client's answers where there is no other surface to ask on. One that cannot be a person's passes, and the record
   * says that it is not; but it never approves anything.
   */
  async #unrouted(
    call: Call,
    resume: Resume,
    came: Readonly<Record<string, Came>>,
  ): Promise<Readonly<Record<string, Given>>> {
    const { server, schemas } = resume
    const all: [string, Given][] = []
    for (const [key, { given, afterMs }] of Object.entries(came)) {
      if (given === undefined) continue
      const schema = Object.hasOwn(schemas, key) ? schemas[key] : false
      const isChoice = isYes(given) || isNo(given)
      const isApproval = schema !== false && isYes(given) && approves(schema)
      if (schema === false || !isChoice || this.#isBelieved(call.client, given, afterMs)) {
        const isRepeated = isApproval && afterMs !== undefined && (await this.#unseen.has(call, resume, key))
        all.push([key, isRepeated ? unseen : given])
        continue
      }
      if (isApproval) await this.#unseen.note(call, resume, key)
      this.#onUnseen(call, server, key, isYes(given) && !isApproval ? 'unattended' : 'unseen')
      all.push([key, isApproval ? unseen : given])
    }
    return Object.fromEntries(all)
  }

  /**
   * Why a client's answer to this form does not fit, in words. Undefined for one that fits, and for one that is not a person's:
   * asking a program again helps nobody.
   */
  problemWith(call: Call, wanted: Wanted, { given, afterMs }: Came): string | undefined {
    if (wanted.kind !== 'form' || given === undefined || !isYes(given)) return undefined
    const checked = checkGiven(wanted.schema, given)
    return checked.ok || !this.#isBelieved(call.client, given, afterMs) ? undefined : checked.reason
  }

  /** Whether the inbox asks this copy of a client's question too. */
  async isInInbox({ tenant }: Call, copy: string | undefined): Promise<boolean> {
    return copy !== undefined && (await this.#store.asks.read(tenant, copy)) !== undefined
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
  ): Promise<Standing | 'running'> {
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
    if (!this.#surfacesOf(resume.server).includes('inbox')) return undefined
    const { wanted, asks = {}, over } = outcome
    const copies = await this.#pagesOf(call, resume, wanted, asks)
    const onRecord = { ...asks, ...copies }
    const elsewhere = Object.keys(wanted).filter(
      (key) => !this.#clientShows(call.client, resume.server, wanted[key] as Wanted),
    )
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
      const asked = calledBy(call, resume.target)
      return own(onRecord, key) ?? (await raiseAsk(this.#store, asked, one, this.#raising(call, resume, one)))
    })
  }

  /** Goes on as far as it can: to the client's questions, to what is still open in the inbox, or to the end. */
  async #follow(call: Call, below: Below, from: LivePlace, hold: Hold): Promise<Outcome> {
    let place = from
    for (let round = 0; round < relayLimits.roundsPerCall; round++) {
      const { kept } = place
      const forClient = forClientOf(place)
      if (forClient.length > 0) return unfinished(this.#copied(call, below, place, forClient), forClient)
      const quietMs = await this.#quietMs(call, place)
      const answers = await this.#wait(call, place, { ...hold, forMs: Math.min(hold.forMs, quietMs) })
      if (answers === undefined && quietMs < hold.forMs && !this.#isSentOn(place, hold)) {
        place = this.#alsoTheClient(call, place)
        continue
      }
      if (answers === undefined) return unfinished({ ...place, waits: place.waits + 1 }, [])

      call.waiting?.ended(Object.values(place.inInbox))
      const next = await this.#sent(call, below, place, { ...kept, ...answers }, hold)
      await this.#deleteSecrets(call, place, answers, next)
      if (next === 'running') return unfinished({ ...place, waits: place.waits + 1 }, [])
      if (isOutcome(next)) return next
      place = next
    }
    return askedTooOften
  }

  /** What looked like a secret has reached the server: only its digests stay in the store. */
  async #deleteSecrets(
    { tenant }: Call,
    { inInbox }: Place,
    answers: Readonly<Record<string, Given>>,
    next: LivePlace | Outcome | 'running',
  ): Promise<void> {
    if (next === 'running' || (isOutcome(next) && next.kind === 'failed' && next.isUnsent === true)) return
    for (const [key, given] of Object.entries(answers)) {
      const id = own(inInbox, key)
      if (id === undefined || 'error' in given || given.isConfirmed !== true) continue
      await this.#store.asks.deleteSecret(tenant, id).catch(this.#onTrouble)
    }
  }

  /** Sends the answers to the server. A round that another request can send too, with an answer from the inbox, is sent once. */
  async #sent(
    call: Call,
    below: Below,
    place: Place,
    given: Readonly<Record<string, Given>>,
    hold: Hold,
  ): Promise<LivePlace | Outcome | 'running'> {
    const { retry } = hold
    if (retry === undefined && call.signal.aborted) return this.#toNobody(call, below, place, given)
    const name = retry === undefined ? undefined : claimOf(call, place)
    if (retry === undefined || name === undefined) {
      const outcome = await this.#handed(call, below, place, given)
      // Nobody sends them again.
      if (retry === undefined && outcome.kind === 'failed' && outcome.isUnsent === true)
        await this.#noteAllUndelivered(call, place, given)
      return this.#placed(call, below, outcome)
    }
    // The caller is gone and comes back with its state. Until then nothing runs.
    if (call.signal.aborted) return 'running'
    const standing = await this.#claims.run(name, { forMs: hold.forMs, signal: call.signal }, () =>
      this.#sentOnce(call, below, place, given, retry),
    )
    // The caller's state leads to the next questions from now on, wherever it comes back.
    await call.waiting?.handOut()
    return standing
  }

  /**
   * The caller dropped its request, and cannot come back for the outcome, so nothing is sent. A person who answered in the
   * inbox just before that is told that it was too late.
   */
  async #toNobody(
    call: Call,
    below: Below,
    place: Place,
    given: Readonly<Record<string, Given>>,
  ): Promise<LivePlace | Outcome> {
    await this.#noteAllUndelivered(call, place, given)
    const { resume } = place
    // A server that waits inside its call gets a cancellation.
    return heldId(resume.inner) === undefined
      ? callerLeft
      : this.#placed(call, below, await below.continue(call, resume, {}))
  }

  /** The answers to the server. Of calls that are held for callers who come back, parking records what arrived. */
  async #handed(call: Call, below: Below, place: Place, given: Readonly<Record<string, Given>>): Promise<Outcome> {
    const { signal, end } = cancelledLater(call.signal)
    const send = () => below.continue({ ...call, signal }, place.resume, given)
    const asks = new Map(Object.entries({ ...place.onRecord, ...place.copies, ...place.inInbox }))
    const delivering = { store: this.#store, tenant: call.tenant, asks, onTrouble: this.#onTrouble }
    try {
      return below.record === undefined ? await send() : await deliver(delivering, given, send)
    } finally {
      end()
    }
  }

  async #sentOnce(
    call: Call,
    below: Below,
    { resume }: Place,
    given: Readonly<Record<string, Given>>,
    { runsOn }: Retry,
  ): Promise<Standing> {
    const ending = new AbortController()
    const stay = this.#leaving.at('over', () => ending.abort(nobodyWaits))
    const notify: Call['notify'] = (notification) => (call.signal.aborted ? undefined : call.notify(notification))
    const later = cancelledLater(call.signal)
    const inner = runsOn ? { ...call, notify, signal: ending.signal } : { ...call, signal: later.signal }
    try {
      const outcome = await below.continue(inner, resume, given)
      if (outcome.kind === 'failed' && outcome.isUnsent !== true && inner.signal.aborted)
        return runsOn ? outcomeUnknown : cancelledMeanwhile
      const next = await this.#placed(inner, below, outcome)
      // What a retry gets must be the same to the last ask, so the asks to come are named before it is stored.
      return isOutcome(next) ? next : this.#copied(inner, below, next, forClientOf(next))
    } finally {
      stay()
      later.end()
    }
  }

  /** The place with what the client brought: answers that can be a person's are kept, other questions move on. */
  async #taken(
    call: Call,
    below: Below,
    place: Place,
    came: Readonly<Record<string, Came>>,
  ): Promise<Standing | 'running'> {
    let { hasInboxAnswer = false } = place
    const kept: [string, Given][] = []
    const moving: string[] = []
    const fast: [key: string, given: Given, afterMs: number][] = []
    const again: string[] = []
    for (const [key, { given, afterMs }] of Object.entries(came)) {
      const one = Object.hasOwn(place.wanted, key) ? place.wanted[key] : undefined
      if (one === undefined || Object.hasOwn(place.inInbox, key)) continue
      const isOpening = isPage(one) && isYes(given)
      const isTimely = given !== undefined && (isOpening || this.#isSeen(call.client, one, given, afterMs))
      const isRepeated =
        isTimely &&
        !isOpening &&
        afterMs !== undefined &&
        isPut(one) &&
        (await this.#unseen.has(call, place.resume, key))
      const isSeen = isTimely && !isRepeated
      // Whoever agreed to open a page has not answered: what they do there is the answer, and is waited for.
      const counts = isSeen && !isOpening ? await this.#first(call, below, place, key, given) : undefined
      if (counts !== undefined) kept.push([key, counts.given])
      else moving.push(key)
      hasInboxAnswer ||= counts?.isFromInbox === true
      if (isRepeated) again.push(key)
      if (given !== undefined && !isTimely) {
        await this.#unseen.note(call, place.resume, key)
        this.#onUnseen(call, place.resume.server, key, 'unseen')
        fast.push([key, given, afterMs ?? 0])
      }
    }
    // A round that was sent already asks nothing more.
    const name = moving.length === 0 ? undefined : claimOf(call, place)
    const sent = name === undefined ? undefined : await this.#claims.find(name)
    if (sent !== undefined) return sent
    const taken = { ...place, kept: { ...place.kept, ...Object.fromEntries(kept) } }
    const doubted = [...again, ...fast.map(([key]) => key)]
    const moved = await this.#moved(call, below, hasInboxAnswer ? { ...taken, hasInboxAnswer } : taken, moving, doubted)
    for (const [key, given, afterMs] of fast) await this.#noteFast(call, own(moved.inInbox, key), given, afterMs)
    return moved
  }

  /** The ask says why it is asked again. Not worth holding up the call for. */
  async #noteFast({ tenant }: Call, id: string | undefined, given: Given, afterMs: number): Promise<void> {
    const action = 'result' in given ? given.result.action : undefined
    if (id === undefined || (action !== 'accept' && action !== 'decline' && action !== 'cancel')) return
    await within(this.#store.asks.noteFastAnswer(tenant, id, { action, afterMs }), 0).catch(this.#onTrouble)
  }

  /** The place with these questions in the inbox; the ask of a held call is there already. */
  async #moved(
    call: Call,
    below: Below,
    place: Place,
    keys: readonly string[],
    doubted: readonly string[] = [],
  ): Promise<Place> {
    const moving = keys.map((key) => [key, place.wanted[key]] as const)
    const moved = await this.#allOrNone(call, moving, async ([key, one]) => {
      const onRecord = own(place.onRecord, key)
      const copy = own(place.copies, key)
      const copied = one && copy && (await this.silence.show(putOf(call, below, place, one), copy))
      const { round } = place.resume
      const id = round !== undefined && doubted.includes(key) ? unseenAskId(round, key) : undefined
      return onRecord ?? copied ?? (one && (await this.#raised(call, below, place.resume, one, id)))
    })
    const nowMs = this.#store.nowMs()
    const waits = moving.flatMap(([, one]) => one ?? []).map((one) => this.#waitMs(call, place.resume, one))
    const untilMs = Math.max(place.untilMs ?? 0, ...waits.map((waitMs) => nowMs + waitMs))
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
    for (const ask of asks) await this.#discard(call, ask, 'undeliverable')
  }

  #raising(call: Call, resume: Resume, wanted: Wanted): Raising {
    const { server, round } = resume
    const isHeld = heldId(resume.inner) !== undefined
    return { server, waitMs: this.#waitMs(call, resume, wanted), isHeld, room: this.#asking, round }
  }

  #waitMs(call: Call, resume: Resume, wanted: Wanted): number {
    return storedWaitMs(this.#settings, call, wanted, resume, this.#store.nowMs())
  }

  /** @param id where the same question may have been raised before */
  async #raised(call: Call, below: Below, resume: Resume, wanted: Wanted, id?: string): Promise<string | undefined> {
    if (id !== undefined && (await this.#store.asks.read(call.tenant, id)) !== undefined) return id
    const callId = await below.record?.(resume)
    const raising = { ...this.#raising(call, resume, wanted), ...(id === undefined ? {} : { id }) }
    const asked = calledBy(call, resume.target)
    return raiseAsk(this.#store, asked, wanted, callId === undefined ? raising : { ...raising, callId })
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
    const notSeen = asks.map(([, id]) => this.#seen.waits(call.tenant, id, place.waits > 0))
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
      const gone = isOver ? 'asker-stopped' : 'caller-gone'
      const reason = this.#leaving.has('over') ? 'owner-lost' : call.signal.aborted ? 'call-cancelled' : gone
      const last = new Map<string, Ask | undefined>()
      for (const [key, ask] of open) {
        const id = inInbox[key] ?? ''
        // A store that could not say how things stand has held up the call long enough.
        if (ask === 'unknown') void this.#discard(call, id, reason)
        else last.set(key, await this.#withdraw(call, id, reason))
      }
      // An answer that arrived just before its ask could be withdrawn counts.
      const final = ended.map(([key, ask]) => [key, last.get(key) ?? ask] as const)
      // Whose time is up heard nothing from anybody; nobody dismissed the question.
      const silence = isTimeUp && !signal.aborted ? expired : noAnswer
      const givenBy = (ask: Ask | 'unknown' | undefined) =>
        isEnded(ask) && ask.state.kind !== 'open' && !isCallerGone(ask) ? givenOf(ask) : silence
      return Object.fromEntries(final.map(([key, ask]) => [key, givenBy(ask)]))
    } finally {
      stay()
      stopTelling()
      for (const leave of notSeen) leave()
      giveUp.abort(nobodyWaits)
    }
  }

  /** Whether this process leaves, and who waits here can wait elsewhere. */
  #isSentOn(place: LivePlace, hold: Hold): boolean {
    const goesAt = momentOf(place, hold)
    return goesAt !== undefined && this.#leaving.has(goesAt)
  }

  /** Withdraws what a call asked in the inbox: its caller dropped the request before it got a state to come back with. */
  async abandon(call: Call, { resume }: Outcome & { kind: 'needs-people' }): Promise<void> {
    const place = readPlace(resume)
    if (place === undefined) return
    for (const copy of Object.values(place.copies))
      await this.silence.withdraw(call, copy, 'call-cancelled').catch(this.#onTrouble)
    for (const ask of Object.values(place.inInbox)) await this.#discard(call, ask, 'call-cancelled')
  }

  /** Takes back what nobody waits for any more. An answer that was faster is recorded as not delivered. */
  async #discard(call: Call, id: string, reason: WithdrawReason): Promise<void> {
    const ask = await this.#withdraw(call, id, reason)
    if (ask?.state.kind === 'settled') await this.#noteUndelivered(call, id)
  }

  /** The answers from the inbox among these; what was not answered there stays as it is. */
  async #noteAllUndelivered(call: Call, { inInbox }: Place, given: Readonly<Record<string, Given>>): Promise<void> {
    for (const [key, id] of Object.entries(inInbox)) {
      const answer = Object.hasOwn(given, key) ? given[key] : undefined
      if (answer !== undefined && 'result' in answer) await this.#noteUndelivered(call, id)
    }
  }

  async #noteUndelivered({ tenant }: Call, id: string): Promise<void> {
    await within(this.#store.asks.undelivered(tenant, id, true), 0).catch(this.#onTrouble)
  }

  /** The ask as it ended. Where the store is slow the call goes on: the ask's deadline ends it. */
  async #withdraw({ tenant }: Call, id: string, reason: WithdrawReason): Promise<Ask | undefined> {
    const ended = await within(this.#store.asks.withdraw(tenant, id, reason), 0).catch(this.#onTrouble)
    return ended !== undefined && 'ask' in ended ? ended.ask : undefined
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
  async #first(call: Call, below: Below, place: Place, key: string, given: Given): Promise<Counting | undefined> {
    const [copy, wanted] = [own(place.copies, key), place.wanted[key]]
    if (copy === undefined || wanted === undefined) return { given }
    if (!call.signal.aborted) return this.silence.answered(putOf(call, below, place, wanted), copy, given)
    await this.silence.withdraw(call, copy, 'call-cancelled')
    return { given }
  }

  #surfacesOf(server: string): readonly Surface[] {
    return this.#settings.surfacesOf?.(server) ?? this.#settings.surfaces
  }

  #isInboxFirst(server: string): boolean {
    const surfaces = this.#surfacesOf(server)
    return surfaces.includes('client') && surfaces.indexOf('inbox') === 0
  }

  /** With the inbox as first choice: how long it may still be silent before the client is asked too. */
  async #quietMs(call: Call, { resume, wanted, inInbox }: Place): Promise<number> {
    const { silentAfterMs } = this.#settings
    const [id] = Object.entries(inInbox).flatMap(([key, ask]) =>
      this.#canShow(call.client, resume.server, wanted[key]) ? [ask] : [],
    )
    if (!this.#isInboxFirst(resume.server) || silentAfterMs === undefined || id === undefined)
      return Number.POSITIVE_INFINITY
    const ask = await this.#store.asks.read(call.tenant, id)
    return ask === undefined
      ? Number.POSITIVE_INFINITY
      : Math.max(0, ask.raisedAtMs + silentAfterMs - this.#store.nowMs())
  }

  /** What the inbox was asked and the client can show goes to the client too. */
  #alsoTheClient(call: Call, place: LivePlace): LivePlace {
    const canShow = (key: string) => this.#canShow(call.client, place.resume.server, place.wanted[key])
    const moving = Object.entries(place.inInbox).filter(([key]) => canShow(key))
    const staying = Object.entries(place.inInbox).filter(([key]) => !canShow(key))
    const copies = { ...place.copies, ...Object.fromEntries(moving) }
    return { ...place, copies, inInbox: Object.fromEntries(staying) }
  }

  #clientShows(client: ClientProfile, server: string, wanted: Wanted): boolean {
    const isForPeople = wanted.kind === 'form' || wanted.kind === 'url'
    return this.#canShow(client, server, wanted) && !(isForPeople && this.#isInboxFirst(server))
  }

  #canShow(client: ClientProfile, server: string, wanted: Wanted | undefined): boolean {
    if (wanted === undefined) return false
    if (wanted.kind !== 'form' && wanted.kind !== 'url') return true
    if (!this.#surfacesOf(server).includes('client') || !canBeAsked(client.declared, wanted.kind)) return false
    const traits = traitsOf(client.info)
    if (wanted.kind === 'url') return traits.showsLinks
    const read = readKnownForm(wanted.schema)
    return read.ok && drawingProblem(traits, read.form) === undefined
  }

  #isSeen({ info }: ClientProfile, wanted: Wanted, given: Given, afterMs: number | undefined): boolean {
    return !isPut(wanted) || this.#isBelieved({ info }, given, afterMs)
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

/** The answers that fit, as their server asked for them: the store takes them like this too. */
function asAsked({ schemas }: Resume, came: Readonly<Record<string, Came>>): Readonly<Record<string, Came>> {
  return Object.fromEntries(
    Object.entries(came).map(([key, one]) => {
      const schema = Object.hasOwn(schemas, key) ? schemas[key] : false
      if (one.given === undefined || typeof schema === 'boolean') return [key, one]
      const checked = checkGiven(schema, one.given)
      return [key, checked.ok ? { ...one, given: checked.given } : one]
    }),
  )
}

function unfinished({ over, ...place }: LivePlace, forClient: readonly string[]): Outcome {
  const wanted = Object.fromEntries(forClient.map((key) => [key, place.wanted[key] as Wanted]))
  return { kind: 'needs-people', wanted, resume: writePlace(place), ...(over === undefined ? {} : { over }) }
}

/** Who does not come back is put off instead, which is of no use while a server waits in this process. */
function momentOf({ over }: LivePlace, { comesBack, goesAt }: Hold): Moment | undefined {
  return comesBack || over === undefined ? goesAt : undefined
}

function forClientOf({ wanted, inInbox, kept }: Place): readonly string[] {
  return Object.keys(wanted).filter((key) => !Object.hasOwn(inInbox, key) && !Object.hasOwn(kept, key))
}

/**
 * The claim of a round that carries an answer given in the inbox; undefined for any other. The id of the round is in every
 * state of it, whichever of its questions is where, and a state is bound to its principal and request. Held calls keep their
 * outcomes themselves.
 */
function claimOf({ tenant, principal }: Call, { resume, inInbox, hasInboxAnswer }: Place): RoundName | undefined {
  const isFromInbox = hasInboxAnswer === true || Object.keys(inInbox).length > 0
  if (!isFromInbox || resume.round === undefined || heldId(resume.inner) !== undefined) return undefined
  return { tenant, id: resume.round.id, principal }
}

/** What a person answers; the rest a client answers by itself. */
function isPut({ kind }: Wanted): boolean {
  return kind === 'form' || kind === 'url'
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

function isCallerGone({ state }: Ask): boolean {
  return state.kind === 'withdrawn' && state.reason === 'caller-gone'
}

function isEnded(ask: Ask | 'unknown' | undefined): ask is Ask {
  return ask !== undefined && ask !== 'unknown'
}

function putOf(call: Call, below: Below, { resume }: Place, wanted: Wanted): Put {
  const isHeld = heldId(resume.inner) !== undefined
  const put = { call: calledBy(call, resume.target), server: resume.server, wanted, isHeld, round: resume.round }
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

/** Whether an accept of this form approves something; what cannot be read is refused later, and approves nothing. */
function approves(schema: JsonValue | undefined): boolean {
  if (schema === true) return false
  const read = readKnownForm(schema)
  return !read.ok || isApprovalForm(read.form)
}

export const askedTooOften: Outcome = failed(errorCodes.refused, 'The server asked too often.')
const callerLeft = failed(errorCodes.refused, 'The caller went away.')
const cancelledMeanwhile = failed(
  errorCodes.refused,
  'The caller cancelled this request while the server ran it. Whether the call did anything is not known: check before calling it again.',
)
const lostPlace = failed(errorCodes.invalidParams, 'This state is not valid for this request.')
