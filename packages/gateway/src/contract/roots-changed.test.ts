import { describe, expect, test } from 'vitest'
import { openCluster } from '../../../../test-kit/gateway/cluster.ts'
import { openTestEnv } from '../../../../test-kit/gateway/test-env.ts'
import { messagesOf } from '../../../../test-kit/mcp/messages.ts'
import { personHeader } from '../../../../test-kit/person-header.ts'
import { until } from '../../../../test-kit/until.ts'
import { anOlderRawServer, aRawServer, aSession, complete, nextOf, post, untilTheEnd, type Wire } from './wire.suite.ts'

const changed = { jsonrpc: '2.0', method: 'notifications/roots/list_changed' }
const withRoots = { capabilities: { roots: { listChanged: true } } }
const receivedBy = ({ received }: { received: Wire[] }) => received.filter(({ method }) => method === changed.method)

const anOlder = () => anOlderRawServer(({ end }) => end({ result: { content: [] } }))

test('[RELAY-17] servers with a session for the client get one notification that its roots changed', async () => {
  const [one, other, newest] = [await anOlder(), await anOlder(), await aRawServer(() => complete)]
  const servers = { one: { url: one.url }, other: { url: other.url }, newest: { url: newest.url } }
  const gateway = await (await openTestEnv()).gateway(servers)
  const session = await aSession(gateway.url, withRoots)

  const { status } = await session.post(changed)

  expect(status).toBe(202)
  await until(() => (receivedBy(one).length + receivedBy(other).length === 2 ? true : undefined))
  expect([receivedBy(one), receivedBy(other)]).toEqual([[changed], [changed]])
  expect(newest.requests).toEqual([])
})

test('[RELAY-17] sessions of other people and clients do not get it, and other notifications are not forwarded', async () => {
  const server = await anOlder()
  const gateway = await (await openTestEnv()).gateway({ one: { url: server.url } })
  const [first, second] = [await aSession(gateway.url, withRoots), await aSession(gateway.url, withRoots)]
  await aSession(gateway.url, { ...withRoots, person: 'bob' })
  const sessions = server.received.filter(({ method }) => method === 'initialize').length

  await first.post({ jsonrpc: '2.0', method: 'notifications/example' })
  await first.post(changed)
  await until(() => (receivedBy(server).length === 1 ? true : undefined))
  await nextOf(await second.ask('tools/list', {}))

  expect(sessions).toBe(3)
  expect(receivedBy(server)).toHaveLength(1)
  expect(server.received.some(({ method }) => method === 'notifications/example')).toBe(false)
})

test('[RELAY-17] a session has one connection to a server, which gets the notification from any replica', async () => {
  const server = await anOlder()
  const { replicas } = await openCluster({ one: { url: server.url } })
  const [first, second] = replicas
  const session = await aSession(first.url, withRoots)
  const at = { headers: { 'mcp-session-id': session.id } }
  await nextOf(messagesOf(await post(second.url, { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }, at)))

  await post(second.url, changed, at)

  await until(() => (receivedBy(server).length === 1 ? true : undefined))
  expect(server.received.filter(({ method }) => method === 'initialize')).toHaveLength(1)
})

describe.each(['2025-11-25', '2026-07-28'] as const)('lists of a server of %s', (generation) => {
  test('[RELAY-17] clients of both generations get list_changed, with several servers too', async () => {
    const notifiers: (() => void)[] = []
    const listChanged = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' }
    const server =
      generation === '2025-11-25'
        ? await anOlderRawServer(({ say, end, method }) => {
            if (method === 'tools/call') say(listChanged)
            end({ result: { content: [] } })
          })
        : await aRawServer(({ id, method }, response) => {
            if (method !== 'subscriptions/listen') return complete
            response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
            const params = { _meta: { 'io.modelcontextprotocol/subscriptionId': String(id) } }
            notifiers.push(() => response.write(`data: ${JSON.stringify({ ...listChanged, params })}\n\n`))
            return undefined
          })
    const other = await anOlder()
    const gateway = await (await openTestEnv()).gateway({ one: { url: server.url }, other: { url: other.url } })
    const session = await aSession(gateway.url)
    const headers = { 'mcp-session-id': session.id, [personHeader]: 'ann' }
    const getStream = messagesOf(await fetch(gateway.url, { headers, signal: untilTheEnd().signal }))
    const listening = messagesOf(await listenAt(gateway.url))
    await nextOf(listening)
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'one__t', arguments: {} } }
    if (generation === '2026-07-28') await until(() => (notifiers.length === 2 ? true : undefined))

    // A 2025 server has a session for each: the client's, and one for callers of the newest revision.
    void session.post(call)
    void post(
      gateway.url,
      { ...call, params: { ...call.params, _meta: meta } },
      { headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'one__t' } },
    )
    for (const notify of notifiers) notify()

    expect(await nextOf(getStream)).toMatchObject({ method: listChanged.method })
    expect(await nextOf(listening)).toMatchObject({ method: listChanged.method })
  })
})

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}

function listenAt(url: string): Promise<Response> {
  const params = { notifications: { toolsListChanged: true }, _meta: meta }
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' }
  const message = { jsonrpc: '2.0', id: 'l', method: 'subscriptions/listen', params }
  return post(url, message, { headers, signal: untilTheEnd().signal })
}
