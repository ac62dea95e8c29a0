import { Agent, request as httpRequest } from 'node:http'
import { expect, test } from 'vitest'
import { openTestEnv } from '../../../../test-kit/gateway/test-env.ts'
import { anonymous } from '../../../../test-kit/person-header.ts'
import { aRawServer, aSession, call, complete, post, request, type Sender } from './wire.suite.ts'

async function aGateway() {
  const server = await aRawServer(() => complete)
  return { server, ...(await (await openTestEnv()).gateway({ deploy: { url: server.url } })) }
}

/** Uses Node's HTTP client, because fetch does not allow setting the Host header. */
function statusFor(url: string, headers: Record<string, string>, path = new URL(url).pathname): Promise<number> {
  return new Promise((resolve, reject) => {
    const sending = httpRequest(new URL(path, url), { method: 'POST', headers }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    sending.on('error', reject).end('{}')
  })
}

test.each([
  [{ host: 'evil.example' }, 403],
  [{ host: 'localhost.evil.example:3000' }, 403],
  [{ host: '127.0.0.1.nip.io' }, 403],
  [{ host: 'local host' }, 403],
  [{ origin: 'https://evil.example' }, 403],
  [{ origin: 'null' }, 403],
  [{ origin: 'http://localhost.evil.example' }, 403],
  [{ origin: 'http://localhost:5173', 'content-type': 'text/plain' }, 415],
  [{ host: 'localhost:80', 'content-type': 'text/plain' }, 415],
  [{ host: '[::1]:80', 'content-type': 'text/plain' }, 415],
])('[RELAY-12] a request with the headers %j is answered with %i', async (headers, status) => {
  const { url, server } = await aGateway()

  expect(await statusFor(url, headers)).toBe(status)
  expect(server.requests).toEqual([])
})

test('[RELAY-12] unauthenticated callers, other paths and other methods are refused', async () => {
  const { url, server } = await aGateway()

  const stranger = await post(url, {}, { person: anonymous })
  const elsewhere = await statusFor(url, {}, '/elsewhere')
  const put = await fetch(url, { method: 'PUT', body: '{}' })

  expect([stranger.status, elsewhere, put.status, put.headers.get('allow')]).toEqual([
    401,
    404,
    405,
    'GET, POST, DELETE',
  ])
  expect(server.requests).toEqual([])
})

test.each([
  ['is not JSON', '{"jsonrpc":', 400],
  ['is not a message', '{"jsonrpc":"2.0"}', 400],
  ['is a batch', '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', 400],
  ['has an invalid id', '{"jsonrpc":"2.0","id":{},"method":"ping"}', 400],
  [
    'is too large',
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping', params: { a: 'x'.repeat(4_200_000) } }),
    413,
  ],
])('[RELAY-12] a body that %s is refused', async (_what, body, status) => {
  const { url, server } = await aGateway()

  expect((await post(url, body)).status).toBe(status)
  expect(server.requests).toEqual([])
})

test.each([
  ['is not JSON', '{"jsonrpc":', -32_700],
  ['is empty', '', -32_700],
  ['is not a message', '{"jsonrpc":"2.0"}', -32_600],
])('[RELAY-12] a body that %s is refused with the JSON-RPC error code for it', async (_what, body, code) => {
  const { url } = await aGateway()

  expect(await (await post(url, body)).json()).toMatchObject({ id: null, error: { code } })
})

test('[RELAY-12] a request of a session whose header names an unknown revision is refused', async () => {
  const { url } = await aGateway()
  const { id } = await aSession(url)
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
  const statusOf = async (revision: string) =>
    (await post(url, ping, { headers: { 'mcp-session-id': id, 'mcp-protocol-version': revision } })).status

  expect([await statusOf('1999-01-01'), await statusOf('2025-06-18')]).toEqual([400, 200])
})

test('[LIMIT-1] after a body that was too large, the next request of the same client is answered', async () => {
  const { url } = await aGateway()
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const headers = { 'content-type': 'application/json' }
  const statusOf = (body: string) =>
    new Promise((resolve) => {
      const sending = httpRequest(url, { method: 'POST', headers, agent }, (response) => {
        response.on('error', () => undefined).resume()
        resolve(response.statusCode)
      })
      // The connection was closed while the body was still being sent: refused as well.
      sending.on('error', () => resolve(413)).end(body)
    })

  expect(await statusOf(`"${'x'.repeat(12_000_000)}"`)).toBe(413)
  expect(await statusOf('{}')).toBe(400)
  agent.destroy()
})

const version = 'io.modelcontextprotocol/protocolVersion'
const mistakes: readonly [string, Sender, number][] = [
  ['whose header names another method', { headers: { 'mcp-method': 'tools/list' } }, -32_020],
  ['whose header names another tool', { headers: { 'mcp-name': 'drop' } }, -32_020],
  ['whose header is badly encoded', { headers: { 'mcp-name': '=?base64?%%%?=' } }, -32_020],
  ['whose header names another revision', { headers: { 'mcp-protocol-version': '2027-01-01' } }, -32_020],
  [
    'of an unsupported revision',
    { meta: { [version]: '2027-01-01' }, headers: { 'mcp-protocol-version': '2027-01-01' } },
    -32_022,
  ],
  ['without capabilities', { meta: { 'io.modelcontextprotocol/clientCapabilities': undefined } }, -32_602],
  ['without a revision', { meta: { [version]: undefined } }, -32_602],
]
test.each(mistakes)('[RELAY-12] a request %s is refused', async (_what, sender, code) => {
  const { url, server } = await aGateway()

  const { status, message } = await call(url, {}, {}, sender)

  expect({ status, code: message.error.code }).toEqual({ status: 400, code })
  expect(server.requests).toEqual([])
})

test('[RELAY-12] a name that a header cannot contain is accepted in its encoded form', async () => {
  const { url, server } = await aGateway()
  const headers = { 'mcp-name': `=?base64?${Buffer.from('größe').toString('base64')}?=` }

  const { status } = await request(url, 'tools/call', { name: 'größe', arguments: {} }, { headers })

  expect(status).toBe(200)
  expect(server.requests[0]?.params.name).toBe('größe')
})

test('[RELAY-12] a method that only older revisions define, and a response, are refused in the newest revision', async () => {
  const { url, server } = await aGateway()
  const headers = { 'mcp-protocol-version': '2026-07-28' }

  const ping = await request(url, 'ping', {})
  const response = await post(url, { jsonrpc: '2.0', id: 1, result: {} }, { headers })

  expect([ping.status, ping.message.error.code, response.status]).toEqual([404, -32_601, 400])
  expect(server.requests).toEqual([])
})
