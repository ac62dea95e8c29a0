import { expect, test } from 'vitest'
import { openTestEnv } from '../../../../test-kit/gateway/test-env.ts'
import { anAskingServer } from '../../../../test-kit/mcp/asking-servers.ts'
import { whichRegion } from '../../../../test-kit/mcp/asking-tools.ts'
import { messagesOf } from '../../../../test-kit/mcp/messages.ts'
import { personHeader } from '../../../../test-kit/person-header.ts'
import { until } from '../../../../test-kit/until.ts'
import { anOlderRawServer, aSession, nextOf, type OlderCall, type Wire } from './wire.suite.ts'

const inEurope = { action: 'accept', content: { region: 'eu' } }
const asking = { name: 'ask', arguments: { questions: [whichRegion] } }

async function anOpenQuestion(generation: '2025-11-25' | '2026-07-28' = '2025-11-25') {
  const server = await anAskingServer(generation)
  const gateway = await (await openTestEnv()).gateway({ deploy: { url: server.url } })
  const session = await aSession(gateway.url)
  const stream = await session.ask('tools/call', asking)
  return { server, gateway, session, stream, question: (await nextOf(stream)) as Wire }
}

test('[RELAY-8] a session does not exist for anyone but the person who opened it', async () => {
  const { server, gateway, session, stream, question } = await anOpenQuestion()
  const answer = { jsonrpc: '2.0', id: question.id, result: inEurope }
  const headers = { 'mcp-session-id': session.id, [personHeader]: 'ben' }

  const stolen = await session.post(answer, 'ben')
  const received = await fetch(gateway.url, { headers })
  const ended = await fetch(gateway.url, { method: 'DELETE', headers })

  expect([stolen.status, received.status, ended.status]).toEqual([404, 404, 404])
  expect(server.saw).toEqual([])
  await session.post({ ...answer, result: { action: 'decline' } })
  await nextOf(stream)
  expect(server.saw).toEqual([{ action: 'decline' }])
})

test('[RELAY-8] an answer counts in the session that was asked, not in another of the same person', async () => {
  const { server, gateway, session, stream, question } = await anOpenQuestion()
  const other = await aSession(gateway.url)

  await other.post({ jsonrpc: '2.0', id: question.id, result: inEurope })
  await session.post({ jsonrpc: '2.0', id: question.id, result: { action: 'decline' } })
  await nextOf(stream)

  expect(server.saw).toEqual([{ action: 'decline' }])
})

test('[RELAY-8] ids of questions are random, and each is accepted once', async () => {
  const { server, session, stream, question } = await anOpenQuestion()
  for (const id of [0, 1, 'ask_1', null]) await session.post({ jsonrpc: '2.0', id, result: inEurope })
  await session.post({ jsonrpc: '2.0', id: question.id, result: inEurope })
  await session.post({ jsonrpc: '2.0', id: question.id, result: { action: 'decline' } })
  await nextOf(stream)
  const again = (await nextOf(await session.ask('tools/call', asking, 2))) as Wire

  expect(server.saw).toEqual([inEurope])
  expect(question.id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.[0-9a-f-]{36}$/)
  expect(again.id).not.toBe(question.id)
})

test('[RELAY-8] ending a session deletes it and its questions', async () => {
  const { server, gateway, session } = await anOpenQuestion('2026-07-28')

  const headers = { 'mcp-session-id': session.id, [personHeader]: 'ann' }
  const ended = await fetch(gateway.url, { method: 'DELETE', headers })
  const late = await session.post({ jsonrpc: '2.0', id: 3, method: 'ping' })

  expect([ended.status, late.status]).toEqual([200, 404])
  expect(server.saw).not.toContainEqual(expect.objectContaining({ action: 'accept' }))
})

test('[RELAY-5] a question that is not answered in time is cancelled at the client, and does not count as an answer', async () => {
  const server = await anAskingServer('2026-07-28')
  const gateway = await (await openTestEnv()).gateway({ deploy: { url: server.url } }, { askWaitMs: 50 })
  const stream = await (await aSession(gateway.url)).ask('tools/call', asking)
  const question = await nextOf(stream)

  const [withdrawn, reply] = [await nextOf(stream), await nextOf(stream)]

  expect(withdrawn).toMatchObject({ method: 'notifications/cancelled', params: { requestId: question.id } })
  expect(reply).toMatchObject({ id: 1, result: { content: [{ text: 'done' }] } })
  expect(server.saw).toEqual([{ action: 'cancel' }])
})

test.each(['2025-11-25', '2026-07-28'] as const)(
  '[RELAY-11] a call that is cancelled during a question ends for its caller, and a %s server gets no accept',
  async (generation) => {
    const { server, session, stream, question } = await anOpenQuestion(generation)

    await session.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })
    const said: Wire[] = []
    for await (const message of stream) said.push(message)

    expect(said.at(-1)).toMatchObject({ id: 1 })
    await session.post({ jsonrpc: '2.0', id: question.id, result: inEurope })
    if (generation === '2025-11-25') await until(() => (server.saw.length > 0 ? true : undefined))
    expect(server.saw).not.toContainEqual(expect.objectContaining({ action: 'accept' }))
  },
)

test('[RELAY-12] a 2025 request without a session is refused until a session is opened', async () => {
  const server = await anAskingServer('2026-07-28')
  const gateway = await (await openTestEnv()).gateway({ deploy: { url: server.url } })
  const session = await aSession(gateway.url)
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }

  const [inside, noted] = [await session.post(ping), await session.post({ jsonrpc: '2.0', method: 'notifications/x' })]
  const outside = await fetch(gateway.url)

  expect((await nextOf(messagesOf(inside))).result).toEqual({})
  expect([noted.status, outside.status]).toEqual([202, 400])
})

test('[RELAY-11] a stream opens within a second even if its server sends nothing', async () => {
  const calls: OlderCall[] = []
  const server = await anOlderRawServer((one) => void calls.push(one))
  const gateway = await (await openTestEnv()).gateway({ deploy: { url: server.url } })
  const session = await aSession(gateway.url)
  const startedAt = performance.now()

  const response = await session.post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'x' } })

  expect(response.headers.get('content-type')).toBe('text/event-stream')
  // Allows some seconds more for a busy machine; the server sends nothing until the stream is open.
  expect(performance.now() - startedAt).toBeLessThan(10_000)
  ;(await until(() => calls[0])).end({ result: { content: [] } })
  await response.text()
})
