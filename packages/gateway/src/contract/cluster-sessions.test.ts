import { describe, expect, test } from 'vitest'
import { openCluster, type Replica, type TestCluster } from '../../../../test-kit/gateway/cluster.ts'
import { anAskingServer } from '../../../../test-kit/mcp/asking-servers.ts'
import { howMany, whichRegion } from '../../../../test-kit/mcp/asking-tools.ts'
import { messagesOf } from '../../../../test-kit/mcp/messages.ts'
import { personHeader } from '../../../../test-kit/person-header.ts'
import type { Revision } from '../../../../test-kit/revisions.ts'
import { until } from '../../../../test-kit/until.ts'
import { clientLimits, setLimits } from '../limits.ts'
import { aSession, nextOf, post, type Wire } from './wire.suite.ts'

const generations: readonly Revision[] = ['2025-11-25', '2026-07-28']
const inEurope = { action: 'accept', content: { region: 'eu' } }
const asking = { name: 'ask', arguments: { questions: [whichRegion] } }

/** Sends a message in a session to one replica, whichever replica opened the session. */
function sayAt({ url }: Pick<Replica, 'url'>, session: string, message: Wire, person = 'ann'): Promise<Response> {
  return post(url, { jsonrpc: '2.0', ...message }, { person, headers: { 'mcp-session-id': session } })
}

async function anOpenQuestion(generation: Revision, options: Parameters<typeof openCluster>[1] = {}) {
  const server = await anAskingServer(generation)
  const cluster = await openCluster({ deploy: { url: server.url } }, options)
  const [first, second] = cluster.replicas
  const session = await aSession(first.url)
  const stream = messagesOf(await sayAt(second, session.id, { id: 1, method: 'tools/call', params: asking }))
  const question = await nextOf(stream)
  return { server, cluster, first, second, session, stream, question }
}

describe.each(generations)('a session of a 2025 client, with a %s server', (generation) => {
  test('[FLEET-1] begins at one replica, calls at another and answers at a third', async () => {
    const { server, cluster, session, stream, question } = await anOpenQuestion(generation, { replicas: 3 })
    const third = cluster.replicas[2] as Replica

    const taken = await sayAt(third, session.id, { id: question.id, result: inEurope })

    expect(taken.status).toBe(202)
    expect(await nextOf(stream)).toMatchObject({ id: 1, result: { content: [{ text: 'done' }] } })
    expect(server).toMatchObject({ begun: 1, ended: 1, saw: [inEurope] })
  })

  test('[FLEET-1] works when every signal between replicas is lost, but takes longer', async () => {
    const lost = { store: { pollMs: 200, wake: 'nats://127.0.0.1:9' } }
    const { server, first, session, stream, question } = await anOpenQuestion(generation, lost)

    await sayAt(first, session.id, { id: question.id, result: inEurope })

    expect(await nextOf(stream)).toMatchObject({ id: 1, result: { content: [{ text: 'done' }] } })
    expect(server.saw).toEqual([inEurope])
  })

  test('[FLEET-1] can cancel at one replica a call that runs at another', async () => {
    const { server, first, session, stream, question } = await anOpenQuestion(generation)

    await sayAt(first, session.id, { method: 'notifications/cancelled', params: { requestId: 1 } })
    const said: Wire[] = []
    for await (const message of stream) said.push(message)

    expect(said.at(-1)).toMatchObject({ id: 1 })
    await sayAt(first, session.id, { id: question.id, result: inEurope })
    expect(server.saw).not.toContainEqual(expect.objectContaining({ action: 'accept' }))
  })
})

test('[FLEET-1] whole conversations work through a load balancer without sticky sessions', async () => {
  const server = await anAskingServer('2025-11-25')
  const cluster = await openCluster({ deploy: { url: server.url } }, { replicas: 3 })
  const questions = [whichRegion, howMany, whichRegion]
  const answers = [inEurope, { action: 'accept', content: { replicas: 3 } }, { action: 'decline' }]

  const conversation = async () => {
    const session = await aSession(cluster.url)
    const stream = await session.ask('tools/call', { name: 'ask', arguments: { questions } })
    for (const result of answers) await session.post({ jsonrpc: '2.0', id: (await nextOf(stream)).id, result })
    return nextOf(stream)
  }
  const ends = await Promise.all(Array.from({ length: 10 }, conversation))

  for (const end of ends) expect(end).toMatchObject({ id: 1, result: { content: [{ text: 'done' }] } })
  expect(server).toMatchObject({ begun: 10, ended: 10 })
  expect(server.saw.filter((one) => (one as Wire).action === 'accept')).toHaveLength(20)
})

test('[FLEET-2] at every replica, only the person who opened a session can use it and answer its questions', async () => {
  const { server, first, second, session, stream, question } = await anOpenQuestion('2025-11-25')
  const bens = await aSession(first.url, { person: 'ben' })
  const headers = { 'mcp-session-id': session.id, [personHeader]: 'ben' }

  for (const { url } of [first, second]) {
    const stolen = await sayAt({ url }, session.id, { id: question.id, result: inEurope }, 'ben')
    const called = await sayAt({ url }, session.id, { id: 9, method: 'tools/call', params: asking }, 'ben')
    const received = await fetch(url, { headers })
    const ended = await fetch(url, { method: 'DELETE', headers })
    expect([stolen.status, called.status, received.status, ended.status]).toEqual([404, 404, 404, 404])
  }
  // An answer in ben's session does not reach the question of ann's session.
  await sayAt(first, bens.id, { id: question.id, result: inEurope }, 'ben')
  // Neither does an answer in another session of ann.
  const other = await aSession(first.url)
  await sayAt(first, other.id, { id: question.id, result: inEurope })
  await new Promise((resolve) => setTimeout(resolve, 500))
  expect(server.saw).toEqual([])

  await sayAt(first, session.id, { id: question.id, result: { action: 'decline' } })
  await nextOf(stream)
  expect(server.saw).toEqual([{ action: 'decline' }])
})

test('[FLEET-1] a session ended at one replica is gone at the others, and so are its questions', async () => {
  const { server, first, second, session, stream } = await anOpenQuestion('2026-07-28')
  const headers = { 'mcp-session-id': session.id, [personHeader]: 'ann' }

  expect((await fetch(first.url, { method: 'DELETE', headers })).status).toBe(200)

  const gone = async () =>
    (await sayAt(second, session.id, { id: 3, method: 'ping' })).status === 404 ? true : undefined
  await until(gone)
  for await (const _ of stream);
  expect((await fetch(second.url, { method: 'DELETE', headers })).status).toBe(404)
  expect(server.saw).not.toContainEqual(expect.objectContaining({ action: 'accept' }))
})

test('[FLEET-1] a session survives the end of the replica that opened it, and a restart of all replicas', async () => {
  const server = await anAskingServer('2025-11-25')
  const { replicas } = await openCluster({ deploy: { url: server.url } })
  const session = await aSession(replicas[0].url)
  await replicas[0].close()

  const stream = messagesOf(await sayAt(replicas[1], session.id, { id: 1, method: 'tools/call', params: asking }))
  await sayAt(replicas[1], session.id, { id: (await nextOf(stream)).id, result: inEurope })

  expect(await nextOf(stream)).toMatchObject({ id: 1, result: { content: [{ text: 'done' }] } })
})

test('[FLEET-1] a client can open its notification stream at every replica', async () => {
  const server = await anAskingServer('2025-11-25')
  const { replicas } = await openCluster({ deploy: { url: server.url } })
  const session = await aSession(replicas[0].url)
  const headers = { 'mcp-session-id': session.id, [personHeader]: 'ann', accept: 'text/event-stream' }

  const streams = await Promise.all(replicas.map(({ url }) => fetch(url, { headers })))

  expect(streams.map(({ status }) => status)).toEqual([200, 200])
  for (const { body } of streams) await body?.cancel()
})

test('[FLEET-1] the limit of sessions per person holds across all replicas', async () => {
  const server = await anAskingServer('2025-11-25')
  const { replicas } = await openCluster({ deploy: { url: server.url } })
  const restore = setLimits(clientLimits, { sessionsPerCaller: 2 })
  try {
    const sessions = [await aSession(replicas[0].url), await aSession(replicas[1].url)]
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } }
    const third = await post(replicas[1].url, { jsonrpc: '2.0', id: 0, method: 'initialize', params })

    expect(sessions.every(({ id }) => id !== '')).toBe(true)
    expect(third.status).toBe(503)
    expect(await third.text()).toContain('You have 2 sessions open')
  } finally {
    restore()
  }
})

test('[FLEET-1] while its database is unavailable, a replica refuses requests of sessions that it has not loaded, with the reason', async () => {
  const server = await anAskingServer('2025-11-25')
  const cluster: TestCluster = await openCluster({ deploy: { url: server.url } })
  const session = await aSession(cluster.replicas[0].url)
  await cluster.tamper('alter table client_sessions rename to client_sessions_away')

  const refused = await sayAt(cluster.replicas[1], session.id, { id: 1, method: 'ping' })
  const known = await sayAt(cluster.replicas[0], session.id, { id: 1, method: 'ping' })

  expect(refused.status).toBe(503)
  expect(await refused.text()).toContain('Nothing was done')
  expect(known.status).toBe(200)
})

test('[FLEET-1] a replica that takes a session over extends it before it expires', async () => {
  const cluster = await openCluster({})
  const [first, second] = cluster.replicas
  const session = await aSession(first.url)
  const leftMs = async () => {
    const [row] = await cluster.tamper(`select expires_at::float8 as "endsMs" from client_sessions`)
    return (row as { endsMs: number }).endsMs - Date.now()
  }
  await cluster.tamper('update client_sessions set expires_at = (extract(epoch from now()) * 1000)::bigint + 60000')
  expect(await leftMs()).toBeLessThan(61_000)
  await first.close()

  expect((await sayAt(second, session.id, { id: 1, method: 'ping' })).status).toBe(200)

  await until(async () => ((await leftMs()) > 120_000 ? true : undefined))
})
