import { afterAll, expect, test } from 'vitest'
import { openCluster, type Replica } from '../../../../test-kit/gateway/cluster.ts'
import { messagesOf } from '../../../../test-kit/mcp/messages.ts'
import { personHeader } from '../../../../test-kit/person-header.ts'
import { until } from '../../../../test-kit/until.ts'
import { clusterLimits, setLimits } from '../limits.ts'
import { anOlderRawServer, aRawServer, aSession, nextOf, post, untilTheEnd, type Wire } from './wire.suite.ts'

// The first request at another replica waits until the settings are applied, however slow the machine is.
afterAll(setLimits(clusterLimits, { settingsWithinMs: 60_000 }))

const uri = 'file:///a'

/** A 2026-07-28 server that records the log level of each call, and through which the test can notify subscribers. */
async function aWatchedServer() {
  const levels: unknown[] = []
  const watching = new Set<() => void>()
  const server = await aRawServer(({ id, method, params }, response) => {
    if (method === 'tools/call') levels.push(params._meta?.['io.modelcontextprotocol/logLevel'])
    if (method !== 'subscriptions/listen') return { result: { content: [] } }
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    if (!JSON.stringify(params.notifications).includes(uri)) return undefined
    const _meta = { 'io.modelcontextprotocol/subscriptionId': String(id) }
    const updated = { jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri, _meta } }
    const notify = () => response.write(`data: ${JSON.stringify(updated)}\n\n`)
    watching.add(notify)
    response.on('close', () => watching.delete(notify))
    return undefined
  })
  return { url: server.url, levels, watching }
}

async function askAt({ url }: Replica, session: string, method: string, params: Wire): Promise<Wire> {
  const message = { jsonrpc: '2.0', id: 1, method, params }
  return nextOf(messagesOf(await post(url, message, { headers: { 'mcp-session-id': session } })))
}

test('[FLEET-1] a log level that is set at one replica applies at the others, and at one that never had the session', async () => {
  const { url, levels } = await aWatchedServer()
  const { replicas } = await openCluster({ deploy: { url } }, { replicas: 3 })
  const [first, second, third] = replicas as readonly [Replica, Replica, Replica]
  const [session, other] = [await aSession(first.url), await aSession(first.url)]
  await askAt(second, session.id, 'tools/list', {})

  await askAt(first, session.id, 'logging/setLevel', { level: 'warning' })

  await askAt(third, session.id, 'tools/call', { name: 'ask' })
  await askAt(third, other.id, 'tools/call', { name: 'ask' })
  expect(levels).toEqual(['warning', undefined])
  await until(async () => {
    await askAt(second, session.id, 'tools/call', { name: 'ask' })
    return levels.at(-1) === 'warning' ? true : undefined
  })
})

test('[FLEET-1] updates of a resource subscribed to at one replica arrive on a stream at another until it is unsubscribed', async () => {
  const { url, watching } = await aWatchedServer()
  const { replicas } = await openCluster({ deploy: { url } })
  const [first, second] = replicas
  const session = await aSession(first.url)
  const headers = { 'mcp-session-id': session.id, [personHeader]: 'ann' }
  const getStream = messagesOf(await fetch(second.url, { headers, signal: untilTheEnd().signal }))
  await askAt(first, session.id, 'resources/subscribe', { uri })
  await until(() => (watching.size === 1 ? true : undefined))

  for (const notify of watching) notify()

  expect(await nextOf(getStream)).toMatchObject({ method: 'notifications/resources/updated', params: { uri } })
  await askAt(second, session.id, 'resources/unsubscribe', { uri })
  await until(() => (watching.size === 0 ? true : undefined))
})

test('[FLEET-1] the log level and subscriptions of a session at a 2025 server survive the end of the replica that set them', async () => {
  const server = await anOlderRawServer(({ end }) => end({ result: {} }))
  const { replicas } = await openCluster({ deploy: { url: server.url } })
  const [first, second] = replicas
  const session = await aSession(first.url)
  await askAt(first, session.id, 'logging/setLevel', { level: 'error' })
  await askAt(first, session.id, 'resources/subscribe', { uri })
  await first.close()
  server.received.length = 0

  await askAt(second, session.id, 'tools/call', { name: 'ask' })

  const methods = server.received.map(({ method }) => method)
  expect(methods).toContain('resources/subscribe')
  expect(methods.indexOf('logging/setLevel')).toBeGreaterThanOrEqual(0)
  expect(methods.indexOf('logging/setLevel')).toBeLessThan(methods.indexOf('tools/call'))
})
