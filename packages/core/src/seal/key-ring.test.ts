import { createHmac, type KeyObject } from 'node:crypto'
import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { sealLimits } from '../limits.ts'
import { createKeyRing, type MacPurpose, type SealKey } from './key-ring.ts'

function aKey(id: string, fill = 7): SealKey {
  return { id, secret: new Uint8Array(32).fill(fill) }
}

describe('an unsafe key ring', () => {
  const count = `A key ring holds between 1 and ${sealLimits.keys} keys.`
  const id = 'A key id is 1 to 32 lower-case letters, digits, "-" or "_", and begins with a letter or digit.'
  const notBytes =
    'The secret of the key "a" is not a Uint8Array. Turn the output of `openssl rand -base64 32` into one with ' +
    "`Buffer.from(text, 'base64')`."
  const many = Array.from({ length: sealLimits.keys + 1 }, (_, i) => aKey(`k${i}`))
  test.each<[string, readonly SealKey[], string]>([
    ['no key', [], count],
    ['too many keys', many, count],
    ['two keys with the same id', [aKey('a', 1), aKey('a', 2)], 'Two keys of the ring have the same id.'],
    ['an empty id', [aKey('')], id],
    ['an id with a dot', [aKey('a.b')], id],
    ['an id in capitals', [aKey('A')], id],
    ['an id with a line feed', [aKey('a\n')], id],
    ['an id that is too long', [aKey('a'.repeat(33))], id],
    [
      'a secret that is too short',
      [{ id: 'a', secret: new Uint8Array(31) }],
      'The key "a" has 31 bytes; it needs 32. Create one with `openssl rand -base64 32`.',
    ],
    [
      'a secret that is too long',
      [aKey('b'), { id: 'a', secret: new Uint8Array(33) }],
      'The key "a" has 33 bytes; it needs 32. Create one with `openssl rand -base64 32`.',
    ],
    ['a secret of text', [{ id: 'a', secret: 'x'.repeat(32) as never }], notBytes],
    ['a secret that is a list of numbers', [{ id: 'a', secret: Array(32).fill(7) as never }], notBytes],
    ['no secret', [{ id: 'a', secret: undefined as never }], notBytes],
  ])('[SEAL-7] is refused with %s', (_, keys, message) => {
    expect(() => createKeyRing(keys)).toThrow(expect.objectContaining({ code: 'misconfigured', message }))
  })

  test('[SEAL-7] a ring accepts its maximum number of keys', () => {
    expect(createKeyRing(many.slice(1)).sealing.id).toBe('k1')
  })

  test('[SEAL-7] the refusal names the key and not its secret', () => {
    const secret = Buffer.from('not enough bytes')
    expect(() => createKeyRing([{ id: 'spring', secret }])).toThrow(
      'The key "spring" has 16 bytes; it needs 32. Create one with `openssl rand -base64 32`.',
    )
  })
})

describe('a key ring', () => {
  const salt = new Uint8Array(16)
  const bytesOf = (key: KeyObject | undefined) => key?.export().toString('hex')

  test('[SEAL-6] seals with its first key and finds every key by id', () => {
    const ring = createKeyRing([aKey('new'), aKey('old')])

    expect(ring.sealing.id).toBe('new')
    expect(ring.find('old')?.id).toBe('old')
    expect(ring.find('gone')).toBeUndefined()
    expect(ring.find('__proto__')).toBeUndefined()
  })

  test('[SEAL-8] derives a different key for each salt and each secret, and the same one every time', () => {
    const ring = createKeyRing([aKey('a', 1), aKey('b', 2)])
    const otherSalt = new Uint8Array(16).fill(1)
    const key = bytesOf(ring.sealing.tokenKey(salt))

    expect(bytesOf(ring.sealing.tokenKey(salt))).toBe(key)
    expect(bytesOf(ring.sealing.tokenKey(otherSalt))).not.toBe(key)
    expect(bytesOf(ring.find('b')?.tokenKey(salt))).not.toBe(key)
  })

  test('[SEAL-8] a salt is used for a limited number of tokens, then a new one is drawn', () => {
    let draws = 0
    const random = (count: number) => new Uint8Array(count).fill(++draws)
    const { sealing } = createKeyRing([aKey('a')])
    const first = sealing.nextSalt(random)
    for (let used = 1; used < sealLimits.tokensPerSalt; used++) expect(sealing.nextSalt(random)).toBe(first)

    expect(draws).toBe(1)
    expect(sealing.nextSalt(random)).toEqual(new Uint8Array(16).fill(2))
    expect(createKeyRing([aKey('a')]).sealing.nextSalt(random)).toEqual(new Uint8Array(16).fill(3))
  })

  test('[SEAL-8] a salt of the wrong length is refused', () => {
    const { sealing } = createKeyRing([aKey('a')])
    for (const length of [0, 15, 17])
      expect(() => sealing.nextSalt(() => new Uint8Array(length))).toThrow('returned the wrong number of bytes')
    expect(sealing.nextSalt(() => salt)).toEqual(salt)
  })

  test('[SEAL-8] keeps the keys that it derived last, and no more of them than it may', () => {
    const { sealing } = createKeyRing([aKey('a')])
    const saltOf = (number: number) => new Uint8Array(16).fill(number)
    const key = sealing.tokenKey(saltOf(0))
    for (let number = 1; number < sealLimits.tokenKeys; number++) sealing.tokenKey(saltOf(number))
    expect(sealing.tokenKey(saltOf(0))).toBe(key)
    sealing.tokenKey(saltOf(255))
    const again = sealing.tokenKey(saltOf(0))
    expect(again).not.toBe(key)
    expect(bytesOf(again)).toBe(bytesOf(key))
  })

  test.each<MacPurpose>(['ask', 'vote', 'grant'])(
    '[VOTE-1] the code for %s equals HKDF and HMAC of the platform',
    (purpose) => {
      const subkey = createHmac('sha256', aKey('a').secret).update(`assent mac v1 ${purpose}\n\u0001`).digest()
      const code = createHmac('sha256', subkey).update('täxt').digest('hex')
      expect(Buffer.from(createKeyRing([aKey('a')]).sealing.mac(purpose, 'täxt')).toString('hex')).toBe(code)
    },
  )

  test('[SEAL-7] keeps its own copy of the secret, so that the caller can wipe the bytes', () => {
    const key = aKey('a')
    const ring = createKeyRing([key])
    const before = bytesOf(ring.sealing.tokenKey(salt))
    key.secret.fill(0)

    expect(bytesOf(ring.sealing.tokenKey(salt))).toBe(before)
  })

  test('[SEAL-7] shows no secret when it is printed', () => {
    const ring = createKeyRing([{ id: 'a', secret: Buffer.from('s3cr3t'.repeat(6).slice(0, 32)) }])

    const printed = `${inspect(ring, { depth: 9, showHidden: true })}${JSON.stringify(ring)}`
    expect(printed).not.toMatch(/s3cr3t|73 33 63|115, ?51|"115"/)
  })
})
