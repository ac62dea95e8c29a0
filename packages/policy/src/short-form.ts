// The short form of a policy in `assent.yaml`, compiled to Cedar.
//
// Never guards with `has`: a missing argument, or one of another type than the policy compares with, makes the policy
// fail, and a policy that fails denies, asks or grants nothing. So text is compared with `like`, which fails for
// anything but text, where `==` would be false. A tool whose schema rules the argument out is not covered
// (`context.absent`).

import type { Expr, PolicyJson } from '@cedar-policy/cedar-wasm/nodejs'
import { type ArgumentPath, pointerOf } from './argument-paths.ts'

export type PolicyKind = 'tools' | 'prompts' | 'resources'

/** What a condition compares an argument with. */
export type Comparison =
  | { readonly is: 'text' | 'pattern'; readonly anyOf: readonly string[] }
  | { readonly is: 'flag'; readonly value: boolean }
  | { readonly is: 'equal' | 'above' | 'atLeast' | 'below' | 'atMost'; readonly number: number }
  | { readonly is: 'contains'; readonly text: string }

export interface Condition {
  readonly path: ArgumentPath
  readonly comparison: Comparison
  readonly isNegated?: true
}

export interface ShortPolicy {
  readonly name: string
  readonly kind: PolicyKind
  /** `server/name` patterns, with `*` for any text. */
  readonly targets: readonly string[]
  /** People or groups; everybody if empty. */
  readonly people: readonly string[]
  readonly annotations: Readonly<Partial<Record<'destructive' | 'readOnly' | 'idempotent' | 'openWorld', boolean>>>
  readonly when: readonly Condition[]
  readonly effect: 'allow' | 'deny' | { readonly ask: Readonly<Record<string, string>> }
  readonly isDryRun: boolean
}

export const actionOf: Readonly<Record<PolicyKind, string>> = {
  tools: 'tools/call',
  prompts: 'prompts/get',
  resources: 'resources/read',
}

export function compileShortForm(policy: ShortPolicy): PolicyJson {
  const { name, kind, effect } = policy
  const conditions = [
    anyOf(policy.targets.map(target)),
    ...(policy.people.length === 0 ? [] : [anyOf(policy.people.map(isPerson))]),
    ...Object.entries(policy.annotations).map(([hint, value]) => equals(attribute('resource', hint), value)),
    ...policy.when.map(condition),
  ]
  return {
    effect: effect === 'deny' ? 'forbid' : 'permit',
    principal: { op: 'All' },
    action: { op: '==', entity: { type: 'Action', id: actionOf[kind] } },
    resource: { op: 'All' },
    conditions: [{ kind: 'when', body: allOf(conditions) }],
    annotations: {
      id: name,
      ...(typeof effect === 'string' ? {} : effect.ask),
      ...(policy.isDryRun ? { mode: 'dry-run' } : {}),
    },
  }
}

/** `server/name`; a pattern without a slash is one of names on every server. */
function target(pattern: string): Expr {
  const slash = pattern.indexOf('/')
  const [server, name] = slash < 0 ? ['*', pattern] : [pattern.slice(0, slash), pattern.slice(slash + 1)]
  return allOf([like(attribute('resource', 'server'), server), like(attribute('resource', 'name'), name)])
}

function isPerson(name: string): Expr {
  const [type, id] = name.startsWith('group:') ? ['Group', name.slice(6)] : ['Person', name.replace(/^person:/, '')]
  return { in: { left: { Var: 'principal' }, right: { Value: { __entity: { type, id } } } } }
}

function condition({ path, comparison, isNegated }: Condition): Expr {
  const argument = path.reduce<Expr>(member, attribute('context', 'args'))
  const test = compare(argument, pointerOf(path), comparison)
  const isAbsent = contains(attribute('context', 'absent'), pointerOf(path))
  return allOf([{ '!': { arg: isAbsent } }, isNegated === true ? { '!': { arg: test } } : test])
}

function compare(argument: Expr, pointer: string, comparison: Comparison): Expr {
  switch (comparison.is) {
    case 'text':
      return anyOf(comparison.anyOf.map((text) => literally(argument, text)))
    case 'pattern':
      return anyOf(comparison.anyOf.map((pattern) => like(argument, pattern)))
    case 'flag':
      // `==` would be false for text, such as "true"; `&&` and `!` fail for anything but a boolean.
      return comparison.value ? allOf([argument, { Value: true }]) : { '!': { arg: argument } }
    case 'contains':
      return contains(argument, comparison.text)
    default: {
      const isLong = contains(attribute('context', 'integers'), pointer)
      const long = allOf([isLong, longTest(argument, comparison)])
      return anyOf([long, allOf([{ '!': { arg: isLong } }, decimalTest(argument, comparison)])])
    }
  }
}

type NumberTest = Extract<Comparison, { readonly number: number }>

/** A whole number compared with any number: 5 is above 4.5 if it is above 4. */
function longTest(left: Expr, { is, number }: NumberTest): Expr {
  const [down, up] = [{ Value: Math.floor(number) }, { Value: Math.ceil(number) }]
  if (is === 'above') return { '>': { left, right: down } }
  if (is === 'atLeast') return { '>=': { left, right: up } }
  if (is === 'below') return { '<': { left, right: up } }
  if (is === 'atMost') return { '<=': { left, right: down } }
  return allOf([{ '<=': { left, right: down } }, { '>=': { left, right: up } }])
}

const decimalFunctions = {
  above: 'greaterThan',
  atLeast: 'greaterThanOrEqual',
  below: 'lessThan',
  atMost: 'lessThanOrEqual',
} as const

function decimalTest(left: Expr, { is, number }: NumberTest): Expr {
  const right: Expr = { decimal: [{ Value: number.toFixed(4) }] }
  if (is !== 'equal') return { [decimalFunctions[is]]: [left, right] }
  return allOf([{ lessThanOrEqual: [left, right] }, { greaterThanOrEqual: [left, right] }])
}

function literally(left: Expr, text: string): Expr {
  return { like: { left, pattern: Array.from(text, (one) => ({ Literal: one })) } }
}

function like(left: Expr, pattern: string): Expr {
  const parts = Array.from(pattern, (one) => (one === '*' ? ('Wildcard' as const) : { Literal: one }))
  return { like: { left, pattern: parts } }
}

function attribute(variable: 'resource' | 'context', attr: string): Expr {
  return member({ Var: variable }, attr)
}

function member(left: Expr, attr: string): Expr {
  return { '.': { left, attr } }
}

function equals(left: Expr, value: boolean): Expr {
  return { '==': { left, right: { Value: value } } }
}

function contains(left: Expr, value: string): Expr {
  return { contains: { left, right: { Value: value } } }
}

function allOf(all: readonly Expr[]): Expr {
  return all.reduce((left, right) => ({ '&&': { left, right } }))
}

function anyOf(all: readonly Expr[]): Expr {
  return all.reduce((left, right) => ({ '||': { left, right } }))
}
