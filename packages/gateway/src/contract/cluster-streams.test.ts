import { connect, createServer, type Socket } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { closeAfterTest } from '../../../../test-kit/close-after-test.ts'
import { openCluster, type Replica } from '../../../../test-kit/gateway/cluster.ts'
import { anAskingServer } from '../../../../test-kit/mcp/asking-servers.ts'
import { whichRegion } from '../../../../test-kit/mcp/asking-tools.ts'
import { eventsOf, messagesOf } from '../../../../test-kit/mcp/messages.ts'
import { aClient } from '../../../../test-kit/mcp/scripted-client.ts'
import { personHeader } from '../../../../test-kit/person-header.ts'
import type { Revision } from '../../../../test-kit/revisions.ts'
import { until } from '../../../../test-kit/until.ts'
import { clientLimits, relayLimits, setLimits } from '../limits.ts'
import { aSession, nextOf, post, type Wire } from './wire.suite.ts'

const generations: readonly Revision[] = ['2025-11-25', '2026-07-28']
const inEurope = { action: 'accept', content: { region: 'eu' } }
const asking = { name: 'ask', arguments: { questions: [whichRegion] } }
const done = { id: 1, result: { content: [{ text: 'done' }] } }

afterEach(setLimits(clientLimits, {}))
afterEach(setLimits(relayLimits, {}))

/** A call through the second of two gateways whose connection breaks once its client has the question. */
async function aBrokenCall(generation: Revision = '2026-07-28', revision = '2025-11-25') {
  const server = await anAskingServer(generation)
  const cluster = await openCluster({ deploy: { url: server.url } })
  const [first, second] = cluster.replicas
  const session = await aSession(first.url, { revision })
  const connection = new AbortController()
  const headers = { 'mcp-session-id': session.id }
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: asking }
  const response = await post(second.url, call, { headers, signal: connection.signal })
  const { last, question } = await firstMessage(response)
  connection.abort()
  const answer = (result: Wire) => post(first.url, { jsonrpc: '2.0', id: question.id, result }, { headers })
  return { server, cluster, first, second, session, question, last, answer }
}

/** The first event with a message, and its id. A slow call begins with an event that has only an id. */
async function firstMessage(response: Response): Promise<{ last: string; question: Wire }> {
  for await (const { id = '', data } of eventsOf(response)) {
    if (data !== '') return { last: id, question: JSON.parse(data) as Wire }
  }
  throw new Error('The stream ended before its first message.')
}

async function reconnect({ url }: Pick<Replica, 'url'>, session: string, last: string, person = 'ann') {
  const ending = new AbortController()
  closeAfterTest(() => ending.abort())
  const headers = { 'mcp-session-id': session, 'last-event-id': last, [personHeader]: person }
  return messagesOf(await fetch(url, { headers, signal: ending.signal }))
}

describe.each(generations)('a 2025 client whose connection breaks in a call to a %s server', (generation) => {
  test.each(['the same', 'another'])(
    '[FLEET-13] gets the response at %s gateway, and nothing runs twice',
    async (where) => {
      const { server, first, second, session, last, answer } = await aBrokenCall(generation)

      const stream = await reconnect(where === 'another' ? first : second, session.id, last)
      await answer(inEurope)

      expect(await nextOf(stream)).toMatchObject(done)
      expect(server).toMatchObject({ begun: generation === '2025-11-25' ? 1 : server.begun, ended: 1, saw: [inEurope] })
    },
  )

  test('[FLEET-13] gets the messages that were sent while it was disconnected', async () => {
    const { server, first, second, session, last, answer } = await aBrokenCall(generation)

    await answer(inEurope)
    await until(() => (server.ended === 1 ? true : undefined))

    for (const replica of [first, second])
      expect(await nextOf(await reconnect(replica, session.id, last))).toMatchObject(done)
    expect(server.ended).toBe(1)
  })

  test('[FLEET-13] gets again the question that it had not received, and only that', async () => {
    const { first, second, session, question, last, answer } = await aBrokenCall(generation)
    const before = last.replace(/^\d+/, '0')

    for (const replica of [first, second])
      expect(await nextOf(await reconnect(replica, session.id, before))).toEqual(question)
    const stream = await reconnect(first, session.id, last)
    await answer({ action: 'decline' })

    expect(await nextOf(stream)).toMatchObject({ id: 1 })
  })
})

test('[FLEET-13] a client of the SDK whose connections break reconnects and gets its result', async () => {
  const server = await anAskingServer('2025-11-25')
  setLimits(clientLimits, { reconnectAfterMs: 500 })
  const cluster = await openCluster({ deploy: { url: server.url } }, { replicas: 3 })
  const proxy = await aBreakableProxy(Number(new URL(cluster.url).port))
  let answered = Promise.withResolvers<unknown>()
  const client = await aClient('2025-11-25', cluster.url.replace(/:\d+/, `:${proxy.port}`), {
    says: () => answered.promise,
  })

  for (let round = 1; round <= 3; round++) {
    const called = client.call('ask', { questions: [whichRegion] })
    await until(() => (client.asked.length === round ? true : undefined))
    proxy.cut()
    // This SDK sends an answer only once, so wait until it has noticed that the connection is closed.
    await new Promise((resolve) => setTimeout(resolve, 200))
    answered.resolve(inEurope)
    expect(await called).toMatchObject({ content: [{ text: 'done' }] })
    answered = Promise.withResolvers()
  }
  expect(server).toMatchObject({ begun: 3, ended: 3 })
})

test('[FLEET-13] a client that reconnects after the process of its call has died gets an error', async () => {
  // The second replica must have run for a whole lease before it declares the first one dead.
  setLimits(relayLimits, { leaseMs: 1_500, renewEveryMs: 250 })
  const { cluster, second, session, question, last } = await aBrokenCall('2025-11-25')
  await cluster.isolate(question.id)
  await new Promise((resolve) => setTimeout(resolve, 1_500))

  const stream = await reconnect(second, session.id, last)

  expect(await nextOf(stream)).toMatchObject({ id: 1, error: { message: expect.stringContaining('has stopped') } })
})

test('[FLEET-13] another person or another session cannot resume the stream', async () => {
  const { server, first, second, session, last, answer } = await aBrokenCall()
  const bens = await aSession(first.url, { person: 'ben' })
  const other = await aSession(first.url)
  await answer(inEurope)
  await until(() => (server.ended === 1 ? true : undefined))

  for (const replica of [first, second]) {
    for (const [one, person] of [
      [bens.id, 'ben'],
      [other.id, 'ann'],
    ] as const) {
      const received = await nextOf(await reconnect(replica, one, last, person))
      expect(received).toMatchObject({ id: 1, error: { message: expect.stringContaining('no longer stored') } })
    }
    const headers = { 'mcp-session-id': session.id, 'last-event-id': last, [personHeader]: 'ben' }
    expect((await fetch(replica.url, { headers })).status).toBe(404)
  }
  expect(await nextOf(await reconnect(first, session.id, last))).toMatchObject(done)
})

test('[FLEET-13] a call whose client does not reconnect in time is cancelled', async () => {
  setLimits(clientLimits, { reconnectWithinMs: 200 })
  const { server, first, second, session, last, answer } = await aBrokenCall('2025-11-25')

  // Its server stops waiting for the answer.
  await until(() => (server.ended === 1 ? true : undefined))
  await answer(inEurope)
  const received = await nextOf(await reconnect(second, session.id, last))

  expect(received).toMatchObject({ id: 1, error: {} })
  expect(await nextOf(await reconnect(first, session.id, last))).toMatchObject({ id: 1, error: {} })
  expect(server.saw).not.toContainEqual(inEurope)
})

test('[FLEET-13] if a response was too large to keep, the client gets an error that it is no longer stored', async () => {
  setLimits(clientLimits, { keptReplyChars: 10 })
  const { server, first, second, session, last, answer } = await aBrokenCall()
  await answer(inEurope)
  await until(() => (server.ended === 1 ? true : undefined))

  for (const replica of [first, second]) {
    const notKept = { id: 1, error: { message: expect.stringContaining('no longer stored') } }
    expect(await nextOf(await reconnect(replica, session.id, last))).toMatchObject(notKept)
  }
})

test('[FLEET-13] a stream starts with an event id for clients of a revision that supports it', async () => {
  setLimits(clientLimits, { openWithinMs: 20 })
  const server = await anAskingServer('2026-07-28')
  const cluster = await openCluster({ deploy: { url: server.url } }, { gateway: { surfaces: ['inbox'] } })
  const eventsFor = async (revision: string) => {
    const session = await aSession(cluster.url, { revision })
    const ending = new AbortController()
    closeAfterTest(() => ending.abort())
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: asking }
    const headers = { 'mcp-session-id': session.id }
    return eventsOf(await post(cluster.url, call, { headers, signal: ending.signal }))
  }

  const first = await nextOf(await eventsFor('2025-11-25'))
  expect(first).toMatchObject({ data: '', id: expect.stringMatching(/^0\./) })
  const older = nextOf(await eventsFor('2025-06-18'))
  const late = new Promise<string>((resolve) => setTimeout(resolve, 500, 'nothing'))
  expect(await Promise.race([older, late])).toBe('nothing')
})

test('[FLEET-13] a response that is the only event of its stream has no event id, because there is nothing to resume', async () => {
  // A slow response would begin with an event that has only an id.
  setLimits(clientLimits, { openWithinMs: 60_000 })
  const server = await anAskingServer('2026-07-28')
  const cluster = await openCluster({ deploy: { url: server.url } })
  const session = await aSession(cluster.url)
  const headers = { 'mcp-session-id': session.id }

  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
  const text = await (await post(cluster.url, list, { headers })).text()

  expect(text).toContain('"result"')
  expect(text).not.toMatch(/^id:/m)
})

/** A proxy to this port whose connections can be broken. */
async function aBreakableProxy(to: number): Promise<{ port: number; cut(): void }> {
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(to, '127.0.0.1')
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        sockets.delete(socket)
        near.destroy()
        far.destroy()
      })
    }
    near.pipe(far).pipe(near)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const cut = () => {
    for (const socket of sockets) socket.resetAndDestroy()
  }
  closeAfterTest(() => {
    cut()
    server.close()
  })
  return { port: (server.address() as { port: number }).port, cut }
}
