// What a client said it can do, and what may therefore be sent to it.
//
// Declaring elicitation without naming a mode means forms, in every revision that has it.

import type { JsonObject } from '@assent/core'
import { errorCodes, objectAt, type RpcError } from '../wire/messages.ts'
import type { Wanted } from './exchange.ts'

export function canBeAsked(capabilities: JsonObject, kind: Wanted['kind']): boolean {
  if (kind === 'sampling' || kind === 'roots') return objectAt(capabilities, kind) !== undefined
  const elicitation = objectAt(capabilities, 'elicitation')
  if (elicitation === undefined) return false
  const isBare = !Object.hasOwn(elicitation, 'form') && !Object.hasOwn(elicitation, 'url')
  return kind === 'form' && isBare ? true : objectAt(elicitation, kind) !== undefined
}

/** What a server of the older revisions hears when it asks in a way that the client did not declare. */
export function undeclared(capabilities: JsonObject, kind: Wanted['kind']): RpcError {
  const [needed = ''] = Object.keys(requiredFor(kind))
  if (objectAt(capabilities, needed) === undefined) {
    const message = `The client did not declare ${needed}, so nobody can be asked through it. Go on without an answer, or use a client that can ask.`
    return { code: errorCodes.methodNotFound, message }
  }
  const message = `The client did not declare ${kind}. Ask in a mode that it declared.`
  return { code: errorCodes.invalidParams, message }
}

/** The client as a server sees it where asking people is switched off. */
export function withoutAsking({ elicitation: _switchedOff, ...capabilities }: JsonObject): JsonObject {
  return capabilities
}

/** The declaration that this kind would have needed, as the newest revision's error tells it. */
export function requiredFor(kind: Wanted['kind']): JsonObject {
  return kind === 'form' || kind === 'url' ? { elicitation: { [kind]: {} } } : { [kind]: {} }
}
