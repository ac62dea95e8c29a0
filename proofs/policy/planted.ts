// Mistakes that a policy engine could have, planted one at a time: the comparison must find each of them.

import type { JsonObject, JsonValue } from '@assent/core'
import type { Condition, PolicyAsk, PolicyCall, PolicyDecision, PolicySettings, ShortPolicy } from '@assent/policy'

export interface PlantedMistake {
  readonly name: string
  readonly settings?: (settings: PolicySettings) => PolicySettings
  readonly call?: (call: PolicyCall) => PolicyCall
  readonly decision?: (decision: PolicyDecision) => PolicyDecision
}

const policies = (change: (policy: ShortPolicy) => ShortPolicy) => (settings: PolicySettings) => ({
  ...settings,
  shortForm: settings.shortForm.map(({ policy, place }) => ({ place, policy: change(policy) })),
})

const conditions = (change: (condition: Condition) => Condition) =>
  policies((policy) => ({ ...policy, when: policy.when.map(change) }))

const values = (change: (value: JsonValue) => JsonValue | undefined) => (call: PolicyCall) => ({
  ...call,
  arguments: mapped(call.arguments, change) as JsonObject,
})

function mapped(value: JsonValue, change: (value: JsonValue) => JsonValue | undefined): JsonValue {
  if (Array.isArray(value)) return value.map((one) => mapped(change(one) ?? null, change))
  if (typeof value !== 'object' || value === null) return value
  const made: JsonObject = {}
  for (const [name, one] of Object.entries(value)) {
    const changed = one === undefined ? undefined : change(one)
    if (changed === undefined) continue
    const inner = mapped(changed, change)
    Object.defineProperty(made, name, { value: inner, enumerable: true, configurable: true, writable: true })
  }
  return made
}

/** Without the members that come after another one for which this holds. */
const withoutNames = (isDouble: (one: string, other: string) => boolean) => (call: PolicyCall) => ({
  ...call,
  arguments: withoutDoubles(call.arguments, isDouble) as JsonObject,
})

function withoutDoubles(value: JsonValue, isDouble: (one: string, other: string) => boolean): JsonValue {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const names = Object.keys(value)
  const kept = names.filter((one, at) => !names.slice(0, at).some((other) => isDouble(one, other)))
  return Object.fromEntries(kept.map((name) => [name, withoutDoubles((value as JsonObject)[name] ?? null, isDouble)]))
}

function isAlike(one: string, other: string): boolean {
  const plain = (name: string) =>
    name
      .normalize('NFKD')
      .toUpperCase()
      .replaceAll(/[^\p{L}\p{N}]/gu, '')
  return one !== other && plain(one) === plain(other)
}

const noTerms: PolicyAsk['terms'] = {
  anyOf: [],
  exclude: [],
  declines: 1,
  needsPresence: false,
  needsReason: false,
  surfaces: [],
}

export const plantedMistakes: readonly PlantedMistake[] = [
  {
    name: 'an ask that fails is skipped',
    decision: (decision) => {
      if (decision.effect !== 'ask') return decision
      const asks = decision.asks.filter(({ policy }) => decision.policies.includes(policy))
      const { policies: names, errors } = decision
      return asks.length === 0 ? { effect: 'allow', policies: names, errors } : { ...decision, asks }
    },
  },
  {
    name: 'a deny that fails is skipped',
    decision: (decision) =>
      decision.effect === 'deny' && decision.because === 'failed'
        ? { effect: 'allow', policies: [], errors: [] }
        : decision,
  },
  {
    name: 'what no policy permits is allowed',
    decision: (decision) =>
      decision.effect === 'deny' && decision.because === 'not-permitted'
        ? { effect: 'allow', policies: [], errors: [] }
        : decision,
  },
  {
    name: 'ask beats nothing: a satisfied permit is enough',
    decision: (decision) => (decision.effect === 'ask' ? { ...decision, effect: 'allow' } : decision),
  },
  {
    name: 'above includes the number',
    settings: conditions((condition) =>
      condition.comparison.is === 'above'
        ? { ...condition, comparison: { ...condition.comparison, is: 'atLeast' } }
        : condition,
    ),
  },
  { name: 'not is ignored', settings: conditions(({ isNegated, ...condition }) => condition) },
  { name: 'people are ignored', settings: policies((policy) => ({ ...policy, people: [] })) },
  { name: 'hours are ignored', settings: policies(({ during, outside, ...policy }) => policy) },
  {
    name: 'patterns are literal texts',
    settings: conditions((condition) =>
      condition.comparison.is === 'pattern'
        ? { ...condition, comparison: { is: 'text', anyOf: condition.comparison.anyOf } }
        : condition,
    ),
  },
  {
    name: 'texts are patterns',
    settings: conditions((condition) =>
      condition.comparison.is === 'text'
        ? { ...condition, comparison: { is: 'pattern', anyOf: condition.comparison.anyOf } }
        : condition,
    ),
  },
  {
    name: 'a tool without annotations is harmless',
    call: (call) => ({ ...call, annotations: { destructiveHint: false, ...call.annotations } }),
  },
  { name: 'dry-run policies decide', settings: policies((policy) => ({ ...policy, isDryRun: false })) },
  { name: 'the schema is ignored', call: ({ schema, ...call }) => call },
  {
    name: 'text with digits is a number',
    call: values((value) => (typeof value === 'string' && /^[0-9]+$/.test(value) ? Number(value) : value)),
  },
  {
    name: 'numbers are rounded to four places',
    call: values((value) => (typeof value === 'number' ? Number(value.toFixed(4)) : value)),
  },
  { name: 'null is a missing argument', call: values((value) => (value === null ? undefined : value)) },
  {
    name: 'a list with one text is that text',
    call: values((value) => (Array.isArray(value) && value.length === 1 ? (value[0] ?? null) : value)),
  },
  {
    name: "Cedar's escapes are removed from arguments",
    call: values((value) => {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
      const { __entity, __extn, __expr, ...rest } = value as JsonObject
      return rest
    }),
  },
  {
    name: 'long text is cut',
    call: values((value) => (typeof value === 'string' ? value.slice(0, 65_536) : value)),
  },
  {
    name: 'deep values are cut',
    call: values((value) =>
      JSON.stringify(value).includes('[{"inner":[{"inner":[{"inner":[{"inner":[{') ? 'x' : value,
    ),
  },
  { name: 'arguments with names that look alike are ignored', call: withoutNames((one, other) => isAlike(one, other)) },
  {
    name: 'only arguments that differ in case look alike',
    call: withoutNames((one, other) => isAlike(one, other) && one.toLowerCase() !== other.toLowerCase()),
  },
  { name: 'a changed definition is ignored', call: ({ isDefinitionChanged, ...call }) => call },
  {
    name: 'a changed definition asks although a policy asks already',
    decision: (decision) =>
      decision.effect === 'ask' && !decision.asks.some(({ policy }) => policy === 'changed tool definition')
        ? { ...decision, asks: [...decision.asks, { policy: 'changed tool definition', terms: noTerms }] }
        : decision,
  },
  {
    name: 'weekdays begin on Sunday',
    call: (call) => ({ ...call, time: { ...call.time, weekday: (call.time.weekday % 7) + 1 } }),
  },
]
