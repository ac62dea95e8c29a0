// What a client said it can do, and what may therefore be sent to it.
//
// Declaring elicitation without naming a mode means forms, in every revision that has it.

import type { JsonObject } from '@assent/core'
import { objectAt } from '../wire/messages.ts'
import type { Wanted } from './exchange.ts'

export function canBeAsked(capabilities: JsonObject, kind: Wanted['kind']): boolean {
  if (kind === 'sampling' || kind === 'roots') return objectAt(capabilities, kind) !== undefined
  const elicitation = objectAt(capabilities, 'elicitation')
  if (elicitation === undefined) return false
  const isBare = !Object.hasOwn(elicitation, 'form') && !Object.hasOwn(elicitation, 'url')
  return kind === 'form' && isBare ? true : objectAt(elicitation, kind) !== undefined
}

/** The declaration that this kind would have needed, as the newest revision's error tells it. */
export function requiredFor(kind: Wanted['kind']): JsonObject {
  return kind === 'form' || kind === 'url' ? { elicitation: { [kind]: {} } } : { [kind]: {} }
}
