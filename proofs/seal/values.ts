// Random JSON values that stress canonical forms: edge numbers, unusual names, control characters, surrogate pairs. And
// other spellings of the same values.

import type { JsonObject, JsonValue } from '@assent/core'
import type { SeededRandom } from '../../test-kit/random.ts'

const oddNumbers = [
  0,
  -0,
  1,
  -1,
  0.1,
  1e21,
  1e-7,
  1e23,
  5e-324,
  2 ** 53,
  -(2 ** 53),
  2 ** 53 - 1,
  1.7976931348623157e308,
]
const oddNames = [
  '__proto__',
  'constructor',
  'toJSON',
  '',
  '10',
  '9',
  '-1',
  'a',
  'A',
  'é',
  'e\u0301',
  '\u{1f600}',
  '\ufb33',
]
const oddTexts = [
  '"',
  '\\',
  '/',
  '\b',
  '\n',
  '\u007f',
  '\u0080',
  '\u2028',
  '\ufeff',
  '\uffff',
  '\u{10ffff}',
  '€',
  '\u{1f468}\u200d\u{1f469}',
]

const double = new DataView(new ArrayBuffer(8))

function randomNumber(random: SeededRandom): number {
  switch (random.int(5)) {
    case 0:
      return random.pick(oddNumbers)
    case 1:
      return random.int(1_000)
    case 2:
      return (random.int(2_000_001) - 1_000_000) / random.pick([10, 100, 1_000, 3, 7])
    case 3:
      return (random.int(2) === 0 ? 1 : -1) * 10 ** (random.int(40) - 20) * random.int(1_000)
    default:
      // Random bits; NaN and infinities are replaced.
      double.setUint32(0, random.int(2 ** 32))
      double.setUint32(4, random.int(2 ** 32))
      return Number.isFinite(double.getFloat64(0)) ? double.getFloat64(0) : 1
  }
}

export function randomText(random: SeededRandom): string {
  let text = ''
  for (let length = random.int(8); length > 0; length--) {
    const kind = random.int(4)
    if (kind === 0) text += random.pick(oddTexts)
    else if (kind === 1) text += String.fromCharCode(random.int(0xd800))
    else if (kind === 2) text += String.fromCodePoint(0x10000 + random.int(0x100000))
    else text += String.fromCharCode(32 + random.int(95))
  }
  return text
}

function randomName(random: SeededRandom): string {
  return random.int(3) === 0 ? random.pick(oddNames) : randomText(random)
}

export function randomObject(random: SeededRandom, depth: number): JsonObject {
  // fromEntries makes even `__proto__` an ordinary member.
  return Object.fromEntries(
    Array.from({ length: random.int(6) }, () => [randomName(random), randomValue(random, depth - 1)]),
  )
}

export function randomValue(random: SeededRandom, depth: number): JsonValue {
  switch (random.int(depth > 0 ? 7 : 5)) {
    case 0:
      return null
    case 1:
      return random.int(2) === 0
    case 2:
    case 3:
      return randomNumber(random)
    case 4:
      return randomText(random)
    case 5:
      return Array.from({ length: random.int(5) }, () => randomValue(random, depth - 1))
    default:
      return randomObject(random, depth)
  }
}

/**
 * After this, JSON.parse of Node 24 and 26 reads a name of one escaped character that follows `name` as a backslash
 * (nodejs/node#63785). Anyone who can send a message can do it.
 */
export function misleadEngine(name: string): void {
  JSON.parse(`{${JSON.stringify(name)}:1,"\\\\":1}`)
}

/** The same value as other JSON text: names in another order, whitespace, escapes, other spellings of numbers. */
export function respell(value: JsonValue, random: SeededRandom): string {
  const space = () => random.pick(['', '', '', ' ', '\n', '\t', '\r\n  '])
  if (typeof value === 'number') return respellNumber(value, random)
  if (typeof value === 'string') return respellText(value, random)
  if (typeof value !== 'object' || value === null) return String(value)
  if (Array.isArray(value)) {
    return `[${space()}${value.map((element) => respell(element, random)).join(`${space()},${space()}`)}${space()}]`
  }
  const members = shuffled(Object.entries(value), random).map(
    ([name, member]) => `${respellText(name, random)}${space()}:${space()}${respell(member, random)}`,
  )
  return `{${space()}${members.join(`${space()},${space()}`)}${space()}}`
}

function respellText(text: string, random: SeededRandom): string {
  let spelled = ''
  for (let i = 0; i < text.length; i++) {
    const hex = text.charCodeAt(i).toString(16).padStart(4, '0')
    const kind = random.int(4)
    if (kind === 0) spelled += `\\u${hex}`
    else if (kind === 1) spelled += `\\u${hex.toUpperCase()}`
    else if (text[i] === '/') spelled += '\\/'
    // JSON.stringify escapes a lone surrogate, and two adjacent escapes form a pair again.
    else spelled += JSON.stringify(text[i]).slice(1, -1)
  }
  return `"${spelled}"`
}

function respellNumber(value: number, random: SeededRandom): string {
  if (value === 0) return random.pick(['0', '-0', '0.0', '-0.00e7', '0E-400'])
  const plain = String(value)
  const [mantissa = '', exponent = '0'] = plain.split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const withZeros = `${whole}.${fraction}${'0'.repeat(1 + random.int(3))}E${exponent}`
  const digits = (whole + fraction).replace(/^(-?)0+/, '$1')
  return random.pick([plain, withZeros, `${digits}e${Number(exponent) - fraction.length}`])
}

export function shuffled<T>(list: readonly T[], random: SeededRandom): T[] {
  const copy = [...list]
  for (let i = copy.length - 1; i > 0; i--) {
    const j = random.int(i + 1)
    ;[copy[i], copy[j]] = [copy[j] as T, copy[i] as T]
  }
  return copy
}
