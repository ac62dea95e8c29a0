// Changes of meaning: the smallest changes that an attacker would try between the approval and the call, and JSON texts
// that two parsers would read as different values.

import { type Action, type JsonObject, type JsonValue, toolDefinitionDigest } from '@assent/core'
import canonicalize from 'canonicalize'
import type { SeededRandom } from '../../test-kit/random.ts'
import { randomObject, randomText, randomValue, respell, shuffled } from './values.ts'

/** An approved action, and the tool definition behind its digest. */
export interface Approved {
  readonly action: Action
  readonly definition: JsonObject
}

export function randomApproved(random: SeededRandom): Approved {
  const definition = { ...randomObject(random, 2), name: `tool-${random.int(100)}` }
  const action = {
    server: `server-${random.int(100)}`,
    tool: definition.name,
    definitionDigest: toolDefinitionDigest(definition),
    arguments: randomObject(random, 3),
  }
  return { action, definition }
}

type Change = (approved: Approved, random: SeededRandom) => Action

/** Each returns an action that means something else. */
export const actionChanges: Readonly<Record<string, Change>> = {
  'another server': ({ action }) => ({ ...action, server: `${action.server}x` }),
  'another tool': ({ action }, random) => ({ ...action, tool: lookAlike(action.tool, random) }),
  'another definition': ({ action, definition: { name, ...rest } }, random) => {
    const definition = { ...(altered(rest, random) as JsonObject), name: name as string }
    return { ...action, definitionDigest: toolDefinitionDigest(definition) }
  },
  'other arguments': ({ action }, random) => ({
    ...action,
    arguments: altered(action.arguments, random) as JsonObject,
  }),
  'a letter moved from tool to server': ({ action }) => ({
    ...action,
    server: action.server + action.tool.slice(0, 1),
    tool: action.tool.slice(1),
  }),
}

export function altered(value: JsonValue, random: SeededRandom): JsonValue {
  for (;;) {
    const changed = alter(value, random)
    if (!sameMeaning(value, changed)) return changed
  }
}

// Compared with the independent library, so that a bug of ours cannot hide here. Not with JSON.parse, which misreads names.
function sameMeaning(one: JsonValue, other: JsonValue): boolean {
  return canonicalize(one) === canonicalize(other)
}

function alter(value: JsonValue, random: SeededRandom): JsonValue {
  if (typeof value === 'number') return random.pick([nextDouble(value), -value, String(value), value + 1, null])
  if (typeof value === 'string') return random.pick([lookAlike(value, random), value.toUpperCase(), [value], null])
  if (typeof value === 'boolean') return random.pick([!value, String(value), Number(value)])
  if (value === null) return random.pick([false, 0, '', 'null', []])
  return Array.isArray(value) ? alterList(value, random) : alterObject(value as JsonObject, random)
}

function alterList(list: readonly JsonValue[], random: SeededRandom): JsonValue {
  const at = random.int(list.length)
  switch (random.int(5)) {
    case 0:
      return [...list, random.pick([null, randomValue(random, 0)])]
    case 1:
      return list.toSpliced(at, 1)
    case 2:
      return shuffled(list, random)
    case 3:
      return list.length === 0 ? {} : [list]
    default:
      return list.length === 0 ? null : list.with(at, altered(list[at] as JsonValue, random))
  }
}

function alterObject(object: JsonObject, random: SeededRandom): JsonObject {
  const entries = Object.entries(object)
  if (entries.length === 0) return { added: null }
  const at = random.int(entries.length)
  const [name, member] = entries[at] as [string, JsonValue]
  switch (random.int(5)) {
    case 0:
      return Object.fromEntries([...entries, [lookAlike(name, random), random.pick([null, member])]])
    case 1:
      return Object.fromEntries(entries.toSpliced(at, 1))
    case 2:
      return Object.fromEntries(entries.with(at, [lookAlike(name, random), member]))
    default:
      return Object.fromEntries(entries.with(at, [name, altered(member, random)]))
  }
}

export function lookAlike(text: string, random: SeededRandom): string {
  const other = random.pick([
    text.normalize('NFD'),
    text.normalize('NFC'),
    text.replace('a', 'а'),
    `${text}\u200b`,
    ` ${text}`,
  ])
  return other === text ? `${text}\u00a0` : other
}

function nextDouble(value: number): number {
  const bits = new BigInt64Array(new Float64Array([value]).buffer)
  bits[0] = (bits[0] as bigint) + 1n
  const next = new Float64Array(bits.buffer)[0] as number
  return Number.isFinite(next) ? next : 0
}

type Ambiguous = (random: SeededRandom) => string

/** Each returns valid or nearly valid JSON that two parsers could read as different values. */
export const ambiguousTexts: Readonly<Record<string, Ambiguous>> = {
  'a name twice': (random) => {
    const name = randomText(random)
    const members = [name, name, `${name}x`].map(
      (each) => `${respell(each, random)}:${respell(randomValue(random, 2), random)}`,
    )
    return `[1,{${shuffled(members, random).join()}}]`
  },
  'a number too exact': (random) => {
    const odd = 2n ** 53n + 2n * BigInt(random.int(2 ** 32)) + 1n
    return `{"a":${random.pick(['', '-'])}${random.pick([`${odd}`, `${odd}.0`, `${odd}000e-3`, `0.${odd}${odd}`])}}`
  },
  'a number too large or small': (random) => `[${1 + random.int(9)}e${random.pick(['', '-'])}${400 + random.int(1e6)}]`,
  'half a surrogate pair': (random) => {
    const half = `\\u${(0xd800 + random.int(0x800)).toString(16)}`
    return random.pick([`{"a${half}":1}`, `["${half}"]`, `"x${half}\\n"`])
  },
}
