// A call that needs people, as this revision tells it: it ends unfinished, with the questions and a state that brings
// everything back when the client makes the call again.
//
// The state is sealed: for this caller, this method and these arguments, until the people's time is up.

import { randomBytes } from 'node:crypto'
import {
  isAssentError,
  isPlainObject,
  type JsonObject,
  type JsonValue,
  requestDigest,
  seal,
  unseal,
} from '@assent/core'
import { relayLimits } from '../../limits.ts'
import { canBeAsked, requiredFor } from '../../relay/capabilities.ts'
import { type Call, failed, type Given, type Outcome, type Wanted } from '../../relay/exchange.ts'
import { noAnswer } from '../../relay/judge-wanted.ts'
import { type Resume, readResume } from '../../relay/relay.ts'
import { errorCodes, objectAt, stringAt } from '../../wire/messages.ts'
import type { Serving } from '../context.ts'

export type Round =
  | { readonly kind: 'first' }
  | { readonly kind: 'retry'; readonly resume: Resume; readonly given: Readonly<Record<string, Given>> }
  | { readonly kind: 'refused'; readonly outcome: Outcome }

const purpose = 'round'

/** What the client brings back. Without a state of ours there is nothing to continue, and the server decides. */
export function readRound({ keys }: Serving, call: Call, requestDigest: string): Round {
  const { requestState } = call.params
  if (requestState === undefined) return { kind: 'first' }
  const opened = unseal(keys, requestState, {
    principal: call.principal,
    purpose,
    requestDigest,
    nowMs: Date.now(),
  })
  if (!opened.ok) return refuse(opened.message)
  const payload = isPlainObject(opened.payload) ? (opened.payload as JsonObject) : {}
  const resume = readResume(payload.resume ?? null)
  if (resume === undefined) return refuse('This state is not valid for this request.')
  const isLate = !(Date.now() < Number(payload.decideByMs))
  const responses = call.params.inputResponses ?? {}
  if (!isPlainObject(responses)) return refuse('The responses are an object, one member for each question.')
  const given: [string, Given][] = []
  for (const [key, response] of Object.entries(responses)) {
    if (!isPlainObject(response)) return refuse(`The response to "${key.slice(0, 64)}" is not an object.`)
    given.push([key, isLate ? noAnswer : { result: response as JsonObject }])
  }
  return { kind: 'retry', resume, given: Object.fromEntries(given) }
}

export type Unfinished =
  | { readonly ok: true; readonly result: JsonObject }
  | { readonly ok: false; readonly outcome: Outcome }

export function inputRequired(serving: Serving, call: Call, outcome: Outcome & { kind: 'needs-people' }): Unfinished {
  const requests: [string, JsonValue][] = []
  for (const [key, wanted] of Object.entries(outcome.wanted)) {
    if (!canBeAsked(call.client.capabilities, wanted.kind)) {
      const data = { requiredCapabilities: requiredFor(wanted.kind) }
      return {
        ok: false,
        outcome: failed(errorCodes.missingCapability, 'The client did not declare what this call needs.', data),
      }
    }
    requests.push([key, questionOf(wanted)])
  }
  const ttlMs = serving.askWaitMs + relayLimits.stateTtlExtraMs
  const binding = { principal: call.principal, purpose, requestDigest: digestOfRequest(call) ?? '', ttlMs }
  const payload = { resume: outcome.resume, decideByMs: Date.now() + serving.askWaitMs }
  const requestState = seal(serving.keys, binding, payload, { nowMs: Date.now(), random: randomBytes })
  const inputRequests = requests.length === 0 ? {} : { inputRequests: Object.fromEntries(requests) }
  return { ok: true, result: { resultType: 'input_required', ...inputRequests, requestState } }
}

function questionOf(wanted: Wanted): JsonObject {
  switch (wanted.kind) {
    case 'sampling':
      return { method: 'sampling/createMessage', params: wanted.params }
    case 'roots':
      return { method: 'roots/list', ...(Object.keys(wanted.params).length === 0 ? {} : { params: wanted.params }) }
    default: {
      // The id belongs to the older revision, where a notification says that the page was done with.
      const { elicitationId: _id, _meta, ...params } = wanted.params
      return { method: 'elicitation/create', params: { ...params, mode: wanted.kind } }
    }
  }
}

/** Undefined for a call that has none. */
export function digestOfRequest(call: Call): string | undefined {
  const target = stringAt(call.params, 'name') ?? stringAt(call.params, 'uri') ?? ''
  try {
    return requestDigest({ method: call.method, target, arguments: objectAt(call.params, 'arguments') ?? {} })
  } catch (error) {
    if (isAssentError(error)) return undefined
    throw error
  }
}

function refuse(message: string): Round {
  return { kind: 'refused', outcome: { ...failed(errorCodes.invalidParams, message), status: 400 } as Outcome }
}
