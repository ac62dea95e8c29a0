import { expect, test } from 'vitest'
import { messagesOf } from './messages-of.suite.ts'
import { aStage, personHeader, until } from './stage.suite.ts'
import { anOlderRawServer, aRawServer, aSession, nextOf, request, untilTheEnd, type Wire } from './wire.suite.ts'

interface Listening {
  readonly notifications: unknown
  readonly isOver: () => boolean
  tell(method: string, params: object): void
}

/** A server of 2026-07-28 whose listeners the test can speak to. */
async function aServerWithListeners() {
  const listeners: Listening[] = []
  const server = await aRawServer(({ id, method, params }, response) => {
    if (method !== 'subscriptions/listen') return { result: { content: [] } }
    let isOver = false
    response.on('close', () => {
      isOver = true
    })
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    listeners.push({
      notifications: params.notifications,
      isOver: () => isOver,
      tell: (told, about) => {
        const _meta = { 'io.modelcontextprotocol/subscriptionId': String(id) }
        response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', method: told, params: { ...about, _meta } })}\n\n`)
      },
    })
    return undefined
  })
  const gateway = await (await aStage()).gateway({ deploy: { url: server.url } })
  return { server, listeners, url: gateway.url }
}

async function standingStream(url: string, id: string): Promise<AsyncGenerator<Wire>> {
  const headers = { 'mcp-session-id': id, [personHeader]: 'ann' }
  return messagesOf(await fetch(url, { headers, signal: untilTheEnd().signal }))
}

test('[RELAY-11] a log level set in a session is said with every later call, and in no other session', async () => {
  const { server, url } = await aServerWithListeners()
  const [session, other] = [await aSession(url), await aSession(url)]
  await nextOf(await session.ask('logging/setLevel', { level: 'warning' }))

  await nextOf(await session.ask('tools/call', { name: 'ask' }, 2))
  await nextOf(await other.ask('tools/call', { name: 'ask' }, 2))

  const levels = server.requests.map(({ params }) => params._meta?.['io.modelcontextprotocol/logLevel'])
  expect(levels).toEqual(['warning', undefined])
})

test('[RELAY-11] a resource that a session watches is told of until it is no longer watched', async () => {
  const { listeners, url } = await aServerWithListeners()
  const session = await aSession(url)
  const standing = await standingStream(url, session.id)
  await nextOf(await session.ask('resources/subscribe', { uri: 'file:///a' }))
  await nextOf(await session.ask('resources/subscribe', { uri: 'file:///a' }))
  const watching = await until(() => listeners.find((one) => JSON.stringify(one.notifications).includes('file:///a')))

  watching.tell('notifications/resources/updated', { uri: 'file:///a' })
  const told = await nextOf(standing)
  await nextOf(await session.ask('resources/unsubscribe', { uri: 'file:///a' }))

  expect(told).toMatchObject({ method: 'notifications/resources/updated', params: { uri: 'file:///a' } })
  expect(listeners.filter(({ notifications }) => JSON.stringify(notifications).includes('file:///a'))).toHaveLength(1)
  await until(() => watching.isOver() || undefined)
})

test('[RELAY-11] a session that ends stops listening for its client', async () => {
  const { listeners, url } = await aServerWithListeners()
  const session = await aSession(url)
  await standingStream(url, session.id)
  await nextOf(await session.ask('resources/subscribe', { uri: 'file:///a' }))
  await until(() => (listeners.length === 2 ? true : undefined))

  await fetch(url, { method: 'DELETE', headers: { 'mcp-session-id': session.id, [personHeader]: 'ann' } })

  await until(() => (listeners.every((one) => one.isOver()) ? true : undefined))
})

test('[RELAY-11] a listener without a session is told what it wants to hear, under its own subscription', async () => {
  const older = await anOlderRawServer(({ say, end }) => {
    say({ method: 'notifications/prompts/list_changed' })
    say({ method: 'notifications/tools/list_changed' })
    end({ result: { tools: [] } })
  })
  const gateway = await (await aStage()).gateway({ deploy: { url: older.url } })
  const ending = untilTheEnd()
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const params = { notifications: { toolsListChanged: true }, _meta: meta }
  const response = await fetch(gateway.url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'subscriptions/listen',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 'sub', method: 'subscriptions/listen', params }),
    signal: ending.signal,
  })
  const stream = messagesOf(response)
  const acknowledged = await nextOf(stream)
  await until(() => older.heard.find(({ method }) => method === 'notifications/initialized'))
  await new Promise((resolve) => setTimeout(resolve, 50))
  await request(gateway.url, 'tools/list', {}, { capabilities: {} })

  const subscription = { 'io.modelcontextprotocol/subscriptionId': 'sub' }
  expect(acknowledged).toMatchObject({
    method: 'notifications/subscriptions/acknowledged',
    params: { _meta: subscription },
  })
  expect(await nextOf(stream)).toEqual({
    jsonrpc: '2.0',
    method: 'notifications/tools/list_changed',
    params: { _meta: subscription },
  })
})
