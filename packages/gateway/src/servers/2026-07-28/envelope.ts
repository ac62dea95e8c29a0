// Encodes what every request of this revision contains about the caller, and encodes and decodes its input rounds.

import { isPlainObject, type JsonObject, type JsonValue, readAskMeta } from '@assent/core'
import type { Answers, Call, InputRequest, InputResponse, Outcome, ServerState } from '../../call/model.ts'
import { failed } from '../../call/model.ts'
import { errorCodes, objectAt, type Reply, stringAt } from '../../protocol/messages.ts'
import { metaKeys, needsInput, revision } from '../../protocol/names-2026-07-28.ts'
import { withoutRound } from '../../protocol/round-params-2026-07-28.ts'
import { readElicitation } from '../2025-11-25/questions.ts'

/** The params of a request on behalf of the caller. */
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

/**
 * The call without state and answers of its caller: only `retryOf` adds answers, which were given to questions of this
 * server. A server without state would take others for answers of the person.
 */
export function firstOf(call: Call): Call {
  return { ...call, params: withoutRound(call.params) }
}

/** The same call with the answers, and with the server's state unchanged, if it sent one. */
export function retryOf(call: Call, kept: ServerState, given: Answers): Call {
  const { state, ours } = readState(kept)
  const inputResponses = Object.fromEntries(
    Object.entries(given).map(([key, answer]) => [key, ours.includes(key) ? explainedInput(answer) : inputOf(answer)]),
  )
  const rounds = {
    ...(Object.keys(given).length === 0 ? {} : { inputResponses }),
    ...(state === undefined ? {} : { requestState: state }),
  }
  return { ...call, params: { ...withoutRound(call.params), ...rounds } }
}

/** What `outcomeOf` stored for the retry: the server's state, and which questions have Assent metadata. */
function readState(kept: ServerState): { readonly state: string | undefined; readonly ours: readonly JsonValue[] } {
  const all = isPlainObject(kept) ? (kept as JsonObject) : {}
  return { state: stringAt(all, 'state'), ours: Array.isArray(all.ours) ? all.ours : [] }
}

/** An Assent asker distinguishes a dismissed question from one that expired or failed, and from an unverified answer. */
function explainedInput(given: InputResponse): JsonObject {
  if ('result' in given) return given.result
  const { data, message } = given.error
  const reason = isPlainObject(data) ? data.reason : undefined
  if (reason === 'expired' || reason === 'unverified')
    return { action: 'cancel', _meta: { 'assent/no-answer': reason } }
  return { action: 'cancel', _meta: { 'assent/no-answer': 'failed', 'assent/reason': message } }
}

// This revision cannot answer a question with an error; `cancel` is the closest.
function inputOf(given: InputResponse): JsonObject {
  return 'result' in given ? given.result : { action: 'cancel' }
}

export function outcomeOf(reply: Reply, status?: number): Outcome {
  if ('error' in reply) {
    const { code, message, data } = reply.error
    const outcome = failed(code, message, data)
    return status === undefined ? outcome : { ...outcome, status }
  }
  const { result } = reply
  if (!needsInput(result)) return { kind: 'finished', result }
  const wanted = readWanted(objectAt(result, 'inputRequests') ?? {})
  if (wanted === undefined) return failed(errorCodes.internal, 'The server asked for input of an unknown kind.')
  const requestState = stringAt(result, 'requestState')
  const ours = Object.keys(wanted).filter((key) => readAskMeta(wanted[key]?.params) !== undefined)
  const state = {
    ...(requestState === undefined ? {} : { state: requestState }),
    ...(ours.length === 0 ? {} : { ours }),
  }
  return { kind: 'input-required', wanted, state }
}

function readWanted(requests: JsonObject): Record<string, InputRequest> | undefined {
  const wanted: Record<string, InputRequest> = {}
  for (const [key, request] of Object.entries(requests)) {
    if (!isPlainObject(request)) return undefined
    const params = objectAt(request as JsonObject, 'params') ?? {}
    const question = questionOf(request.method, params)
    if (question === undefined) return undefined
    Object.defineProperty(wanted, key, { value: question, enumerable: true })
  }
  return wanted
}

function questionOf(method: unknown, params: JsonObject): InputRequest | undefined {
  if (method === 'elicitation/create') return readElicitation(params)
  if (method === 'sampling/createMessage') return { kind: 'sampling', params }
  return method === 'roots/list' ? { kind: 'roots', params } : undefined
}
