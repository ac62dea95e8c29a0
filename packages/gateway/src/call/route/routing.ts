// Decides on which surface each question is asked: the client that made the call, or the inbox.
//
// A question goes to the inbox when the client did not declare support for it, is known not to show it, or answered
// faster than a person can read. When the client does not answer for too long, both surfaces ask, and the first answer
// counts. With the inbox as first choice the order is reversed. Without an inbox this layer changes nothing. It is
// independent of the protocol revision: questions for the client are returned as `input-required`, with an empty list
// while only the inbox asks.

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
import type { RoundKey, Store } from '@assent/store'
import { relayLimits } from '../../limits.ts'
import { errorCodes, objectAt } from '../../protocol/messages.ts'
import { canBeAsked, withAskMeta } from '../capabilities.ts'
import { answeredByPerson, drawingProblem } from '../clients/human-check.ts'
import { holdableMs } from '../clients/request-timeouts.ts'
import { traitsOf } from '../clients/traits-of.ts'
import { type ClaimedRoundState, type ClaimedRounds, outcomeUnknown } from '../hold/claimed-rounds.ts'
import {
  type Call,
  type ClientProfile,
  failed,
  heldId,
  type InputRequest,
  type InputResponse,
  type Outcome,
} from '../model.ts'
import { calledBy } from '../relay.ts'
import { type RelayState, readRelayState } from '../relay-state.ts'
import type { OpenAskLimits } from '../screen/open-limits.ts'
import { checkResponse, expired, noAnswer, readKnownForm, unseen } from '../screen/screen-questions.ts'
import type { Shutdown, ShutdownPhase } from '../shutdown.ts'
import { storedWaitMs } from './ask-deadline.ts'
import { cancelledLater } from './cancelled-later.ts'
import { deliver } from './delivery.ts'
import { givenOf, type Raising, raiseAsk } from './inbox-asks.ts'
import { type Counting, InboxFallback, type Put } from './inbox-fallback.ts'
import { type RoutingState, readRoutingState, writeRoutingState } from './routing-state.ts'
import { SeenCallers } from './seen-callers.ts'
import { UnseenAnswers, unseenAskId } from './unseen-answers.ts'
import { waitForAsk, withinOrFail } from './wait-for-ask.ts'
import { reportWaiting } from './waiting-progress.ts'

/** The layer below routing: the relay itself, or calls that are recorded in the store. */
export interface CallLayer {
  start(call: Call): Promise<Outcome>
  continue(call: Call, resume: RelayState, given: Readonly<Record<string, InputResponse>>): Promise<Outcome>
  /** A limit on open asks is reached: a server that waits for the answers gets an error; otherwise the call ends. */
  refuse(call: Call, resume: RelayState, error: TooManyOpen): Promise<Outcome>
  /** Records the call, so that its questions are withdrawn when this process dies. Returns the call's id. */
  record?(resume: RelayState): Promise<string>
}

/** How long, and in which way, a caller can wait for the inbox. */
export interface Hold {
  /** How long this request may be held. */
  readonly forMs: number
  /**
   * Whether the caller sends the request again when the reply asks for it. Dropping such a request ends nothing here;
   * the adapter knows whether the caller already has a state to retry with (`abandon`).
   */
  readonly canRetry: boolean
  /** Set when an earlier reply gave the caller a state or a handle: then other requests may send the same round. */
  readonly retry?: Retry
  /**
   * The shutdown phase in which the caller moves to another replica. Undefined for a caller that stays until the end.
   */
  readonly goesAt?: ShutdownPhase
}

export interface Retry {
  /**
   * Whether a claimed round runs to its end when this request is dropped: over HTTP that may be a lost connection, and
   * the caller retries to get the outcome. Otherwise the server gets a cancellation.
   */
  readonly runsOn: boolean
}

export type TimedResponse = {
  /** Undefined when the inbox was faster, or is the only surface from now on. */
  readonly given?: InputResponse
  /** Time since the client was asked. Undefined when unknown; then the answer is accepted as a person's. */
  readonly afterMs?: number
}

export interface RoutingSettings {
  /** Where a person may be asked, in order of preference. */
  readonly surfaces: readonly Surface[]
  /** The surfaces of one server, if it has fewer. */
  readonly surfacesOf?: (server: string) => readonly Surface[] | undefined
  /** A faster answer cannot come from a person. */
  readonly unseenAfterMs: number
  readonly askWaitMs: number
  /** The operator did not set `askWaitMs`. */
  readonly isAskWaitDefault?: boolean
  /** How long the first surface may stay unanswered before the second one asks too. */
  readonly silentAfterMs?: number | undefined
  /** Overrides how long a call can be held, whatever the client's known timeout is. */
  readonly patienceMs?: number
}

/** `unseen`: the answer does not count as a person's; `unattended`: an accept that the server got anyway. */
export type UnseenAnswer = 'unseen' | 'unattended'

/** Called for an answer that cannot come from a person, with the call and the server that asked. */
export type OnUnseen = (call: Call, server: string, key: string, how: UnseenAnswer) => void

/** An ask expires by the database's clock, which may be slightly behind ours. */
const marginMs = 200

/** Abort reason, allocated once: without a reason each abort creates an exception with a stack trace. */
const noCaller = 'No caller waits for it any more.'

/** A routing state in this process, where the end of a held call can be observed. */
type LiveRoutingState = RoutingState & { readonly over?: Promise<void> }

export class Routing {
  readonly #store: Store
  readonly #settings: RoutingSettings
  readonly #onUnseen: OnUnseen
  readonly #onError: (error: unknown) => void
  readonly #shutdown: Shutdown
  readonly #asking: OpenAskLimits
  readonly #claims: ClaimedRounds
  readonly #seen: SeenCallers
  readonly #unseen: UnseenAnswers
  readonly inboxFallback: InboxFallback

  constructor(
    store: Store,
    settings: RoutingSettings,
    asking: OpenAskLimits,
    shutdown: Shutdown,
    claims: ClaimedRounds,
    onUnseen: OnUnseen = () => undefined,
    onError: (error: unknown) => void = () => undefined,
  ) {
    this.#onError = onError
    this.inboxFallback = new InboxFallback(store, settings, asking, onError)
    this.#asking = asking
    this.#seen = new SeenCallers(store, onError)
    this.#store = store
    this.#unseen = new UnseenAnswers(store, settings)
    this.#settings = settings
    this.#shutdown = shutdown
    this.#claims = claims
    this.#onUnseen = onUnseen
  }

  get hasInbox(): boolean {
    return this.#settings.surfaces.includes('inbox')
  }

  /** The client's declared profile, and the capabilities sent to servers: with an inbox, people can always be asked. */
  profile(info: JsonObject, declared: JsonObject): ClientProfile {
    const capabilities = this.hasInbox ? { ...declared, elicitation: { form: {}, url: {} } } : declared
    const profile = { info, declared, capabilities: withAskMeta(capabilities) }
    return { ...profile, shows: (wanted, server) => this.#clientShows(profile, server, wanted) }
  }

  /**
   * Returns a function that computes how long a call that began now can still be held for a caller that cannot retry.
   */
  patienceOf(call: Call, over: 'http' | 'stdio'): () => Hold {
    const beganAt = performance.now()
    const progress = objectAt(call.params, '_meta')?.progressToken !== undefined
    const allMs = this.#settings.patienceMs ?? holdableMs(traitsOf(call.client.info).patience, { progress, over })
    const goesAt = this.#shutdown.next
    return () => ({ forMs: Math.max(0, allMs - (performance.now() - beganAt)), canRetry: false, goesAt })
  }

  async start(call: Call, below: CallLayer, hold: Hold): Promise<Outcome> {
    return this.#routeAndFollow(call, below, await below.start(call), hold)
  }

  async continue(
    call: Call,
    below: CallLayer,
    resume: JsonValue,
    came: Readonly<Record<string, TimedResponse>>,
    hold: Hold,
  ): Promise<Outcome> {
    const state = readRoutingState(resume)
    if (state !== undefined) {
      const next = await this.#takenOrRefused(call, below, state, asAsked(state.resume, came))
      if (next === 'running') return unfinished({ ...state, waits: state.waits + 1 }, [])
      return isOutcome(next) ? this.#routeAndFollow(call, below, next, hold) : this.#follow(call, below, next, hold)
    }
    const unrouted = readRelayState(resume)
    if (unrouted === undefined) return stateMissing
    const given = await this.#unrouted(call, unrouted, asAsked(unrouted, came))
    return this.#routeAndFollow(call, below, await below.continue(call, unrouted, given), hold)
  }

  /**
   * The client's answers where there is no other surface to ask on. An answer that cannot come from a person is passed
   * on and reported as such, but it never counts as an approval.
   */
  async #unrouted(
    call: Call,
    resume: RelayState,
    came: Readonly<Record<string, TimedResponse>>,
  ): Promise<Readonly<Record<string, InputResponse>>> {
    const { server, schemas } = resume
    const all: [string, InputResponse][] = []
    for (const [key, { given, afterMs }] of Object.entries(came)) {
      if (given === undefined) continue
      const schema = Object.hasOwn(schemas, key) ? schemas[key] : false
      const isChoice = isYes(given) || isNo(given)
      const isApproval = schema !== false && isYes(given) && approves(schema)
      if (schema === false || !isChoice || this.#isFromPerson(call.client, given, afterMs)) {
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
   * Why a client's answer does not fit this form, as text. Undefined for one that fits, and for one that does not come
   * from a person: asking a program again is useless.
   */
  problemWith(call: Call, wanted: InputRequest, { given, afterMs }: TimedResponse): string | undefined {
    if (wanted.kind !== 'form' || given === undefined || !isYes(given)) return undefined
    const checked = checkResponse(wanted.schema, given)
    return checked.ok || !this.#isFromPerson(call.client, given, afterMs) ? undefined : checked.reason
  }

  /** Whether the inbox shows the copy of a question that the client was asked. */
  async isInInbox({ tenant }: Call, copy: string | undefined): Promise<boolean> {
    return copy !== undefined && (await this.#store.asks.read(tenant, copy)) !== undefined
  }

  async #routeAndFollow(call: Call, below: CallLayer, outcome: Outcome, hold: Hold): Promise<Outcome> {
    const next = await this.#routed(call, below, outcome)
    return isOutcome(next) ? next : this.#follow(call, below, next, hold)
  }

  /**
   * The routing state of a call that needs routing, or the outcome for the caller. A refused server may ask for less.
   */
  async #routed(call: Call, below: CallLayer, first: Outcome): Promise<LiveRoutingState | Outcome> {
    let outcome = first
    for (let round = 0; round < relayLimits.roundsPerCall; round++) {
      try {
        return (await this.#routeOf(call, below, outcome)) ?? outcome
      } catch (error) {
        if (!isTooManyOpen(error) || outcome.kind !== 'input-required') throw error
        outcome = await below.refuse(call, relayStateIn(outcome), error)
      }
    }
    return askedTooOften
  }

  async #takenOrRefused(
    call: Call,
    below: CallLayer,
    state: RoutingState,
    came: Readonly<Record<string, TimedResponse>>,
  ): Promise<ClaimedRoundState | 'running'> {
    try {
      return await this.#taken(call, below, state, came)
    } catch (error) {
      if (!isTooManyOpen(error)) throw error
      for (const copy of Object.values(state.copies)) await this.inboxFallback.withdraw(call, copy, 'undeliverable')
      await this.#withdrawAll(call, Object.values(state.inInbox))
      return below.refuse(call, state.resume, error)
    }
  }

  /** The routing state of a call; undefined when its outcome can be returned to the caller unchanged. */
  async #routeOf(call: Call, below: CallLayer, outcome: Outcome): Promise<LiveRoutingState | undefined> {
    if (!this.hasInbox || outcome.kind !== 'input-required') return undefined
    const resume = relayStateIn(outcome)
    if (!this.#surfacesOf(resume.server).includes('inbox')) return undefined
    const { wanted, asks = {}, over } = outcome
    const copies = await this.#pagesOf(call, resume, wanted, asks)
    const onRecord = { ...asks, ...copies }
    const elsewhere = Object.keys(wanted).filter(
      (key) => !this.#clientShows(call.client, resume.server, wanted[key] as InputRequest),
    )
    const state = { resume, wanted, onRecord, inInbox: {}, copies, kept: {}, waits: 0 }
    try {
      return { ...(await this.#moved(call, below, state, elsewhere)), ...(over === undefined ? {} : { over }) }
    } catch (error) {
      if (isTooManyOpen(error)) await this.#withdrawAll(call, Object.values(copies))
      throw error
    }
  }

  /**
   * Raises the asks of the pages for secrets in this round. A page is usable only through its ask, so the ask exists
   * before the page's address is sent to anyone, and the inbox shows it even when the client is asked too.
   */
  async #pagesOf(
    call: Call,
    resume: RelayState,
    wanted: Readonly<Record<string, InputRequest>>,
    onRecord: Readonly<Record<string, string>>,
  ): Promise<Readonly<Record<string, string>>> {
    const pages = Object.entries(wanted).filter(([, one]) => isPage(one))
    return this.#allOrNone(call, pages, async ([key, one]) => {
      const asked = calledBy(call, resume.target)
      return own(onRecord, key) ?? (await raiseAsk(this.#store, asked, one, this.#raising(call, resume, one)))
    })
  }

  /**
   * Continues the call as far as possible: to questions for the client, to asks still open in the inbox, or to its end.
   */
  async #follow(call: Call, below: CallLayer, from: LiveRoutingState, hold: Hold): Promise<Outcome> {
    let state = from
    for (let round = 0; round < relayLimits.roundsPerCall; round++) {
      const { kept } = state
      const forClient = forClientOf(state)
      if (forClient.length > 0) return unfinished(this.#copied(call, below, state, forClient), forClient)
      const quietMs = await this.#quietMs(call, state)
      const answers = await this.#wait(call, state, { ...hold, forMs: Math.min(hold.forMs, quietMs) })
      if (answers === undefined && quietMs < hold.forMs && !this.#isSentOn(state, hold)) {
        state = this.#alsoTheClient(call, state)
        continue
      }
      if (answers === undefined) return unfinished({ ...state, waits: state.waits + 1 }, [])

      call.waiting?.ended(Object.values(state.inInbox))
      const next = await this.#sent(call, below, state, { ...kept, ...answers }, hold)
      await this.#deleteSecrets(call, state, answers, next)
      if (next === 'running') return unfinished({ ...state, waits: state.waits + 1 }, [])
      if (isOutcome(next)) return next
      state = next
    }
    return askedTooOften
  }

  /** Deletes secret answers that have reached the server: only their digests stay in the store. */
  async #deleteSecrets(
    { tenant }: Call,
    { inInbox }: RoutingState,
    answers: Readonly<Record<string, InputResponse>>,
    next: LiveRoutingState | Outcome | 'running',
  ): Promise<void> {
    if (next === 'running' || (isOutcome(next) && next.kind === 'failed' && next.isUnsent === true)) return
    for (const [key, given] of Object.entries(answers)) {
      const id = own(inInbox, key)
      if (id === undefined || 'error' in given || given.isConfirmed !== true) continue
      await this.#store.asks.deleteSecret(tenant, id).catch(this.#onError)
    }
  }

  /** Sends the answers. A round with an inbox answer that another request could send too is claimed and sent once. */
  async #sent(
    call: Call,
    below: CallLayer,
    state: RoutingState,
    given: Readonly<Record<string, InputResponse>>,
    hold: Hold,
  ): Promise<LiveRoutingState | Outcome | 'running'> {
    const { retry } = hold
    if (retry === undefined && call.signal.aborted) return this.#callerGone(call, below, state, given)
    const name = retry === undefined ? undefined : claimOf(call, state)
    if (retry === undefined || name === undefined) {
      const outcome = await this.#sendAnswers(call, below, state, given)
      // Without a retry these answers are never sent.
      if (retry === undefined && outcome.kind === 'failed' && outcome.isUnsent === true)
        await this.#noteAllUndelivered(call, state, given)
      return this.#routed(call, below, outcome)
    }
    // The caller dropped this request and will retry with its state. Until then nothing runs.
    if (call.signal.aborted) return 'running'
    const next = await this.#claims.run(name, { forMs: hold.forMs, signal: call.signal }, () =>
      this.#sentOnce(call, below, state, given, retry),
    )
    // From now on the caller's state refers to the next questions, on any replica.
    await call.waiting?.handOut()
    return next
  }

  /**
   * The caller dropped its request and cannot retry, so nothing is sent. Answers that were given in the inbox just
   * before are recorded as undelivered.
   */
  async #callerGone(
    call: Call,
    below: CallLayer,
    state: RoutingState,
    given: Readonly<Record<string, InputResponse>>,
  ): Promise<LiveRoutingState | Outcome> {
    await this.#noteAllUndelivered(call, state, given)
    const { resume } = state
    // A server that waits inside its call gets a cancellation.
    return heldId(resume.inner) === undefined
      ? callerLeft
      : this.#routed(call, below, await below.continue(call, resume, {}))
  }

  /** Sends the answers to the server. For calls held for callers that retry, HeldCalls records what was delivered. */
  async #sendAnswers(
    call: Call,
    below: CallLayer,
    state: RoutingState,
    given: Readonly<Record<string, InputResponse>>,
  ): Promise<Outcome> {
    const { signal, end } = cancelledLater(call.signal)
    const send = () => below.continue({ ...call, signal }, state.resume, given)
    const asks = new Map(Object.entries({ ...state.onRecord, ...state.copies, ...state.inInbox }))
    const delivering = { store: this.#store, tenant: call.tenant, asks, onError: this.#onError }
    try {
      return below.record === undefined ? await send() : await deliver(delivering, given, send)
    } finally {
      end()
    }
  }

  async #sentOnce(
    call: Call,
    below: CallLayer,
    { resume }: RoutingState,
    given: Readonly<Record<string, InputResponse>>,
    { runsOn }: Retry,
  ): Promise<ClaimedRoundState> {
    const ending = new AbortController()
    const unsubscribe = this.#shutdown.onPhase('closed', () => ending.abort(noCaller))
    const notify: Call['notify'] = (notification) => (call.signal.aborted ? undefined : call.notify(notification))
    const later = cancelledLater(call.signal)
    const inner = runsOn ? { ...call, notify, signal: ending.signal } : { ...call, signal: later.signal }
    try {
      const outcome = await below.continue(inner, resume, given)
      if (outcome.kind === 'failed' && outcome.isUnsent !== true && inner.signal.aborted)
        return runsOn ? outcomeUnknown : cancelledMeanwhile
      const next = await this.#routed(inner, below, outcome)
      // A retry must get the same ask ids, so the ids of fallback asks are assigned before the state is stored.
      return isOutcome(next) ? next : this.#copied(inner, below, next, forClientOf(next))
    } finally {
      unsubscribe()
      later.end()
    }
  }

  /** Adds the client's answers: those that can come from a person are kept, the other questions move to the inbox. */
  async #taken(
    call: Call,
    below: CallLayer,
    state: RoutingState,
    came: Readonly<Record<string, TimedResponse>>,
  ): Promise<ClaimedRoundState | 'running'> {
    let { hasInboxAnswer = false } = state
    const kept: [string, InputResponse][] = []
    const moving: string[] = []
    const fast: [key: string, given: InputResponse, afterMs: number][] = []
    const again: string[] = []
    for (const [key, { given, afterMs }] of Object.entries(came)) {
      const one = Object.hasOwn(state.wanted, key) ? state.wanted[key] : undefined
      if (one === undefined || Object.hasOwn(state.inInbox, key)) continue
      const isOpening = isPage(one) && isYes(given)
      const isTimely = given !== undefined && (isOpening || this.#isSeen(call.client, one, given, afterMs))
      const isRepeated =
        isTimely &&
        !isOpening &&
        afterMs !== undefined &&
        needsPerson(one) &&
        (await this.#unseen.has(call, state.resume, key))
      const isSeen = isTimely && !isRepeated
      // Agreeing to open a page is not an answer: what the person does on the page is, and we wait for that.
      const counts = isSeen && !isOpening ? await this.#first(call, below, state, key, given) : undefined
      if (counts !== undefined) kept.push([key, counts.given])
      else moving.push(key)
      hasInboxAnswer ||= counts?.isFromInbox === true
      if (isRepeated) again.push(key)
      if (given !== undefined && !isTimely) {
        await this.#unseen.note(call, state.resume, key)
        this.#onUnseen(call, state.resume.server, key, 'unseen')
        fast.push([key, given, afterMs ?? 0])
      }
    }
    // A round that was sent already raises no more asks.
    const name = moving.length === 0 ? undefined : claimOf(call, state)
    const sent = name === undefined ? undefined : await this.#claims.find(name)
    if (sent !== undefined) return sent
    const taken = { ...state, kept: { ...state.kept, ...Object.fromEntries(kept) } }
    const tooFast = [...again, ...fast.map(([key]) => key)]
    const moved = await this.#moved(call, below, hasInboxAnswer ? { ...taken, hasInboxAnswer } : taken, moving, tooFast)
    for (const [key, given, afterMs] of fast) await this.#noteFast(call, own(moved.inInbox, key), given, afterMs)
    return moved
  }

  /**
   * Records on the ask why it is asked again. Runs with the short store timeout, so that it does not delay the call.
   */
  async #noteFast({ tenant }: Call, id: string | undefined, given: InputResponse, afterMs: number): Promise<void> {
    const action = 'result' in given ? given.result.action : undefined
    if (id === undefined || (action !== 'accept' && action !== 'decline' && action !== 'cancel')) return
    await withinOrFail(this.#store.asks.noteFastAnswer(tenant, id, { action, afterMs }), 0).catch(this.#onError)
  }

  /** Moves these questions to the inbox. The ask of a held call is there already. */
  async #moved(
    call: Call,
    below: CallLayer,
    state: RoutingState,
    keys: readonly string[],
    tooFast: readonly string[] = [],
  ): Promise<RoutingState> {
    const moving = keys.map((key) => [key, state.wanted[key]] as const)
    const moved = await this.#allOrNone(call, moving, async ([key, one]) => {
      const onRecord = own(state.onRecord, key)
      const copy = own(state.copies, key)
      const copied = one && copy && (await this.inboxFallback.show(putOf(call, below, state, one), copy))
      const { round } = state.resume
      const id = round !== undefined && tooFast.includes(key) ? unseenAskId(round, key) : undefined
      return onRecord ?? copied ?? (one && (await this.#raised(call, below, state.resume, one, id)))
    })
    const nowMs = this.#store.nowMs()
    const waits = moving.flatMap(([, one]) => one ?? []).map((one) => this.#waitMs(call, state.resume, one))
    const untilMs = Math.max(state.untilMs ?? 0, ...waits.map((waitMs) => nowMs + waitMs))
    const time = Object.keys(moved).length === 0 ? {} : { untilMs }
    return { ...state, ...time, inInbox: { ...state.inInbox, ...moved } }
  }

  /** Raises the ask of each question. If one exceeds a limit, all are withdrawn: their answers could not be used. */
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
        await this.#withdrawAll(
          call,
          asks.map(([, ask]) => ask),
        )
      throw error
    }
    return Object.fromEntries(asks)
  }

  async #withdrawAll(call: Call, asks: readonly string[]): Promise<void> {
    for (const ask of asks) await this.#discard(call, ask, 'undeliverable')
  }

  #raising(call: Call, resume: RelayState, wanted: InputRequest): Raising {
    const { server, round } = resume
    const isHeld = heldId(resume.inner) !== undefined
    return { server, waitMs: this.#waitMs(call, resume, wanted), isHeld, room: this.#asking, round }
  }

  #waitMs(call: Call, resume: RelayState, wanted: InputRequest): number {
    return storedWaitMs(this.#settings, call, wanted, resume, this.#store.nowMs())
  }

  /** @param id set when the same question may have been raised before */
  async #raised(
    call: Call,
    below: CallLayer,
    resume: RelayState,
    wanted: InputRequest,
    id?: string,
  ): Promise<string | undefined> {
    if (id !== undefined && (await this.#store.asks.read(call.tenant, id)) !== undefined) return id
    const callId = await below.record?.(resume)
    const raising = { ...this.#raising(call, resume, wanted), ...(id === undefined ? {} : { id }) }
    const asked = calledBy(call, resume.target)
    return raiseAsk(this.#store, asked, wanted, callId === undefined ? raising : { ...raising, callId })
  }

  /** Waits for all answers from the inbox. Undefined when the caller must retry to get them. */
  async #wait(call: Call, state: LiveRoutingState, hold: Hold): Promise<Record<string, InputResponse> | undefined> {
    const { inInbox, over } = state
    const { forMs, canRetry } = hold
    const asks = Object.entries(inInbox)
    if (asks.length === 0) return {}
    const stopWaiting = new AbortController()
    const signal = AbortSignal.any([call.signal, stopWaiting.signal])
    let isOver = false
    void over?.then(() => {
      isOver = true
      stopWaiting.abort(noCaller)
    })
    const goesAt = phaseToLeave(state, hold)
    const unsubscribe =
      goesAt === undefined ? () => undefined : this.#shutdown.onPhase(goesAt, () => stopWaiting.abort(noCaller))
    const stopProgress = reportWaiting(call)
    const stopRecording = asks.map(([, id]) => this.#seen.waits(call.tenant, id, state.waits > 0))
    const leftMs = state.untilMs === undefined ? this.#settings.askWaitMs : state.untilMs - this.#store.nowMs()
    const timeoutMs = Math.min(forMs, Math.max(0, leftMs) + marginMs)
    try {
      const ended = await Promise.all(
        asks.map(async ([key, id]) => {
          const ask = { tenant: call.tenant, id }
          return [key, await waitForAsk(this.#store, ask, timeoutMs, signal, this.#onError)] as const
        }),
      )
      const open = ended.filter(([, ask]) => ask === 'unknown' || ask?.state.kind === 'open')
      // Decided by the store, or by our clock while the store is unavailable: the wait must end either way.
      const isTimeUp = timeoutMs < forMs && (!canRetry || open.some(([, ask]) => ask === 'unknown'))
      if (open.length > 0 && !signal.aborted && !isTimeUp) return undefined
      if (open.length > 0 && call.signal.aborted && canRetry) return undefined
      if (open.length > 0 && !call.signal.aborted && !isOver && this.#isSentOn(state, hold)) return undefined
      const gone = isOver ? 'asker-stopped' : 'caller-gone'
      const reason = this.#shutdown.has('closed') ? 'owner-lost' : call.signal.aborted ? 'call-cancelled' : gone
      const last = new Map<string, Ask | undefined>()
      for (const [key, ask] of open) {
        const id = inInbox[key] ?? ''
        // The store was unavailable for the whole wait, so withdraw in the background.
        if (ask === 'unknown') void this.#discard(call, id, reason)
        else last.set(key, await this.#withdraw(call, id, reason))
      }
      // An answer that arrived just before its ask could be withdrawn counts.
      const final = ended.map(([key, ask]) => [key, last.get(key) ?? ask] as const)
      // On a timeout the server gets "expired": the person did not dismiss the question.
      const otherwise = isTimeUp && !signal.aborted ? expired : noAnswer
      const givenBy = (ask: Ask | 'unknown' | undefined) =>
        isEnded(ask) && ask.state.kind !== 'open' && !isCallerGone(ask) ? givenOf(ask) : otherwise
      return Object.fromEntries(final.map(([key, ask]) => [key, givenBy(ask)]))
    } finally {
      unsubscribe()
      stopProgress()
      for (const stop of stopRecording) stop()
      stopWaiting.abort(noCaller)
    }
  }

  /** Whether this process is shutting down and the caller can wait at another replica. */
  #isSentOn(state: LiveRoutingState, hold: Hold): boolean {
    const goesAt = phaseToLeave(state, hold)
    return goesAt !== undefined && this.#shutdown.has(goesAt)
  }

  /** Withdraws the inbox asks of a call whose caller dropped the request before it got a state to retry with. */
  async abandon(call: Call, { resume }: Outcome & { kind: 'input-required' }): Promise<void> {
    const state = readRoutingState(resume)
    if (state === undefined) return
    for (const copy of Object.values(state.copies))
      await this.inboxFallback.withdraw(call, copy, 'call-cancelled').catch(this.#onError)
    for (const ask of Object.values(state.inInbox)) await this.#discard(call, ask, 'call-cancelled')
  }

  /** Withdraws an ask that is no longer needed. If it was answered first, the answer is recorded as undelivered. */
  async #discard(call: Call, id: string, reason: WithdrawReason): Promise<void> {
    const ask = await this.#withdraw(call, id, reason)
    if (ask?.state.kind === 'settled') await this.#noteUndelivered(call, id)
  }

  /** Records the inbox answers among these as undelivered. */
  async #noteAllUndelivered(
    call: Call,
    { inInbox }: RoutingState,
    given: Readonly<Record<string, InputResponse>>,
  ): Promise<void> {
    for (const [key, id] of Object.entries(inInbox)) {
      const answer = Object.hasOwn(given, key) ? given[key] : undefined
      if (answer !== undefined && 'result' in answer) await this.#noteUndelivered(call, id)
    }
  }

  async #noteUndelivered({ tenant }: Call, id: string): Promise<void> {
    await withinOrFail(this.#store.asks.undelivered(tenant, id, true), 0).catch(this.#onError)
  }

  /** Returns the ended ask. If the store is slow the call continues without it: the ask expires by its deadline. */
  async #withdraw({ tenant }: Call, id: string, reason: WithdrawReason): Promise<Ask | undefined> {
    const ended = await withinOrFail(this.#store.asks.withdraw(tenant, id, reason), 0).catch(this.#onError)
    return ended !== undefined && 'ask' in ended ? ended.ask : undefined
  }

  /** Assigns each of these questions a fallback ask, raised if the client does not answer in time. */
  #copied(call: Call, below: CallLayer, state: LiveRoutingState, keys: readonly string[]): LiveRoutingState {
    const copies = keys.flatMap((key): [string, string][] => {
      const wanted = state.wanted[key]
      // The asks of a held call are in the inbox from the start.
      const isThere = Object.hasOwn(state.copies, key) || Object.hasOwn(state.onRecord, key)
      if (!this.hasInbox || isThere || (wanted?.kind !== 'form' && wanted?.kind !== 'url')) return []
      const copy = this.inboxFallback.begin(putOf(call, below, state, wanted))
      return copy === undefined ? [] : [[key, copy]]
    })
    return { ...state, copies: { ...state.copies, ...Object.fromEntries(copies) } }
  }

  /** The first of the client's and the inbox's answer; undefined when the inbox still asks. */
  async #first(
    call: Call,
    below: CallLayer,
    state: RoutingState,
    key: string,
    given: InputResponse,
  ): Promise<Counting | undefined> {
    const [copy, wanted] = [own(state.copies, key), state.wanted[key]]
    if (copy === undefined || wanted === undefined) return { given }
    if (!call.signal.aborted) return this.inboxFallback.answered(putOf(call, below, state, wanted), copy, given)
    await this.inboxFallback.withdraw(call, copy, 'call-cancelled')
    return { given }
  }

  #surfacesOf(server: string): readonly Surface[] {
    return this.#settings.surfacesOf?.(server) ?? this.#settings.surfaces
  }

  #isInboxFirst(server: string): boolean {
    const surfaces = this.#surfacesOf(server)
    return surfaces.includes('client') && surfaces.indexOf('inbox') === 0
  }

  /** With the inbox as first choice: the time left before the client is asked too. */
  async #quietMs(call: Call, { resume, wanted, inInbox }: RoutingState): Promise<number> {
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

  /** Sends the questions that the client can show to the client too. */
  #alsoTheClient(call: Call, state: LiveRoutingState): LiveRoutingState {
    const canShow = (key: string) => this.#canShow(call.client, state.resume.server, state.wanted[key])
    const moving = Object.entries(state.inInbox).filter(([key]) => canShow(key))
    const staying = Object.entries(state.inInbox).filter(([key]) => !canShow(key))
    const copies = { ...state.copies, ...Object.fromEntries(moving) }
    return { ...state, copies, inInbox: Object.fromEntries(staying) }
  }

  #clientShows(client: ClientProfile, server: string, wanted: InputRequest): boolean {
    const isForPeople = wanted.kind === 'form' || wanted.kind === 'url'
    return this.#canShow(client, server, wanted) && !(isForPeople && this.#isInboxFirst(server))
  }

  #canShow(client: ClientProfile, server: string, wanted: InputRequest | undefined): boolean {
    if (wanted === undefined) return false
    if (wanted.kind !== 'form' && wanted.kind !== 'url') return true
    if (!this.#surfacesOf(server).includes('client') || !canBeAsked(client.declared, wanted.kind)) return false
    const traits = traitsOf(client.info)
    if (wanted.kind === 'url') return traits.showsLinks
    const read = readKnownForm(wanted.schema)
    return read.ok && drawingProblem(traits, read.form) === undefined
  }

  #isSeen({ info }: ClientProfile, wanted: InputRequest, given: InputResponse, afterMs: number | undefined): boolean {
    return !needsPerson(wanted) || this.#isFromPerson({ info }, given, afterMs)
  }

  #isFromPerson({ info }: Pick<ClientProfile, 'info'>, given: InputResponse, afterMs: number | undefined): boolean {
    if (afterMs === undefined) return true
    const action = 'result' in given ? given.result.action : 'cancel'
    if (action !== 'accept' && action !== 'decline' && action !== 'cancel') return false
    const content = 'result' in given ? objectAt(given.result, 'content') : undefined
    const hasContent = content !== undefined && Object.keys(content).length > 0
    return answeredByPerson(traitsOf(info), { action, hasContent, afterMs }, this.#settings.unseenAfterMs)
  }
}

/** Converts valid answers to the types of the server's schema; the store expects them in that form too. */
function asAsked(
  { schemas }: RelayState,
  came: Readonly<Record<string, TimedResponse>>,
): Readonly<Record<string, TimedResponse>> {
  return Object.fromEntries(
    Object.entries(came).map(([key, one]) => {
      const schema = Object.hasOwn(schemas, key) ? schemas[key] : false
      if (one.given === undefined || typeof schema === 'boolean') return [key, one]
      const checked = checkResponse(schema, one.given)
      return [key, checked.ok ? { ...one, given: checked.given } : one]
    }),
  )
}

function unfinished({ over, ...state }: LiveRoutingState, forClient: readonly string[]): Outcome {
  const wanted = Object.fromEntries(forClient.map((key) => [key, state.wanted[key] as InputRequest]))
  return { kind: 'input-required', wanted, resume: writeRoutingState(state), ...(over === undefined ? {} : { over }) }
}

/**
 * The shutdown phase in which the caller leaves this process. Undefined for a caller that cannot retry while a server
 * waits in this process: a deferred result would be useless to it.
 */
function phaseToLeave({ over }: LiveRoutingState, { canRetry, goesAt }: Hold): ShutdownPhase | undefined {
  return canRetry || over === undefined ? goesAt : undefined
}

function forClientOf({ wanted, inInbox, kept }: RoutingState): readonly string[] {
  return Object.keys(wanted).filter((key) => !Object.hasOwn(inInbox, key) && !Object.hasOwn(kept, key))
}

/**
 * The claim key of a round that carries an inbox answer; undefined for any other round. Every state of a round contains
 * the round's id, wherever its questions are, and a state is bound to its principal and request. Held calls store their
 * outcomes themselves.
 */
function claimOf({ tenant, principal }: Call, { resume, inInbox, hasInboxAnswer }: RoutingState): RoundKey | undefined {
  const isFromInbox = hasInboxAnswer === true || Object.keys(inInbox).length > 0
  if (!isFromInbox || resume.round === undefined || heldId(resume.inner) !== undefined) return undefined
  return { tenant, id: resume.round.id, principal }
}

/** Whether a person answers it; the client answers the other kinds itself. */
function needsPerson({ kind }: InputRequest): boolean {
  return kind === 'form' || kind === 'url'
}

function isOutcome(next: RoutingState | Outcome): next is Outcome {
  return 'kind' in next
}

function relayStateIn({ resume }: Outcome & { kind: 'input-required' }): RelayState {
  const state = readRelayState(resume)
  if (state === undefined) throw new Error('The relay state is missing.')
  return state
}

function isPage(wanted: InputRequest): boolean {
  return wanted.kind === 'url' && wanted.secret !== undefined
}

function isYes(given: InputResponse | undefined): boolean {
  return given !== undefined && 'result' in given && given.result.action === 'accept'
}

function isCallerGone({ state }: Ask): boolean {
  return state.kind === 'withdrawn' && state.reason === 'caller-gone'
}

function isEnded(ask: Ask | 'unknown' | undefined): ask is Ask {
  return ask !== undefined && ask !== 'unknown'
}

function putOf(call: Call, below: CallLayer, { resume }: RoutingState, wanted: InputRequest): Put {
  const isHeld = heldId(resume.inner) !== undefined
  const put = { call: calledBy(call, resume.target), server: resume.server, wanted, isHeld, round: resume.round }
  const record = below.record?.bind(below, resume)
  return record === undefined ? put : { ...put, record }
}

// hasOwn, because a server may call its question "constructor".
function own(record: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined
}

function isNo(given: InputResponse): boolean {
  return 'result' in given && (given.result.action === 'decline' || given.result.action === 'cancel')
}

/** Whether accepting this form approves something. An unreadable form counts as an approval; it is refused later. */
function approves(schema: JsonValue | undefined): boolean {
  if (schema === true) return false
  const read = readKnownForm(schema)
  return !read.ok || isApprovalForm(read.form)
}

export const askedTooOften: Outcome = failed(errorCodes.refused, 'The server asked too often.')
const callerLeft = failed(errorCodes.refused, 'The caller disconnected.')
const cancelledMeanwhile = failed(
  errorCodes.refused,
  'The caller cancelled this request while the server ran it. Whether the call did anything is not known: check before calling it again.',
)
const stateMissing = failed(errorCodes.invalidParams, 'This state is not valid for this request.')
