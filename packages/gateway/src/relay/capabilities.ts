// What a client said it can do, and what may therefore be sent to it.
//
// Declaring elicitation without naming a mode means forms, in every revision that has it.

import {
  askCapability,
  askMeta,
  askMetaKey,
  isPlainObject,
  type JsonObject,
  readAskMeta,
  understandsAskMeta,
} from '@assent/core'
import { errorCodes, objectAt, type RpcError } from '../wire/messages.ts'
import type { ClientProfile, Wanted } from './exchange.ts'

export function canBeAsked(capabilities: JsonObject, kind: Wanted['kind']): boolean {
  if (kind === 'sampling' || kind === 'roots') return objectAt(capabilities, kind) !== undefined
  const elicitation = objectAt(capabilities, 'elicitation')
  if (elicitation === undefined) return false
  const isBare = !Object.hasOwn(elicitation, 'form') && !Object.hasOwn(elicitation, 'url')
  return kind === 'form' && isBare ? true : objectAt(elicitation, kind) !== undefined
}

export const asksDisabled =
  'Asking people is switched off at this gateway (asks.enabled: false), so no person was asked.'

/** The error for a server of the session-based revisions whose question the client did not declare. */
export function undeclared(
  { capabilities, asksDisabled: isDisabled }: Pick<ClientProfile, 'capabilities' | 'asksDisabled'>,
  kind: Wanted['kind'],
): RpcError {
  const [needed = ''] = Object.keys(requiredFor(kind))
  if (isDisabled === true && needed === 'elicitation') return { code: errorCodes.methodNotFound, message: asksDisabled }
  if (objectAt(capabilities, needed) === undefined) {
    const message = `The client did not declare ${needed}, so no person can be asked through it. Continue without an answer, or use a client that supports ${needed}.`
    return { code: errorCodes.methodNotFound, message }
  }
  const message = `The client did not declare ${kind}. Ask in a mode that it declared.`
  return { code: errorCodes.invalidParams, message }
}

/**
 * The client as servers see it: whatever the client declared, this gateway understands the asker's timeout beside a
 * question and can put a person's comment beside the answer.
 */
export function withAskMeta(capabilities: JsonObject): JsonObject {
  const declared = objectAt(capabilities, 'experimental')
  return { ...capabilities, experimental: { ...declared, [askCapability]: {} } }
}

/**
 * The params of a question as this client may receive them. Our own member goes to gateways of ours only, and says how long
 * this gateway waits: a gateway further on cannot wait longer than we do.
 */
export function forClient(params: JsonObject, declared: JsonObject, waitMs: number): JsonObject {
  const { _meta, ...rest } = params
  if (!isPlainObject(_meta) || !Object.hasOwn(_meta, askMetaKey)) return params
  const { [askMetaKey]: _ours, ...others } = _meta as JsonObject
  const meta = { ...others, ...askMetaFor(params, declared, waitMs)._meta }
  return Object.keys(meta).length === 0 ? rest : { ...rest, _meta: meta }
}

/** Of a question's `_meta`, what a client of the newest revision receives: our own member, if it is a gateway of ours. */
export function askMetaFor(params: JsonObject, declared: JsonObject, waitMs: number): { _meta?: JsonObject } {
  if (readAskMeta(params) === undefined || !understandsAskMeta(declared)) return {}
  return { _meta: askMeta({ waitMs: Math.floor(waitMs) }) }
}

/** The client as a server sees it where asking people is switched off. */
export function withoutAsking(client: ClientProfile): ClientProfile {
  const { elicitation: _disabled, ...capabilities } = client.capabilities
  return { ...client, capabilities, asksDisabled: true }
}

/** The declaration that this kind would have needed, as the newest revision's error tells it. */
export function requiredFor(kind: Wanted['kind']): JsonObject {
  return kind === 'form' || kind === 'url' ? { elicitation: { [kind]: {} } } : { [kind]: {} }
}
