import { createHmac, createPublicKey } from 'node:crypto'
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { type JWK, UnsecuredJWT } from 'jose'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { healthPages, identityPages } from '../cli/pages.ts'
import { Readiness } from '../cli/readiness.ts'
import { readConfig } from '../config/read-config.ts'
import { reloadableOf } from '../config/reloadable.ts'
import { whichRegion } from '../contract/asking.suite.ts'
import { aStage, until } from '../contract/stage.suite.ts'
import { aRawServer, aSession, asks, call, complete } from '../contract/wire.suite.ts'
import { identityLimits } from '../limits.ts'
import { resourceOf } from './identify.ts'
import { aProvider, audience, newKey, type TestProvider } from './provider.suite.ts'

/** A gateway that asks this provider who somebody is, in front of a server that says who called it with what. */
async function aGuarded(provider: TestProvider, settings = '', react = () => complete as unknown) {
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
  const trouble: unknown[] = []
  const { servers, ...changes } = reloadableOf(read.config, Date.now, (error) => trouble.push(error))
  const condition = { resource: resourceOf(read.config.identity) }
  const stage = await aStage()
  const readiness = new Readiness({
    store: stage.store,
    isDraining: () => false,
    areIssuerKeysRead: () => true,
    onChange: () => undefined,
  })
  const pages = { ...identityPages(condition), ...healthPages(readiness) }
  const gateway = await stage.gateway(servers, { ...changes, pages })
  return { ...gateway, stage, server, headers, trouble }
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
  const before = { ...identityLimits }
  onTestFinished(() => {
    Object.assign(identityLimits, before)
  })
})

test('[IDENT-2] a token of the issuer for this endpoint lets its bearer in, as issuer and subject', async () => {
  const provider = await aProvider()
  const { url, stage, server } = await aGuarded(provider, '', () => asks({ where: whichRegion }))

  const { status, message } = await callWith(url, await provider.token())

  expect({ status, resultType: message.result.resultType }).toEqual({ status: 200, resultType: 'input_required' })
  expect(server.requests).toHaveLength(1)
  const recorded = await until(async () => {
    for await (const { body } of stage.store.audit.entries('default')) return JSON.stringify(body)
    return undefined
  })
  expect(recorded).toContain(`${provider.issuer}#ann`)
})

test('[IDENT-2] without a token the answer is 401, and says where to get one', async () => {
  const { url } = await aGuarded(await aProvider(), 'scopes: ["mcp:use"]')

  expect(await challengeFor(url)).toMatchObject({
    status: 401,
    challenge:
      'Bearer scope="mcp:use", resource_metadata="https://assent.example.com/.well-known/oauth-protected-resource/mcp"',
  })
})

test('[IDENT-3] the metadata names the resource and its issuer, at both well-known places', async () => {
  const provider = await aProvider()
  const { url } = await aGuarded(provider, 'scopes: ["mcp:use"]')

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

describe('tokens that are not good', () => {
  const forgeries: readonly [string, (provider: TestProvider, other: TestProvider) => Promise<string>][] = [
    ['made out for another resource', (provider) => provider.token({ resource: 'https://other.example.com/mcp' })],
    ['of another issuer', (_provider, other) => other.token()],
    ['of another issuer that claims to be ours', (provider, other) => other.sign({ iss: provider.issuer })],
    ['that has expired', (provider) => provider.sign({ exp: Math.floor(Date.now() / 1_000) - 1 })],
    ['that never expires', (provider) => provider.sign({ exp: undefined as never })],
    ['that is not valid yet', (provider) => provider.sign({ nbf: Math.floor(Date.now() / 1_000) + 60 })],
    ['without a subject', (provider) => provider.sign({ sub: undefined as never })],
    ['with an empty subject', (provider) => provider.sign({ sub: '' })],
    ['whose subject breaks a line', (provider) => provider.sign({ sub: 'ann\nadmin' })],
    ['whose subject is endless', (provider) => provider.sign({ sub: 'a'.repeat(1_000) })],
    ['without an audience', (provider) => provider.sign({ aud: undefined as never })],
    ['for an audience that ours begins with', (provider) => provider.sign({ aud: audience.slice(0, -1) })],
    ['from an issuer with a slash more', (provider) => provider.sign({ iss: `${provider.issuer}/` })],
    ['with a key id nobody knows', (provider) => provider.sign({}, { kid: 'unknown' })],
    [
      'that brings its own key',
      async (provider, other) => other.sign({ iss: provider.issuer }, { jwk: publicOf(other.key) }),
    ],
    [
      'that names its own keys',
      (provider, other) => other.sign({ iss: provider.issuer }, { jku: `${other.issuer}/jwks` }),
    ],
    [
      'with a critical header nobody knows',
      (provider) => provider.sign({}, { crit: ['x'], x: 1 }).catch(() => forged(provider, { crit: ['x'], x: 1 })),
    ],
    ['that is not signed', async (provider) => new UnsecuredJWT(claimsOf(provider)).encode()],
    ['signed with the public key as a shared secret', async (provider) => hmacWithPublicKey(provider)],
    ['whose signature was cut off', async (provider) => (await provider.token()).replace(/[^.]*$/, '')],
    ['one letter of which was changed', async (provider) => flipped(await provider.token())],
    ['that is no token', async () => 'not-a-token'],
    ['that is a logout token', (provider) => provider.sign({}, { typ: 'logout+jwt' })],
    ['that is a logout token by its claims', (provider) => provider.sign({ events: {} })],
    ['that is an ID token with a nonce', (provider) => provider.sign({ nonce: 'n' })],
    ['that is an ID token with at_hash', (provider) => provider.sign({ at_hash: 'h' }, { typ: 'JWT' })],
    ['that is an ID token with c_hash', (provider) => provider.sign({ c_hash: 'h' })],
    ['of a type for something else', (provider) => provider.sign({}, { typ: 'dpop+jwt' })],
  ]

  test.each(forgeries)('[IDENT-4] a token %s is answered with 401, and no server hears of it', async (_what, forge) => {
    const [provider, other] = [await aProvider(), await aProvider()]
    const { url, server } = await aGuarded(provider)
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
      const { url } = await aGuarded(provider)

      expect((await callWith(url, await provider.sign({}, typ === undefined ? {} : { typ }))).status).toBe(200)
    },
  )

  test('[IDENT-10] with token_type at+jwt, only tokens marked as access tokens are accepted', async () => {
    const provider = await aProvider()
    const { url } = await aGuarded(provider, 'token_type: at+jwt')

    expect((await callWith(url, await provider.sign({}, { typ: 'at+jwt' }))).status).toBe(200)
    for (const typ of [undefined, 'JWT', 'logout+jwt']) {
      const token = await provider.sign({}, typ === undefined ? {} : { typ })
      expect((await challengeFor(url, `Bearer ${token}`)).status).toBe(401)
    }
  })

  test('[IDENT-4] the provider’s own token is refused from its expiry on', async () => {
    const provider = await aProvider({ tokenSeconds: 2 })
    const { url } = await aGuarded(provider)
    const token = await provider.token()
    expect((await callWith(url, token)).status).toBe(200)

    await new Promise((resolve) => setTimeout(resolve, 3_100))

    expect(await challengeFor(url, `Bearer ${token}`)).toMatchObject({
      status: 401,
      challenge: expect.stringContaining('The token has expired.'),
    })
  })

  test('[IDENT-4] a signature of a kind that the operator did not allow is refused, however good', async () => {
    const provider = await aProvider()
    const { url, server } = await aGuarded(provider, 'algorithms: [RS256, PS256]')

    expect((await challengeFor(url, `Bearer ${await provider.token()}`)).status).toBe(401)
    expect(server.requests).toEqual([])
  })

  test.each([
    ['Basic YW5uOnNlY3JldA==', 401],
    ['Bearer', 401],
    ['Bearer a b', 401],
    ['Bearer \u00fc', 401],
  ])('[IDENT-4] the header %j is answered with %i', async (authorization, status) => {
    const { url } = await aGuarded(await aProvider())

    expect(await statusOf(url, { authorization: Buffer.from(authorization).toString('latin1') })).toBe(status)
  })

  test('[IDENT-4] a token in the address is refused, also beside a good header', async () => {
    const provider = await aProvider()
    const { url, server } = await aGuarded(provider)
    const token = await provider.token()

    const inAddress = await statusOf(`${url}?access_token=${token}`, {})
    const inBoth = await statusOf(`${url}?a=b&access_token=${token}`, { authorization: `Bearer ${token}` })

    expect([inAddress, inBoth]).toEqual([400, 400])
    expect(server.requests).toEqual([])
  })
})

test('[IDENT-5] a token without the scopes is answered with 403, which names all of them', async () => {
  const provider = await aProvider()
  const { url } = await aGuarded(provider, 'scopes: ["mcp:use", "other"]')

  const lacking = await challengeFor(url, `Bearer ${await provider.token({ scope: 'mcp:use' })}`)
  const { status } = await callWith(url, await provider.token({ scope: 'other mcp:use' }))

  expect(lacking.status).toBe(403)
  expect(lacking.challenge).toContain('error="insufficient_scope"')
  expect(lacking.challenge).toContain('scope="mcp:use other"')
  expect(lacking.challenge).toContain('resource_metadata="https://assent.example.com/')
  expect(status).toBe(200)
})

test('[IDENT-6] a new key is found by itself, and a key that was taken away opens nothing any more', async () => {
  identityLimits.lookAgainMs = 0
  const provider = await aProvider()
  const { url } = await aGuarded(provider)
  const before = await provider.token()
  expect((await callWith(url, before)).status).toBe(200)

  await provider.start(newKey())

  expect((await callWith(url, await provider.token())).status).toBe(200)
  expect((await challengeFor(url, `Bearer ${before}`)).status).toBe(401)
})

test('[IDENT-6] made-up key ids do not make the gateway ask the issuer again and again', async () => {
  const provider = await aProvider()
  const { url } = await aGuarded(provider)
  expect((await callWith(url, await provider.token())).status).toBe(200)
  await provider.start(newKey())

  const statuses = []
  for (let i = 0; i < 5; i++) statuses.push((await challengeFor(url, `Bearer ${await provider.token()}`)).status)

  // It was asked a moment ago, so even a true new key has to wait until it may ask again.
  expect(statuses).toEqual([401, 401, 401, 401, 401])
})

test('[IDENT-7] with the provider away, keys that are known stay good, and unknown ones let nobody in', async () => {
  identityLimits.lookAgainMs = 0
  const [provider, other] = [await aProvider(), await aProvider()]
  const { url } = await aGuarded(provider)
  const token = await provider.token()
  expect((await callWith(url, token)).status).toBe(200)

  await provider.stop()

  expect((await callWith(url, token)).status).toBe(200)
  const unknown = await challengeFor(url, `Bearer ${await other.sign({ iss: provider.issuer })}`)
  expect(unknown).toMatchObject({ status: 503, body: expect.stringContaining('issuer cannot be reached') })
})

test('[IDENT-7] with the provider away from the start nobody is let in; when it comes, its people are', async () => {
  identityLimits.lookAgainMs = 0
  const provider = await aProvider()
  const token = await provider.token()
  await provider.stop()
  const { url, server, trouble } = await aGuarded(provider)

  expect((await challengeFor(url, `Bearer ${token}`)).status).toBe(503)
  expect((await challengeFor(url)).status).toBe(401)
  expect(server.requests).toEqual([])
  expect(trouble).toHaveLength(1)
  await provider.start()
  expect((await callWith(url, token)).status).toBe(200)
})

test('[IDENT-7] known keys are not good forever: past their time nobody is let in without the provider', async () => {
  const provider = await aProvider()
  const { url } = await aGuarded(provider, 'keys_fresh: 1s, keys_kept: 1s')
  const token = await provider.token()
  expect((await callWith(url, token)).status).toBe(200)
  await provider.stop()

  await new Promise((resolve) => setTimeout(resolve, 1_200))

  expect((await challengeFor(url, `Bearer ${token}`)).status).toBe(503)
})

test('[IDENT-7] [FLEET-12] an issuer that takes connections and says nothing holds nobody up: they hear so, and later ones at once', async () => {
  const provider = await aProvider()
  const silent = createServer((socket) => socket.on('error', () => undefined))
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  onTestFinished(() => void silent.close())
  const issuer = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
  const { url } = await aGuarded({ ...provider, issuer })
  const token = await provider.token()
  const timed = async () => {
    const startedAt = performance.now()
    return { ...(await challengeFor(url, `Bearer ${token}`)), ms: performance.now() - startedAt }
  }

  const [first, second] = [await timed(), await timed()]

  expect([first.status, second.status]).toEqual([503, 503])
  expect(first.ms).toBeLessThan(identityLimits.waitMs + 2_000)
  expect(second.ms).toBeLessThan(identityLimits.waitMs)
})

test('[IDENT-7] metadata that names another issuer is not believed', async () => {
  const provider = await aProvider()
  const { url } = await aGuarded({ ...provider, issuer: provider.issuer.replace('127.0.0.1', 'localhost') })

  expect((await challengeFor(url, `Bearer ${await provider.token()}`)).status).toBe(503)
})

test('[IDENT-8] what the client sends as its credentials goes to no server, and the gateway’s own does', async () => {
  const provider = await aProvider()
  const { url, headers } = await aGuarded(provider)
  const token = await provider.token()

  await call(url, {}, {}, { headers: { authorization: `Bearer ${token}`, cookie: 'a=b', 'proxy-authorization': 'x' } })

  expect(headers).toHaveLength(1)
  expect(JSON.stringify(headers)).not.toContain(token)
  expect(headers[0]).toMatchObject({ authorization: 'Bearer of-the-gateway' })
  expect(headers[0]).not.toHaveProperty('cookie')
  expect(headers[0]).not.toHaveProperty('proxy-authorization')
})

test('[IDENT-9] a session and its state belong to one person: another with a good token of their own finds nothing', async () => {
  const provider = await aProvider()
  const { url } = await aGuarded(provider, '', () => asks({ where: whichRegion }))
  const headersOf = async (person: string) => ({ authorization: `Bearer ${await provider.token({ person })}` })
  const [ann, bob] = [await headersOf('ann'), await headersOf('bob')]
  const { requestState } = (await call(url, {}, {}, { headers: ann })).message.result

  const inputResponses = { where: { action: 'accept', content: { region: 'eu' } } }
  const stolen = await call(url, {}, { requestState, inputResponses }, { headers: bob })

  expect(stolen.message.error).toMatchObject({ code: -32_602 })
})

test('[IDENT-9] a session without its token is nothing, and each request of it is verified anew', async () => {
  const provider = await aProvider()
  const { url } = await aGuarded(provider)
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

test('[IDENT-1] a gateway without identity serves one local person, whatever token is sent', async () => {
  const server = await aRawServer(() => complete)
  const stage = await aStage()
  const local = await stage.gateway(
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

/** With its signature left as it is: the header alone must be enough to refuse it. */
async function forged(provider: TestProvider, header: object): Promise<string> {
  const [, payload, signature] = (await provider.token()).split('.')
  return `${encoded({ alg: 'ES256', kid: provider.key.kid, ...header })}.${payload}.${signature}`
}

/** The classic confusion: a verifier that takes the algorithm from the token uses the public key as an HMAC secret. */
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
