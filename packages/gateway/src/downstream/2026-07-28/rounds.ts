// A call that needs people, as this revision tells it: it ends unfinished, with the questions and a state that brings
// everything back when the client makes the call again.
//
// The state is sealed for this caller, this method and these arguments. It expires soon after the questions that the client
// shows; while only the inbox is asked it is valid for a day longer, so that an answer given in time is still fetched.

import {
  isAssentError,
  isPlainObject,
  type JsonObject,
  type JsonValue,
  seal,
  understandsAskMeta,
  unseal,
} from '@assent/core'
import { relayLimits } from '../../limits.ts'
import type { OpenRound } from '../../relay/asking.ts'
import { askMetaFor, canBeAsked, requiredFor } from '../../relay/capabilities.ts'
import { type Call, failed, type Outcome, tooMuchState, type Wanted } from '../../relay/exchange.ts'
import { expired } from '../../relay/judge-wanted.ts'
import { readResume } from '../../relay/relay.ts'
import { shownSchema } from '../../relay/shown-schema.ts'
import { shownWaitMs } from '../../surfaces/ask-deadline.ts'
import { readPlace } from '../../surfaces/place.ts'
import type { Came } from '../../surfaces/routing.ts'
import { errorCodes, objectAt, stringAt } from '../../wire/messages.ts'
import { randomBytes } from '../../wire/random.ts'
import { withReason } from '../ask-again.ts'
import type { Serving } from '../context.ts'

export type Round =
  | { readonly kind: 'first' }
  | {
      readonly kind: 'retry'
      readonly resume: JsonValue
      readonly came: Readonly<Record<string, Came>>
      /** The forms that the client was asked, where the resume does not have them. */
      readonly asked: JsonObject
      /** How often the client was asked again in this round. */
      readonly again: number
    }
  | { readonly kind: 'refused'; readonly outcome: Outcome }

/** The tenant too: several may share their keys, and a person may be known to more than one. */
function purposeOf({ tenant }: Call): string {
  return `round ${tenant}`
}

/** What the client brings back. Without a state of ours there is nothing to continue, and the server decides. */
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
  const nowMs = store.nowMs()
  const deadlines = objectAt(payload, 'deadlines')
  // A gateway of ours was sent the deadlines, and brings only answers that were given before them.
  const isGateway = understandsAskMeta(call.client.declared)
  // Stamped when the questions were sent: a reload that changes how long people may take does not move it.
  const askedAtMs = typeof payload.askedAtMs === 'number' ? payload.askedAtMs : Number(payload.decideByMs) - askWaitMs
  const responses = call.params.inputResponses ?? {}
  if (!isPlainObject(responses)) return refuse('The responses are an object, one member for each question.')
  const came: [string, Came][] = []
  for (const [key, response] of Object.entries(responses)) {
    if (!isPlainObject(response)) return refuse(`The response to "${key.slice(0, 64)}" is not an object.`)
    const isLate = !isGateway && !(nowMs < Number(numberAt(deadlines, key) ?? payload.decideByMs))
    came.push([key, isLate ? { given: expired } : { given: { result: response }, afterMs: nowMs - askedAtMs }])
  }
  const repeat = objectAt(payload, 'repeat')
  const kept = (objectAt(repeat ?? {}, 'kept') ?? {}) as unknown as Readonly<Record<string, Came>>
  return {
    kind: 'retry',
    resume: payload.resume ?? null,
    came: { ...kept, ...Object.fromEntries(came) },
    asked: objectAt(payload, 'asked') ?? {},
    again: typeof repeat?.count === 'number' ? repeat.count : 0,
  }
}

export type Unfinished =
  | { readonly ok: true; readonly result: JsonObject }
  | { readonly ok: false; readonly outcome: Outcome }

export function inputRequired(
  serving: Serving,
  call: Call,
  outcome: Outcome & { kind: 'needs-people' },
  requestDigest: string,
): Unfinished {
  const nowMs = serving.store.nowMs()
  const elapsedMs = Math.max(0, nowMs - (roundOf(outcome.resume)?.atMs ?? nowMs))
  const requests: [string, JsonValue][] = []
  for (const [key, wanted] of Object.entries(outcome.wanted)) {
    if (!canBeAsked(call.client.declared, wanted.kind)) {
      const data = { requiredCapabilities: requiredFor(wanted.kind) }
      return {
        ok: false,
        outcome: failed(errorCodes.missingCapability, 'The client did not declare what this call needs.', data),
      }
    }
    const reasons = outcome.repeat?.reasons ?? {}
    const shown = withReason(wanted, Object.hasOwn(reasons, key) ? reasons[key] : undefined)
    requests.push([key, questionOf(shown, call.client.declared, shownWaitMs(serving, wanted, elapsedMs))])
  }
  const place = readPlace(outcome.resume)
  const deadlines = Object.fromEntries(
    Object.entries(outcome.wanted).map(([key, one]) => [key, nowMs + shownWaitMs(serving, one, elapsedMs)]),
  )
  const inboxMs = place?.untilMs === undefined ? 0 : Math.max(0, place.untilMs - nowMs) + relayLimits.deferredExtraMs
  // A gateway of ours may bring an answer much later than its person gave it.
  const extraMs = understandsAskMeta(call.client.declared) ? relayLimits.deferredExtraMs : relayLimits.stateTtlExtraMs
  const ttlMs = Math.ceil(Math.max(serving.askWaitMs + extraMs, inboxMs))
  const binding = { principal: call.principal, purpose: purposeOf(call), requestDigest, ttlMs }
  const decideByMs = nowMs + serving.askWaitMs
  const repeat = outcome.repeat === undefined ? {} : { repeat: outcome.repeat as unknown as JsonObject }
  const asked = place === undefined ? { asked: formsIn(outcome.wanted) } : {}
  const payload = { resume: outcome.resume, askedAtMs: nowMs, decideByMs, deadlines, ...asked, ...repeat }
  const requestState = sealed(serving, binding, payload)
  if (requestState === undefined) return { ok: false, outcome: tooMuchState }
  const inputRequests = requests.length === 0 ? {} : { inputRequests: Object.fromEntries(requests) }
  return { ok: true, result: { resultType: 'input_required', ...inputRequests, requestState } }
}

/** What is needed to ask a form again. Its schema is in the resume. */
function formsIn(wanted: Readonly<Record<string, Wanted>>): JsonObject {
  return Object.fromEntries(
    Object.entries(wanted).flatMap(([key, one]) => {
      const { requestedSchema: _schema, ...params } = one.params
      return one.kind === 'form' ? [[key, params]] : []
    }),
  )
}

/**
 * The questions of this round whose answers do not fit, to be put once more; undefined when the round goes on. Not where the
 * inbox asks them too: it keeps asking.
 */
export async function askedAgain(
  { routing }: Serving,
  call: Call,
  { resume, came, asked, again }: Round & { kind: 'retry' },
): Promise<Outcome | undefined> {
  if (again >= relayLimits.asksAgain || call.signal.aborted) return undefined
  const place = readPlace(resume)
  const schemas = (place?.resume ?? readResume(resume))?.schemas ?? {}
  const wanted: [string, Wanted][] = []
  const reasons: [string, string][] = []
  const kept: [string, JsonValue][] = []
  for (const [key, one] of Object.entries(came)) {
    const form = place === undefined ? formAsked(asked, schemas, key) : own(place.wanted, key)
    const isElsewhere = place !== undefined && (Object.hasOwn(place.inInbox, key) || Object.hasOwn(place.kept, key))
    const reason = form === undefined || isElsewhere ? undefined : routing.problemWith(call, form, one)
    if (form === undefined || reason === undefined) kept.push([key, one as unknown as JsonValue])
    else if (await routing.isInInbox(call, own(place?.copies ?? {}, key))) return undefined
    else {
      wanted.push([key, form])
      reasons.push([key, reason])
    }
  }
  if (wanted.length === 0) return undefined
  const repeat = { count: again + 1, reasons: Object.fromEntries(reasons), kept: Object.fromEntries(kept) }
  return { kind: 'needs-people', wanted: Object.fromEntries(wanted), resume, repeat }
}

function formAsked(asked: JsonObject, schemas: JsonObject, key: string): Wanted | undefined {
  const params = Object.hasOwn(asked, key) ? objectAt(asked, key) : undefined
  if (params === undefined || !Object.hasOwn(schemas, key)) return undefined
  const schema = schemas[key] ?? null
  return {
    kind: 'form',
    message: stringAt(params, 'message') ?? '',
    schema,
    params: { ...params, requestedSchema: schema },
  }
}

/** By its own member, because a server chooses the keys. */
function own<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined
}

function roundOf(resume: JsonValue): OpenRound | undefined {
  return (readPlace(resume)?.resume ?? readResume(resume))?.round
}

/** By its own member, because a server chooses the keys. */
function numberAt(parent: JsonObject | undefined, key: string): number | undefined {
  const value = parent !== undefined && Object.hasOwn(parent, key) ? parent[key] : undefined
  return typeof value === 'number' ? value : undefined
}

/** Undefined for more than a state can hold: a server may ask with a state of its own as large as a message. */
function sealed(serving: Serving, binding: Parameters<typeof seal>[1], payload: JsonObject): string | undefined {
  try {
    return seal(serving.keys, binding, payload, { nowMs: serving.store.nowMs(), random: randomBytes })
  } catch (error) {
    if (isAssentError(error, 'limit_exceeded')) return undefined
    throw error
  }
}

function questionOf(wanted: Wanted, declared: JsonObject, waitMs: number): JsonObject {
  switch (wanted.kind) {
    case 'sampling':
      return { method: 'sampling/createMessage', params: wanted.params }
    case 'roots':
      return { method: 'roots/list', ...(Object.keys(wanted.params).length === 0 ? {} : { params: wanted.params }) }
    default: {
      // The id belongs to the older revision, where a notification says that the page was done with.
      const { elicitationId: _id, _meta, ...params } = wanted.params
      const meta = askMetaFor(wanted.params, declared, waitMs)
      const form = wanted.kind === 'form' ? { requestedSchema: shownSchema(wanted.schema, '2026-07-28') } : {}
      return { method: 'elicitation/create', params: { ...params, ...form, mode: wanted.kind, ...meta } }
    }
  }
}

function refuse(message: string): Round {
  return { kind: 'refused', outcome: { ...failed(errorCodes.invalidParams, message), status: 400 } as Outcome }
}
