import { expect, test } from 'vitest'
import { openTestEnv } from '../../../../test-kit/gateway/test-env.ts'
import { messagesOf } from '../../../../test-kit/mcp/messages.ts'
import { personHeader } from '../../../../test-kit/person-header.ts'
import { until } from '../../../../test-kit/until.ts'
import { anOlderRawServer, aRawServer, aSession, nextOf, request, untilTheEnd, type Wire } from './wire.suite.ts'

interface Listening {
  readonly notifications: unknown
  readonly isOver: () => boolean
  notify(method: string, params: object): void
}

/** A 2026-07-28 server through which the test can notify subscribers. */
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
      notify: (received, about) => {
        const _meta = { 'io.modelcontextprotocol/subscriptionId': String(id) }
        response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', method: received, params: { ...about, _meta } })}\n\n`)
      },
    })
    return undefined
  })
  const gateway = await (await openTestEnv()).gateway({ deploy: { url: server.url } })
  return { server, listeners, url: gateway.url }
}

async function openGetStream(url: string, id: string): Promise<AsyncGenerator<Wire>> {
  const headers = { 'mcp-session-id': id, [personHeader]: 'ann' }
  return messagesOf(await fetch(url, { headers, signal: untilTheEnd().signal }))
}

test('[RELAY-11] a log level set in a session is sent with every later call of that session, and of no other', async () => {
  const { server, url } = await aServerWithListeners()
  const [session, other] = [await aSession(url), await aSession(url)]
  await nextOf(await session.ask('logging/setLevel', { level: 'warning' }))

  await nextOf(await session.ask('tools/call', { name: 'ask' }, 2))
  await nextOf(await other.ask('tools/call', { name: 'ask' }, 2))

  const levels = server.requests.map(({ params }) => params._meta?.['io.modelcontextprotocol/logLevel'])
  expect(levels).toEqual(['warning', undefined])
})

test('[RELAY-11] a session gets updates of a subscribed resource until it unsubscribes', async () => {
  const { listeners, url } = await aServerWithListeners()
  const session = await aSession(url)
  const getStream = await openGetStream(url, session.id)
  await nextOf(await session.ask('resources/subscribe', { uri: 'file:///a' }))
  await nextOf(await session.ask('resources/subscribe', { uri: 'file:///a' }))
  const watching = await until(() => listeners.find((one) => JSON.stringify(one.notifications).includes('file:///a')))

  watching.notify('notifications/resources/updated', { uri: 'file:///a' })
  const received = await nextOf(getStream)
  await nextOf(await session.ask('resources/unsubscribe', { uri: 'file:///a' }))

  expect(received).toMatchObject({ method: 'notifications/resources/updated', params: { uri: 'file:///a' } })
  expect(listeners.filter(({ notifications }) => JSON.stringify(notifications).includes('file:///a'))).toHaveLength(1)
  await until(() => watching.isOver() || undefined)
})

test('[RELAY-11] when a session ends, its subscription at the server ends', async () => {
  const { listeners, url } = await aServerWithListeners()
  const session = await aSession(url)
  await openGetStream(url, session.id)
  await nextOf(await session.ask('resources/subscribe', { uri: 'file:///a' }))
  await until(() => (listeners.length === 2 ? true : undefined))

  await fetch(url, { method: 'DELETE', headers: { 'mcp-session-id': session.id, [personHeader]: 'ann' } })

  await until(() => (listeners.every((one) => one.isOver()) ? true : undefined))
})

test('[RELAY-11] a client without a session gets the notifications that it requested, with its own subscription id', async () => {
  const older = await anOlderRawServer(({ say, end }) => {
    say({ method: 'notifications/prompts/list_changed' })
    say({ method: 'notifications/tools/list_changed' })
    end({ result: { tools: [] } })
  })
  const gateway = await (await openTestEnv()).gateway({ deploy: { url: older.url } })
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
  await until(() => older.received.find(({ method }) => method === 'notifications/initialized'))
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
