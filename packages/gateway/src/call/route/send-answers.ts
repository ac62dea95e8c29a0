// Sends the answers of a round to the server.
//
// Owns: when a round is sent, and that a round with an inbox answer, or of an approved call, is sent once.
// I1  A round that carries an inbox answer and that another request could send too is claimed in the store first. So is a
//     round with the approval of a call, wherever it is asked, and every later round of an approved call.
// I2  Nothing is sent for a caller that is gone and cannot retry; its inbox answers are recorded as undelivered.
// I3  A cancellation does not overtake the answers (cancelled-later.ts).

import type { RoundKey, Store } from '@assent/store'
import { errorCodes } from '../../protocol/messages.ts'
import { own } from '../../protocol/own.ts'
import { type CallState, isRouted, type RelayState, type RoutingState, relayPart } from '../call-state.ts'
import type { CallerWait, CallLayer, Retry } from '../layers.ts'
import { type Answers, type Call, failed, heldId, type Outcome, withAskIds } from '../model.ts'
import { isPolicyState } from '../policy/approval-request.ts'
import { approvedIn } from '../policy/approved-state.ts'
import type { Shutdown } from '../shutdown.ts'
import { outcomeText } from '../text/outcomes.ts'
import { type LiveRoutingState, noCaller } from './answer-wait.ts'
import { cancelledLater } from './cancelled-later.ts'
import { deliver } from './delivery.ts'
import { isApproval } from './inbox-asks.ts'
import type { RoundAsks } from './round-asks.ts'

/** The result of a round: the end of the call, or further questions. */
export type RoundResult = LiveRoutingState | Outcome<RelayState>

/** How long a request waits for another one that runs its round. */
export interface ClaimTimeouts {
  readonly forMs: number
  readonly signal: AbortSignal
}

/** Runs a round under a claim: each round once, and every retry gets its result. */
export interface RoundClaims {
  find(name: RoundKey, wait: ClaimTimeouts): Promise<RoundResult | 'running' | undefined>
  run(name: RoundKey, wait: ClaimTimeouts, send: () => Promise<RoundResult>): Promise<RoundResult | 'running'>
}

/** Chooses the surfaces of the questions in an outcome, and raises their asks. */
type Route = (call: Call, below: CallLayer, outcome: Outcome<RelayState>) => Promise<RoundResult>

/** The outcome of a round whose process died, or was stopped, while the server ran it. */
export const outcomeUnknown = failed(errorCodes.refused, outcomeText.unknown)

export class AnswerSender {
  readonly #store: Store
  readonly #claims: RoundClaims
  readonly #asks: RoundAsks
  readonly #shutdown: Shutdown
  readonly #route: Route
  readonly #onError: (error: unknown) => void

  constructor(
    store: Store,
    claims: RoundClaims,
    asks: RoundAsks,
    shutdown: Shutdown,
    route: Route,
    onError: (error: unknown) => void,
  ) {
    this.#store = store
    this.#claims = claims
    this.#asks = asks
    this.#shutdown = shutdown
    this.#route = route
    this.#onError = onError
  }

  /** Returns what comes next, or `running` when another request sends the round and has no outcome yet. */
  async send(
    call: Call,
    below: CallLayer,
    state: RoutingState,
    given: Answers,
    { retry, forMs }: CallerWait,
  ): Promise<RoundResult | 'running'> {
    if (retry === undefined && call.signal.aborted) return this.#callerGone(call, below, state, given)
    const isApproval = approvalAsk(state) !== undefined
    const name =
      retry === undefined && !isApproval && approvedRound(state) === undefined ? undefined : claimOf(call, state)
    if (name === undefined) {
      const outcome = await this.#sendAnswers(call, below, state, given)
      // Without a retry these answers are never sent.
      if (retry === undefined && isUnsent(outcome)) await this.#asks.noteUndelivered(call, state, given)
      return this.#route(call, below, outcome)
    }
    // The caller dropped this request and will retry with its state. Until then nothing runs.
    if (call.signal.aborted) return 'running'
    const next = await this.#claims.run(name, { forMs, signal: call.signal }, () =>
      this.#sendOnce(call, below, state, given, retry ?? { runsOn: false }),
    )
    // Another request can bring the same approval; but answers to other questions are never sent without a retry.
    if (retry === undefined && !isApproval && next !== 'running' && isUnsent(next))
      await this.#asks.noteUndelivered(call, state, given)
    // From now on the state of a caller that can retry refers to the next questions, on any replica.
    if (retry !== undefined) await call.waiting?.handOut()
    return next
  }

  /** The result of a round that was sent already; undefined for one that was not, or that needs no claim. */
  async sent(
    call: Call,
    state: RoutingState,
    { forMs }: Pick<CallerWait, 'forMs'>,
  ): Promise<RoundResult | 'running' | undefined> {
    const name = claimOf(call, state)
    return name === undefined ? undefined : this.#claims.find(name, { forMs, signal: call.signal })
  }

  /**
   * The caller dropped its request and cannot retry, so nothing is sent. Answers that were given in the inbox just
   * before are recorded as undelivered.
   */
  async #callerGone(call: Call, below: CallLayer, state: RoutingState, given: Answers): Promise<RoundResult> {
    await this.#asks.noteUndelivered(call, state, given)
    // A server that waits inside its call gets a cancellation.
    return heldId(state.inner) === undefined
      ? callerLeft
      : this.#route(call, below, await below.continue(call, relayPart(state), {}))
  }

  /** For calls held for callers that retry, HeldCalls records what was delivered. */
  async #sendAnswers(call: Call, below: CallLayer, state: RoutingState, given: Answers): Promise<Outcome<RelayState>> {
    const { signal, end } = cancelledLater(call.signal)
    const asks = asksOf(state)
    const send = () =>
      below.continue(
        { ...call, signal },
        relayPart(state),
        withAskIds(given, (key) => asks.get(key)),
      )
    const delivering = { store: this.#store, tenant: call.tenant, asks, onError: this.#onError }
    try {
      return below.record === undefined ? await send() : await deliver(delivering, given, send)
    } finally {
      end()
    }
  }

  async #sendOnce(
    call: Call,
    below: CallLayer,
    state: RoutingState,
    given: Answers,
    { runsOn }: Retry,
  ): Promise<RoundResult> {
    const ending = new AbortController()
    const unsubscribe = this.#shutdown.onPhase('closed', () => ending.abort(noCaller))
    const notify: Call['notify'] = (notification) => (call.signal.aborted ? undefined : call.notify(notification))
    const later = cancelledLater(call.signal)
    const inner = runsOn ? { ...call, notify, signal: ending.signal } : { ...call, signal: later.signal }
    try {
      const asks = asksOf(state)
      const answers = withAskIds(given, (key) => asks.get(key))
      const outcome = await below.continue(inner, relayPart(state), answers)
      if (outcome.kind === 'failed' && !isUnsent(outcome) && inner.signal.aborted)
        return runsOn ? outcomeUnknown : cancelledMeanwhile
      const next = await this.#route(inner, below, outcome)
      // A retry must get the same ask ids, so the ids of fallback asks are assigned before the state is stored.
      return isOutcome(next) ? next : this.#asks.withFallback(inner, below, next, forClientOf(next))
    } finally {
      unsubscribe()
      later.end()
    }
  }
}

/** The stored asks of a round, by the key of their question. */
function asksOf({ onRecord, copies, inInbox }: RoutingState): Map<string, string> {
  return new Map(Object.entries({ ...onRecord, ...copies, ...inInbox }))
}

/** The questions that are neither in the inbox nor answered. */
export function forClientOf({ wanted, inInbox, kept }: RoutingState): readonly string[] {
  return Object.keys(wanted).filter((key) => !Object.hasOwn(inInbox, key) && !Object.hasOwn(kept, key))
}

export function isOutcome(next: RoundResult): next is Outcome<RelayState> {
  return 'kind' in next
}

/** Whether nothing of the request was sent. */
export function isUnsent(next: RoundResult): boolean {
  return isOutcome(next) && next.kind === 'failed' && next.isUnsent === true
}

/** Whether the answers of this round are sent once, however many requests carry them: by its holder, or under a claim. */
export function isSentOnce(state: CallState): boolean {
  return heldId(state.inner) !== undefined || (isRouted(state) && roundClaimed(state) !== undefined)
}

/**
 * The claim key of a round that is sent once; undefined for any other round. Every state of a round contains
 * the round's id, wherever its questions are, and a state is bound to its principal and request. Held calls store their
 * outcomes themselves.
 */
function claimOf({ tenant, principal }: Call, state: RoutingState): RoundKey | undefined {
  const id = roundClaimed(state)
  return id === undefined ? undefined : { tenant, id, principal }
}

function roundClaimed(state: RoutingState): string | undefined {
  const { round, inner, inInbox, hasInboxAnswer } = state
  const approval = approvalAsk(state)
  if (approval !== undefined) return `approval ${approval}`
  if (isPolicyState(inner) && round !== undefined) return `client approval ${round.id}`
  const approved = approvedRound(state)
  if (approved !== undefined) return `approved ${approved}`
  const isFromInbox = hasInboxAnswer === true || Object.keys(inInbox).length > 0
  return isFromInbox && heldId(inner) === undefined ? round?.id : undefined
}

/**
 * The ask of a policy that this round waits for, which may not be stored yet if the client is asked. Calls that wait for
 * the same ask share its claim: one of them runs, and all get its outcome.
 */
function approvalAsk(state: RoutingState): string | undefined {
  const key = keyOfApproval(state)
  return key === undefined ? undefined : (own(state.inInbox, key) ?? own(state.copies, key))
}

/** The key of the question for the approval of the call, if a policy requires one. */
export function keyOfApproval({ wanted }: Pick<RoutingState, 'wanted'>): string | undefined {
  return Object.entries(wanted).find(([, one]) => isApproval(one))?.[0]
}

/** Whether a round of which only the client was asked is sent once: it has the call's approval, or comes after it. */
export function isOfApproval(state: RelayState): boolean {
  return isPolicyState(state.inner) || approvedRound(state) !== undefined
}

/** The id of a round that a call has after its approval was used. A held call is continued by its holder alone. */
function approvedRound({ inner }: Pick<CallState, 'inner'>): string | undefined {
  return heldId(inner) === undefined ? approvedIn(inner)?.round : undefined
}

const callerLeft = failed(errorCodes.refused, outcomeText.callerLeft)
const cancelledMeanwhile = failed(errorCodes.refused, outcomeText.cancelledMeanwhile)
