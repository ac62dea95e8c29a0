import { createHmac, createPublicKey } from 'node:crypto'
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { type JWK, UnsecuredJWT } from 'jose'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { openTestEnv } from '../../../../../test-kit/gateway/test-env.ts'
import { whichRegion } from '../../../../../test-kit/mcp/asking-tools.ts'
import { audience, newKey } from '../../../../../test-kit/oidc/provider.ts'
import { aProvider, type TestProvider } from '../../../../../test-kit/oidc/token-provider.ts'
import { until } from '../../../../../test-kit/until.ts'
import { readConfig } from '../../config/read-config.ts'
import { aRawServer, aSession, asks, call, complete } from '../../contract/wire.suite.ts'
import { identityLimits, setLimits } from '../../limits.ts'
import { healthPages, identityPages } from '../../program/pages.ts'
import { Readiness } from '../../program/readiness.ts'
import { reloadableOf } from '../../program/reloadable.ts'
import { resourceOf } from './identify.ts'

/** A gateway that verifies tokens of this provider, in front of a server that records the headers it receives. */
async function aGatewayWithIdentity(
  provider: TestProvider,
  settings = '',
  react = () => complete as unknown,
  nowMs: () => number = Date.now,
) {
  const headers: Record<string, unknown>[] = []
  const server = await aRawServer((_request, _response, message) => {
    headers.push(message.headers)
    return react()
  })
  const text = `
identity: { issuer: "${provider.issuer}", audience: "${audience}", clock_tolerance: 0s, ${settings} }
servers: { deploy: { url: "${server.url}", headers: { Authorization: "Bearer of-the-gateway" } } }`
  const read = readConfig(text, { variables: {}, readFile: () => ({ ok: false, reason: '' }) })
  if (!read.ok || read.config.identity === undefined) throw new Error(JSON.stringify(read))
  const errors: unknown[] = []
  const { servers, ...changes } = reloadableOf(read.config, nowMs, (error) => errors.push(error))
  const condition = { resource: resourceOf(read.config.identity) }
  const testEnv = await openTestEnv()
  const readiness = new Readiness({
    store: testEnv.store,
    isDraining: () => false,
    areIssuerKeysRead: () => true,
    onChange: () => undefined,
  })
  const pages = { ...identityPages(condition), ...healthPages(readiness) }
  const gateway = await testEnv.gateway(servers, { ...changes, pages })
  return { ...gateway, testEnv, server, headers, errors }
}

function callWith(url: string, token: string | undefined) {
  return call(url, {}, {}, token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } })
}

async function challengeFor(url: string, authorization?: string) {
  const response = await fetch(url, { method: 'POST', headers: authorization === undefined ? {} : { authorization } })
  return {
    status: response.status,
    challenge: response.headers.get('www-authenticate') ?? '',
    body: await response.text(),
  }
}

beforeEach(() => {
  // A request waits for the keys of the issuer, however slow the machine is.
  onTestFinished(setLimits(identityLimits, { waitMs: 60_000, fetchMs: 60_000 }))
})

test('[IDENT-2] a token of the issuer for this endpoint is accepted, and the principal is issuer and subject', async () => {
  const provider = await aProvider()
  const { url, testEnv, server } = await aGatewayWithIdentity(provider, '', () => asks({ where: whichRegion }))

  const { status, message } = await callWith(url, await provider.token())

  expect({ status, resultType: message.result.resultType }).toEqual({ status: 200, resultType: 'input_required' })
  expect(server.requests).toHaveLength(1)
  const recorded = await until(async () => {
    for await (const { body } of testEnv.store.audit.entries('default')) return JSON.stringify(body)
    return undefined
  })
  expect(recorded).toContain(`${provider.issuer}#ann`)
})

test('[IDENT-2] a request without a token gets 401 with the address of the metadata', async () => {
  const { url } = await aGatewayWithIdentity(await aProvider(), 'scopes: ["mcp:use"]')

  expect(await challengeFor(url)).toMatchObject({
    status: 401,
    challenge:
      'Bearer scope="mcp:use", resource_metadata="https://assent.example.com/.well-known/oauth-protected-resource/mcp"',
  })
})

test('[IDENT-3] the metadata names the resource and its issuer, at both well-known paths', async () => {
  const provider = await aProvider()
  const { url } = await aGatewayWithIdentity(provider, 'scopes: ["mcp:use"]')

  for (const path of ['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp']) {
    const response = await fetch(new URL(path, url))
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await response.json()).toEqual({
      resource: audience,
      authorization_servers: [provider.issuer],
      bearer_methods_supported: ['header'],
      scopes_supported: ['mcp:use'],
    })
  }
})

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

test('[IDENT-5] a token without the required scopes gets 403 with all of them', async () => {
  const provider = await aProvider()
  const { url } = await aGatewayWithIdentity(provider, 'scopes: ["mcp:use", "other"]')

  const lacking = await challengeFor(url, `Bearer ${await provider.token({ scope: 'mcp:use' })}`)
  const { status } = await callWith(url, await provider.token({ scope: 'other mcp:use' }))

  expect(lacking.status).toBe(403)
  expect(lacking.challenge).toContain('error="insufficient_scope"')
  expect(lacking.challenge).toContain('scope="mcp:use other"')
  expect(lacking.challenge).toContain('resource_metadata="https://assent.example.com/')
  expect(status).toBe(200)
})

test('[IDENT-6] a new key is fetched automatically, and tokens signed with a removed key are refused', async () => {
  setLimits(identityLimits, { lookAgainMs: 0 })
  const provider = await aProvider()
  const { url } = await aGatewayWithIdentity(provider)
  const before = await provider.token()
  expect((await callWith(url, before)).status).toBe(200)

  await provider.start(newKey())

  expect((await callWith(url, await provider.token())).status).toBe(200)
  expect((await challengeFor(url, `Bearer ${before}`)).status).toBe(401)
})

test('[IDENT-6] unknown key ids do not cause repeated requests to the issuer', async () => {
  setLimits(identityLimits, { lookAgainMs: 60_000 })
  const provider = await aProvider()
  const { url } = await aGatewayWithIdentity(provider)
  expect((await callWith(url, await provider.token())).status).toBe(200)
  await provider.start(newKey())

  const statuses = []
  for (let i = 0; i < 5; i++) statuses.push((await challengeFor(url, `Bearer ${await provider.token()}`)).status)

  // The keys were fetched a moment ago, so even a real new key is found only after the interval.
  expect(statuses).toEqual([401, 401, 401, 401, 401])
})

test('[IDENT-7] while the issuer is unreachable, cached keys stay valid and unknown keys get 503', async () => {
  setLimits(identityLimits, { lookAgainMs: 0 })
  const [provider, other] = [await aProvider(), await aProvider()]
  const { url } = await aGatewayWithIdentity(provider)
  const token = await provider.token()
  expect((await callWith(url, token)).status).toBe(200)

  await provider.stop()

  expect((await callWith(url, token)).status).toBe(200)
  const unknown = await challengeFor(url, `Bearer ${await other.sign({ iss: provider.issuer })}`)
  expect(unknown).toMatchObject({ status: 503, body: expect.stringContaining('issuer cannot be reached') })
})

test('[IDENT-7] while the issuer is unreachable from the start tokens get 503; once it is reachable they are accepted', async () => {
  setLimits(identityLimits, { lookAgainMs: 0 })
  const provider = await aProvider()
  const token = await provider.token()
  await provider.stop()
  const { url, server, errors } = await aGatewayWithIdentity(provider)

  expect((await challengeFor(url, `Bearer ${token}`)).status).toBe(503)
  expect((await challengeFor(url)).status).toBe(401)
  expect(server.requests).toEqual([])
  expect(errors).toHaveLength(1)
  await provider.start()
  expect((await callWith(url, token)).status).toBe(200)
})

test('[IDENT-7] cached keys expire: after that tokens get 503 until the issuer is reachable', async () => {
  const provider = await aProvider()
  const { url } = await aGatewayWithIdentity(provider, 'keys_fresh: 1s, keys_kept: 1s')
  const token = await provider.token()
  expect((await callWith(url, token)).status).toBe(200)
  await provider.stop()

  await new Promise((resolve) => setTimeout(resolve, 1_200))

  expect((await challengeFor(url, `Bearer ${token}`)).status).toBe(503)
})

test('[IDENT-7] [FLEET-12] requests get 503 after a short wait when the issuer accepts connections but never responds', async () => {
  setLimits(identityLimits, { waitMs: 5_000, fetchMs: 30_000 })
  const provider = await aProvider()
  const silent = createServer((socket) => socket.on('error', () => undefined))
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  onTestFinished(() => void silent.close())
  const issuer = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
  const { url } = await aGatewayWithIdentity({ ...provider, issuer })
  const token = await provider.token()
  const timed = async () => {
    const startedAt = performance.now()
    return { ...(await challengeFor(url, `Bearer ${token}`)), ms: performance.now() - startedAt }
  }

  const [first, second] = [await timed(), await timed()]

  expect([first.status, second.status]).toEqual([503, 503])
  expect(first.ms).toBeLessThan(identityLimits.fetchMs - 5_000)
  expect(second.ms).toBeLessThan(identityLimits.waitMs)
})

test('[IDENT-7] metadata that names another issuer is rejected', async () => {
  const provider = await aProvider()
  const { url } = await aGatewayWithIdentity({ ...provider, issuer: provider.issuer.replace('127.0.0.1', 'localhost') })

  expect((await challengeFor(url, `Bearer ${await provider.token()}`)).status).toBe(503)
})

test('[IDENT-8] the client’s credentials are not forwarded to servers; the gateway’s own credentials are sent', async () => {
  const provider = await aProvider()
  const { url, headers } = await aGatewayWithIdentity(provider)
  const token = await provider.token()

  await call(url, {}, {}, { headers: { authorization: `Bearer ${token}`, cookie: 'a=b', 'proxy-authorization': 'x' } })

  expect(headers).toHaveLength(1)
  expect(JSON.stringify(headers)).not.toContain(token)
  expect(headers[0]).toMatchObject({ authorization: 'Bearer of-the-gateway' })
  expect(headers[0]).not.toHaveProperty('cookie')
  expect(headers[0]).not.toHaveProperty('proxy-authorization')
})

test('[IDENT-9] request state belongs to one person: it is refused from another person with a valid token', async () => {
  const provider = await aProvider()
  const { url } = await aGatewayWithIdentity(provider, '', () => asks({ where: whichRegion }))
  const headersOf = async (person: string) => ({ authorization: `Bearer ${await provider.token({ person })}` })
  const [ann, bob] = [await headersOf('ann'), await headersOf('bob')]
  const { requestState } = (await call(url, {}, {}, { headers: ann })).message.result

  const inputResponses = { where: { action: 'accept', content: { region: 'eu' } } }
  const stolen = await call(url, {}, { requestState, inputResponses }, { headers: bob })

  expect(stolen.message.error).toMatchObject({ code: -32_602 })
})

test('[IDENT-9] every request of a session is authenticated: without a token it gets 401, from another person 404', async () => {
  const provider = await aProvider()
  const { url } = await aGatewayWithIdentity(provider)
  const authorization = `Bearer ${await provider.token()}`
  const opened = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization },
    body: JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params: { capabilities: {} } }),
  })
  const id = opened.headers.get('mcp-session-id') ?? ''
  const ping = async (headers: Record<string, string>) =>
    (
      await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'mcp-session-id': id, ...headers },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
      })
    ).status

  const bob = `Bearer ${await provider.token({ person: 'bob' })}`
  expect([await ping({ authorization }), await ping({}), await ping({ authorization: bob })]).toEqual([200, 401, 404])
})

test('[IDENT-1] a gateway without identity serves one local person and ignores tokens', async () => {
  const server = await aRawServer(() => complete)
  const testEnv = await openTestEnv()
  const local = await testEnv.gateway(
    { deploy: { url: server.url } },
    { identify: () => ({ principal: 'local', groups: [] }) },
  )
  const session = await aSession(local.url)

  expect((await callWith(local.url, 'anything')).status).toBe(200)
  expect(session.opened).toBeDefined()
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

function statusOf(url: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const sending = httpRequest(url, { method: 'POST', headers }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    sending.on('error', reject).end('{}')
  })
}
