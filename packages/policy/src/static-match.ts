// Whether a policy could apply to a tool, from what is known without a call: the kind, the server, the name, the
// annotations, and the person if there is one.
//
// A policy is compiled once. The tests run in Cedar's order and stop at the first part that is unknown, so that a policy
// that could fail there counts as one that could apply.

import { isPlainObject } from '@assent/core'
import type { EntityJson, PatternElem, PolicyJson } from '@cedar-policy/cedar-wasm/nodejs'
import { entitiesOf, type PolicyPerson, type PolicyTarget } from './cedar-entities.ts'
import { actionOf, type PolicyKind } from './short-form.ts'

/** What is known about a call before it is made. */
export interface KnownFacts {
  readonly kind: PolicyKind
  /** Of the resource. */
  readonly attributes: ReadonlyMap<string, string | boolean>
  /** The entities that a variable is or is in, itself first; undefined if they are not known. */
  readonly principal: ReadonlySet<string> | undefined
  readonly resource: ReadonlySet<string>
}

/** False only if the policy applies to no call with these facts. */
export type StaticMatch = (facts: KnownFacts) => boolean

type Known = string | boolean | undefined
type Test = (facts: KnownFacts) => Known
type Variable = 'principal' | 'resource'

const kinds = ['tools', 'prompts', 'resources'] as const
const unknown: Test = () => undefined

export function knownFacts(target: PolicyTarget, person?: PolicyPerson): KnownFacts {
  const [principal, resource] = entitiesOf(person ?? { principal: '', groups: [], roles: [] }, target, false)
  const { definitionChanged, ...fixed } = resource?.attrs ?? {}
  return {
    kind: target.kind,
    attributes: new Map(Object.entries(fixed as Record<string, string | boolean>)),
    principal: person === undefined ? undefined : withinOf(principal),
    resource: withinOf(resource),
  }
}

export function staticMatch(policy: PolicyJson): StaticMatch {
  const about = kindsOf(policy)
  const scopes = [scopeTest(policy.principal, 'principal'), scopeTest(policy.resource, 'resource')]
  const conditions = policy.conditions.map(({ kind, body }) => ({ test: testOf(body), failsFor: kind === 'unless' }))
  return (facts) => {
    if (!about.has(facts.kind) || scopes.some((scope) => scope(facts) === false)) return false
    for (const { test, failsFor } of conditions) {
      const value = test(facts)
      if (value === failsFor) return false
      if (value === undefined) return true
    }
    return true
  }
}

/** The kinds of call that a policy may apply to: all of them if its action is not limited. */
export function kindsOf({ action }: PolicyJson): ReadonlySet<PolicyKind> {
  const text = action.op === 'All' ? undefined : JSON.stringify(action)
  return new Set(kinds.filter((kind) => text === undefined || text.includes(JSON.stringify(actionOf[kind]))))
}

function scopeTest(scope: PolicyJson['principal'] | PolicyJson['resource'], variable: Variable): Test {
  if (scope.op === 'All') return () => true
  if (scope.op === 'is' || !('entity' in scope)) return unknown
  return isIn(variable, scope.entity, scope.op === 'in')
}

function testOf(expression: unknown): Test {
  if (!isPlainObject(expression)) return unknown
  if ('Value' in expression) return constant(expression.Value)
  const [[operator, operands] = ['', undefined]] = Object.entries(expression)
  if (!isPlainObject(operands)) return unknown
  const { left, right, arg, attr, pattern } = operands
  switch (operator) {
    case '.':
      return variableIn(left) === 'resource' ? ({ attributes }) => attributes.get(String(attr)) : unknown
    case '!':
      return negated(testOf(arg))
    case '&&':
      return both(testOf(left), testOf(right))
    case '||':
      return either(testOf(left), testOf(right))
    case '==':
    case 'in': {
      const variable = variableIn(left)
      if (variable !== undefined) return isIn(variable, valueIn(right), operator === 'in')
      return operator === 'in' ? unknown : same(testOf(left), testOf(right))
    }
    case 'like':
      return like(testOf(left), pattern as readonly PatternElem[])
    default:
      return unknown
  }
}

function constant(value: unknown): Test {
  return typeof value === 'string' || typeof value === 'boolean' ? () => value : unknown
}

function both(left: Test, right: Test): Test {
  return (facts) => {
    const value = left(facts)
    return value === true ? right(facts) : value === false ? false : undefined
  }
}

function either(left: Test, right: Test): Test {
  return (facts) => {
    const value = left(facts)
    return value === false ? right(facts) : value === true ? true : undefined
  }
}

function negated(test: Test): Test {
  return (facts) => {
    const value = test(facts)
    return typeof value === 'boolean' ? !value : undefined
  }
}

function same(left: Test, right: Test): Test {
  return (facts) => {
    const [one, other] = [left(facts), right(facts)]
    return one === undefined || other === undefined ? undefined : one === other
  }
}

function isIn(variable: Variable, entity: unknown, orInside: boolean): Test {
  const key = keyOf(entity)
  if (key === undefined) return unknown
  return (facts) => {
    const within = facts[variable]
    if (within === undefined) return undefined
    const [own] = within
    return orInside ? within.has(key) : own === key
  }
}

function withinOf(entity: EntityJson | undefined): ReadonlySet<string> {
  return new Set(entity === undefined ? [] : [entity.uid, ...entity.parents].map((uid) => keyOf(uid) ?? ''))
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

/** Wildcards stand for any text. Linear, because a server chooses the name and a policy the pattern. */
function like(left: Test, pattern: readonly PatternElem[]): Test {
  const [first = '', ...inner] = literalsIn(pattern)
  const last = inner.pop()
  return (facts) => {
    const text = left(facts)
    if (typeof text !== 'string') return undefined
    if (last === undefined) return text === first
    if (!text.startsWith(first)) return false
    let at = first.length
    for (const part of inner) {
      const found = text.indexOf(part, at)
      if (found < 0) return false
      at = found + part.length
    }
    return text.length - last.length >= at && text.endsWith(last)
  }
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
