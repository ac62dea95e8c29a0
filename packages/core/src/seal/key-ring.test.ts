import type { KeyObject } from 'node:crypto'
import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { sealLimits } from '../limits.ts'
import { createKeyRing, type SealKey } from './key-ring.ts'

function aKey(id: string, fill = 7): SealKey {
  return { id, secret: new Uint8Array(32).fill(fill) }
}

describe('a ring that could not be safe', () => {
  test.each<[string, readonly SealKey[]]>([
    ['no key', []],
    ['too many keys', Array.from({ length: sealLimits.keys + 1 }, (_, i) => aKey(`k${i}`))],
    ['two keys of one id', [aKey('a', 1), aKey('a', 2)]],
    ['an empty id', [aKey('')]],
    ['an id with a dot', [aKey('a.b')]],
    ['an id in capitals', [aKey('A')]],
    ['an id with a line feed', [aKey('a\n')]],
    ['an id that is too long', [aKey('a'.repeat(33))]],
    ['a secret that is too short', [{ id: 'a', secret: new Uint8Array(31) }]],
    ['a secret that is too long', [aKey('b'), { id: 'a', secret: new Uint8Array(33) }]],
  ])('[SEAL-7] is refused with %s', (_, keys) => {
    expect(() => createKeyRing(keys)).toThrow(expect.objectContaining({ code: 'misconfigured' }))
  })

  test('[SEAL-7] the refusal names the key and not its secret', () => {
    const secret = Buffer.from('not enough bytes')
    expect(() => createKeyRing([{ id: 'spring', secret }])).toThrow('The key "spring" has 16 bytes; it needs 32.')
  })
})

describe('a ring', () => {
  const salt = new Uint8Array(16)
  const bytesOf = (key: KeyObject | undefined) => key?.export().toString('hex')

  test('[SEAL-6] seals with its first key and finds every key by id', () => {
    const ring = createKeyRing([aKey('new'), aKey('old')])

    expect(ring.sealing.id).toBe('new')
    expect(ring.find('old')?.id).toBe('old')
    expect(ring.find('gone')).toBeUndefined()
    expect(ring.find('__proto__')).toBeUndefined()
  })

  test('[SEAL-8] gives each salt and each secret a key of its own, and the same one every time', () => {
    const ring = createKeyRing([aKey('a', 1), aKey('b', 2)])
    const otherSalt = new Uint8Array(16).fill(1)
    const key = bytesOf(ring.sealing.tokenKey(salt))

    expect(bytesOf(ring.sealing.tokenKey(salt))).toBe(key)
    expect(bytesOf(ring.sealing.tokenKey(otherSalt))).not.toBe(key)
    expect(bytesOf(ring.find('b')?.tokenKey(salt))).not.toBe(key)
  })

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
