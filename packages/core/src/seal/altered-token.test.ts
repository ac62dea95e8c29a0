import { beforeAll, describe, expect, test } from 'vitest'
import { sealLimits } from '../limits.ts'
import { createKeyRing } from './key-ring.ts'
import { random, sealed, verdict } from './seal.suite.ts'

describe('an altered token', () => {
  const [version, keyId] = ['assent1', 'k1']
  let token = ''
  let bytes = Buffer.alloc(0)
  beforeAll(() => {
    token = sealed()
    bytes = Buffer.from(token.split('.')[2] as string, 'base64url')
  })
  const withBytes = (changed: Uint8Array) => `${version}.${keyId}.${Buffer.from(changed).toString('base64url')}`

  test('[SEAL-2] is refused whichever bit was flipped', () => {
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const flipped = Buffer.from(bytes)
      flipped.writeUInt8(flipped.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
      expect(verdict(withBytes(flipped))).toBe('tampered')
    }
  })

  test('[SEAL-2] is refused wherever it was cut', () => {
    for (let chars = 0; chars < token.length; chars++) expect(verdict(token.slice(0, chars))).not.toBe('accepted')
    for (let start = 1; start < bytes.length; start++)
      expect(verdict(withBytes(bytes.subarray(start)))).not.toBe('accepted')
  })

  test('[SEAL-2] is refused with anything added', () => {
    for (const extra of ['A', '=', '==', '.', ' ', '\n', '\0', 'AAAA', token]) {
      expect(verdict(token + extra)).not.toBe('accepted')
      expect(verdict(extra + token)).not.toBe('accepted')
    }
    expect(verdict(withBytes(Buffer.concat([bytes, bytes])))).toBe('tampered')
  })

  test('[SEAL-2] is refused when made of parts of two valid tokens', () => {
    const other = Buffer.from(sealed().split('.')[2] as string, 'base64url')
    expect(other.length).toBe(bytes.length)

    for (let at = 1; at < bytes.length; at++) {
      const spliced = Buffer.concat([bytes.subarray(0, at), other.subarray(at)])
      // If the two tokens share the spliced part, the result is one of them and therefore valid.
      if (!spliced.equals(bytes) && !spliced.equals(other)) expect(verdict(withBytes(spliced))).toBe('tampered')
    }
  })

  test('[SEAL-2] is refused in every other encoding of the same bytes', () => {
    // Three lengths, because the leftover bits that could be set differ with the length.
    for (const payload of ['a', 'ab', 'abc']) {
      const good = sealed(payload)
      const goodBytes = Buffer.from(good.split('.')[2] as string, 'base64url')
      const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/'
      const spellings = [...alphabet].map((last) => good.slice(0, -1) + last).filter((spelling) => spelling !== good)
      spellings.push(`${version}.${keyId}.${goodBytes.toString('base64')}`, good.replace('assent1.', 'Assent1.'))
      spellings.push(`${good.slice(0, 40)}\n${good.slice(40)}`, `${good.slice(0, 40)}%${good.slice(40)}`)

      expect(verdict(good)).toBe('accepted')
      for (const spelling of spellings) expect(['malformed', 'tampered']).toContain(verdict(spelling))
    }
  })

  test('[SEAL-2] is refused under another key id, even with the same secret', () => {
    const secret = random(32)
    const twins = createKeyRing([
      { id: 'k1', secret },
      { id: 'k2', secret },
    ])
    const good = sealed(1, twins)

    expect(verdict(good, {}, twins)).toBe('accepted')
    expect(verdict(good.replace('.k1.', '.k2.'), {}, twins)).toBe('tampered')
    expect(verdict(good.replace('.k1.', '.k3.'), {}, twins)).toBe('unknown-key')
    expect(verdict(good.replace('assent1.', 'assent2.'), {}, twins)).toBe('malformed')
  })

  test.each([undefined, null, 7, {}, [], '', '.', '..', 'assent1.k1.'])(
    '[SEAL-2] a value that is not a token is refused: %j',
    (value) => {
      expect(verdict(value)).toBe('malformed')
    },
  )

  test('[SEAL-2] an object that converts to a token is refused', () => {
    for (const value of [{ toString: () => token }, [token]]) expect(verdict(value)).toBe('malformed')
  })

  test('[SEAL-2] a token without content is malformed; with one byte of content it is tampered', () => {
    const overhead = 16 + 12 + 16
    expect(verdict(withBytes(bytes.subarray(0, overhead)))).toBe('malformed')
    expect(verdict(withBytes(bytes.subarray(0, overhead + 1)))).toBe('tampered')
  })

  test('[SEAL-2] a token may be as long as the limit and no longer', () => {
    const long = (chars: number) => `assent1.a.${'A'.repeat(chars - 'assent1.a.'.length)}`
    expect(verdict(long(sealLimits.tokenBytes))).toBe('unknown-key')
    expect(verdict(long(sealLimits.tokenBytes + 1))).toBe('malformed')
  })

  test('[SEAL-2] a text that is too long is refused unread', () => {
    expect(verdict(`${version}.${keyId}.${'A'.repeat(sealLimits.tokenBytes)}`)).toBe('malformed')
  })
})
