import { createDecipheriv, createHmac } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { requestDigest } from '../digest/action.ts'
import { anyCharacter } from '../digest/characters.corpus.ts'
import type { JsonValue } from '../json.ts'
import { sealLimits } from '../limits.ts'
import { createKeyRing, type KeyRing } from './key-ring.ts'
import { aKey, aRequest, binding, expected, hourMs, noonMs, random, ring, sealed, verdict } from './seal.suite.ts'
import { isSealedFor, type SealRefusal, seal, stateRefused, unseal } from './seal.ts'

describe('a valid token', () => {
  test('[SEAL-1] any payload is returned unchanged', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: anyCharacter }), (payload) => {
        const opened = unseal(ring, sealed(payload as JsonValue), expected)
        expect(opened.ok && JSON.stringify(opened.payload)).toBe(JSON.stringify(payload))
      }),
    )
  })

  test('[SEAL-1] the state of a server is returned unchanged, even if it is not valid Unicode', () => {
    const anyUnits = fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units))
    fc.assert(
      fc.property(anyUnits, (state) => {
        const opened = unseal(ring, sealed({ state }), expected)
        expect(opened.ok && (opened.payload as { state: string }).state).toBe(state)
      }),
    )
    expect(unseal(ring, sealed('\ud800"\\\0\u2028'), expected)).toMatchObject({ payload: '\ud800"\\\0\u2028' })
  })

  test('[SEAL-1] names are returned unchanged, whatever this process parsed before', () => {
    // With this, JSON.parse of Node 24 and 26 takes the next name after "x" for a backslash.
    JSON.parse('{"x":1,"\\\\":1}')

    expect(unseal(ring, sealed({ x: 1, '"': 2 }), expected)).toMatchObject({ payload: { x: 1, '"': 2 } })
  })

  test('[SEAL-1] sealed state can be sealed again by the next gateway', () => {
    const inner = sealed()
    expect(unseal(ring, sealed({ state: inner }), expected)).toMatchObject({ payload: { state: inner } })
  })

  test('[SEAL-1] a token has the documented format, so that other releases can open it', () => {
    const key = aKey('k1')
    const bytes = Buffer.from(sealed('hello', createKeyRing([key])).slice('assent1.k1.'.length), 'base64url')
    const info = Buffer.concat([Buffer.from('assent seal v1\n'), bytes.subarray(0, 16), Buffer.from([1])])
    const tokenKey = createHmac('sha256', key.secret).update(info).digest()
    const decipher = createDecipheriv('aes-256-gcm', tokenKey, bytes.subarray(16, 28))
    decipher.setAAD(Buffer.from('assent1.k1.')).setAuthTag(bytes.subarray(-16))
    const content = JSON.parse(decipher.update(bytes.subarray(28, -16)).toString() + decipher.final('utf8'))

    const { principal, purpose } = binding
    expect(content).toEqual([expect.any(String), principal, purpose, aRequest, noonMs + hourMs, 'hello'])
  })

  test('[SEAL-1] the payload and the principal cannot be read from the token', () => {
    const token = sealed('a very secret plan')
    const bytes = Buffer.from(token.slice(token.lastIndexOf('.')), 'base64url').toString('latin1')

    expect(`${token}${bytes}`).not.toMatch(/secret|ada|resume|sha256/)
  })

  test('[SEAL-8] each token has its own id and nonce, and its id is returned when it is opened', () => {
    const tokens = Array.from({ length: 100 }, () => sealed())
    const ids = tokens.map((token) => {
      const opened = unseal(ring, token, expected)
      return opened.ok ? opened.id : 'refused'
    })

    expect(new Set(ids).size).toBe(100)
    expect(ids.every((id) => /^state_[0-9a-z]{36}$/.test(id))).toBe(true)
    const nonces = tokens.map((token) => {
      return Buffer.from(token.slice(token.lastIndexOf('.') + 1), 'base64url').toString('hex', 16, 28)
    })
    expect(new Set(nonces).size).toBe(100)
  })
})

describe('a token for another principal, purpose or request', () => {
  const otherRequest = (change: object) =>
    requestDigest({ method: 'tools/call', target: 'deploy', arguments: { env: 'prod' }, ...change })

  test.each<[SealRefusal, Partial<typeof expected>]>([
    ['other-principal', { principal: 'https://id.example#eve' }],
    ['other-principal', { principal: 'https://other.example#ada' }],
    ['other-principal', { principal: '' }],
    ['other-purpose', { purpose: 'await' }],
    ['other-request', { requestDigest: otherRequest({ method: 'prompts/get' }) }],
    ['other-request', { requestDigest: otherRequest({ target: 'destroy' }) }],
    ['other-request', { requestDigest: otherRequest({ arguments: { env: 'test' } }) }],
  ])('[SEAL-3] is refused: %s %j', (reason, changed) => {
    expect(verdict(sealed())).toBe('accepted')
    expect(verdict(sealed(), changed)).toBe(reason)
  })

  test('[SEAL-3] inherited or missing names match nothing', () => {
    const unnamed = { principal: undefined, purpose: undefined, requestDigest: undefined } as unknown as typeof expected
    expect(verdict(sealed(), unnamed)).toBe('other-principal')
  })
})

describe('a token checked before its request is known', () => {
  const checked = (token: unknown, changed: Partial<typeof expected> = {}, by: KeyRing = ring) => {
    const reasons: SealRefusal[] = []
    const good = isSealedFor(by, token, { ...expected, ...changed }, (reason) => reasons.push(reason))
    expect(reasons).toHaveLength(good ? 0 : 1)
    return reasons[0] ?? 'accepted'
  }

  test('[SEAL-10] is valid for its principal and purpose with any request until it expires', () => {
    expect(checked(sealed())).toBe('accepted')
    expect(checked(sealed(), { nowMs: noonMs + hourMs - 1 })).toBe('accepted')
  })

  test('[SEAL-10] is refused for another principal or purpose, when expired, changed or sealed with another key', () => {
    const token = sealed()
    expect(checked(token, { principal: 'https://id.example#eve' })).toBe('other-principal')
    expect(checked(token, { purpose: 'journal' })).toBe('other-purpose')
    expect(checked(token, { nowMs: noonMs + hourMs })).toBe('expired')
    expect(checked(token, { nowMs: Number.NaN })).toBe('expired')
    const middle = token.length >> 1
    const changed = token[middle] === 'A' ? 'B' : 'A'
    expect(checked(token.slice(0, middle) + changed + token.slice(middle + 1))).toBe('tampered')
    expect(checked(token, {}, createKeyRing([aKey('k1')]))).toBe('tampered')
    expect(checked(token, {}, createKeyRing([aKey('k2')]))).toBe('unknown-key')
    for (const nothing of [undefined, '', 7, 'assent1.k1.']) expect(checked(nothing)).toBe('malformed')
  })
})

describe('time', () => {
  test('[SEAL-4] a token opens until the last millisecond of its lifetime and not after', () => {
    expect(unseal(ring, sealed(), { ...expected, nowMs: noonMs + hourMs - 1 })).toMatchObject({
      ok: true,
      expiresAtMs: noonMs + hourMs,
    })
    expect(verdict(sealed(), { nowMs: noonMs + hourMs })).toBe('expired')
    expect(verdict(sealed(), { nowMs: Number.POSITIVE_INFINITY })).toBe('expired')
  })

  test('[SEAL-4] a time that is not a number counts as expired', () => {
    expect(verdict(sealed(), { nowMs: Number.NaN })).toBe('expired')
  })

  test('[SEAL-4] the clock of another replica may be behind', () => {
    expect(verdict(sealed(), { nowMs: noonMs - 5_000 })).toBe('accepted')
  })
})

describe('keys', () => {
  test('[SEAL-6] tokens stay valid during a rotation, and a removed key opens none', () => {
    const [spring, summer] = [aKey('spring'), aKey('summer')]
    const before = createKeyRing([spring])
    const announced = createKeyRing([spring, summer])
    const switched = createKeyRing([summer, spring])
    const after = createKeyRing([summer])
    const old = sealed('old', before)
    const fresh = sealed('fresh', switched)

    for (const replica of [before, announced, switched]) expect(verdict(old, {}, replica)).toBe('accepted')
    for (const replica of [announced, switched, after]) expect(verdict(fresh, {}, replica)).toBe('accepted')
    expect(verdict(old, {}, after)).toBe('unknown-key')
    expect(verdict(fresh, {}, before)).toBe('unknown-key')
  })

  test('[SEAL-6] a key of any id that a ring takes seals and opens', () => {
    for (const id of ['0', 'a', 'a-_9', `z${'-'.repeat(31)}`]) {
      const named = createKeyRing([aKey(id)])
      expect(verdict(sealed(1, named), {}, named)).toBe('accepted')
    }
  })

  test('[SEAL-6] another secret under the same id opens no token', () => {
    expect(verdict(sealed(), {}, createKeyRing([aKey('k1')]))).toBe('tampered')
  })
})

describe('a refusal', () => {
  test('[SEAL-5] needs no callback', () => {
    expect(isSealedFor(ring, 'nonsense', expected)).toBe(false)
    expect(isSealedFor(ring, sealed(), expected)).toBe(true)
    expect(unseal(ring, 'nonsense', expected)).toBe(stateRefused)
  })

  test('[SEAL-5] is one frozen value with one text, so that a caller learns no reason', () => {
    const refusals = [
      unseal(ring, 'nonsense', expected),
      unseal(ring, sealed().replace('.k1.', '.k2.'), expected),
      unseal(ring, sealed().replace(/.$/, '.'), expected),
      unseal(ring, sealed(), { ...expected, nowMs: noonMs + hourMs }),
      unseal(ring, sealed(), { ...expected, principal: 'eve' }),
      unseal(ring, sealed(), { ...expected, purpose: 'await' }),
      unseal(ring, sealed(), { ...expected, requestDigest: 'sha256:0' }),
    ]

    for (const refusal of refusals) expect(refusal).toBe(stateRefused)
    expect(Object.isFrozen(stateRefused)).toBe(true)
    expect(stateRefused).toEqual({
      ok: false,
      code: 'state_refused',
      message: 'This state is not valid for this request.',
    })
  })
})

describe('state that cannot be bound', () => {
  const unnamed = 'Sealed state needs a principal and a purpose.'
  const unbound = 'Sealed state is bound to the digest of a request.'
  const endless = `The lifetime of sealed state is between 1 and ${sealLimits.ttlMaxMs} ms.`
  test.each<[string, object, string, string]>([
    ['no principal', { principal: '' }, 'misconfigured', unnamed],
    ['no purpose', { purpose: '' }, 'misconfigured', unnamed],
    ['no request', { requestDigest: '' }, 'misconfigured', unbound],
    ['a request that is not a digest', { requestDigest: 'tools/call' }, 'misconfigured', unbound],
    ['no lifetime', { ttlMs: 0 }, 'limit_exceeded', endless],
    ['half a millisecond', { ttlMs: 1.5 }, 'limit_exceeded', endless],
    ['an endless lifetime', { ttlMs: Number.POSITIVE_INFINITY }, 'limit_exceeded', endless],
    ['a lifetime that is not a number', { ttlMs: Number.NaN }, 'limit_exceeded', endless],
    ['a lifetime that is too long', { ttlMs: sealLimits.ttlMaxMs + 1 }, 'limit_exceeded', endless],
  ])('[SEAL-9] is not sealed: %s', (_, changed, code, message) => {
    const attempt = () => seal(ring, { ...binding, ttlMs: hourMs, ...changed }, 1, { nowMs: noonMs, random })
    expect(attempt).toThrow(expect.objectContaining({ code, message }))
  })

  test('[SEAL-9] the shortest lifetime is allowed', () => {
    const token = seal(ring, { ...binding, ttlMs: 1 }, 1, { nowMs: noonMs, random })
    expect(verdict(token)).toBe('accepted')
    expect(verdict(token, { nowMs: noonMs + 1 })).toBe('expired')
  })

  test('[SEAL-9] the longest lifetime is allowed', () => {
    const token = seal(ring, { ...binding, ttlMs: sealLimits.ttlMaxMs }, 1, { nowMs: noonMs, random })
    expect(verdict(token, { nowMs: noonMs + sealLimits.ttlMaxMs - 1 })).toBe('accepted')
  })

  test('[SEAL-9] a payload too large to be opened again is not sealed', () => {
    const fits = sealed('a'.repeat(196_000))
    expect(verdict(fits)).toBe('accepted')
    const tooLarge = expect.objectContaining({
      code: 'limit_exceeded',
      message: `Sealed state would be larger than ${sealLimits.tokenBytes} bytes.`,
    })
    expect(() => sealed('a'.repeat(197_000))).toThrow(tooLarge)
    expect(() => sealed('a'.repeat(sealLimits.tokenBytes + 1))).toThrow(tooLarge)
    // The longest that fits, to the character: base64url takes four characters for three bytes.
    const named = createKeyRing([aKey('a')])
    const room = Math.floor(((sealLimits.tokenBytes - 'assent1.a.'.length) * 3) / 4) - 44
    const rest = Buffer.from(sealed('', named).slice('assent1.a.'.length), 'base64url').length - 44
    const longest = sealed('a'.repeat(room - rest), named)
    expect(longest).toHaveLength(sealLimits.tokenBytes)
    expect(verdict(longest, {}, named)).toBe('accepted')
    expect(() => sealed('a'.repeat(room - rest + 1), named)).toThrow(tooLarge)
  })

  test('[SEAL-9] a payload too deep to be opened again is not sealed', () => {
    const nested = (levels: number) => {
      let value: JsonValue = 1
      for (let i = 0; i < levels; i++) value = [value]
      return value
    }

    expect(verdict(sealed(nested(127)))).toBe('accepted')
    expect(() => sealed(nested(128))).toThrow(expect.objectContaining({ code: 'limit_exceeded' }))
    let object: JsonValue = 1
    for (let i = 0; i < 127; i++) object = { a: object }
    expect(verdict(sealed(object))).toBe('accepted')
    expect(() => sealed({ a: object })).toThrow(expect.objectContaining({ code: 'limit_exceeded' }))
    // Brackets inside a text do not add depth.
    expect(verdict(sealed('[{'.repeat(200)))).toBe('accepted')
  })

  test('[SEAL-9] nothing is sealed without enough randomness', () => {
    const poor = { nowMs: noonMs, random: (count: number) => new Uint8Array(count - 1) }
    expect(() => seal(ring, { ...binding, ttlMs: hourMs }, 1, poor)).toThrow(
      expect.objectContaining({
        code: 'misconfigured',
        message: 'The random source returned the wrong number of bytes.',
      }),
    )
  })
})
