import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isAssentError } from '../errors.ts'
import { askLimits } from '../limits.ts'
import { canonicalJson } from './canonical.ts'
import { anyCharacter } from './characters.corpus.ts'
import { parseJsonStrictly } from './parse.ts'

function refusalOf(value: unknown): string {
  try {
    canonicalJson(value)
  } catch (error) {
    if (isAssentError(error)) return `${error.code}: ${error.message}`
    throw error
  }
  return 'accepted'
}

function doubleOf(hex: string): number {
  return Buffer.from(hex, 'hex').readDoubleBE()
}

describe('RFC 8785', () => {
  // Appendix B: the bits of a double, and how it is written.
  test.each([
    ['0000000000000000', '0'],
    ['8000000000000000', '0'],
    ['0000000000000001', '5e-324'],
    ['8000000000000001', '-5e-324'],
    ['7fefffffffffffff', '1.7976931348623157e+308'],
    ['ffefffffffffffff', '-1.7976931348623157e+308'],
    ['4340000000000000', '9007199254740992'],
    ['c340000000000000', '-9007199254740992'],
    ['4430000000000000', '295147905179352830000'],
    ['44b52d02c7e14af5', '9.999999999999997e+22'],
    ['44b52d02c7e14af6', '1e+23'],
    ['44b52d02c7e14af7', '1.0000000000000001e+23'],
    ['444b1ae4d6e2ef4e', '999999999999999700000'],
    ['444b1ae4d6e2ef4f', '999999999999999900000'],
    ['444b1ae4d6e2ef50', '1e+21'],
    ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
    ['3eb0c6f7a0b5ed8d', '0.000001'],
    ['41b3de4355555553', '333333333.3333332'],
    ['41b3de4355555554', '333333333.33333325'],
    ['41b3de4355555555', '333333333.3333333'],
    ['41b3de4355555556', '333333333.3333334'],
    ['41b3de4355555557', '333333333.33333343'],
    ['becbf647612f3696', '-0.0000033333333333333333'],
    ['43143ff3c1cb0959', '1424953923781206.2'],
  ])('[DIGEST-1] the double %s is written %s', (bits, written) => {
    expect(canonicalJson(doubleOf(bits))).toBe(written)
  })

  test.each(['7fffffffffffffff', '7ff0000000000000', 'fff0000000000000'])(
    '[DIGEST-2] the double %s is refused',
    (bits) => {
      expect(refusalOf(doubleOf(bits))).toContain('is not a JSON number')
    },
  )

  test('[DIGEST-1] the sample of section 3.2.2 is written as section 3.2.3 shows', () => {
    const sample = JSON.parse(String.raw`{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    }`)

    expect(canonicalJson(sample)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
        String.raw`"string":"€$\u000f\nA'B\"\\\\\"/"}`,
    )
  })

  test('[DIGEST-1] names are sorted by UTF-16 units, not by code points', () => {
    const sample = {
      '€': 'Euro Sign',
      '\r': 'Carriage Return',
      '\ufb33': 'Hebrew Letter Dalet With Dagesh',
      '1': 'One',
      '\u{1f600}': 'Emoji: Grinning Face',
      '\u0080': 'Control',
      ö: 'Latin Small Letter O With Diaeresis',
    }

    expect(Object.values(JSON.parse(`[${canonicalJson(sample).slice(1, -1).replaceAll('":"', '","')}]`))).toEqual(
      ['\r', '1', '\u0080', 'ö', '€', '\u{1f600}', '\ufb33'].flatMap((name) => [
        name,
        sample[name as keyof typeof sample],
      ]),
    )
  })
})

describe('one text for one value', () => {
  test('[DIGEST-1] the order of names does not matter, even if names look like numbers or there are many', () => {
    expect(canonicalJson({ 9: 0, 10: 0, b: 0, a: { d: 0, c: 0 } })).toBe('{"10":0,"9":0,"a":{"c":0,"d":0},"b":0}')

    for (const length of [2, 3, 23, 24, 25, 26, 100]) {
      const names = Array.from({ length }, (_, i) => `n${(i * 7) % length}`)
      const object = Object.fromEntries(names.map((name) => [name, 0]))
      expect(Object.keys(JSON.parse(canonicalJson(object)))).toEqual([...new Set(names)].sort())
    }
  })

  test('[DIGEST-1] a canonical text is its own canonical form', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: anyCharacter }), (value) => {
        const text = canonicalJson(value)
        expect(canonicalJson(parseJsonStrictly(text))).toBe(text)
      }),
    )
  })

  test('[DIGEST-1] names that objects inherit are ordinary names', () => {
    expect(canonicalJson(JSON.parse('{"toString":2,"__proto__":{"a":1},"constructor":3}'))).toBe(
      '{"__proto__":{"a":1},"constructor":3,"toString":2}',
    )
    expect(canonicalJson(Object.assign(Object.create(null), { a: 1 }))).toBe('{"a":1}')
  })

  test('[DIGEST-1] the same object used twice is written twice', () => {
    const part = { a: 1 }
    expect(canonicalJson([part, part])).toBe('[{"a":1},{"a":1}]')
  })
})

describe('values outside JSON', () => {
  const hole: unknown[] = [1, 2, 3]
  delete hole[1]
  const cycle: Record<string, unknown> = {}
  cycle.self = cycle

  test.each<[string, unknown, string]>([
    ['undefined', { a: undefined }, 'undefined is not a JSON type, at "/a"'],
    ['undefined in a list', [undefined], 'undefined is not a JSON type, at "/0"'],
    ['a function', { a: () => 1 }, 'function is not a JSON type, at "/a"'],
    ['a symbol', [Symbol('a')], 'symbol is not a JSON type, at "/0"'],
    ['a name that is a symbol', { a: { [Symbol('b')]: 1 } }, 'a member is named by a symbol, at "/a"'],
    ['a BigInt', { a: [1n] }, 'bigint is not a JSON type, at "/a/0"'],
    ['NaN', [[Number.NaN]], 'NaN is not a JSON number, at "/0/0"'],
    ['infinity', -Infinity, '-Infinity is not a JSON number, at ""'],
    ['half a surrogate pair', ['\ud800'], 'the text contains half a surrogate pair, at "/0"'],
    ['half a surrogate pair in a name', { 'a\udc00': 1 }, String.raw`half a surrogate pair, at "/a\udc00"`],
    ['a Date', { when: new Date(0) }, 'not plain data but an instance of a class, at "/when"'],
    ['a Map', new Map(), 'not plain data'],
    ['a boxed text', [new String('a')], 'not plain data'],
    ['an instance', new (class Plan {})(), 'not plain data'],
    ['an instance of a subclass of Array', new (class List extends Array {})(), 'it is not a plain array, at ""'],
    ['a list with a hole', { a: hole }, 'the element is missing, at "/a/1"'],
    ['a list with a name', Object.assign([1], { more: 2 }), 'the array also has named members, at ""'],
    ['an object with toJSON', { toJSON: () => 1 }, 'function is not a JSON type, at "/toJSON"'],
    [
      'a member that can only be set',
      Object.defineProperty({}, 'a', { set: () => 1, enumerable: true }),
      'it is an accessor, at "/a"',
    ],
  ])('[DIGEST-2] %s is refused', (_, value, reason) => {
    expect(refusalOf(value)).toContain('not_canonical: This value has no canonical JSON form: ')
    expect(refusalOf(value)).toContain(reason)
  })

  test('[DIGEST-2] a getter is refused and never run', () => {
    let runs = 0
    const count = () => ++runs
    const object = { before: 1, price: Object.defineProperty({}, 'amount', { get: count, enumerable: true }) }

    expect(refusalOf(object)).toContain('it is an accessor, at "/price/amount"')
    expect(refusalOf(Object.defineProperty([0], 0, { get: count }))).toContain('it is an accessor, at "/0"')
    expect(runs).toBe(0)
  })

  test('[DIGEST-2] the place is a JSON Pointer, quoted and cut short', () => {
    expect(refusalOf({ 'a/b': { 'c~d': [undefined] } })).toContain('at "/a~1b/c~0d/0".')
    expect(refusalOf({ 'a"\n': undefined })).toContain(String.raw`at "/a\"\n".`)
    expect(refusalOf({ ['x'.repeat(100_000)]: undefined }).length).toBeLessThan(400)
    expect(refusalOf({ ['x'.repeat(100_000)]: undefined })).toContain(`at "/${'x'.repeat(199)}".`)
    expect(refusalOf({ '~/~': { '/': undefined } })).toContain('at "/~0~1~0/~1".')
  })

  test('[DIGEST-5] a value that contains itself is refused', () => {
    expect(refusalOf(cycle)).toBe('limit_exceeded: This value is nested deeper than 64 levels, or contains itself.')
  })
})

describe('limits', () => {
  function nested(levels: number): unknown {
    let value: unknown = 1
    for (let i = 0; i < levels; i++) value = i % 2 === 0 ? [value] : { a: value }
    return value
  }

  test('[DIGEST-5] the last allowed level is written and the next is refused', () => {
    expect(refusalOf(nested(askLimits.actionDepth))).toBe('accepted')
    expect(refusalOf(nested(askLimits.actionDepth + 1))).toContain('limit_exceeded')
  })

  test('[DIGEST-5] the size is counted in bytes', () => {
    const full = 'é'.repeat(askLimits.actionBytes / 2 - 1)

    expect(Buffer.byteLength(canonicalJson(full))).toBe(askLimits.actionBytes)
    expect(refusalOf(`${full}a`)).toContain('limit_exceeded: This value is larger than 262144 bytes')
  })

  test('[DIGEST-5] a list or an object may be as large as its limit, to the byte', () => {
    const size = (bytes: number) => ({ bytes, depth: 4 })
    expect(canonicalJson([1, 2], size(5))).toBe('[1,2]')
    expect(() => canonicalJson([1, 2], size(4))).toThrow('This value is larger than 4 bytes as JSON.')
    expect(canonicalJson({ a: 1 }, size(7))).toBe('{"a":1}')
    expect(() => canonicalJson({ a: 1 }, size(6))).toThrow('This value is larger than 6 bytes as JSON.')
    expect(canonicalJson([], size(2))).toBe('[]')
    expect(canonicalJson({}, size(2))).toBe('{}')
    expect(() => canonicalJson('', size(1))).toThrow('larger than 1 bytes')
  })

  test.each<[string, (part: unknown) => unknown]>([
    ['lists', (part) => [part, part]],
    ['objects', (part) => ({ a: part, b: part })],
  ])('[DIGEST-5] a small value that expands without end is refused before it is expanded: %s', (_, doubled) => {
    let value: unknown = 1
    for (let i = 0; i < 60; i++) value = doubled(value)

    const before = process.cpuUsage()
    expect(refusalOf(value)).toContain('limit_exceeded')
    // Milliseconds; to expand it would take for ever.
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(10_000)
  })
})
