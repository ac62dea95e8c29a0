// What every request of this revision carries about the caller, and how its rounds are spelled.

import { isPlainObject, type JsonObject, type JsonValue, readAskMeta } from '@assent/core'
import type { Call, Given, Outcome, Wanted } from '../../relay/exchange.ts'
import { failed } from '../../relay/exchange.ts'
import { errorCodes, objectAt, type Reply, stringAt } from '../../wire/messages.ts'
import { isUnfinished, metaKeys, revision } from '../../wire/words-2026-07-28.ts'
import { readElicitation } from '../2025-11-25/questions.ts'

/** The parameters of a request on the caller's behalf. */
export function withEnvelope(call: Call): JsonObject {
  return {
    ...call.params,
    _meta: {
      ...objectAt(call.params, '_meta'),
      [metaKeys.version]: revision,
      [metaKeys.capabilities]: call.client.capabilities,
      ...(Object.keys(call.client.info).length === 0 ? {} : { [metaKeys.info]: call.client.info }),
    },
  }
}

/** The same call made again with the answers, and with the server's own state byte for byte, if it gave one. */
export function retryOf(call: Call, resume: JsonValue, given: Readonly<Record<string, Given>>): Call {
  const { requestState: _ours, ...params } = call.params
  const { state, ours } = readResume(resume)
  const inputResponses = Object.fromEntries(
    Object.entries(given).map(([key, answer]) => [key, ours.includes(key) ? explainedInput(answer) : inputOf(answer)]),
  )
  const rounds = {
    ...(Object.keys(given).length === 0 ? {} : { inputResponses }),
    ...(state === undefined ? {} : { requestState: state }),
  }
  const { inputResponses: _raw, ...bare } = params
  return { ...call, params: { ...bare, ...rounds } }
}

/** What `outcomeOf` kept for the retry: the server's state, and which questions came from an asker of ours. */
function readResume(resume: JsonValue): { readonly state: string | undefined; readonly ours: readonly JsonValue[] } {
  const kept = isPlainObject(resume) ? (resume as JsonObject) : {}
  return { state: stringAt(kept, 'state'), ours: Array.isArray(kept.ours) ? kept.ours : [] }
}

/** An asker of ours distinguishes a dismissed question from one that nobody answered, or whose answer did not fit. */
function explainedInput(given: Given): JsonObject {
  const reason = 'result' in given ? undefined : reasonOf(given.error.data)
  return reason === undefined ? inputOf(given) : { action: 'cancel', _meta: { 'assent/no-answer': reason } }
}

function reasonOf(data: unknown): 'expired' | 'unverified' | undefined {
  const reason = isPlainObject(data) ? data.reason : undefined
  return reason === 'expired' || reason === 'unverified' ? reason : undefined
}

// This revision has no way to answer a question with an error; no answer is the nearest thing to it.
function inputOf(given: Given): JsonObject {
  return 'result' in given ? given.result : { action: 'cancel' }
}

export function outcomeOf(reply: Reply, status?: number): Outcome {
  if ('error' in reply) {
    const { code, message, data } = reply.error
    const outcome = failed(code, message, data)
    return status === undefined ? outcome : ({ ...outcome, status } as Outcome)
  }
  const { result } = reply
  if (!isUnfinished(result)) return { kind: 'finished', result }
  const wanted = readWanted(objectAt(result, 'inputRequests') ?? {})
  if (wanted === undefined) return failed(errorCodes.internal, 'The server asked for something in a form nobody knows.')
  const state = stringAt(result, 'requestState')
  const ours = Object.keys(wanted).filter((key) => readAskMeta(wanted[key]?.params) !== undefined)
  const resume = { ...(state === undefined ? {} : { state }), ...(ours.length === 0 ? {} : { ours }) }
  return { kind: 'needs-people', wanted, resume }
}

function readWanted(requests: JsonObject): Record<string, Wanted> | undefined {
  const wanted: Record<string, Wanted> = {}
  for (const [key, request] of Object.entries(requests)) {
    if (!isPlainObject(request)) return undefined
    const params = objectAt(request as JsonObject, 'params') ?? {}
    const question = questionOf(request.method, params)
    if (question === undefined) return undefined
    Object.defineProperty(wanted, key, { value: question, enumerable: true })
  }
  return wanted
}

function questionOf(method: unknown, params: JsonObject): Wanted | undefined {
  if (method === 'elicitation/create') return readElicitation(params)
  if (method === 'sampling/createMessage') return { kind: 'sampling', params }
  return method === 'roots/list' ? { kind: 'roots', params } : undefined
}
