// The short form of a policy in `assent.yaml`, compiled to Cedar.
//
// Never guards with `has`: a missing argument, or one of another type than the policy compares with, makes the policy
// fail, and a policy that fails denies, asks or grants nothing. So text is compared with `like`, which fails for
// anything but text, where `==` would be false. A tool whose schema rules the argument out is not covered
// (`context.absent`).

import type { Approver } from '@assent/core'
import type { Expr, PolicyJson } from '@cedar-policy/cedar-wasm/nodejs'
import { type ArgumentPath, pointerOf } from './argument-paths.ts'
import { approversOf, type PeopleNames } from './people-names.ts'

export type PolicyKind = 'tools' | 'prompts' | 'resources'

/** What a condition compares an argument with. */
export type Comparison =
  | { readonly is: 'text' | 'pattern'; readonly anyOf: readonly string[] }
  | { readonly is: 'flag'; readonly value: boolean }
  | { readonly is: 'equal'; readonly anyOf: readonly number[] }
  | { readonly is: 'above' | 'atLeast' | 'below' | 'atMost'; readonly number: number }
  | { readonly is: 'contains'; readonly text: string }

export interface Condition {
  readonly path: ArgumentPath
  readonly comparison: Comparison
  readonly isNegated?: true
}

/** Hours on some days of the week. Where the end is before the beginning, it is on the next day. */
export interface WeekHours {
  /** 1 is Monday; the day on which the hours begin. */
  readonly days: readonly number[]
  /** Minutes after midnight. */
  readonly fromMinute: number
  readonly toMinute: number
}

export interface ShortPolicy {
  readonly name: string
  readonly kind: PolicyKind
  /** `server/name` patterns, with `*` for any text. */
  readonly targets: readonly string[]
  /** Groups of `groups:`, `group:…` or `person:…`; everybody if empty. */
  readonly people: readonly string[]
  readonly annotations: Readonly<Partial<Record<'destructive' | 'readOnly' | 'idempotent' | 'openWorld', boolean>>>
  readonly when: readonly Condition[]
  readonly during?: WeekHours
  readonly outside?: WeekHours
  readonly effect: 'allow' | 'deny' | { readonly ask: Readonly<Record<string, string>> }
  readonly isDryRun: boolean
}

export const actionOf: Readonly<Record<PolicyKind, string>> = {
  tools: 'tools/call',
  prompts: 'prompts/get',
  resources: 'resources/read',
}

/** @param names who the names in `people` are */
export function compileShortForm(policy: ShortPolicy, names: PeopleNames): PolicyJson {
  const { name, kind, effect } = policy
  const people = policy.people.flatMap((one) => approversOf(one, names))
  const conditions = [
    anyOf(policy.targets.map((pattern) => target(pattern, kind))),
    // A group without members matches no person, and not every person.
    ...(policy.people.length === 0 ? [] : [people.length === 0 ? never : anyOf(people.map(isPerson))]),
    ...Object.entries(policy.annotations).map(([hint, value]) => equals(attribute('resource', hint), value)),
    ...(policy.during === undefined ? [] : [isWithin(policy.during)]),
    ...(policy.outside === undefined ? [] : [not(isWithin(policy.outside))]),
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
      ...(typeof effect === 'string' ? {} : { ...impliedRisk(policy), ...effect.ask }),
      ...(policy.isDryRun ? { mode: 'dry-run' } : {}),
    },
  }
}

/** A policy that is limited to destructive tools asks about something destructive. */
function impliedRisk({ annotations }: ShortPolicy): { readonly risk?: string } {
  return annotations.destructive === true ? { risk: 'destructive' } : {}
}

function target(pattern: string, kind: PolicyKind): Expr {
  const { server, name } = splitTarget(pattern, kind)
  return allOf([like(attribute('resource', 'server'), server), like(attribute('resource', 'name'), name)])
}

/** `server/name`; a pattern without a server is one of names on every server, also the address of a resource. */
export function splitTarget(pattern: string, kind: PolicyKind): { readonly server: string; readonly name: string } {
  const slash = pattern.indexOf('/')
  const server = pattern.slice(0, Math.max(slash, 0))
  const isAddress = kind === 'resources' && server.includes(':')
  return slash < 0 || isAddress ? { server: '*', name: pattern } : { server, name: pattern.slice(slash + 1) }
}

function isWithin({ days, fromMinute, toMinute }: WeekHours): Expr {
  const minute = sum(times(time('hour'), 60), time('minute'))
  const isAfter: Expr = { '>=': { left: minute, right: { Value: fromMinute } } }
  const isBefore: Expr = { '<': { left: minute, right: { Value: toMinute } } }
  if (fromMinute < toMinute) return allOf([isDay(days), isAfter, isBefore])
  const nextDays = days.map((day) => (day % 7) + 1)
  return anyOf([allOf([isDay(days), isAfter]), allOf([isDay(nextDays), isBefore])])
}

function isDay(days: readonly number[]): Expr {
  return { contains: { left: { Set: days.map((day) => ({ Value: day })) }, right: time('weekday') } }
}

function time(field: 'hour' | 'minute' | 'weekday'): Expr {
  return member(attribute('context', 'time'), field)
}

function sum(left: Expr, right: Expr): Expr {
  return { '+': { left, right } }
}

function times(left: Expr, number: number): Expr {
  return { '*': { left, right: { Value: number } } }
}

function not(arg: Expr): Expr {
  return { '!': { arg } }
}

const never: Expr = { Value: false }

function isPerson(approver: Approver): Expr {
  const [type, id] = approver.startsWith('group:') ? ['Group', approver.slice(6)] : ['Person', approver.slice(7)]
  return { in: { left: { Var: 'principal' }, right: { Value: { __entity: { type, id } } } } }
}

function condition({ path, comparison, isNegated }: Condition): Expr {
  const argument = path.reduce<Expr>(member, attribute('context', 'args'))
  const test = compare(argument, pointerOf(path), comparison)
  const isAbsent = contains(attribute('context', 'absent'), pointerOf(path))
  return allOf([not(isAbsent), isNegated === true ? not(test) : test])
}

function compare(argument: Expr, pointer: string, comparison: Comparison): Expr {
  switch (comparison.is) {
    case 'text':
      return anyOf(comparison.anyOf.map((text) => literally(argument, text)))
    case 'pattern':
      return anyOf(comparison.anyOf.map((pattern) => like(argument, pattern)))
    case 'flag':
      // `==` would be false for text, such as "true"; `&&` and `!` fail for anything but a boolean.
      return comparison.value ? allOf([argument, { Value: true }]) : not(argument)
    case 'contains':
      return contains(argument, comparison.text)
    case 'equal':
      return anyOf(comparison.anyOf.map((number) => compareNumber(argument, pointer, { is: 'equal', number })))
    default:
      return compareNumber(argument, pointer, comparison)
  }
}

interface NumberTest {
  readonly is: 'equal' | 'above' | 'atLeast' | 'below' | 'atMost'
  readonly number: number
}

function compareNumber(argument: Expr, pointer: string, test: NumberTest): Expr {
  const isLong = contains(attribute('context', 'integers'), pointer)
  return anyOf([allOf([isLong, longTest(argument, test)]), allOf([not(isLong), decimalTest(argument, test)])])
}

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
  return { like: { left, pattern: text === '' ? [] : [{ Literal: text }] } }
}

function like(left: Expr, pattern: string): Expr {
  const parts = pattern.split(/(\*)/).filter((part) => part !== '')
  return { like: { left, pattern: parts.map((part) => (part === '*' ? 'Wildcard' : { Literal: part })) } }
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
