// A strict JSON reader that accepts only unambiguous text.
//
// Not JSON.parse, because it misreads names: once a process has parsed {"x":1,"\\":1},
// JSON.parse of Node 24 and 26 reads {"x":1,"\u0061":1} as if the second name were "\" (nodejs/node#63785). Anyone who
// can send two messages could make a person approve one action while the server, reading it correctly, runs another.
// For the same reason this module refuses text that two correct readers can read as different values.

import { Buffer } from 'node:buffer'
import { AssentError } from '../errors.ts'
import type { JsonValue } from '../json.ts'
import { askLimits } from '../limits.ts'
import { keepsItsValue } from './number.ts'

export interface ReadingRules {
  readonly depth: number
  /** Unpaired surrogates. Other JSON readers replace them, so text from outside must not contain any. */
  readonly halfPairs: 'keep' | 'refuse'
  /** Whether a number whose digits a double cannot keep is refused or read as the nearest one that it can. */
  readonly numbers: 'exact' | 'nearest'
}

interface Reading {
  readonly text: string
  readonly rules: ReadingRules
  at: number
}

/**
 * Throws `not_canonical` for malformed JSON, for a duplicate name in one object (readers keep the first, the
 * last, or both), for half a surrogate pair, and for a number whose digits a double cannot keep: the number we would
 * show and hash is not the one that a reader with long integers or decimals would act on.
 * Throws `limit_exceeded` for text that is too large or too deep.
 */
export function parseJsonStrictly(text: string): JsonValue {
  if (Buffer.byteLength(text, 'utf8') > askLimits.actionBytes) {
    throw new AssentError('limit_exceeded', `This JSON is larger than ${askLimits.actionBytes} bytes.`)
  }
  return readJson(text, { depth: askLimits.actionDepth, halfPairs: 'refuse', numbers: 'exact' })
}

export function readJson(text: string, rules: ReadingRules): JsonValue {
  const reading: Reading = { text, rules, at: 0 }
  const value = readValue(reading, 0)
  if (reading.at !== text.length) throw ungrammatical()
  return value
}

/** Reads one value and the whitespace around it. */
function readValue(reading: Reading, depth: number): JsonValue {
  skipSpace(reading)
  const value = readBare(reading, depth)
  skipSpace(reading)
  return value
}

function readBare(reading: Reading, depth: number): JsonValue {
  switch (reading.text[reading.at]) {
    case '{':
      return readObject(reading, depth + 1)
    case '[':
      return readArray(reading, depth + 1)
    case '"':
      return readText(reading)
    case 't':
      return readLiteral(reading, 'true', true)
    case 'f':
      return readLiteral(reading, 'false', false)
    case 'n':
      return readLiteral(reading, 'null', null)
    default:
      return readNumber(reading)
  }
}

function readObject(reading: Reading, depth: number): JsonValue {
  if (depth > reading.rules.depth) throw tooDeep(reading.rules)
  const object: Record<string, JsonValue> = {}
  reading.at += 1
  skipSpace(reading)
  if (take(reading, '}')) return object
  do {
    skipSpace(reading)
    if (reading.text[reading.at] !== '"') throw ungrammatical()
    const name = readText(reading)
    if (Object.hasOwn(object, name)) throw refused('an object has the same name twice')
    skipSpace(reading)
    if (!take(reading, ':')) throw ungrammatical()
    const value = readValue(reading, depth)
    // Assigning to __proto__ would set the prototype instead of making a member.
    if (name === '__proto__') Object.defineProperty(object, name, { ...ordinary, value })
    else object[name] = value
  } while (take(reading, ','))
  if (!take(reading, '}')) throw ungrammatical()
  return object
}

const ordinary = { configurable: true, enumerable: true, writable: true }

function readArray(reading: Reading, depth: number): JsonValue {
  if (depth > reading.rules.depth) throw tooDeep(reading.rules)
  const list: JsonValue[] = []
  reading.at += 1
  skipSpace(reading)
  if (take(reading, ']')) return list
  do list.push(readValue(reading, depth))
  while (take(reading, ','))
  if (!take(reading, ']')) throw ungrammatical()
  return list
}

const quote = 0x22
const backslash = 0x5c
const firstPrintable = 0x20

function readText(reading: Reading): string {
  const { text, rules } = reading
  const start = reading.at + 1
  let hasEscapes = false
  for (let at = start; ; at++) {
    const unit = text.charCodeAt(at)
    if (unit === quote) {
      reading.at = at + 1
      const read = hasEscapes ? unescaped(text.slice(start - 1, at + 1)) : text.slice(start, at)
      if (rules.halfPairs === 'refuse' && !read.isWellFormed()) throw refused('a text contains half a surrogate pair')
      return read
    }
    // Written so that the end of the text, where the unit is NaN, fails too.
    if (!(unit >= firstPrintable)) throw ungrammatical()
    if (unit !== backslash) continue
    hasEscapes = true
    at += 1
  }
}

/** One quoted text. JSON.parse is safe here: it misreads only the names of members. */
function unescaped(quoted: string): string {
  try {
    return JSON.parse(quoted)
  } catch {
    throw ungrammatical()
  }
}

function readLiteral<Value>(reading: Reading, literal: string, value: Value): Value {
  if (!reading.text.startsWith(literal, reading.at)) throw ungrammatical()
  reading.at += literal.length
  return value
}

const numberHere = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y

function readNumber(reading: Reading): number {
  numberHere.lastIndex = reading.at
  const written = numberHere.exec(reading.text)?.[0]
  if (written === undefined) throw ungrammatical()
  reading.at += written.length
  if (reading.rules.numbers === 'exact' && !keepsItsValue(written))
    throw refused('a number has more digits than can be kept exactly')
  return Number(written)
}

function skipSpace(reading: Reading): void {
  while (' \t\n\r'.includes(reading.text[reading.at] ?? 'end')) reading.at += 1
}

function take(reading: Reading, char: string): boolean {
  if (reading.text[reading.at] !== char) return false
  reading.at += 1
  return true
}

function ungrammatical(): AssentError {
  // The message does not repeat the text, which may contain a secret.
  return refused('it does not follow the JSON grammar')
}

function refused(reason: string): AssentError {
  return new AssentError('not_canonical', `This is not valid, unambiguous JSON: ${reason}.`)
}

function tooDeep({ depth }: ReadingRules): AssentError {
  return new AssentError('limit_exceeded', `This JSON is nested deeper than ${depth} levels.`)
}
