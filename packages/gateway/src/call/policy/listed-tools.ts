// Lists of tools, prompts and resources without what a person can never call.

import { isPlainObject, type JsonObject } from '@assent/core'
import type { PolicyCall, PolicyKind, PolicyTarget } from '@assent/policy'
import { objectAt, stringAt } from '../../protocol/messages.ts'
import type { Call, Outcome } from '../model.ts'

export const listKinds: ReadonlyMap<string, PolicyKind> = new Map([
  ['tools/list', 'tools'],
  ['prompts/list', 'prompts'],
  ['resources/list', 'resources'],
])

/** A list without what this person can never call. The list is then this person's own. */
export function withoutDenied(
  policies: { neverAllowed(person: PolicyCall['person'], target: PolicyTarget): boolean },
  server: string,
  call: Call,
  kind: PolicyKind,
  outcome: Outcome,
): Outcome {
  // The member of the result that has the list is called like the kind.
  const items = outcome.kind === 'finished' ? outcome.result[kind] : undefined
  if (outcome.kind !== 'finished' || !Array.isArray(items)) return outcome
  const person = personOf(call)
  const shown = items.filter((item) => {
    const definition = isPlainObject(item) ? (item as JsonObject) : {}
    const name = stringAt(definition, kind === 'resources' ? 'uri' : 'name')
    if (name === undefined) return false
    const annotations = objectAt(definition, 'annotations') ?? {}
    return !policies.neverAllowed(person, { kind, server, name, annotations })
  })
  return { ...outcome, result: { ...outcome.result, [kind]: shown, cacheScope: 'private' } }
}

export function personOf({ principal, groups = [], roles = [] }: Call): PolicyCall['person'] {
  return { principal, groups, roles }
}
