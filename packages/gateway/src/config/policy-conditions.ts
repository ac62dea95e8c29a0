// The conditions of a policy on the arguments of a call, under `when`.
//
//   when: { env: production, region: [eu, us], amount: { above: 100 }, branch: { not: main }, pay.currency: { like: "U*" } }

import type { JsonObject } from '@assent/core'
import type { Comparison, Condition } from '@assent/policy'
import type { Scalar } from './kinds.ts'
import { nearest } from './nearest.ts'
import { unknownSetting } from './problem.ts'
import type { Custom, CustomReader } from './setting.ts'
import type { ConfigEntry, ConfigNode } from './source.ts'

const bounds = { above: 'above', at_least: 'atLeast', below: 'below', at_most: 'atMost' } as const
const comparisons = [...Object.keys(bounds), 'like', 'contains', 'not']
/** Where JavaScript has four exact decimal places, as Cedar's decimal has. */
const numberMost = 100_000_000_000

const oneValue: JsonObject = { type: ['string', 'number', 'boolean'] }
const anyValue: JsonObject[] = [oneValue, { type: 'array', items: oneValue, minItems: 1 }]
const properties: JsonObject = {
  ...Object.fromEntries(Object.keys(bounds).map((name) => [name, { type: 'number' }])),
  like: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' }, minItems: 1 }] },
  contains: { type: 'string' },
}

export const conditions: Custom<readonly Condition[]> = {
  node: 'custom',
  about:
    'Limits the policy to calls with these arguments. All conditions must hold. A condition is the name of an argument, with dots for members of objects (`pay.amount`), and a value. The value is a text, a number or `true`/`false` that the argument equals, a list of such values, or a comparison. If the argument is missing or of another type, a policy that asks or denies applies, and one that allows does not. The policy does not apply to a tool whose schema does not allow the argument.',
  words:
    'a map of arguments; comparisons are `{ above: 100 }`, `{ at_least: 100 }`, `{ below: 100 }`, `{ at_most: 100 }`, `{ like: "prod-*" }`, `{ contains: text }` for a list, and `{ not: … }` around any of them',
  schema: {
    type: 'object',
    minProperties: 1,
    additionalProperties: {
      anyOf: [
        ...anyValue,
        {
          type: 'object',
          additionalProperties: false,
          minProperties: 1,
          properties: { ...properties, not: { anyOf: [...anyValue, { type: 'object', properties }] } },
        },
      ],
    },
  },
  fallback: [],
  read: (written, reader) => {
    if (written.kind !== 'map') {
      reader.report([], written.place, 'must be a map of arguments', 'For example: when: { env: production }')
      return []
    }
    return written.entries.flatMap((entry) => conditionsOn(entry, reader))
  },
}

function conditionsOn({ name, at, value }: ConfigEntry, reader: CustomReader): Condition[] {
  const path = argumentPath(name)
  if (path.some((part) => part === '')) {
    reader.report(
      [name],
      at,
      'is not the name of an argument',
      'Write names with dots between them, such as pay.amount.',
    )
    return []
  }
  const found = valueIn(value, [name], reader)
  return found.map((one) => ({ path, ...one }))
}

type Test = Pick<Condition, 'comparison' | 'isNegated'>

/** A value to be equal to, or a map of comparisons. */
function valueIn(value: ConfigNode, inside: readonly string[], reader: CustomReader): Test[] {
  if (value.kind === 'map') return value.entries.flatMap((entry) => comparisonIn(entry, value, inside, reader))
  const equal = equalTo(value, inside, reader)
  return equal === undefined ? [] : [{ comparison: equal }]
}

function comparisonIn(
  { name, at, value }: ConfigEntry,
  around: ConfigNode & { readonly kind: 'map' },
  inside: readonly string[],
  reader: CustomReader,
): Test[] {
  const path = [...inside, name]
  const wrong = (words: string, suggestion?: string): Test[] => {
    reader.report(path, value.place, words, suggestion)
    return []
  }
  if (name === 'not') {
    if (around.entries.length > 1) return wrong('must be the only comparison', 'Write the others as another policy.')
    const negated = valueIn(value, path, reader)
    if (negated.length > 1) return wrong('can negate one comparison only', 'Write the opposite comparisons instead.')
    return negated.flatMap(({ comparison, isNegated }) =>
      isNegated === true ? wrong('is negated twice', 'Remove both.') : [{ comparison, isNegated: true }],
    )
  }
  if (name === 'like' || name === 'contains') {
    const texts = textsIn(value, path, reader)
    if (texts === undefined) return []
    if (name === 'like') return [{ comparison: { is: 'pattern', anyOf: texts } }]
    const [text, ...more] = texts
    return text === undefined || more.length > 0
      ? wrong('must be one text', 'Write one policy for each text.')
      : [{ comparison: { is: 'contains', text } }]
  }
  if (Object.hasOwn(bounds, name)) {
    const number = value.kind === 'scalar' ? reader.resolved(path, value.value, value.place) : undefined
    if (typeof number !== 'number') return wrong('must be a number', 'Write digits without quotes.')
    return isInexact(number)
      ? wrong(inexactNumber, nearNumber(number))
      : [{ comparison: { is: bounds[name as keyof typeof bounds], number } }]
  }
  const meant = nearest(name, comparisons)
  const known = `The comparisons are ${comparisons.join(', ')}.`
  reader.report(
    path,
    at,
    unknownSetting,
    meant === undefined
      ? `${known} For a member of an object write ${[...inside, name].join('.')}.`
      : `Did you mean \`${meant}\`?`,
  )
  return []
}

function equalTo(value: ConfigNode, inside: readonly string[], reader: CustomReader): Comparison | undefined {
  const all = scalarsIn(value, inside, reader)
  if (all === undefined) return undefined
  const texts = all.filter((one) => typeof one === 'string')
  const numbers = all.filter((one) => typeof one === 'number')
  if (texts.length === all.length) return { is: 'text', anyOf: texts }
  if (numbers.length === all.length) {
    const inexact = numbers.find(isInexact)
    if (inexact !== undefined) return reader.report(inside, value.place, inexactNumber, nearNumber(inexact))
    return { is: 'equal', anyOf: numbers }
  }
  const [flag, ...more] = all
  if (typeof flag === 'boolean' && more.length === 0) return { is: 'flag', value: flag }
  return reader.report(inside, value.place, 'must be texts only or numbers only', 'Put texts in quotes.')
}

function textsIn(value: ConfigNode, inside: readonly string[], reader: CustomReader): string[] | undefined {
  const all = scalarsIn(value, inside, reader)
  if (all === undefined) return undefined
  const texts = all.filter((one) => typeof one === 'string')
  return texts.length === all.length ? texts : reader.report(inside, value.place, 'must be a text', 'Put it in quotes.')
}

/** One value or a list of values, with their references resolved. */
function scalarsIn(value: ConfigNode, inside: readonly string[], reader: CustomReader): Scalar[] | undefined {
  const items = value.kind === 'list' ? value.items : [value]
  const all: Scalar[] = []
  for (const item of items) {
    if (item.kind !== 'scalar')
      return reader.report(
        inside,
        item.place,
        'must be a value, a list of values or a comparison',
        'For example: env: production',
      )
    const resolved = reader.resolved(inside, item.value, item.place)
    if (resolved === undefined) return undefined
    all.push(resolved)
  }
  return all.length === 0
    ? reader.report(inside, value.place, 'must not be empty', 'Remove it, or write a value.')
    : all
}

const inexactNumber = 'must be a number below 100 billion with at most four decimal places'

function isInexact(number: number): boolean {
  return Math.abs(number) >= numberMost || Number(number.toFixed(4)) !== number
}

function nearNumber(number: number): string {
  const near = Number(number.toFixed(4))
  return isInexact(near) ? 'Compare with a smaller number.' : `Did you mean ${near}?`
}

/** Names between dots. `\.` is a dot in a name. */
function argumentPath(name: string): string[] {
  return name.split(/(?<!\\)\./).map((part) => part.replaceAll('\\.', '.'))
}
