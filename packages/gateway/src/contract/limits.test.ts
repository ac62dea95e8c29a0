import { createServer } from 'node:http'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { closeAfterTest, listening } from '../../../../test-kit/close-after-test.ts'
import { openTestEnv } from '../../../../test-kit/gateway/test-env.ts'
import { until } from '../../../../test-kit/until.ts'
import { clientLimits, relayLimits, serverLimits, setLimits } from '../limits.ts'
import { BackOff } from '../servers/back-off.ts'
import { StdioTransport } from '../servers/stdio-transport.ts'
import {
  anOlderRawServer,
  aRawServer,
  aSession,
  asks,
  call,
  complete,
  nextOf,
  request,
  type Wire,
} from './wire.suite.ts'

const question = { message: 'Continue?', requestedSchema: { type: 'object', properties: { a: { type: 'boolean' } } } }

test('[LIMIT-4] a client that does not read its stream is disconnected', async () => {
  closeAfterTest(setLimits(clientLimits, { unreadBytes: 1_000_000 }))
  const progress = {
    method: 'notifications/progress',
    params: { progressToken: 1, progress: 1, message: 'x'.repeat(50_000) },
  }
  let isCutOff = false
  const server = await aRawServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const talking = setInterval(() => response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...progress })}\n\n`), 1)
    response.on('close', () => {
      clearInterval(talking)
      isCutOff = true
    })
  })
  const gateway = await (await openTestEnv()).gateway({ deploy: { url: server.url } })
  const { hostname, port } = new URL(gateway.url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined)
  closeAfterTest(() => void socket.destroy())
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'ask', _meta: meta } })
  socket.write(
    `POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nmcp-protocol-version: 2026-07-28\r\n` +
      `mcp-method: tools/call\r\nmcp-name: ask\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  )

  await until(() => isCutOff || undefined)
})

test('[LIMIT-4] sending to a process that does not read its input fails when too much data is queued', async () => {
  closeAfterTest(setLimits(serverLimits, { unreadBytes: 1_000_000 }))
  const server = { command: process.execPath, args: ['-e', 'setInterval(() => {}, 1000)'] }
  const ignore = () => undefined
  const wire = new StdioTransport(server, { onMessage: ignore, onClosed: ignore }, ignore, new BackOff())
  closeAfterTest(() => wire.close())
  const message = { jsonrpc: '2.0', method: 'notifications/x', params: { text: 'x'.repeat(100_000) } } as const

  const sending = async () => {
    for (let i = 0; i < 100; i++) await wire.send(message)
  }

  await expect(sending()).rejects.toThrow('does not read')
})

test('[LIMIT-5] a caller that declares other capabilities with each call gets a bounded number of connections', async () => {
  const server = await anOlderRawServer(() => undefined)
  const gateway = await (await openTestEnv()).gateway({ deploy: { url: server.url } })
  const cancelled = new AbortController()
  closeAfterTest(() => cancelled.abort())

  const calls = Array.from({ length: serverLimits.agents + 4 }, (_, at) =>
    call(gateway.url, {}, {}, { capabilities: { experimental: { [`x${at}`]: {} } }, signal: cancelled.signal }),
  )
  const ended: Wire[] = []
  for (const one of calls)
    one.then(
      ({ message }) => ended.push(message),
      () => undefined,
    )
  const begun = () => server.received.filter(({ method }) => method === 'initialize').length
  await until(() => (ended.length >= 4 && begun() >= serverLimits.agents ? true : undefined))

  expect(ended).toHaveLength(4)
  for (const message of ended) expect(message).toMatchObject({ error: { code: -32_000 } })
  expect(begun()).toBe(serverLimits.agents)
})

test('[LIMIT-5] a session can subscribe to a bounded number of resources', async () => {
  closeAfterTest(setLimits(serverLimits, { subscriptions: 2 }))
  const server = await aRawServer(() => undefined)
  const session = await aSession((await (await openTestEnv()).gateway({ deploy: { url: server.url } })).url)
  const replies: Wire[] = []
  for (const uri of ['a:1', 'a:2', 'a:1', 'a:3'])
    replies.push(await nextOf(await session.ask('resources/subscribe', { uri })))

  expect(replies.map(({ error }) => error !== undefined)).toEqual([false, false, false, true])
})

test('[LIMIT-6] the call of a server that keeps sending refused questions is cancelled', async () => {
  closeAfterTest(setLimits(relayLimits, { roundsPerCall: 3 }))
  let questions = 0
  const server = await anOlderRawServer((begun) => {
    // Repeatedly more questions at once than allowed: each time all are refused.
    setInterval(() => {
      for (let i = 0; i <= relayLimits.asksPerRound; i++) {
        questions += 1
        begun.say({ id: 1_000 + questions, method: 'elicitation/create', params: question })
      }
    }, 20).unref()
  })
  const gateway = await (await openTestEnv()).gateway({ deploy: { url: server.url } })

  const { message } = await call(gateway.url, {})

  expect(message.error.message).toContain('kept asking')
  await until(() => server.received.find(({ method }) => method === 'notifications/cancelled'))
})

test('[LIMIT-6] a question with a very long name, and a state that is too large, fail the call with the reason', async () => {
  const answers = [asks({ ['x'.repeat(300)]: question }), asks({ a: question }, 's'.repeat(500_000))]
  const server = await aRawServer(() => answers.shift())
  const gateway = await (await openTestEnv()).gateway({ deploy: { url: server.url } })

  const [named, kept] = [await call(gateway.url, {}), await call(gateway.url, {})]

  expect([named.status, named.message.error.code]).toEqual([200, -32_602])
  expect([kept.status, kept.message.error.code]).toEqual([200, -32_000])
  expect([named.message.error.message, kept.message.error.message]).toEqual([
    expect.stringContaining('characters'),
    expect.stringContaining('too large to be sent'),
  ])
})

test('[LIMIT-6] a question can have the name of a built-in object property', async () => {
  const server = await aRawServer(({ params }) =>
    params.inputResponses === undefined ? asks({ constructor: question }) : complete,
  )
  const testEnv = await openTestEnv()
  const gateway = await testEnv.gateway({ deploy: { url: server.url } }, { surfaces: ['inbox'], holdMs: 10 })

  const { message } = await request(gateway.url, 'tools/call', { name: 'ask', arguments: {} })

  expect(message.result).toMatchObject({ resultType: 'input_required' })
  const person = { principal: 'ann', groups: [] }
  expect((await testEnv.store.inbox.page({ tenant: 'default', person, show: 'open' })).asks).toHaveLength(1)
})

test('[LIMIT-7] when the maximum number of calls is held, the next is refused and none of them is dropped', async () => {
  closeAfterTest(setLimits(relayLimits, { heldCalls: 3 }))
  const server = await anOlderRawServer((begun) => begun.say({ id: 7, method: 'elicitation/create', params: question }))
  const gateway = await (await openTestEnv()).gateway({ deploy: { url: server.url } })

  const held = []
  for (let i = 0; i < 3; i++) held.push(await call(gateway.url, { i }))
  const next = await call(gateway.url, { i: 3 })

  expect(next.message.error.message).toContain('Too many calls')
  const begun = server.received.filter(({ method }) => method === 'tools/call')
  expect(begun).toHaveLength(3)
  expect(held.map(({ message }) => message.result.resultType)).toEqual(Array(3).fill('input_required'))
  expect(server.received.filter(({ method }) => method === 'notifications/cancelled')).toEqual([])
})

test('[RELAY-4] `input_required` in a result of a 2025 server is not treated as a question', async () => {
  const result = {
    resultType: 'input_required',
    inputRequests: { q: { method: 'elicitation/create', params: question } },
  }
  const server = await anOlderRawServer((begun) => begun.end({ result: { ...result, content: [] } }))
  const gateway = await (await openTestEnv()).gateway({ deploy: { url: server.url } })

  const { message } = await call(gateway.url, {})

  expect(message.result).toEqual({ resultType: 'complete', content: [] })
})

test('[RELAY-13] a missing response, or one with an unknown id, fails the call instead of leaving it open', async () => {
  const server = await anOlderRawServer(({ response }) => response.end())
  const wrong = await listeningFor((id) => ({ jsonrpc: '2.0', id: Number(id) + 100, result: { content: [] } }))
  const testEnv = await openTestEnv()

  const [silent, mistaken] = await Promise.all(
    [server.url, wrong].map(async (url) => call((await testEnv.gateway({ deploy: { url } })).url, {})),
  )

  expect([silent?.message.error.code, mistaken?.message.error.code]).toEqual([-32_000, -32_000])
})

/** A 2025 server that answers calls with the given JSON. */
async function listeningFor(reply: (id: unknown) => object): Promise<string> {
  const server = createServer(async (received, response) => {
    if (received.method !== 'POST') return void response.writeHead(405).end()
    const body = JSON.parse((await received.toArray()).join(''))
    if (body.method === 'server/discover') return void response.writeHead(400).end()
    if (body.id === undefined) return void response.writeHead(202).end()
    const begun = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'raw', version: '1' } }
    const answer = body.method === 'initialize' ? { jsonrpc: '2.0', id: body.id, result: begun } : reply(body.id)
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  })
  return (await listening(server)).url
}

test('[RELAY-12] a client that disconnects in the middle of its message is not reported as an error', async () => {
  const errors: unknown[] = []
  const server = await aRawServer(() => complete)
  const onError = (error: unknown) => errors.push(error)
  const gateway = await (await openTestEnv()).gateway({ deploy: { url: server.url } }, { onError })
  const { hostname, port } = new URL(gateway.url)
  for (let i = 0; i < 5; i++) {
    const socket = connect(Number(port), hostname)
    socket.write(
      'POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{"jso',
    )
    await new Promise((resolve) => setTimeout(resolve, 30))
    socket.destroy()
  }

  expect((await call(gateway.url, {})).status).toBe(200)
  expect(errors).toEqual([])
})
