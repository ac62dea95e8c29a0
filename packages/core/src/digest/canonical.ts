// Canonical JSON, RFC 8785 (JCS): equal values give equal text, and the text can be hashed.
//
// A value outside JSON is refused, never dropped or converted: a part that is missing from the text is not covered by the
// approval.

import { Buffer } from 'node:buffer'
import { AssentError } from '../errors.ts'
import { isPlainObject } from '../json.ts'
import { askLimits } from '../limits.ts'

/** The limits of a value. */
export interface JsonSize {
  readonly bytes: number
  readonly depth: number
}

const sizeOfAction: JsonSize = { bytes: askLimits.actionBytes, depth: askLimits.actionDepth }

/** The names and positions that lead to the value being written; only the first `depth` of them count. */
type Trail = (string | number)[]

const pathShownChars = 200

/** Text with nothing to escape and no surrogate. Most text matches, and this test is much faster than escaping. */
const plainText = /^[ !#-[\]-~]*$/

/**
 * Throws `not_canonical` for a value outside JSON (undefined, NaN, a Date, an accessor …) and `limit_exceeded` for
 * one that is too deep or too large. Members are read through their descriptors, so no getter ever runs.
 */
export function canonicalJson(value: unknown, size: JsonSize = sizeOfAction): string {
  const text = write(value, [], 0, size)
  if (Buffer.byteLength(text, 'utf8') > size.bytes) throw tooLarge(size)
  return text
}

function write(value: unknown, trail: Trail, depth: number, size: JsonSize): string {
  switch (typeof value) {
    case 'string':
      return quote(value, trail, depth)
    case 'number':
      if (!Number.isFinite(value)) throw refused(`${value} is not a JSON number`, trail, depth)
      return String(value)
    case 'boolean':
      return value ? 'true' : 'false'
    case 'object':
      if (value === null) return 'null'
      if (depth === size.depth) throw tooDeep(size)
      return Array.isArray(value) ? writeArray(value, trail, depth, size) : writeObject(value, trail, depth, size)
    default:
      throw refused(`${typeof value} is not a JSON type`, trail, depth)
  }
}

function writeArray(list: readonly unknown[], trail: Trail, depth: number, size: JsonSize): string {
  if (Object.getPrototypeOf(list) !== Array.prototype) throw refused('it is not a plain array', trail, depth)
  let text = '['
  for (let i = 0; i < list.length; i++) {
    trail[depth] = i
    if (i > 0) text += ','
    text += write(read(list, i, trail, depth + 1), trail, depth + 1, size)
    // Inside the loop, because one object that is referenced many times can make the text endlessly long.
    if (text.length > size.bytes) throw tooLarge(size)
  }
  // After the elements, so that a hole is reported as a missing element.
  if (Object.keys(list).length !== list.length) throw refused('the array also has named members', trail, depth)
  return `${text}]`
}

function writeObject(object: object, trail: Trail, depth: number, size: JsonSize): string {
  if (!isPlainObject(object)) throw refused('it is not plain data but an instance of a class', trail, depth)
  if (Object.getOwnPropertySymbols(object).length > 0) throw refused('a member is named by a symbol', trail, depth)
  const names = sortByUtf16(Object.keys(object))
  let text = '{'
  for (let i = 0; i < names.length; i++) {
    const name = names[i] as string
    trail[depth] = name
    if (i > 0) text += ','
    text += `${quote(name, trail, depth + 1)}:${write(read(object, name, trail, depth + 1), trail, depth + 1, size)}`
    if (text.length > size.bytes) throw tooLarge(size)
  }
  return `${text}}`
}

function read(holder: object, name: string | number, trail: Trail, depth: number): unknown {
  const member = Object.getOwnPropertyDescriptor(holder, name)
  if (member === undefined) throw refused('the element is missing', trail, depth)
  if (member.get !== undefined || member.set !== undefined) throw refused('it is an accessor', trail, depth)
  return member.value
}

function quote(text: string, trail: Trail, depth: number): string {
  if (plainText.test(text)) return `"${text}"`
  if (!text.isWellFormed()) throw refused('the text contains half a surrogate pair', trail, depth)
  return JSON.stringify(text)
}

/** Sorts in place. Few names are sorted by insertion, which takes half the time of `sort`. */
function sortByUtf16(names: string[]): string[] {
  if (names.length > 24) return names.sort()
  for (let i = 1; i < names.length; i++) {
    const name = names[i] as string
    let at = i
    for (; at > 0 && (names[at - 1] as string) > name; at--) names[at] = names[at - 1] as string
    names[at] = name
  }
  return names
}

function refused(reason: string, trail: Trail, depth: number): AssentError {
  // A JSON Pointer, quoted and cut: names are the sender's text and can hold anything.
  const pointer = trail.slice(0, depth).map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`)
  const path = JSON.stringify(pointer.join('').slice(0, pathShownChars))
  return new AssentError('not_canonical', `This value has no canonical JSON form: ${reason}, at ${path}.`)
}

function tooDeep({ depth }: JsonSize): AssentError {
  const reason = `is nested deeper than ${depth} levels, or contains itself`
  return new AssentError('limit_exceeded', `This value ${reason}.`)
}

function tooLarge({ bytes }: JsonSize): AssentError {
  return new AssentError('limit_exceeded', `This value is larger than ${bytes} bytes as JSON.`)
}
