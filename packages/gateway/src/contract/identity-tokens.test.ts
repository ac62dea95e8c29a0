import { createHmac, createPublicKey } from 'node:crypto'
import { request as httpRequest } from 'node:http'
import { type JWK, UnsecuredJWT } from 'jose'
import { beforeEach, describe, expect, test } from 'vitest'
import { audience } from '../../../../test-kit/oidc/provider.ts'
import { aProvider, type TestProvider } from '../../../../test-kit/oidc/token-provider.ts'
import { aGatewayWithIdentity, callWith, challengeFor, waitForKeys } from './identity.suite.ts'

beforeEach(waitForKeys)

describe('invalid tokens', () => {
  const forgeries: readonly [string, (provider: TestProvider, other: TestProvider) => Promise<string>][] = [
    ['for another resource', (provider) => provider.token({ resource: 'https://other.example.com/mcp' })],
    ['of another issuer', (_provider, other) => other.token()],
    ['of another issuer that claims to be ours', (provider, other) => other.sign({ iss: provider.issuer })],
    ['that has expired', (provider) => provider.sign({ exp: Math.floor(Date.now() / 1_000) - 1 })],
    ['without an expiry', (provider) => provider.sign({ exp: undefined as never })],
    ['that is not valid yet', (provider) => provider.sign({ nbf: Math.floor(Date.now() / 1_000) + 60 })],
    ['without a subject', (provider) => provider.sign({ sub: undefined as never })],
    ['with an empty subject', (provider) => provider.sign({ sub: '' })],
    ['with a line break in its subject', (provider) => provider.sign({ sub: 'ann\nadmin' })],
    ['with a subject that is too long', (provider) => provider.sign({ sub: 'a'.repeat(1_000) })],
    ['without an audience', (provider) => provider.sign({ aud: undefined as never })],
    ['for an audience that is a prefix of ours', (provider) => provider.sign({ aud: audience.slice(0, -1) })],
    ['from our issuer with an extra slash', (provider) => provider.sign({ iss: `${provider.issuer}/` })],
    ['with an unknown key id', (provider) => provider.sign({}, { kid: 'unknown' })],
    [
      'with its own key in the header (jwk)',
      async (provider, other) => other.sign({ iss: provider.issuer }, { jwk: publicOf(other.key) }),
    ],
    [
      'with the address of its own keys (jku)',
      (provider, other) => other.sign({ iss: provider.issuer }, { jku: `${other.issuer}/jwks` }),
    ],
    [
      'with an unknown critical header',
      (provider) => provider.sign({}, { crit: ['x'], x: 1 }).catch(() => forged(provider, { crit: ['x'], x: 1 })),
    ],
    ['that is not signed', async (provider) => new UnsecuredJWT(claimsOf(provider)).encode()],
    ['signed with the public key as a shared secret', async (provider) => hmacWithPublicKey(provider)],
    ['without its signature', async (provider) => (await provider.token()).replace(/[^.]*$/, '')],
    ['in which one character was changed', async (provider) => flipped(await provider.token())],
    ['that is not a JWT', async () => 'not-a-token'],
    ['that is a logout token', (provider) => provider.sign({}, { typ: 'logout+jwt' })],
    ['that is a logout token by its claims', (provider) => provider.sign({ events: {} })],
    ['that is an ID token with a nonce', (provider) => provider.sign({ nonce: 'n' })],
    ['that is an ID token with at_hash', (provider) => provider.sign({ at_hash: 'h' }, { typ: 'JWT' })],
    ['that is an ID token with c_hash', (provider) => provider.sign({ c_hash: 'h' })],
    ['of another type', (provider) => provider.sign({}, { typ: 'dpop+jwt' })],
  ]

  test.each(forgeries)('[IDENT-4] a token %s gets 401, and no server receives the request', async (_what, forge) => {
    const [provider, other] = [await aProvider(), await aProvider()]
    const { url, server } = await aGatewayWithIdentity(provider)
    const token = await forge(provider, other)

    const { status, challenge, body } = await challengeFor(url, `Bearer ${token}`)

    expect(status).toBe(401)
    expect(challenge).toContain('error="invalid_token"')
    expect(`${challenge}${body}`).not.toContain(token.slice(0, 20))
    expect(server.requests).toEqual([])
  })

  test.each([undefined, 'JWT', 'at+jwt', 'application/at+jwt', 'AT+JWT'])(
    '[IDENT-10] a token with type %s is accepted',
    async (typ) => {
      const provider = await aProvider()
      const { url } = await aGatewayWithIdentity(provider)

      expect((await callWith(url, await provider.sign({}, typ === undefined ? {} : { typ }))).status).toBe(200)
    },
  )

  test('[IDENT-10] with token_type at+jwt, only tokens marked as access tokens are accepted', async () => {
    const provider = await aProvider()
    const { url } = await aGatewayWithIdentity(provider, 'token_type: at+jwt')

    expect((await callWith(url, await provider.sign({}, { typ: 'at+jwt' }))).status).toBe(200)
    for (const typ of [undefined, 'JWT', 'logout+jwt']) {
      const token = await provider.sign({}, typ === undefined ? {} : { typ })
      expect((await challengeFor(url, `Bearer ${token}`)).status).toBe(401)
    }
  })

  test('[IDENT-4] the provider’s own token is refused from its expiry on', async () => {
    const tokenSeconds = 60
    let aheadMs = 0
    const provider = await aProvider({ tokenSeconds })
    const { url } = await aGatewayWithIdentity(provider, '', undefined, () => Date.now() + aheadMs)
    const token = await provider.token()
    expect((await callWith(url, token)).status).toBe(200)

    aheadMs = (tokenSeconds + 1) * 1_000

    expect(await challengeFor(url, `Bearer ${token}`)).toMatchObject({
      status: 401,
      challenge: expect.stringContaining('The token has expired.'),
    })
  })

  test('[IDENT-4] a valid signature with an algorithm that the operator did not allow is refused', async () => {
    const provider = await aProvider()
    const { url, server } = await aGatewayWithIdentity(provider, 'algorithms: [RS256, PS256]')

    expect((await challengeFor(url, `Bearer ${await provider.token()}`)).status).toBe(401)
    expect(server.requests).toEqual([])
  })

  test.each([
    ['Basic YW5uOnNlY3JldA==', 401],
    ['Bearer', 401],
    ['Bearer a b', 401],
    ['Bearer \u00fc', 401],
  ])('[IDENT-4] the header %j gets %i', async (authorization, status) => {
    const { url } = await aGatewayWithIdentity(await aProvider())

    expect(await statusOf(url, { authorization: Buffer.from(authorization).toString('latin1') })).toBe(status)
  })

  test('[IDENT-4] a second Authorization header is ignored: an invalid first one is refused', async () => {
    const provider = await aProvider()
    const { url, server } = await aGatewayWithIdentity(provider)
    const token = `Bearer ${await provider.token()}`

    for (const first of ['Bearer x', 'Basic eA=='])
      expect(await statusOf(url, ['host', new URL(url).host, 'authorization', first, 'authorization', token])).toBe(401)
    expect(server.requests).toEqual([])
  })

  test('[IDENT-4] a token that is too long for a header is refused', async () => {
    const { url, server } = await aGatewayWithIdentity(await aProvider())

    expect(await statusOf(url, { authorization: `Bearer ${'A'.repeat(20_000)}` })).toBe(431)
    expect(server.requests).toEqual([])
  })

  test('[IDENT-4] a token in the URL is refused, also with a valid Authorization header', async () => {
    const provider = await aProvider()
    const { url, server } = await aGatewayWithIdentity(provider)
    const token = await provider.token()

    const inAddress = await statusOf(`${url}?access_token=${token}`, {})
    const inBoth = await statusOf(`${url}?a=b&access_token=${token}`, { authorization: `Bearer ${token}` })

    expect([inAddress, inBoth]).toEqual([400, 400])
    expect(server.requests).toEqual([])
  })
})

function claimsOf(provider: TestProvider) {
  return { iss: provider.issuer, aud: audience, sub: 'ann', exp: Math.floor(Date.now() / 1_000) + 60 }
}

function publicOf({ d: _private, ...key }: JWK): JWK {
  return key
}

/** Keeps the original signature: the header alone must be enough to refuse the token. */
async function forged(provider: TestProvider, header: object): Promise<string> {
  const [, payload, signature] = (await provider.token()).split('.')
  return `${encoded({ alg: 'ES256', kid: provider.key.kid, ...header })}.${payload}.${signature}`
}

/** Algorithm confusion: a verifier that takes the algorithm from the token uses the public key as an HMAC secret. */
function hmacWithPublicKey(provider: TestProvider): string {
  const pem = createPublicKey({ key: publicOf(provider.key) as never, format: 'jwk' }).export({
    type: 'spki',
    format: 'pem',
  })
  const unsigned = `${encoded({ alg: 'HS256', kid: provider.key.kid })}.${encoded(claimsOf(provider))}`
  return `${unsigned}.${createHmac('sha256', pem).update(unsigned).digest('base64url')}`
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

function flipped(token: string): string {
  const at = token.indexOf('.') + 10
  return `${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`
}

function statusOf(url: string, headers: Record<string, string> | readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const sending = httpRequest(url, { method: 'POST', headers }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    sending.on('error', reject).end('{}')
  })
}
