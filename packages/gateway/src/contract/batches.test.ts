import { expect, test } from 'vitest'
import { openTestEnv } from '../../../../test-kit/gateway/test-env.ts'
import { messagesOf } from '../../../../test-kit/mcp/messages.ts'
import { anOlderRawServer, aSession, post, type Wire } from './wire.suite.ts'

const ping = (id: number | string) => ({ jsonrpc: '2.0', id, method: 'ping' })
const call = (id: number | string) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'a', arguments: {} },
})
const changed = { jsonrpc: '2.0', method: 'notifications/roots/list_changed' }

async function aBatchSession(revision: string) {
  const server = await anOlderRawServer(({ end }) => end({ result: { content: [] } }))
  const gateway = await (await openTestEnv()).gateway({ one: { url: server.url } })
  return aSession(gateway.url, { revision })
}

async function repliesTo(response: Response): Promise<Wire[]> {
  const replies: Wire[] = []
  for await (const message of messagesOf(response)) replies.push(message)
  return replies.sort((one, other) => String(one.id).localeCompare(String(other.id)))
}

test('[RELAY-18] each request of a batch is answered, whatever else the batch contains', async () => {
  const session = await aBatchSession('2025-03-26')

  const response = await session.post([call('a'), changed, ping('b')] as never)

  expect(response.status).toBe(200)
  expect(await repliesTo(response)).toEqual([
    { jsonrpc: '2.0', id: 'a', result: { content: [] } },
    { jsonrpc: '2.0', id: 'b', result: {} },
  ])
})

test('[RELAY-18] a batch without a request is accepted and gets no response', async () => {
  const session = await aBatchSession('2025-03-26')

  const { status } = await session.post([changed, changed] as never)

  expect(status).toBe(202)
})

test('[RELAY-18] [SERVER-7] the requests of a batch reach the server with the chosen headers of the client', async () => {
  const server = await anOlderRawServer(({ end }) => end({ result: { content: [] } }))
  const one = { url: server.url, forwardHeaders: ['x-team'] }
  const { url } = await (await openTestEnv()).gateway({ one })
  const { id } = await aSession(url, { revision: '2025-03-26' })

  const response = await post(url, [call('a'), call('b')], { headers: { 'mcp-session-id': id, 'x-team': 'blue' } })
  await repliesTo(response)

  const calls = server.received.flatMap(({ method }, at) => (method === 'tools/call' ? [server.headers[at]] : []))
  expect(calls.map((headers) => headers?.['x-team'])).toEqual(['blue', 'blue'])
})

test.each([
  ['of a later revision', '2025-06-18', [ping(1), ping(2)]],
  ['that is empty', '2025-03-26', []],
  ['that opens a session', '2025-03-26', [{ jsonrpc: '2.0', id: 1, method: 'initialize', params: {} }]],
])('[RELAY-18] a batch %s is refused', async (_which, revision, batch) => {
  const session = await aBatchSession(revision)

  const { status } = await session.post(batch as never)

  expect(status).toBe(400)
})
