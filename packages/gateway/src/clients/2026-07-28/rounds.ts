// A call that needs input, in this revision: its result has the questions and a state (`requestState`) from which the
// call continues when the client makes it again.
//
// The state is sealed for this caller, this method and these arguments. It expires soon after the questions that the
// client shows; while only the inbox is asked it is valid for a day longer, so that an answer given in time can still
// be fetched.

import { isPlainObject, type JsonObject, type JsonValue, understandsAskMeta, unseal } from '@assent/core'
import {
  type CallState,
  formsToRepeat,
  inboxLeftMs,
  openForMs,
  readCallState,
  writeCallState,
} from '../../call/call-state.ts'
import { askMetaFor, canBeAsked, requiredFor } from '../../call/capabilities.ts'
import type { TimedResponse, TimedResponses } from '../../call/layers.ts'
import { type Call, type Ended, failed, type InputRequest, type NeedsInput } from '../../call/model.ts'
import { shownWaitMs } from '../../call/route/ask-deadline.ts'
import { expired } from '../../call/screen/screen-questions.ts'
import { shownSchema } from '../../call/screen/shown-schema.ts'
import { sealState, tooMuchState } from '../../call/seal-state.ts'
import { relayLimits } from '../../limits.ts'
import { errorCodes, objectAt } from '../../protocol/messages.ts'
import { own } from '../../protocol/own.ts'
import { withReason } from '../ask-again.ts'
import type { Serving } from '../context.ts'
import { ownStalls } from '../stalls.ts'

export type Round =
  | { readonly kind: 'first' }
  | {
      readonly kind: 'retry'
      readonly state: CallState
      readonly came: TimedResponses
      /** The forms that the client was asked, when the state does not contain them. */
      readonly asked: JsonObject
      /** How often the client was asked again in this round. */
      readonly again: number
    }
  | { readonly kind: 'refused'; readonly outcome: Ended }

/** Includes the tenant, because tenants may share keys, and a person may belong to more than one. */
function purposeOf({ tenant }: Call): string {
  return `round ${tenant}`
}

/** Reads the state and the answers of a retry. A request without a state is a first request. */
export function readRound({ keys, store, askWaitMs }: Serving, call: Call, requestDigest: string): Round {
  const { requestState } = call.params
  if (requestState === undefined) return { kind: 'first' }
  const opened = unseal(keys, requestState, {
    principal: call.principal,
    purpose: purposeOf(call),
    requestDigest,
    nowMs: store.nowMs(),
  })
  if (!opened.ok) return refuse(opened.message)
  const payload = isPlainObject(opened.payload) ? (opened.payload as JsonObject) : {}
  const state = readCallState(payload.state)
  if (state === undefined) return { kind: 'refused', outcome: invalidState }
  const nowMs = store.nowMs()
  const deadlines = objectAt(payload, 'deadlines')
  // Another Assent gateway received the deadlines, and returns only answers that were given before them.
  const isGateway = understandsAskMeta(call.client.declared)
  // Set when the questions were sent, so a reload that changes the wait time does not change it.
  const askedAtMs = typeof payload.askedAtMs === 'number' ? payload.askedAtMs : Number(payload.decideByMs) - askWaitMs
  const elapsedMs = nowMs - askedAtMs
  const afterMs = elapsedMs - ownStalls.within(elapsedMs)
  const responses = call.params.inputResponses ?? {}
  if (!isPlainObject(responses)) return refuse('The responses must be an object with one member per question.')
  const came: [string, TimedResponse][] = []
  for (const [key, response] of Object.entries(responses)) {
    if (!isPlainObject(response)) return refuse(`The response to "${key.slice(0, 64)}" is not an object.`)
    const isLate = !isGateway && !(nowMs < Number(numberAt(deadlines, key) ?? payload.decideByMs))
    came.push([key, isLate ? { given: expired } : { given: { result: response }, afterMs }])
  }
  const repeat = objectAt(payload, 'repeat')
  const kept = (objectAt(repeat ?? {}, 'kept') ?? {}) as TimedResponses
  return {
    kind: 'retry',
    state,
    came: { ...kept, ...Object.fromEntries(came) },
    asked: objectAt(payload, 'asked') ?? {},
    again: typeof repeat?.count === 'number' ? repeat.count : 0,
  }
}

export type RoundInput =
  | { readonly ok: true; readonly result: JsonObject }
  | { readonly ok: false; readonly outcome: Ended }

export function inputRequired(
  serving: Serving,
  call: Call,
  outcome: NeedsInput<CallState>,
  requestDigest: string,
): RoundInput {
  const nowMs = serving.store.nowMs()
  const { state } = outcome
  const elapsedMs = openForMs(state, nowMs)
  const requests: [string, JsonValue][] = []
  for (const [key, wanted] of Object.entries(outcome.wanted)) {
    if (!canBeAsked(call.client.declared, wanted.kind)) {
      const data = { requiredCapabilities: requiredFor(wanted.kind) }
      return {
        ok: false,
        outcome: failed(
          errorCodes.missingCapability,
          'The client did not declare a capability that this call needs.',
          data,
        ),
      }
    }
    const reasons = outcome.repeat?.reasons ?? {}
    const shown = withReason(wanted, own(reasons, key))
    requests.push([key, questionOf(shown, call.client.declared, shownWaitMs(serving, wanted, elapsedMs))])
  }
  const deadlines = Object.fromEntries(
    Object.entries(outcome.wanted).map(([key, one]) => [key, nowMs + shownWaitMs(serving, one, elapsedMs)]),
  )
  const inboxMs = inboxLeftMs(state, nowMs)
  // Another Assent gateway may return an answer long after the person gave it.
  const extraMs = understandsAskMeta(call.client.declared) ? relayLimits.deferredExtraMs : relayLimits.stateTtlExtraMs
  // An answer that was given in the inbox in time can still be fetched afterwards.
  const fetchMs = inboxMs === undefined ? 0 : inboxMs + relayLimits.deferredExtraMs
  const ttlMs = Math.ceil(Math.max(serving.askWaitMs + extraMs, fetchMs))
  const binding = { principal: call.principal, purpose: purposeOf(call), requestDigest, ttlMs }
  const decideByMs = nowMs + serving.askWaitMs
  const repeat = outcome.repeat === undefined ? {} : { repeat: outcome.repeat as JsonObject }
  const asked = formsToRepeat(state, outcome.wanted)
  const sealed = { state: writeCallState(state), askedAtMs: nowMs, decideByMs, deadlines, ...repeat }
  const payload = asked === undefined ? sealed : { ...sealed, asked }
  const requestState = sealState(serving, binding, payload)
  if (requestState === undefined) return { ok: false, outcome: tooMuchState }
  ownStalls.watch()
  const inputRequests = requests.length === 0 ? {} : { inputRequests: Object.fromEntries(requests) }
  return { ok: true, result: { resultType: 'input_required', ...inputRequests, requestState } }
}

/**
 * The questions of this round whose answers are invalid, to be asked again; undefined when the round can continue. A
 * question that is also in the inbox is not asked again: it stays open there.
 */
export async function askedAgain(
  { routing }: Serving,
  call: Call,
  { state, came, asked, again }: Round & { kind: 'retry' },
): Promise<NeedsInput<CallState> | undefined> {
  if (again >= relayLimits.asksAgain || call.signal.aborted) return undefined
  const unfit = await routing.invalidAnswers(call, state, came, asked)
  const all = Object.entries(unfit ?? {})
  if (unfit === undefined || all.length === 0) return undefined
  const kept = Object.entries(came).filter(([key]) => !Object.hasOwn(unfit, key))
  const repeat = {
    count: again + 1,
    reasons: Object.fromEntries(all.map(([key, { reason }]) => [key, reason])),
    kept: Object.fromEntries(kept) as JsonObject,
  }
  const wanted = Object.fromEntries(all.map(([key, one]) => [key, one.wanted]))
  return { kind: 'input-required', wanted, state, repeat }
}

/** Own members only, because a server chooses the keys. */
function numberAt(parent: JsonObject | undefined, key: string): number | undefined {
  const value = parent !== undefined && Object.hasOwn(parent, key) ? parent[key] : undefined
  return typeof value === 'number' ? value : undefined
}

function questionOf(wanted: InputRequest, declared: JsonObject, waitMs: number): JsonObject {
  switch (wanted.kind) {
    case 'sampling':
      return { method: 'sampling/createMessage', params: wanted.params }
    case 'roots':
      return { method: 'roots/list', ...(Object.keys(wanted.params).length === 0 ? {} : { params: wanted.params }) }
    default: {
      // The id exists only in the older revision, for the notification that the page was completed.
      const { elicitationId: _id, _meta, ...params } = wanted.params
      const meta = askMetaFor(wanted.params, declared, waitMs)
      const form = wanted.kind === 'form' ? { requestedSchema: shownSchema(wanted.schema, '2026-07-28') } : {}
      return { method: 'elicitation/create', params: { ...params, ...form, mode: wanted.kind, ...meta } }
    }
  }
}

function refuse(message: string): Round {
  return { kind: 'refused', outcome: { ...failed(errorCodes.invalidParams, message), status: 400 } }
}

const invalidState = failed(errorCodes.invalidParams, 'This state is not valid for this request.')
