// Which policies cannot be evaluated for a call of which only a part is known, such as a recorded one.
//
// Conservative: a policy counts as undecidable if it could apply to the tool and refers to an unknown part, even where
// another part would decide it.

import { isPlainObject } from '@assent/core'
import type { PolicyJson } from '@cedar-policy/cedar-wasm/nodejs'
import { type ArgumentPath, argumentPaths } from './argument-paths.ts'
import type { PolicyCall } from './policy-set.ts'
import { knownFacts, staticMatch } from './static-match.ts'

export interface UnknownFacts {
  /** Attributes such as `resource.destructive`, `principal.roles` and `context.address`. */
  readonly attributes: ReadonlySet<string>
  /** Whether the argument at this path is unknown. An empty path: the arguments as a whole. */
  readonly isArgumentUnknown: (path: ArgumentPath) => boolean
}

export function undecidablePolicies(
  policies: readonly PolicyJson[],
  call: PolicyCall,
  { attributes, isArgumentUnknown }: UnknownFacts,
): string[] {
  const facts = knownFacts(call, call.person)
  const known = [...facts.attributes].filter(([name]) => !attributes.has(`resource.${name}`))
  return policies.flatMap((policy) => {
    const isUnknown =
      attributesIn(policy).some((name) => attributes.has(name)) || argumentPaths(policy).some(isArgumentUnknown)
    if (!isUnknown || !staticMatch(policy)({ ...facts, attributes: new Map(known) })) return []
    return [policy.annotations?.id ?? '']
  })
}

/** Of accesses such as `principal.roles`, and of tests such as `principal has roles`. */
export function attributesIn({ conditions }: PolicyJson, operators: readonly ('.' | 'has')[] = ['.', 'has']): string[] {
  const found: string[] = []
  for (const { body } of conditions) collect(body, operators, found)
  return found
}

function collect(expression: unknown, operators: readonly ('.' | 'has')[], found: string[]): void {
  if (Array.isArray(expression)) for (const one of expression) collect(one, operators, found)
  if (!isPlainObject(expression)) return
  for (const access of operators.map((operator) => expression[operator])) {
    if (!isPlainObject(access) || !isPlainObject(access.left) || typeof access.left.Var !== 'string') continue
    const [attribute] = Array.isArray(access.attr) ? access.attr : [access.attr]
    found.push(`${access.left.Var}.${String(attribute)}`)
  }
  for (const one of Object.values(expression)) collect(one, operators, found)
}
