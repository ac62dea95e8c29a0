import { beforeEach, expect, test } from 'vitest'
import { openTestEnv } from '../../../../test-kit/gateway/test-env.ts'
import { whichRegion } from '../../../../test-kit/mcp/asking-tools.ts'
import { audience } from '../../../../test-kit/oidc/provider.ts'
import { aProvider } from '../../../../test-kit/oidc/token-provider.ts'
import { until } from '../../../../test-kit/until.ts'
import { aGatewayWithIdentity, callWith, challengeFor, waitForKeys } from './identity.suite.ts'
import { aRawServer, aSession, asks, call, complete } from './wire.suite.ts'

beforeEach(waitForKeys)

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
