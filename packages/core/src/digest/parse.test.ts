import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isAssentError } from '../errors.ts'
import { askLimits } from '../limits.ts'
import { canonicalJson } from './canonical.ts'
import { anyCharacter } from './characters.corpus.ts'
import { parseJsonStrictly, readJson } from './parse.ts'

function refusalOf(text: string): string {
  try {
    parseJsonStrictly(text)
  } catch (error) {
    if (isAssentError(error)) return `${error.code}: ${error.message}`
    throw error
  }
  return 'accepted'
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** This number of runs, unless mutation testing has configured fewer for all properties. */
function runs(usual: number): number {
  return fc.readConfigureGlobal()?.numRuns ?? usual
}

describe('unambiguous JSON', () => {
  test.each([
    '{"a":1,"a":1}',
    '{"a":1,"b":2,"a":3}',
    String.raw`{"a":1,"\u0061":2}`,
    String.raw`{"/":1,"\/":2}`,
    String.raw`[{"b":{"c\n":1,"c\u000A":2}}]`,
    '{"__proto__":1,"__proto__":2}',
    '{"":1,"":2}',
    '{"a":{"b":1,"c":2},"a":{"b":1,"c":2,"d":3}}',
    String.raw`{"\ud83d\ude00":1,"😀":2}`,
  ])('[DIGEST-3] a duplicate name is refused: %s', (text) => {
    expect(refusalOf(text)).toMatch(/^not_canonical: .*an object has the same name twice/)
  })

  test.each([
    '{"a":{"a":1},"b":{"a":1}}',
    '[{"a":1},{"a":1}]',
    '{"a":":","b":"\\":\\"","c":"{\\"d\\":1}"}',
    '{"a\\\\":1}',
  ])('[DIGEST-4] the same name in different objects, and colons in texts, are not duplicates: %s', (text) => {
    expect(parseJsonStrictly(text)).toEqual(JSON.parse(text))
  })

  test.each([
    '9007199254740993',
    '-9007199254740993',
    '12345678901234567890',
    '18446744073709551616',
    '0.1000000000000000055',
    '123456789012345.678',
    '1234567890123456.7',
    '1.23456789012345678e3',
    '1234567890123456.1e1',
    '1e400',
    '-1e400',
    '1e-400',
    '2e-324',
    '1.7976931348623159e308',
  ])('[DIGEST-3] a number that a double cannot keep is refused: %s', (text) => {
    expect(refusalOf(`{"a":[${text}]}`)).toMatch(/^not_canonical: .*more digits than can be kept exactly/)
  })

  test.each([
    ['0', '0'],
    ['-0', '0'],
    ['-0.0e5', '0'],
    ['0e999999999999', '0'],
    ['1.0', '1'],
    ['1.50', '1.5'],
    ['15e-1', '1.5'],
    ['1e2', '100'],
    ['1E+2', '100'],
    ['100e-2', '1'],
    ['0.1', '0.1'],
    ['9007199254740991', '9007199254740991'],
    ['9007199254740994', '9007199254740994'],
    ['1e21', '1e+21'],
    ['1000000000000000000000', '1e+21'],
    ['5e-324', '5e-324'],
    ['1.7976931348623157E308', '1.7976931348623157e+308'],
    ['-0.000001', '-0.000001'],
    ['0.00000010', '1e-7'],
    ['1.2345678901234560e3', '1234.567890123456'],
    ['1.2345678901234560e-4', '0.0001234567890123456'],
    ['-1.2345678901234560E-4', '-0.0001234567890123456'],
    ['12345678901234560e-1', '1234567890123456'],
    ['1234567890123456.0', '1234567890123456'],
    ['0.00012345678901234560', '0.0001234567890123456'],
    ['0.0000000000000000000', '0'],
  ])('[DIGEST-4] a number that a double keeps is read, however it is written: %s', (text, canonical) => {
    expect(canonicalJson(parseJsonStrictly(` [ ${text} ] `))).toBe(`[${canonical}]`)
  })

  test('[DIGEST-3] a number that is read has exactly the written value', () => {
    /** Exactly, as a whole number of 10^-400. */
    const exactly = (number: string) => {
      const [mantissa = '', exponent = '0'] = number.toLowerCase().split('e')
      const [whole = '', fraction = ''] = mantissa.split('.')
      return BigInt(whole + fraction) * 10n ** BigInt(400 + Number(exponent) - fraction.length)
    }
    const digits = fc.oneof(fc.bigInt({ min: 0n, max: 10n ** 15n }), fc.bigInt({ min: 0n, max: 10n ** 18n }))
    let read = 0
    fc.assert(
      fc.property(digits, fc.integer({ min: -340, max: 310 }), fc.nat(20), (all, exponent, decimals) => {
        const padded = `${all}`.padStart(decimals + 1, '0')
        const point = padded.length - decimals
        const text = `${padded.slice(0, point)}${decimals > 0 ? '.' : ''}${padded.slice(point)}e${exponent}`
        if (refusalOf(text) !== 'accepted') return
        read += 1
        expect([text, exactly(canonicalJson(parseJsonStrictly(text)))]).toEqual([text, exactly(text)])
      }),
      { numRuns: runs(5_000) },
    )
    expect(read).toBeGreaterThan(runs(5_000) / 5)
  })

  test.each(['"\\ud800"', '["\\uDC00\\uD800"]', '{"\\udfff":1}', '"\ud800"', '{"a":["\\\\ud800","\\ud83d"]}'])(
    '[DIGEST-3] half a surrogate pair is refused: %j',
    (text) => {
      expect(refusalOf(text)).toMatch(/^not_canonical: .*half a surrogate pair/)
    },
  )

  test('[DIGEST-4] an escaped backslash before "ud800" is a backslash', () => {
    expect(parseJsonStrictly('"\\\\ud800"')).toBe('\\ud800')
    expect(parseJsonStrictly('"\\ud83d\\ude00"')).toBe('😀')
  })

  test('[DIGEST-3] a name "__proto__" is a member like any other', () => {
    const value = parseJsonStrictly('{"__proto__":{"admin":true}}') as object
    expect(Object.keys(value)).toEqual(['__proto__'])
    expect('admin' in value).toBe(false)
    expect(Object.getOwnPropertyDescriptor(value, '__proto__')).toEqual({
      value: { admin: true },
      configurable: true,
      enumerable: true,
      writable: true,
    })
  })
})

describe('the grammar', () => {
  test('[DIGEST-4] a name is read as written, whatever this process parsed before', () => {
    // With these, JSON.parse of Node 24 and 26 takes the next names after "x" for a backslash.
    JSON.parse('{"x":1,"\\\\":1}')
    parseJsonStrictly('{"x":1,"\\\\":1}')

    expect(canonicalJson(parseJsonStrictly('{"x":1,"\\u0061":2}'))).toBe('{"a":2,"x":1}')
    expect(canonicalJson(parseJsonStrictly('{"x":1,"\\"":2}'))).toBe('{"\\"":2,"x":1}')
    expect(canonicalJson(parseJsonStrictly('{"x":1,"\\n":2}'))).toBe('{"\\n":2,"x":1}')
  })

  test('[DIGEST-4] every JSON value is read back from its text, however it is indented', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: anyCharacter }), fc.integer({ min: 0, max: 4 }), (value, indent) => {
        const text = JSON.stringify(value, null, indent)
        expect(JSON.stringify(parseJsonStrictly(text), null, indent)).toBe(text)
      }),
      { numRuns: runs(500) },
    )
  })

  test('[DIGEST-4] exactly the texts that JSON.parse accepts are read, with the same value', () => {
    // No name of one escaped character here: those are what JSON.parse gets wrong.
    const pieces = [
      '{',
      '}',
      '[',
      ']',
      ':',
      ',',
      '"',
      '"a"',
      '"b"',
      '\\nb',
      '\\"b',
      '\\u0061b',
      '\\x',
      '1',
      '0',
      '-',
      '.5',
    ]
    pieces.push('e1', 'E-1', ' ', '\n', '\u00a0', '\u0001', 'null', 'true', 'false', 'nul', '/', '{"a":', '[1,')
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 10 }), (parts) => {
        const text = parts.join('')
        const ours = refusalOf(text)
        // Text that is not JSON may also be refused for a duplicate name that comes before its first syntax error.
        if (isJson(text)) expect(ours).not.toContain('grammar')
        else expect(ours).not.toBe('accepted')
        if (ours === 'accepted') expect(parseJsonStrictly(text)).toEqual(JSON.parse(text))
      }),
      { numRuns: runs(20_000) },
    )
  })

  test.each([
    '',
    ' ',
    '{',
    '{"a"',
    '{"a":',
    '{"a":1',
    '{"a":1,}',
    '{a:1}',
    '{"a" 1}',
    '{1:1}',
    '{xa":1}',
    '{ xa":1}',
    '[',
    '[1',
    '[1,]',
    '[,1]',
    '[1 2]',
  ])('[DIGEST-4] text that is cut or out of order is refused: %j', (text) =>
    expect(refusalOf(text)).toContain('grammar'),
  )

  test.each([
    '"',
    '"a',
    '"\\',
    '"\\"',
    '"\\x"',
    '"\\u12"',
    '"\\u12g4"',
    '"\\U0061"',
    '"\n"',
    '"\0"',
    "'a'",
    '01',
    '+1',
    '.5',
  ])('[DIGEST-4] a malformed string or number is refused: %j', (text) => expect(refusalOf(text)).toContain('grammar'))

  test.each([
    '1.',
    '1.e1',
    '1e',
    '1e+',
    '--1',
    '-',
    '0x1',
    'NaN',
    'Infinity',
    'tru',
    'nulL',
    '1 1',
    '{}{}',
    '\ufeff1',
    '1\u00a0',
  ])('[DIGEST-4] a malformed literal, or more than one value, is refused: %j', (text) =>
    expect(refusalOf(text)).toContain('grammar'),
  )

  test.each(['{ }', '[ ]', ' { "a" : [ 1 , 2 ] , "b" : { } } ', '\t[\r\n]\n'])(
    '[DIGEST-4] white space is accepted wherever the grammar allows it: %j',
    (text) => {
      expect(parseJsonStrictly(text)).toEqual(JSON.parse(text))
    },
  )

  test('[DIGEST-4] every escape is read', () => {
    expect(parseJsonStrictly(String.raw`"\"\\\/\b\f\n\r\t\u00e9\u00E9\ud83d\uDE00z"`)).toBe('"\\/\b\f\n\r\téé😀z')
  })

  test('[DIGEST-3] a refusal does not repeat the text, which may hold a secret', () => {
    expect(refusalOf('{"password": hunter2}')).toBe(
      'not_canonical: This is not valid, unambiguous JSON: it does not follow the JSON grammar.',
    )
  })
})

describe('limits', () => {
  test('[DIGEST-5] the last allowed level is read and the next is refused', () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)

    expect(refusalOf(nested(askLimits.actionDepth))).toBe('accepted')
    expect(refusalOf(nested(askLimits.actionDepth + 1))).toContain('limit_exceeded: This JSON is nested deeper than 64')
    const objects = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
    expect(refusalOf(objects(askLimits.actionDepth))).toBe('accepted')
    expect(refusalOf(objects(askLimits.actionDepth + 1))).toContain('limit_exceeded: This JSON is nested deeper')
    expect(refusalOf('{"a":'.repeat(askLimits.actionDepth + 1))).toContain('limit_exceeded: This JSON is nested deeper')
    expect(refusalOf(nested(askLimits.actionBytes / 2))).toContain('limit_exceeded: This JSON is nested deeper')
  })

  test('[DIGEST-5] the size is counted in bytes', () => {
    const full = `"${'é'.repeat(askLimits.actionBytes / 2 - 1)}"`

    expect(refusalOf(full)).toBe('accepted')
    expect(refusalOf(` ${full}`)).toContain('limit_exceeded: This JSON is larger than 262144 bytes')
  })

  const size = askLimits.actionBytes - 100
  test.each([
    ['zeros before a one', `0.${'0'.repeat(size)}1e-1`],
    ['zeros after a one', `1${'0'.repeat(size)}`],
    ['digits', '7'.repeat(size)],
    ['backslashes', `"${'\\'.repeat(size)}"`],
    ['escaped quotes', `"${'\\"'.repeat(size / 2)}"`],
    ['numbers', `[${'1e0,'.repeat(size / 4)}0]`],
    ['names', `{${Array.from({ length: size / 12 }, (_, i) => `"${i}":1`).join()}}`],
    ['open brackets', '['.repeat(size)],
  ])('[DIGEST-5] the time to read the largest text does not grow with its square: %s', (_, text) => {
    const before = process.cpuUsage()
    refusalOf(text)
    // Milliseconds take some; the square would take minutes.
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(10_000)
  })
})

test('[DIGEST-3] with `numbers: nearest`, long digits are read as JSON.parse reads them', () => {
  const rules = { depth: 8, halfPairs: 'keep', numbers: 'nearest' } as const
  for (const text of ['9007199254740993', '0.10000000000000001', '1e400', '[12345678901234567890]']) {
    expect(readJson(text, rules)).toEqual(JSON.parse(text))
  }
})

test('[SEAL-1] with `halfPairs: keep`, half a surrogate pair is read as written', () => {
  const rules = { depth: 8, halfPairs: 'keep', numbers: 'exact' } as const
  for (const text of ['"\\ud800"', '"\ud800"', '{"\\udfff":1}']) expect(readJson(text, rules)).toEqual(JSON.parse(text))
})
