// Whether a policy could apply to a tool, from what is known without a call: the kind, the server, the name, the
// annotations, and the person if there is one.
//
// Evaluates in Cedar's order and stops at the first part that is unknown, so that a policy that could fail there counts
// as one that could apply.

import { isPlainObject } from '@assent/core'
import type { EntityJson, PatternElem, PolicyJson } from '@cedar-policy/cedar-wasm/nodejs'
import { entitiesOf, type PolicyPerson, type PolicyTarget } from './cedar-entities.ts'
import { actionOf } from './short-form.ts'

/** False only if the policy applies to no call of the target. */
export function couldApply(policy: PolicyJson, target: PolicyTarget, person?: PolicyPerson): boolean {
  if (policy.action.op !== 'All' && !mentionsAction(policy, actionOf[target.kind])) return false
  const known = new KnownTarget(target, person)
  if (known.scope(policy.principal, 'principal') === false) return false
  if (known.scope(policy.resource, 'resource') === false) return false
  for (const { kind, body } of policy.conditions) {
    const value = known.valueOf(body)
    if (value === (kind === 'unless')) return false
    if (value === undefined) return true
  }
  return true
}

function mentionsAction({ action }: PolicyJson, id: string): boolean {
  return JSON.stringify(action).includes(JSON.stringify(id))
}

type Known = string | boolean | undefined

type Variable = 'principal' | 'resource'

class KnownTarget {
  readonly #attributes: ReadonlyMap<string, Known>
  /** The entities that a variable is or is in; undefined if they are not known. */
  readonly #within: Readonly<Record<Variable, ReadonlySet<string> | undefined>>

  constructor(target: PolicyTarget, person: PolicyPerson | undefined) {
    const [principal, resource] = entitiesOf(person ?? { principal: '', groups: [], roles: [] }, target, false)
    const { definitionChanged, ...fixed } = resource?.attrs ?? {}
    this.#attributes = new Map(Object.entries(fixed as Record<string, string | boolean>))
    this.#within = {
      principal: person === undefined ? undefined : withinOf(principal),
      resource: withinOf(resource),
    }
  }

  /** Whether the scope of a policy covers the variable; undefined if unknown. */
  scope(scope: PolicyJson['principal'] | PolicyJson['resource'], variable: Variable): Known {
    if (scope.op === 'All') return true
    if (scope.op === 'is' || !('entity' in scope)) return undefined
    return this.#isIn(variable, scope.entity, scope.op === 'in')
  }

  valueOf(expression: unknown): Known {
    if (!isPlainObject(expression)) return undefined
    if ('Value' in expression) return scalar(expression.Value)
    const [[operator, operands] = ['', undefined]] = Object.entries(expression)
    if (!isPlainObject(operands)) return undefined
    const { left, right, arg } = operands
    switch (operator) {
      case '.':
        return variableIn(left) === 'resource' ? this.#attributes.get(String(operands.attr)) : undefined
      case '!':
        return negated(this.valueOf(arg))
      case '&&':
        return this.valueOf(left) === true ? this.valueOf(right) : onlyIf(false, this.valueOf(left))
      case '||':
        return this.valueOf(left) === false ? this.valueOf(right) : onlyIf(true, this.valueOf(left))
      case '==':
      case 'in': {
        const variable = variableIn(left)
        if (variable !== undefined) return this.#isIn(variable, valueIn(right), operator === 'in')
        return operator === 'in' ? undefined : same(this.valueOf(left), this.valueOf(right))
      }
      case 'like':
        return matches(this.valueOf(left), operands.pattern as readonly PatternElem[])
      default:
        return undefined
    }
  }

  #isIn(variable: Variable, entity: unknown, orInside: boolean): Known {
    const within = this.#within[variable]
    const key = keyOf(entity)
    if (within === undefined || key === undefined) return undefined
    const [own] = within
    return orInside ? within.has(key) : own === key
  }
}

function withinOf(entity: EntityJson | undefined): ReadonlySet<string> {
  if (entity === undefined) return new Set()
  return new Set([entity.uid, ...entity.parents].map((uid) => keyOf(uid) ?? ''))
}

function keyOf(entity: unknown): string | undefined {
  const uid = isPlainObject(entity) && isPlainObject(entity.__entity) ? entity.__entity : entity
  return isPlainObject(uid) ? JSON.stringify([uid.type, uid.id]) : undefined
}

function variableIn(expression: unknown): Variable | undefined {
  const name = isPlainObject(expression) ? expression.Var : undefined
  return name === 'principal' || name === 'resource' ? name : undefined
}

function valueIn(expression: unknown): unknown {
  return isPlainObject(expression) ? expression.Value : undefined
}

function scalar(value: unknown): Known {
  return typeof value === 'string' || typeof value === 'boolean' ? value : undefined
}

function onlyIf(wanted: boolean, value: Known): Known {
  return value === wanted ? wanted : undefined
}

function negated(value: Known): Known {
  return typeof value === 'boolean' ? !value : undefined
}

function same(one: Known, other: Known): Known {
  return one === undefined || other === undefined ? undefined : one === other
}

/** Wildcards stand for any text. Linear, because a server chooses the name and a policy the pattern. */
function matches(text: Known, pattern: readonly PatternElem[]): Known {
  if (typeof text !== 'string') return undefined
  const parts = literalsIn(pattern)
  const [first = '', ...rest] = parts
  const last = rest.pop()
  if (last === undefined) return text === first
  if (!text.startsWith(first)) return false
  let at = first.length
  for (const part of rest) {
    const found = text.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return text.length - last.length >= at && text.endsWith(last)
}

/** The texts between wildcards. */
function literalsIn(pattern: readonly PatternElem[]): string[] {
  const parts = ['']
  for (const part of pattern) {
    if (part === 'Wildcard') parts.push('')
    else parts[parts.length - 1] += part.Literal
  }
  return parts
}
