import type { IncomingMessage } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { audience, newKey } from '../../../../../test-kit/oidc/provider.ts'
import type { IdentitySettings } from '../../config/identity-settings.ts'
import { identityLimits, setLimits } from '../../limits.ts'
import { aFakeIssuer, publicOf } from './fake-issuer.suite.ts'
import { identifyBy } from './identify.ts'
import { IssuerKeys } from './issuer-keys.ts'
import { VerifiedTokens } from './verified-tokens.ts'

const ann = { principal: 'https://login.example#ann', groups: [] }
const keys = {}

test('[IDENT-13] a verified token is recognised from its verification until it expires, plus the tolerance', () => {
  const tokens = new VerifiedTokens(500)
  tokens.add('token', ann, { keys, expSeconds: 20, nowMs: 10_000 })

  expect(tokens.find('token', keys, 10_000)).toEqual(ann)
  expect(tokens.find('token', keys, 20_499)).toEqual(ann)
  expect(tokens.find('token', keys, 20_500)).toBeUndefined()
  expect(tokens.find('token', keys, 15_000)).toBeUndefined()
})

test('[IDENT-13] a token is verified again if the clock is before its verification', () => {
  const tokens = new VerifiedTokens(0)
  tokens.add('token', ann, { keys, expSeconds: 20, nowMs: 10_000 })

  expect(tokens.find('token', keys, 9_999)).toBeUndefined()
})

test.each([
  ['other keys', {}],
  ['no keys', undefined],
])('[IDENT-13] a token is verified again if %s are in force', (_which, inForce) => {
  const tokens = new VerifiedTokens(0)
  tokens.add('token', ann, { keys, expSeconds: 20, nowMs: 10_000 })

  expect(tokens.find('token', inForce, 10_000)).toBeUndefined()
  expect(tokens.size).toBe(0)
})

test('[IDENT-13] a token that differs in one character is not recognised', () => {
  const tokens = new VerifiedTokens(0)
  tokens.add('token', ann, { keys, expSeconds: 20, nowMs: 10_000 })

  expect(['tokeN', 'token ', 'toke', ''].map((token) => tokens.find(token, keys, 10_000))).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ])
})

test('[IDENT-13] at the limit the oldest token is verified again', () => {
  onTestFinished(setLimits(identityLimits, { verifiedTokens: 2 }))
  const tokens = new VerifiedTokens(0)
  for (const token of ['a', 'b', 'c']) tokens.add(token, ann, { keys, expSeconds: 20, nowMs: 10_000 })

  expect(['a', 'b', 'c'].map((token) => tokens.find(token, keys, 10_000))).toEqual([undefined, ann, ann])
})

/** Identification by a fake issuer, and how many tokens were verified. */
async function identification() {
  onTestFinished(setLimits(identityLimits, { waitMs: 60_000, fetchMs: 60_000, lookAgainMs: 0 }))
  const issuer = await aFakeIssuer()
  const clock = { nowMs: Date.now(), keysMs: 0 }
  const keys = new IssuerKeys(
    issuer.issuer,
    { freshMs: 1_000, keptMs: 5_000 },
    () => undefined,
    () => clock.keysMs,
  )
  const verifications = { count: 0 }
  const { find } = keys
  Object.assign(keys, {
    find: (...wanted: Parameters<typeof find>) => {
      verifications.count += 1
      return find(...wanted)
    },
  })
  const settings = {
    issuer: issuer.issuer,
    audience,
    scopes: ['mcp'],
    algorithms: ['ES256'],
    token_type: 'any',
    subject_claim: 'sub',
    clock_tolerance: 0,
    keys_fresh: 1_000,
    keys_kept: 5_000,
  } as unknown as IdentitySettings
  const identify = identifyBy(
    settings,
    () => undefined,
    () => clock.nowMs,
    keys,
  )
  const withToken = async (token: string) =>
    identify({ headers: { authorization: `Bearer ${token}` }, url: '/mcp' } as unknown as IncomingMessage)
  return { issuer, clock, keys, verifications, withToken, person: { principal: `${issuer.issuer}#ann`, groups: [] } }
}

test('[IDENT-13] a token is verified once, and again after the keys of the issuer were read again', async () => {
  const { issuer, keys, verifications, withToken, person } = await identification()
  await keys.read()
  const token = await issuer.sign({ scope: 'mcp' })

  for (let times = 0; times < 3; times++) expect(await withToken(token)).toEqual(person)
  expect(verifications.count).toBe(1)

  await keys.read()
  expect(await withToken(token)).toEqual(person)
  expect(verifications.count).toBe(2)
})

test('[IDENT-13] a token whose key was removed is refused as soon as the keys were read again', async () => {
  const { issuer, keys, withToken, person } = await identification()
  await keys.read()
  const token = await issuer.sign({ scope: 'mcp' })
  expect(await withToken(token)).toEqual(person)

  issuer.documents['/keys'] = { keys: [publicOf(newKey())] }
  await keys.read()

  expect(await withToken(token)).toMatchObject({ refusal: { status: 401 } })
})

test('[IDENT-7] [IDENT-13] a recognised token is refused when the cached keys are too old and the issuer is unavailable', async () => {
  const { issuer, clock, keys, withToken, person } = await identification()
  await keys.read()
  const token = await issuer.sign({ scope: 'mcp' })
  expect(await withToken(token)).toEqual(person)
  issuer.documents = {}

  clock.keysMs = 5_000
  expect(await withToken(token)).toEqual(person)
  clock.keysMs = 5_001
  expect(await withToken(token)).toMatchObject({ refusal: { status: 503 } })
})

test('[IDENT-6] [IDENT-13] a recognised token refreshes keys that are not fresh any more', async () => {
  const { issuer, clock, keys, withToken } = await identification()
  await keys.read()
  const token = await issuer.sign({ scope: 'mcp' })
  await withToken(token)
  const before = issuer.requests.length

  clock.keysMs = 1_001
  await withToken(token)

  await expect.poll(() => issuer.requests.length, { timeout: 30_000 }).toBe(before + 2)
})

test('[IDENT-5] [IDENT-13] a refusal is not remembered', async () => {
  const { issuer, keys, verifications, withToken } = await identification()
  await keys.read()
  const token = await issuer.sign()

  for (let times = 0; times < 2; times++) expect(await withToken(token)).toMatchObject({ refusal: { status: 403 } })
  expect(verifications.count).toBe(2)
})

test('[IDENT-13] a token that was verified while the keys were read again is verified once more', async () => {
  const { issuer, keys, verifications, withToken, person } = await identification()
  await keys.read()
  const token = await issuer.sign({ scope: 'mcp' })
  const { find } = keys
  Object.assign(keys, {
    find: async (...wanted: Parameters<typeof find>) => {
      const found = await find(...wanted)
      await keys.read()
      return found
    },
  })

  expect(await withToken(token)).toEqual(person)
  expect(await withToken(token)).toEqual(person)
  expect(verifications.count).toBe(2)
})
