// The capabilities that a client declared, and what may be sent to it as a result.
//
// Declaring elicitation without naming a mode means forms, in every revision that has it.

import {
  actionMetaKey,
  actionMetaOf,
  askCapability,
  askMeta,
  askMetaKey,
  isPlainObject,
  type JsonObject,
  readAskMeta,
  understandsAskMeta,
} from '@assent/core'
import { errorCodes, objectAt, type RpcError } from '../protocol/messages.ts'
import type { ClientProfile, InputRequest } from './model.ts'
import { outcomeText } from './text/outcomes.ts'

export function canBeAsked(capabilities: JsonObject, kind: InputRequest['kind']): boolean {
  if (kind === 'sampling' || kind === 'roots') return objectAt(capabilities, kind) !== undefined
  const elicitation = objectAt(capabilities, 'elicitation')
  if (elicitation === undefined) return false
  const isBare = !Object.hasOwn(elicitation, 'form') && !Object.hasOwn(elicitation, 'url')
  return kind === 'form' && isBare ? true : objectAt(elicitation, kind) !== undefined
}

/** The error for a server of the session-based revisions that asks for something the client did not declare. */
export function undeclared(
  { capabilities, asksDisabled: isDisabled }: Pick<ClientProfile, 'capabilities' | 'asksDisabled'>,
  kind: InputRequest['kind'],
): RpcError {
  const [needed = ''] = Object.keys(requiredFor(kind))
  if (isDisabled === true && needed === 'elicitation')
    return { code: errorCodes.methodNotFound, message: outcomeText.asksDisabled }
  if (objectAt(capabilities, needed) === undefined) {
    return { code: errorCodes.methodNotFound, message: outcomeText.undeclared(needed) }
  }
  return { code: errorCodes.invalidParams, message: outcomeText.undeclaredMode(kind) }
}

/**
 * The capabilities sent to servers: in addition to the client's, this gateway reads the asker's timeout from a question
 * and can return a person's comment with the answer.
 */
export function withAskMeta(capabilities: JsonObject): JsonObject {
  const declared = objectAt(capabilities, 'experimental')
  return { ...capabilities, experimental: { ...declared, [askCapability]: {} } }
}

/**
 * The params of a question as this client may receive them. Only our own gateways get our `_meta` member, with the time
 * that this gateway waits: a gateway further down the chain cannot wait longer than we do.
 */
export function forClient(params: JsonObject, declared: JsonObject, waitMs: number): JsonObject {
  const { _meta, ...rest } = params
  if (!isPlainObject(_meta) || !Object.hasOwn(_meta, askMetaKey)) return params
  const { [askMetaKey]: _ours, [actionMetaKey]: _action, ...others } = _meta as JsonObject
  const meta = { ...others, ...askMetaFor(params, declared, waitMs)._meta }
  return Object.keys(meta).length === 0 ? rest : { ...rest, _meta: meta }
}

/**
 * The `_meta` that a client of the newest revision receives with a question: our member, if it is one of our gateways.
 */
export function askMetaFor(params: JsonObject, declared: JsonObject, waitMs: number): { _meta?: JsonObject } {
  if (readAskMeta(params) === undefined || !understandsAskMeta(declared)) return {}
  return { _meta: { ...askMeta({ waitMs: Math.floor(waitMs) }), ...actionMetaOf(params) } }
}

/** The client's profile for servers while asking people is disabled. */
export function withoutAsking(client: ClientProfile): ClientProfile {
  const { elicitation: _disabled, ...capabilities } = client.capabilities
  return { ...client, capabilities, asksDisabled: true }
}

/** The missing capability for this kind of request, as the newest revision's error reports it. */
export function requiredFor(kind: InputRequest['kind']): JsonObject {
  return kind === 'form' || kind === 'url' ? { elicitation: { [kind]: {} } } : { [kind]: {} }
}
