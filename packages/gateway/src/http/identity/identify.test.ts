import type { IncomingMessage } from 'node:http'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { audience } from '../../../../../test-kit/oidc/provider.ts'
import type { IdentitySettings } from '../../config/identity-settings.ts'
import { identityLimits, setLimits } from '../../limits.ts'
import { aFakeIssuer, publicOf } from './fake-issuer.suite.ts'
import { identifyBy, issuerKeysOf, resourceOf } from './identify.ts'
import { groupsOmitted } from './person.ts'

beforeEach(() => {
  onTestFinished(setLimits(identityLimits, { waitMs: 60_000, fetchMs: 60_000, lookAgainMs: 0 }))
})

function settingsOf(issuer: string, changes: Partial<IdentitySettings> = {}): IdentitySettings {
  return {
    issuer,
    audience,
    scopes: [],
    algorithms: ['RS256', 'ES256'],
    token_type: 'any',
    subject_claim: 'sub',
    clock_tolerance: 0,
    keys_fresh: 600_000,
    keys_kept: 3_600_000,
    ...changes,
  } as IdentitySettings
}

/** A function that authenticates requests with tokens of a fake issuer, at a time that the test sets. */
async function identification(changes: Partial<IdentitySettings> = {}) {
  const issuer = await aFakeIssuer()
  const errors: unknown[] = []
  const clock = { nowMs: Date.now() }
  const settings = settingsOf(issuer.issuer, changes)
  const identify = identifyBy(
    settings,
    (error) => errors.push(error),
    () => clock.nowMs,
  )
  const withHeaders = async (headers: Record<string, string>, url = '/mcp') =>
    identify({ headers, url } as unknown as IncomingMessage)
  const withToken = async (token: string) => withHeaders({ authorization: `Bearer ${token}` })
  return { issuer, errors, clock, withHeaders, withToken, ann: { principal: `${issuer.issuer}#ann`, groups: [] } }
}

const refused = (status: number, message: string, error?: string) => ({
  refusal: {
    status,
    message,
    ...(error === undefined ? {} : { headers: { 'www-authenticate': expect.stringContaining(`error="${error}"`) } }),
  },
})
const invalid = refused(401, 'The token is not valid here.', 'invalid_token')
const notAnAccessToken = refused(401, 'The token is not an access token.', 'invalid_token')
const seconds = (ms: number) => Math.floor(ms / 1_000)

describe('where the token is', () => {
  test.each(['Bearer', 'bearer', 'BEARER', 'Bearer   '])(
    '[IDENT-2] the scheme may be written as %j',
    async (scheme) => {
      const { issuer, withHeaders, ann } = await identification()

      expect(
        await withHeaders({
          authorization: `${scheme.trimEnd()} ${' '.repeat(scheme.length % 6)}${await issuer.sign()}`,
        }),
      ).toEqual(ann)
    },
  )

  test('[IDENT-2] a request without a token gets 401', async () => {
    const { withHeaders } = await identification()

    expect(await withHeaders({})).toMatchObject(refused(401, 'A bearer token is required.'))
  })

  test.each([
    ['without a scheme', (token: string) => token],
    ['of another scheme', (token: string) => `Basic ${token}`],
    ['with text before the scheme', (token: string) => `x Bearer ${token}`],
    ['without a token', () => 'Bearer'],
    ['with an empty token', () => 'Bearer '],
    ['without a space', (token: string) => `Bearer${token}`],
    ['with two tokens', (token: string) => `Bearer ${token} ${token}`],
    ['with two values', (token: string) => `Bearer ${token}, Bearer ${token}`],
    ['with an unexpected character', (token: string) => `Bearer ${token}%`],
    ['with = inside the token', (token: string) => `Bearer ${token.replace('.', '=.')}`],
  ])('[IDENT-4] an Authorization header %s is refused', async (_what, write) => {
    const { issuer, withHeaders } = await identification()

    const outcome = await withHeaders({ authorization: write(await issuer.sign()) })

    expect(outcome).toMatchObject(refused(401, 'The Authorization header has no bearer token.', 'invalid_token'))
  })

  test('[IDENT-2] a token with correct padding is the same token, and one with too little padding is invalid', async () => {
    const { issuer, withToken, ann } = await identification()

    expect(await withToken(`${await issuer.sign()}==`)).toEqual(ann)
    expect(await withToken(`${await issuer.sign()}=`)).toMatchObject(invalid)
  })

  test.each(['/mcp?access_token=x', '/mcp?a=b&access_token=x', '/mcp?ACCESS_TOKEN=x', '/mcp?access_token='])(
    '[IDENT-4] a token in the URL %s is refused, also with a valid header',
    async (url) => {
      const { issuer, withHeaders } = await identification()

      const outcome = await withHeaders({ authorization: `Bearer ${await issuer.sign()}` }, url)

      const message = 'Send the token in the Authorization header, not in the URL.'
      expect(outcome).toMatchObject(refused(400, message, 'invalid_request'))
    },
  )

  test('[IDENT-2] a request without a URL and one with other parameters are accepted', async () => {
    const { issuer, withHeaders, ann } = await identification()
    const authorization = `Bearer ${await issuer.sign()}`

    expect(await withHeaders({ authorization }, undefined as never)).toEqual(ann)
    expect(await withHeaders({ authorization }, '/mcp?my_access_token=x')).toEqual(ann)
  })
})

describe('what a token must contain', () => {
  test.each([
    ['another issuer', { iss: 'https://other.example.com' }],
    ['no issuer', { iss: undefined as never }],
    ['another audience', { aud: 'https://other.example.com/mcp' }],
    ['no audience', { aud: undefined as never }],
    ['no expiry', { exp: undefined as never }],
    ['an expiry that is not a number', { exp: 'never' as never }],
    ['no subject', { sub: undefined as never }],
    ['an empty subject', { sub: '' }],
    ['a start in the future', { nbf: seconds(Date.now()) + 60 }],
  ])('[IDENT-4] a token with %s is refused', async (_what, claims) => {
    const { issuer, withToken, errors } = await identification()

    expect(await withToken(await issuer.sign(claims))).toMatchObject(invalid)
    expect(errors).toEqual([])
  })

  test('[IDENT-4] a token is refused from its expiry on, with this reason', async () => {
    const { issuer, withToken, clock, ann } = await identification()
    const exp = seconds(clock.nowMs) + 60
    const token = await issuer.sign({ exp })

    clock.nowMs = exp * 1_000 - 1
    expect(await withToken(token)).toEqual(ann)
    clock.nowMs = exp * 1_000
    expect(await withToken(token)).toMatchObject(refused(401, 'The token has expired.', 'invalid_token'))
  })

  test('[IDENT-4] the clocks of issuer and gateway may differ by the tolerance, and not by more', async () => {
    const { issuer, withToken, clock, ann } = await identification({ clock_tolerance: 30_000 })
    const exp = seconds(clock.nowMs) + 60
    const token = await issuer.sign({ exp })

    clock.nowMs = (exp + 29) * 1_000
    expect(await withToken(token)).toEqual(ann)
    clock.nowMs = (exp + 30) * 1_000
    expect(await withToken(token)).toMatchObject(refused(401, 'The token has expired.'))
  })

  test('[IDENT-4] without a clock of its own, expiry is checked by the system clock', async () => {
    const { issuer, ann } = await identification()
    const identify = identifyBy(settingsOf(issuer.issuer), () => undefined)
    const outcomeOf = async (exp: number) =>
      identify({ headers: { authorization: `Bearer ${await issuer.sign({ exp })}` } } as IncomingMessage)

    expect(await outcomeOf(seconds(Date.now()) + 60)).toEqual(ann)
    expect(await outcomeOf(seconds(Date.now()) - 1)).toMatchObject(refused(401, 'The token has expired.'))
  })

  test('[IDENT-4] a claim that identifies people must be in the token', async () => {
    const { issuer, withToken } = await identification({ subject_claim: 'oid' })

    expect(await withToken(await issuer.sign())).toMatchObject(invalid)
    expect(await withToken(await issuer.sign({ oid: 'ben' }))).toEqual({
      principal: `${issuer.issuer}#ben`,
      groups: [],
    })
  })

  test('[IDENT-4] a signature with an algorithm that is not allowed is refused', async () => {
    const { issuer, withToken } = await identification({ algorithms: ['RS256'] })

    expect(await withToken(await issuer.sign())).toMatchObject(invalid)
  })

  test('[IDENT-4] text that is not a token is refused', async () => {
    const { withToken, errors } = await identification()

    for (const text of ['x', 'a.b.c', '...', 'A'.repeat(100_000)]) expect(await withToken(text)).toMatchObject(invalid)
    expect(errors).toEqual([])
  })
})

describe('what kind of token it is', () => {
  test.each([undefined, 'JWT', 'jwt', 'application/jwt', 'at+jwt', 'application/at+jwt', 'AT+JWT'])(
    '[IDENT-10] a token of type %s is accepted',
    async (typ) => {
      const { issuer, withToken, ann } = await identification()

      expect(await withToken(await issuer.sign({}, typ === undefined ? {} : { typ }))).toEqual(ann)
    },
  )

  test.each(['logout+jwt', 'dpop+jwt', 'x-application/at+jwt', 'at+application/jwt', 'id+jwt'])(
    '[IDENT-10] a token of type %s is refused',
    async (typ) => {
      const { issuer, withToken } = await identification()

      expect(await withToken(await issuer.sign({}, { typ }))).toMatchObject(notAnAccessToken)
    },
  )

  test.each(['nonce', 'at_hash', 'c_hash', 'events'])(
    '[IDENT-10] a token with the claim %s is refused, unless it is marked as an access token',
    async (claim) => {
      const { issuer, withToken, ann } = await identification()

      expect(await withToken(await issuer.sign({ [claim]: 'x' }))).toMatchObject(notAnAccessToken)
      expect(await withToken(await issuer.sign({ [claim]: 'x' }, { typ: 'JWT' }))).toMatchObject(notAnAccessToken)
      expect(await withToken(await issuer.sign({ [claim]: 'x' }, { typ: 'at+jwt' }))).toEqual(ann)
    },
  )

  test('[IDENT-10] where only access tokens are allowed, other types are refused', async () => {
    const { issuer, withToken, ann } = await identification({ token_type: 'at+jwt' })

    expect(await withToken(await issuer.sign({}, { typ: 'at+jwt' }))).toEqual(ann)
    for (const typ of [undefined, 'JWT', 'logout+jwt'])
      expect(await withToken(await issuer.sign({}, typ === undefined ? {} : { typ }))).toMatchObject(
        refused(401, 'Only access tokens of type at+jwt are accepted.', 'invalid_token'),
      )
  })
})

describe('what a token allows', () => {
  test.each<[string, Record<string, unknown>, boolean]>([
    ['all scopes', { scope: 'other mcp:use more' }, true],
    ['one of two scopes', { scope: 'mcp:use' }, false],
    ['no scope', {}, false],
    ['a scope that contains ours', { scope: 'mcp:user others' }, false],
    ['all scopes in a list', { scp: ['other', 'mcp:use'] }, true],
    ['one of two scopes in a list', { scp: ['mcp:use', 7] }, false],
    ['a list that is a text', { scp: 'other mcp:use' }, false],
    ['too few scopes in the text, and all in the list', { scope: 'other', scp: ['other', 'mcp:use'] }, false],
  ])('[IDENT-5] a token with %s', async (_what, claims, isAllowed) => {
    const { issuer, withToken, ann } = await identification({ scopes: ['mcp:use', 'other'] })

    const outcome = await withToken(await issuer.sign(claims))

    if (isAllowed) expect(outcome).toEqual(ann)
    else expect(outcome).toMatchObject(refused(403, 'The token needs the scope mcp:use other.', 'insufficient_scope'))
  })

  test.each<[string, Record<string, unknown>, string | undefined]>([
    ['azp', { azp: 'agent' }, 'agent'],
    ['client_id', { client_id: 'agent' }, 'agent'],
    ['azp before client_id', { azp: 'agent', client_id: 'other' }, 'agent'],
    ['client_id if azp is not a text', { azp: 7, client_id: 'agent' }, 'agent'],
    ['neither', {}, undefined],
  ])('[IDENT-2] the client of a token is %s', async (_what, claims, client) => {
    const { issuer, withToken, ann } = await identification()

    expect(await withToken(await issuer.sign(claims))).toStrictEqual(client === undefined ? ann : { ...ann, client })
  })

  test('[IDENT-2] [POLICY-60] the roles of a person come from the configured claim', async () => {
    const { issuer, withToken, ann } = await identification({ roles_claim: 'realm_access.roles' })

    const token = await issuer.sign({ realm_access: { roles: ['deployer'] }, roles: ['admin'] })
    expect(await withToken(token)).toEqual({ ...ann, roles: ['deployer'] })
    expect(await withToken(await issuer.sign({ roles: ['admin'] }))).toEqual({ ...ann, roles: [] })
  })

  test('[IDENT-2] the groups of a person come from the configured claim', async () => {
    const { issuer, withToken, ann } = await identification({ groups_claim: 'roles' })

    expect(await withToken(await issuer.sign({ roles: ['ops'] }))).toEqual({ ...ann, groups: ['ops'] })
  })
})

test('[IDENT-14] a token whose issuer omitted the groups is refused, with the reason', async () => {
  const { issuer, withToken } = await identification({ groups_claim: 'groups' })

  const refusal = refused(401, groupsOmitted, 'invalid_token')
  expect(await withToken(await issuer.sign({ _claim_names: { groups: 'src1' } }))).toMatchObject(refusal)
})

describe('the keys of the issuer', () => {
  test('[IDENT-6] a token that is signed with a new key is accepted, and one with a removed key refused', async () => {
    const { issuer, withToken, ann } = await identification()
    const before = await issuer.sign()
    expect(await withToken(before)).toEqual(ann)

    issuer.rotate()

    expect(await withToken(await issuer.sign())).toEqual(ann)
    expect(await withToken(before)).toMatchObject(invalid)
  })

  test('[IDENT-4] a token with the key id of the issuer and the signature of another key is refused', async () => {
    const [{ issuer, withToken }, other] = [await identification(), await aFakeIssuer()]

    const kid = issuer.key.kid ?? ''
    const own = { jwk: publicOf(other.key), jku: `${other.issuer}/keys` }
    for (const header of [{ kid }, { kid, ...own }])
      expect(await withToken(await other.sign({ iss: issuer.issuer }, header))).toMatchObject(invalid)
    expect(other.requests).toEqual([])
  })

  test('[IDENT-7] while the issuer is unavailable a token gets 503, and the failure is reported', async () => {
    const { issuer, withToken, errors } = await identification()
    issuer.documents = {}

    expect(await withToken(await issuer.sign())).toEqual({
      refusal: {
        status: 503,
        message: 'Tokens cannot be verified now, because their issuer cannot be reached. Try again later.',
        headers: { 'retry-after': '5' },
      },
    })
    expect(errors).toEqual([expect.objectContaining({ name: 'IssuerUnavailable' })])
  })

  test('[IDENT-7] an unexpected failure accepts no token', async () => {
    const { issuer } = await identification()
    const keys = issuerKeysOf(settingsOf(issuer.issuer), () => undefined)
    Object.assign(keys, { find: () => Promise.reject(new RangeError('Unexpected.')) })
    const identify = identifyBy(settingsOf(issuer.issuer), () => undefined, Date.now, keys)

    const headers = { authorization: `Bearer ${await issuer.sign()}` }
    await expect(identify({ headers } as IncomingMessage)).rejects.toThrow('Unexpected.')
  })

  test('[IDENT-4] a token for which the issuer has no usable key is refused', async () => {
    const { issuer } = await identification()
    const keys = issuerKeysOf(settingsOf(issuer.issuer), () => undefined)
    Object.assign(keys, { find: () => Promise.reject(new TypeError('Not a key.')) })
    const identify = identifyBy(settingsOf(issuer.issuer), () => undefined, Date.now, keys)

    const headers = { authorization: `Bearer ${await issuer.sign()}` }
    expect(await identify({ headers } as IncomingMessage)).toMatchObject(invalid)
  })

  test('[IDENT-7] keys are fresh and kept for the configured times', async () => {
    const { issuer } = await identification()
    const errors: unknown[] = []
    const keys = issuerKeysOf(settingsOf(issuer.issuer, { keys_fresh: -1, keys_kept: 60_000 }), (error) =>
      errors.push(error),
    )
    await keys.read()
    issuer.documents = {}
    const find = () => keys.find({ alg: 'ES256', kid: issuer.key.kid ?? '' }, { payload: '', signature: '' })

    expect(await find()).toMatchObject({ type: 'public' })
    await expect.poll(() => errors.length).toBe(1)
  })
})

test('[IDENT-3] the address of the resource is the audience, unless another one is configured', () => {
  const issuer = 'https://issuer.example.com'
  const resource = new URL('https://public.example.com/mcp')

  expect(resourceOf(settingsOf(issuer, { scopes: ['a'] }))).toEqual({
    address: new URL(audience),
    issuer,
    scopes: ['a'],
  })
  expect(resourceOf(settingsOf(issuer, { audience: 'not an address', resource })).address).toBe(resource)
})
