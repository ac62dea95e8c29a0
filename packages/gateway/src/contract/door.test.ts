import { Agent, request as httpRequest } from 'node:http'
import { expect, test } from 'vitest'
import { aStage, nobody } from './stage.suite.ts'
import { aRawServer, aSession, call, complete, post, request, type Sender } from './wire.suite.ts'

async function aDoor() {
  const server = await aRawServer(() => complete)
  return { server, ...(await (await aStage()).gateway({ deploy: { url: server.url } })) }
}

/** By Node's own client, because fetch does not let a caller choose the host it claims to speak to. */
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
])('[RELAY-12] a request that says %j is answered with %i', async (headers, status) => {
  const { url, server } = await aDoor()

  expect(await statusFor(url, headers)).toBe(status)
  expect(server.requests).toEqual([])
})

test('[RELAY-12] whoever cannot be identified is refused, and so are other paths and methods', async () => {
  const { url, server } = await aDoor()

  const stranger = await post(url, {}, { person: nobody })
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
  ['is no JSON', '{"jsonrpc":', 400],
  ['is no message', '{"jsonrpc":"2.0"}', 400],
  ['is a batch', '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', 400],
  ['has an id that is none', '{"jsonrpc":"2.0","id":{},"method":"ping"}', 400],
  [
    'is too large',
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping', params: { a: 'x'.repeat(4_200_000) } }),
    413,
  ],
])('[RELAY-12] a body that %s is refused', async (_what, body, status) => {
  const { url, server } = await aDoor()

  expect((await post(url, body)).status).toBe(status)
  expect(server.requests).toEqual([])
})

test.each([
  ['is no JSON', '{"jsonrpc":', -32_700],
  ['is empty', '', -32_700],
  ['is no message', '{"jsonrpc":"2.0"}', -32_600],
])('[RELAY-12] a body that %s is refused with the code that JSON-RPC has for it', async (_what, body, code) => {
  const { url } = await aDoor()

  expect(await (await post(url, body)).json()).toMatchObject({ id: null, error: { code } })
})

test('[RELAY-12] a request of a session whose header names a revision that we do not know is refused', async () => {
  const { url } = await aDoor()
  const { id } = await aSession(url)
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
  const statusOf = async (revision: string) =>
    (await post(url, ping, { headers: { 'mcp-session-id': id, 'mcp-protocol-version': revision } })).status

  expect([await statusOf('1999-01-01'), await statusOf('2025-06-18')]).toEqual([400, 200])
})

test('[LIMIT-1] after a body that was too large to be read, the same client is answered again', async () => {
  const { url } = await aDoor()
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const headers = { 'content-type': 'application/json' }
  const statusOf = (body: string) =>
    new Promise((resolve) => {
      const sending = httpRequest(url, { method: 'POST', headers, agent }, (response) => {
        response.on('error', () => undefined).resume()
        resolve(response.statusCode)
      })
      // Broken off while it was still being sent: refused as well.
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
    'of a revision that is not spoken',
    { meta: { [version]: '2027-01-01' }, headers: { 'mcp-protocol-version': '2027-01-01' } },
    -32_022,
  ],
  ['without capabilities', { meta: { 'io.modelcontextprotocol/clientCapabilities': undefined } }, -32_602],
  ['without a revision', { meta: { [version]: undefined } }, -32_602],
]
test.each(mistakes)('[RELAY-12] a request %s is refused', async (_what, sender, code) => {
  const { url, server } = await aDoor()

  const { status, message } = await call(url, {}, {}, sender)

  expect({ status, code: message.error.code }).toEqual({ status: 400, code })
  expect(server.requests).toEqual([])
})

test('[RELAY-12] a name that a header cannot hold passes in the spelling made for it', async () => {
  const { url, server } = await aDoor()
  const headers = { 'mcp-name': `=?base64?${Buffer.from('größe').toString('base64')}?=` }

  const { status } = await request(url, 'tools/call', { name: 'größe', arguments: {} }, { headers })

  expect(status).toBe(200)
  expect(server.requests[0]?.params.name).toBe('größe')
})

test('[RELAY-12] a request that only older revisions have, and a response, are refused in the newest', async () => {
  const { url, server } = await aDoor()
  const headers = { 'mcp-protocol-version': '2026-07-28' }

  const ping = await request(url, 'ping', {})
  const response = await post(url, { jsonrpc: '2.0', id: 1, result: {} }, { headers })

  expect([ping.status, ping.message.error.code, response.status]).toEqual([404, -32_601, 400])
  expect(server.requests).toEqual([])
})
