// Conditions of the short form compared with the input schemas of the tools that the policy covers.

import type { JsonValue } from '@assent/core'
import type { KnownTool, PolicyFinding } from './finding.ts'
import { declaredNames, isRuledOut, schemaAt, typesOf } from './input-schema.ts'
import type { PolicyPlace } from './policy-set.ts'
import type { Comparison, Condition, ShortPolicy } from './short-form.ts'
import type { Nearest } from './suggested-name.ts'

const shownNames = 10

export function conditionFindings(
  { name, when, effect }: ShortPolicy,
  place: PolicyPlace,
  tools: readonly KnownTool[],
  nearest: Nearest,
): PolicyFinding[] {
  return when.flatMap((condition) => {
    const argument = condition.path.join('.')
    const declaring = tools.filter(({ schema }) => schemaAt(schema, condition.path) !== undefined)
    if (declaring.length === 0) return [missing(argument, condition, name, effect, place, tools, nearest)]
    const wrong = declaring.find(({ schema }) => !fits(condition.comparison, typesOf(schemaAt(schema, condition.path))))
    if (wrong === undefined) return []
    const types = typesOf(schemaAt(wrong.schema, condition.path)).join(' or ')
    return [
      {
        level: 'warning',
        place,
        problem: `The policy "${name}" compares the argument ${argument} with ${wordsOf(condition.comparison)}, but ${wrong.server}/${wrong.name} declares it as ${types}: ${consequence(effect)}.`,
        suggestion: `Compare it with ${wantedBy(typesOf(schemaAt(wrong.schema, condition.path)))}.`,
      },
    ]
  })
}

function missing(
  argument: string,
  { path }: Condition,
  policy: string,
  effect: ShortPolicy['effect'],
  place: PolicyPlace,
  tools: readonly KnownTool[],
  nearest: Nearest,
): PolicyFinding {
  const around = path.slice(0, -1)
  const names = [...new Set(tools.flatMap(({ schema }) => declaredNames(schema, around)))]
  const meant = nearest(path.at(-1) ?? '', names)
  const isNever = tools.every(({ schema }) => isRuledOut(schema, path))
  const shown = meant === undefined ? undefined : [...around, meant].join('.')
  return {
    level: isNever ? 'error' : 'warning',
    place,
    problem: `The policy "${policy}" compares the argument ${argument}, which no tool that it covers declares: ${isNever ? 'it applies to no call' : consequence(effect)}.`,
    suggestion: shown === undefined ? declaredWords(around, names) : `Did you mean ${shown}?`,
  }
}

function declaredWords(around: readonly string[], names: readonly string[]): string {
  const paths = names.slice(0, shownNames).map((name) => [...around, name].join('.'))
  return paths.length === 0 ? 'The tools declare no arguments there.' : `They declare ${paths.join(', ')}.`
}

function wantedBy(types: readonly JsonValue[]): string {
  const words: Readonly<Record<string, string>> = {
    string: 'a text',
    boolean: 'true or false',
    array: '{ contains: … }',
    number: 'a number',
    integer: 'a number',
    object: 'a value of one of its members, with a dot',
  }
  return types.map((type) => words[String(type)] ?? 'another argument').join(' or ')
}

function consequence(effect: ShortPolicy['effect']): string {
  if (effect === 'allow') return 'it allows nothing there'
  return effect === 'deny' ? 'it denies every call there' : 'it asks about every call there'
}

function fits({ is }: Comparison, types: readonly JsonValue[]): boolean {
  if (types.length === 0) return true
  const wanted =
    is === 'text' || is === 'pattern'
      ? ['string']
      : is === 'flag'
        ? ['boolean']
        : is === 'contains'
          ? ['array']
          : ['number', 'integer']
  return types.some((type) => wanted.includes(String(type)))
}

function wordsOf({ is }: Comparison): string {
  if (is === 'text' || is === 'pattern') return 'text'
  if (is === 'flag') return 'true or false'
  return is === 'contains' ? 'a member of a list' : 'a number'
}
