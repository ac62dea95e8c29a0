// A second evaluator of the short form, in plain TypeScript, written from its description and not from its compiler.
//
// It shares no code with packages/policy: only types are imported.

import type { JsonObject, JsonValue } from '@assent/core'
import type { Comparison, Condition, PolicyCall, PolicySettings, ShortPolicy, WeekHours } from '@assent/policy'

export interface Expected {
  readonly effect: 'allow' | 'deny' | 'ask'
  readonly because?: 'forbidden' | 'failed' | 'not-permitted'
  /** Names, sorted: of a deny those that deny, otherwise the satisfied ones. */
  readonly policies: readonly string[]
  readonly asks: readonly string[]
}

type Outcome = 'applies' | 'no' | 'failed'

export function evaluate(settings: PolicySettings, call: PolicyCall): Expected {
  const all = settings.shortForm.map(({ policy }) => policy).filter(({ isDryRun }) => !isDryRun)
  const ofKind = all.filter(({ kind }) => kind === call.kind)
  if (ofKind.length === 0) return { effect: 'allow', policies: [], asks: [] }
  const outcomes = ofKind.map((policy) => ({ policy, outcome: outcomeOf(policy, settings, call) }))
  const names = (outcome: Outcome, isIt: (effect: ShortPolicy['effect']) => boolean) =>
    outcomes
      .filter((one) => one.outcome === outcome && isIt(one.policy.effect))
      .map(({ policy }) => policy.name)
      .sort()
  const denies = (effect: ShortPolicy['effect']) => effect === 'deny'
  const permits = (effect: ShortPolicy['effect']) => effect !== 'deny'
  const asks = (effect: ShortPolicy['effect']) => typeof effect !== 'string'
  const failedDenies = names('failed', denies)
  if (failedDenies.length > 0) return { effect: 'deny', because: 'failed', policies: failedDenies, asks: [] }
  const forbidden = names('applies', denies)
  if (forbidden.length > 0) return { effect: 'deny', because: 'forbidden', policies: forbidden, asks: [] }
  const permitted = names('applies', permits)
  if (permitted.length === 0) return { effect: 'deny', because: 'not-permitted', policies: [], asks: [] }
  const asking = [...names('applies', asks), ...names('failed', asks)].sort()
  if (asking.length === 0 && call.isDefinitionChanged === true)
    return { effect: 'ask', policies: permitted, asks: ['changed tool definition'] }
  return { effect: asking.length > 0 ? 'ask' : 'allow', policies: permitted, asks: asking }
}

function outcomeOf(policy: ShortPolicy, settings: PolicySettings, call: PolicyCall): Outcome {
  if (!isAbout(policy, settings, call)) return 'no'
  if (policy.when.some(({ path }) => isUnrepresentable(call, path) || hasDouble(call, path))) return 'failed'
  if (policy.during !== undefined && !isWithin(policy.during, call)) return 'no'
  if (policy.outside !== undefined && isWithin(policy.outside, call)) return 'no'
  for (const condition of policy.when) {
    const outcome = conditionOf(condition, call)
    if (outcome !== 'applies') return outcome
  }
  return 'applies'
}

function isAbout(policy: ShortPolicy, { groups, issuer }: PolicySettings, call: PolicyCall): boolean {
  const isTarget = policy.targets.some((target) => {
    const at = target.indexOf('/')
    const isPlain = at < 0 || (policy.kind === 'resources' && target.slice(0, at).includes(':'))
    const [server, name] = isPlain ? ['*', target] : [target.slice(0, at), target.slice(at + 1)]
    return globMatches(server, call.server) && globMatches(name, call.name)
  })
  if (!isTarget) return false
  const members: string[] = policy.people.flatMap((name) =>
    /^(group|person):/.test(name) ? name : [...(groups[name] ?? [])],
  )
  const isMember = members.some((member) => {
    if (member.startsWith('group:')) return call.person.groups.includes(member.slice(6))
    return call.person.principal === (issuer === undefined ? '' : `${issuer}#`) + member.slice(7)
  })
  if (policy.people.length > 0 && !isMember) return false
  const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = call.annotations ?? {}
  const claimed = {
    readOnly: readOnlyHint === true,
    destructive: readOnlyHint === true ? false : destructiveHint !== false,
    idempotent: idempotentHint === true,
    openWorld: openWorldHint !== false,
  }
  return Object.entries(policy.annotations).every(([hint, value]) => claimed[hint as keyof typeof claimed] === value)
}

function isWithin({ days, fromMinute, toMinute }: WeekHours, { time }: PolicyCall): boolean {
  const minute = time.hour * 60 + time.minute
  if (fromMinute < toMinute) return days.includes(time.weekday) && minute >= fromMinute && minute < toMinute
  const yesterday = time.weekday === 1 ? 7 : time.weekday - 1
  return (days.includes(time.weekday) && minute >= fromMinute) || (days.includes(yesterday) && minute < toMinute)
}

interface Found {
  readonly value: JsonValue | undefined
  /** The schema of the value, if its properties lead there. */
  readonly schema: JsonValue | undefined
  /** Whether the value is at the path itself, and not something on the way that is not an object. */
  readonly isThere: boolean
}

function find(call: PolicyCall, path: readonly string[]): Found {
  let value: JsonValue | undefined = call.arguments
  let schema = call.schema
  for (const name of path) {
    if (!isObject(value)) return { value, schema, isThere: false }
    value = own(value, name)
    schema = isObject(schema) && isObject(schema.properties) ? own(schema.properties, name) : undefined
    if (value === undefined) return { value, schema: undefined, isThere: false }
  }
  return { value, schema, isThere: true }
}

function conditionOf({ path, comparison, isNegated }: Condition, call: PolicyCall): Outcome {
  const { value, isThere } = find(call, path)
  if (value === undefined && isImpossible(call.schema, path)) return 'no'
  if (!isThere || value === undefined || value === null) return 'failed'
  const holds = compare(value, comparison)
  if (holds === undefined) return 'failed'
  return holds !== (isNegated === true) ? 'applies' : 'no'
}

/** Undefined for a value of another type. */
function compare(value: JsonValue, comparison: Comparison): boolean | undefined {
  switch (comparison.is) {
    case 'text':
      return typeof value === 'string' ? comparison.anyOf.includes(value) : undefined
    case 'pattern':
      return typeof value === 'string' ? comparison.anyOf.some((pattern) => globMatches(pattern, value)) : undefined
    case 'flag':
      return typeof value === 'boolean' ? value === comparison.value : undefined
    case 'contains':
      return Array.isArray(value) ? value.includes(comparison.text) : undefined
    case 'equal':
      return typeof value === 'number' ? comparison.anyOf.includes(value) : undefined
    case 'above':
      return typeof value === 'number' ? value > comparison.number : undefined
    case 'atLeast':
      return typeof value === 'number' ? value >= comparison.number : undefined
    case 'below':
      return typeof value === 'number' ? value < comparison.number : undefined
    case 'atMost':
      return typeof value === 'number' ? value <= comparison.number : undefined
  }
}

/** Whether the schema neither declares the argument nor leaves room for it. */
function isImpossible(schema: JsonValue | undefined, path: readonly string[]): boolean {
  let part = schema
  for (const name of path) {
    if (!isObject(part)) return false
    const open = ['patternProperties', 'allOf', 'anyOf', 'oneOf', '$ref', '$dynamicRef', 'if', 'dependentSchemas']
    const here: JsonObject = part
    if (open.some((keyword) => Object.hasOwn(here, keyword))) return false
    const declared = isObject(here.properties) ? own(here.properties, name) : undefined
    if (declared === undefined) return here.additionalProperties === false
    part = declared
  }
  return false
}

function isUnrepresentable(call: PolicyCall, path: readonly string[]): boolean {
  const { value, schema } = find(call, path)
  if (value === undefined || value === null) return false
  return path.some((name) => reserved.includes(name) && isOnTheWay(call, path, name)) || !fitsCedar(value, schema, 0)
}

/** Ignores case, accents, width, punctuation and what is not visible, by the rules of Unicode's collation. */
const { compare: spelling } = new Intl.Collator('und', { sensitivity: 'base', ignorePunctuation: true })

/** Whether another member, which the schema does not declare, could be read as one of the path. */
function hasDouble(call: PolicyCall, path: readonly string[]): boolean {
  return path.some((name, index) => {
    const { value, schema, isThere } = find(call, path.slice(0, index))
    if (!isThere || !isObject(value) || spelling(name, '') === 0) return false
    const declared = isObject(schema) && isObject(schema.properties) ? schema.properties : {}
    return Object.keys(value).some(
      (other) => other !== name && spelling(other, name) === 0 && !Object.hasOwn(declared, other),
    )
  })
}

/** Whether the call has a value at this name of the path. */
function isOnTheWay(call: PolicyCall, path: readonly string[], name: string): boolean {
  const upTo = path.slice(0, path.indexOf(name))
  return isObject(find(call, upTo).value)
}

const reserved = ['__entity', '__extn', '__expr']

function fitsCedar(value: JsonValue, schema: JsonValue | undefined, depth: number): boolean {
  if (depth > 16) return false
  if (typeof value === 'string') return value.length <= 65_536 && !/\p{Surrogate}/u.test(value)
  if (typeof value === 'boolean') return true
  if (typeof value === 'number') return numberFits(value, schema)
  if (Array.isArray(value)) {
    const items = isObject(schema) ? schema.items : undefined
    return value.length <= 256 && value.every((one) => one === null || fitsCedar(one, items, depth + 1))
  }
  if (!isObject(value)) return false
  const entries = Object.entries(value)
  return (
    entries.length <= 256 &&
    entries.every(([name, one]) => {
      if (reserved.includes(name) || /\p{Surrogate}/u.test(name)) return false
      const inner = isObject(schema) && isObject(schema.properties) ? own(schema.properties, name) : undefined
      return one === null || one === undefined || fitsCedar(one, inner, depth + 1)
    })
  )
}

function numberFits(value: number, schema: JsonValue | undefined): boolean {
  const type = isObject(schema) ? schema.type : undefined
  const types = Array.isArray(type) ? type : [type]
  const isWhole = Number.isInteger(value)
  if (types.includes('number') || (!types.includes('integer') && !isWhole)) {
    return Math.abs(value) < 1e11 && Number.parseFloat(value.toFixed(4)) === value
  }
  return isWhole && Math.abs(value) <= Number.MAX_SAFE_INTEGER
}

/** `*` is any text. Compares letter by letter with backtracking, unlike the matcher that is proven. */
function globMatches(pattern: string, text: string): boolean {
  let [at, inText, star, mark] = [0, 0, -1, 0]
  while (inText < text.length) {
    if (pattern[at] === '*') {
      star = at
      mark = inText
      at += 1
    } else if (pattern[at] === text[inText]) {
      at += 1
      inText += 1
    } else if (star >= 0) {
      at = star + 1
      mark += 1
      inText = mark
    } else return false
  }
  while (pattern[at] === '*') at += 1
  return at === pattern.length
}

function own(object: JsonObject, name: string): JsonValue | undefined {
  return Object.getOwnPropertyDescriptor(object, name)?.value
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
