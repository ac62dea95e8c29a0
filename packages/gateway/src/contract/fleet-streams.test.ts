import { randomUUID } from 'node:crypto'
import { connect, createServer, type Socket } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { downstreamLimits, relayLimits } from '../limits.ts'
import { whichRegion } from './asking.suite.ts'
import { aClient } from './clients.suite.ts'
import { aFleet, type Replica } from './fleet.suite.ts'
import { eventsOf, messagesOf } from './messages-of.suite.ts'
import { anAskingServer, type Generation } from './servers.suite.ts'
import { personHeader, putAwayLater, until } from './stage.suite.ts'
import { aSession, nextOf, post, type Wire } from './wire.suite.ts'

const generations: readonly Generation[] = ['2025-11-25', '2026-07-28']
const inEurope = { action: 'accept', content: { region: 'eu' } }
const asking = { name: 'ask', arguments: { questions: [whichRegion] } }
const done = { id: 1, result: { content: [{ text: 'done' }] } }
const limits = { downstream: { ...downstreamLimits }, relay: { ...relayLimits } }

afterEach(() => {
  Object.assign(downstreamLimits, limits.downstream)
  Object.assign(relayLimits, limits.relay)
})

/** A call at the second of several gateways whose connection breaks once its client has the question. */
async function aBrokenCall(generation: Generation = '2026-07-28', revision = '2025-11-25') {
  const server = await anAskingServer(generation)
  const fleet = await aFleet({ deploy: { url: server.url } })
  const [first, second] = fleet.replicas
  const session = await aSession(first.url, { revision })
  const connection = new AbortController()
  const headers = { 'mcp-session-id': session.id }
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: asking }
  const response = await post(second.url, call, { headers, signal: connection.signal })
  const { last, question } = await firstMessage(response)
  connection.abort()
  const answer = (result: Wire) => post(first.url, { jsonrpc: '2.0', id: question.id, result }, { headers })
  return { server, fleet, first, second, session, question, last, answer }
}

/** The first event with a message, and its id. A slow call begins with an event without data that only names the stream. */
async function firstMessage(response: Response): Promise<{ last: string; question: Wire }> {
  for await (const { id = '', data } of eventsOf(response)) {
    if (data !== '') return { last: id, question: JSON.parse(data) as Wire }
  }
  throw new Error('The stream ended before its first message.')
}

async function comesBack({ url }: Pick<Replica, 'url'>, session: string, last: string, person = 'ann') {
  const ending = new AbortController()
  putAwayLater(() => ending.abort())
  const headers = { 'mcp-session-id': session, 'last-event-id': last, [personHeader]: person }
  return messagesOf(await fetch(url, { headers, signal: ending.signal }))
}

describe.each(generations)('a 2025 client whose connection breaks in a call to a %s server', (generation) => {
  test.each(['the same', 'another'])(
    '[FLEET-13] hears the reply at %s gateway, and nothing runs twice',
    async (where) => {
      const { server, first, second, session, last, answer } = await aBrokenCall(generation)

      const stream = await comesBack(where === 'another' ? first : second, session.id, last)
      await answer(inEurope)

      expect(await nextOf(stream)).toMatchObject(done)
      expect(server).toMatchObject({ begun: generation === '2025-11-25' ? 1 : server.begun, ended: 1, saw: [inEurope] })
    },
  )

  test('[FLEET-13] hears what came while it was away', async () => {
    const { server, first, second, session, last, answer } = await aBrokenCall(generation)

    await answer(inEurope)
    await until(() => (server.ended === 1 ? true : undefined))

    for (const replica of [first, second])
      expect(await nextOf(await comesBack(replica, session.id, last))).toMatchObject(done)
    expect(server.ended).toBe(1)
  })

  test('[FLEET-13] is asked again what it had not heard, and only that', async () => {
    const { first, second, session, question, last, answer } = await aBrokenCall(generation)
    const before = last.replace(/^\d+/, '0')

    for (const replica of [first, second])
      expect(await nextOf(await comesBack(replica, session.id, before))).toEqual(question)
    const stream = await comesBack(first, session.id, last)
    await answer({ action: 'decline' })

    expect(await nextOf(stream)).toMatchObject({ id: 1 })
  })
})

test('[FLEET-13] a client of the SDK whose connections are cut hears its result by itself', async () => {
  const server = await anAskingServer('2025-11-25')
  Object.assign(downstreamLimits, { comesBackAfterMs: 500 })
  const fleet = await aFleet({ deploy: { url: server.url } }, { replicas: 3 })
  const line = await aLine(Number(new URL(fleet.url).port))
  let thought = Promise.withResolvers<unknown>()
  const client = await aClient('2025-11-25', fleet.url.replace(/:\d+/, `:${line.port}`), {
    says: () => thought.promise,
  })

  for (let round = 1; round <= 3; round++) {
    const called = client.call('ask', { questions: [whichRegion] })
    await until(() => (client.asked.length === round ? true : undefined))
    line.cut()
    // This SDK sends an answer once: not on a connection of which it has not heard yet that it is gone.
    await new Promise((resolve) => setTimeout(resolve, 200))
    thought.resolve(inEurope)
    expect(await called).toMatchObject({ content: [{ text: 'done' }] })
    thought = Promise.withResolvers()
  }
  expect(server).toMatchObject({ begun: 3, ended: 3 })
})

test('[FLEET-13] a client that comes back after the process of its call has died is told so', async () => {
  const { first, session, last } = await aBrokenCall('2025-11-25')
  Object.assign(relayLimits, { leaseMs: 300 })
  const [number, , ...rest] = last.split('.')

  const stream = await comesBack(first, session.id, [number, randomUUID(), ...rest].join('.'))

  expect(await nextOf(stream)).toMatchObject({ id: 1, error: { message: expect.stringContaining('is gone') } })
})

test('[FLEET-13] nobody else hears anything of it: not another person, not another session', async () => {
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
      const heard = await nextOf(await comesBack(replica, one, last, person))
      expect(heard).toMatchObject({ id: 1, error: { message: expect.stringContaining('not kept') } })
    }
    const headers = { 'mcp-session-id': session.id, 'last-event-id': last, [personHeader]: 'ben' }
    expect((await fetch(replica.url, { headers })).status).toBe(404)
  }
  expect(await nextOf(await comesBack(first, session.id, last))).toMatchObject(done)
})

test('[FLEET-13] a call that nobody comes back for is given up', async () => {
  Object.assign(downstreamLimits, { comesBackWithinMs: 200 })
  const { server, first, second, session, last, answer } = await aBrokenCall('2025-11-25')

  // Who comes and goes is waited for anew.
  await new Promise((resolve) => setTimeout(resolve, 600))
  await answer(inEurope)
  const heard = await nextOf(await comesBack(second, session.id, last))

  expect(heard).toMatchObject({ id: 1, error: {} })
  expect(await nextOf(await comesBack(first, session.id, last))).toMatchObject({ id: 1, error: {} })
  expect(server.saw).not.toContainEqual(inEurope)
})

test('[FLEET-13] a reply that was too much to keep is told as that', async () => {
  Object.assign(downstreamLimits, { keptReplyChars: 10 })
  const { server, first, second, session, last, answer } = await aBrokenCall()
  await answer(inEurope)
  await until(() => (server.ended === 1 ? true : undefined))

  for (const replica of [first, second]) {
    const notKept = { id: 1, error: { message: expect.stringContaining('not kept') } }
    expect(await nextOf(await comesBack(replica, session.id, last))).toMatchObject(notKept)
  }
})

test('[FLEET-13] a stream opens with its name for those who know what that is', async () => {
  Object.assign(downstreamLimits, { openWithinMs: 20 })
  const server = await anAskingServer('2026-07-28')
  const fleet = await aFleet({ deploy: { url: server.url } }, { gateway: { surfaces: ['inbox'] } })
  const first = async (revision: string) => {
    const session = await aSession(fleet.url, { revision })
    const ending = new AbortController()
    putAwayLater(() => ending.abort())
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: asking }
    const headers = { 'mcp-session-id': session.id }
    const events = eventsOf(await post(fleet.url, call, { headers, signal: ending.signal }))
    const late = new Promise<string>((resolve) => setTimeout(resolve, 500, 'nothing'))
    return Promise.race([nextOf(events), late])
  }

  expect(await first('2025-11-25')).toMatchObject({ data: '', id: expect.stringMatching(/^0\./) })
  expect(await first('2025-06-18')).toBe('nothing')
})

test('[FLEET-13] a reply that is all of its stream has no name, because nobody could come back with it', async () => {
  const server = await anAskingServer('2026-07-28')
  const fleet = await aFleet({ deploy: { url: server.url } })
  const session = await aSession(fleet.url)
  const headers = { 'mcp-session-id': session.id }

  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
  const text = await (await post(fleet.url, list, { headers })).text()

  expect(text).toContain('"result"')
  expect(text).not.toMatch(/^id:/m)
})

/** A line to this port that can be cut. */
async function aLine(to: number): Promise<{ port: number; cut(): void }> {
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
  putAwayLater(() => {
    cut()
    server.close()
  })
  return { port: (server.address() as { port: number }).port, cut }
}
