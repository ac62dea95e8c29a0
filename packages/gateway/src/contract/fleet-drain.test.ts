import type { ServerResponse } from 'node:http'
import type { Ask } from '@assent/core'
import { describe, expect, test } from 'vitest'
import { howMany, whichRegion } from './asking.suite.ts'
import { aClient } from './clients.suite.ts'
import { aFleet, type FleetOptions, type Replica } from './fleet.suite.ts'
import { answerInInbox, firstAsk } from './inbox.suite.ts'
import { messagesOf } from './messages-of.suite.ts'
import { anAskingServer, type Generation } from './servers.suite.ts'
import { personHeader, until } from './stage.suite.ts'
import { aRawServer, aSession, call, type Heard, nextOf, post, request, untilTheEnd, type Wire } from './wire.suite.ts'

const generations: readonly Generation[] = ['2025-11-25', '2026-07-28']
const inEurope = { action: 'accept', content: { region: 'eu' } }
const three = { action: 'accept', content: { replicas: 3 } }
const done = { content: [{ type: 'text', text: 'done' }] }
const withInbox = { gateway: { surfaces: ['client', 'inbox'] } } as const
const cannotBeAsked = { capabilities: {} }
const tool = 'assent__await_answer'
const longMs = 30_000

async function aStoppableFleet(generation: Generation, options: FleetOptions = withInbox) {
  const server = await anAskingServer(generation)
  const fleet = await aFleet({ deploy: { url: server.url } }, options)
  const [leaving, staying] = fleet.replicas
  return { server, fleet, leaving, staying }
}

/** As the program does it. */
async function stop({ drain, close }: Replica, withinMs: number): Promise<number> {
  const startedAt = performance.now()
  await drain(withinMs)
  await close()
  return performance.now() - startedAt
}

function endOf(ask: Ask | undefined): Ask['state'] | undefined {
  return ask === undefined || ask.state.kind === 'open' ? undefined : ask.state
}

describe.each(generations)('behind a gateway that stops, a %s server', (generation) => {
  test('[FLEET-5] a newest client that waits for the inbox is told to come back at once, and goes on elsewhere', async () => {
    const { server, leaving, staying } = await aStoppableFleet(generation)
    const args = { questions: [whichRegion, howMany] }
    const held = call(leaving.url, args, {}, cannotBeAsked)
    const ask = await firstAsk(staying.store)

    const startedAt = performance.now()
    const stopped = stop(leaving, longMs)
    const { result } = (await held).message

    expect(performance.now() - startedAt).toBeLessThan(5_000)
    expect(result).toMatchObject({ resultType: 'input_required', requestState: expect.any(String) })
    const retried = call(staying.url, args, { requestState: result.requestState }, cannotBeAsked)
    await answerInInbox(staying.store, ask, inEurope)
    await answerInInbox(staying.store, await until(async () => firstOpen(staying, 'How many replicas?'), 10_000), three)
    expect((await retried).message.result).toMatchObject(done)
    expect(await stopped).toBeLessThan(longMs)
    expect(server).toMatchObject({ begun: 1, ended: 1, saw: [inEurope, three] })
  })
})

test('[FLEET-5] a 2025 client that waits for the inbox gets a handle at once, and fetches the result elsewhere', async () => {
  const { server, leaving, staying } = await aStoppableFleet('2026-07-28')
  const caller = await aClient('2025-11-25', leaving.url, { elicitation: 'none' })
  const calling = caller.call('ask', { questions: [whichRegion] })
  const ask = await firstAsk(staying.store)

  const stopped = stop(leaving, longMs)
  const pending = await calling

  expect(pending).toMatchObject({ structuredContent: { status: 'pending', askId: ask.id } })
  expect(await stopped).toBeLessThan(10_000)
  const other = await aClient('2025-11-25', staying.url, { elicitation: 'none' })
  const fetched = other.call(tool, { ask_id: ask.id })
  await answerInInbox(staying.store, ask, inEurope)
  expect(await fetched).toMatchObject(done)
  expect(server).toMatchObject({ begun: 1, ended: 1, saw: [inEurope] })
})

test('[FLEET-5] a 2025 client whose call cannot be kept is not put off while it can be waited for', async () => {
  const { server, leaving, staying } = await aStoppableFleet('2026-07-28')
  const caller = await aClient('2025-11-25', leaving.url, { elicitation: 'none' })
  const calling = caller.call('ask', { questions: [whichRegion], filler: 'x'.repeat(300_000) })
  const ask = await firstAsk(staying.store)

  const stopped = stop(leaving, longMs)
  await new Promise((resolve) => setTimeout(resolve, 500))
  await answerInInbox(staying.store, ask, inEurope)

  expect(await calling).toMatchObject(done)
  expect(await stopped).toBeLessThan(longMs)
  expect(server).toMatchObject({ begun: 1, ended: 1, saw: [inEurope] })
})

test('[FLEET-5] streams that only listen end, in both generations, so that their readers go elsewhere', async () => {
  const { leaving } = await aStoppableFleet('2026-07-28')
  const session = await aSession(leaving.url)
  const headers = { 'mcp-session-id': session.id, [personHeader]: 'ann', accept: 'text/event-stream' }
  const standing = await fetch(leaving.url, { headers, signal: untilTheEnd().signal })
  const listening = request(leaving.url, 'subscriptions/listen', { notifications: { toolsListChanged: true } })
  await new Promise((resolve) => setTimeout(resolve, 300))

  const draining = leaving.drain(longMs)

  await Promise.all([standing.text(), listening])
  await draining
})

test('[FLEET-5] what runs at a server comes to its end, and a reply is read to its last byte', async () => {
  const text = 'x'.repeat(3_000_000)
  const running = Promise.withResolvers<void>()
  const server = await aRawServer(async () => {
    running.resolve()
    await new Promise((resolve) => setTimeout(resolve, 700))
    return { result: { resultType: 'complete', content: [{ type: 'text', text }] } }
  })
  const { replicas } = await aFleet({ deploy: { url: server.url } })
  const calling = call(replicas[0].url, {})
  await running.promise

  const stopped = stop(replicas[0], longMs)

  expect((await calling).message.result).toMatchObject({ content: [{ type: 'text', text }] })
  expect(await stopped).toBeLessThan(10_000)
})

test('[FLEET-5] the answer of a person that is on its way is acknowledged', async () => {
  const server = await anAskingServer('2026-07-28')
  const arrived = Promise.withResolvers<void>()
  const slow = async (_: unknown, response: ServerResponse) => {
    arrived.resolve()
    await new Promise((resolve) => setTimeout(resolve, 700))
    response.writeHead(200).end('kept')
  }
  const { replicas } = await aFleet({ deploy: { url: server.url } }, { gateway: { beside: slow } })
  const answering = fetch(new URL('/api/asks/x/answer', replicas[0].url), { method: 'POST' })
  await arrived.promise

  const stopped = stop(replicas[0], longMs)

  expect(await (await answering).text()).toBe('kept')
  expect(await stopped).toBeLessThan(10_000)
})

describe.each(generations)('a call of a 2025 client at a gateway that stops, with a %s server', (generation) => {
  test('[FLEET-6] that asked its client comes to its end, answered through another replica', async () => {
    const { server, leaving, staying } = await aStoppableFleet(generation)
    const { stream, session, question } = await aPushedQuestion(leaving)

    const stopped = stop(leaving, longMs)
    await new Promise((resolve) => setTimeout(resolve, 500))
    await sayAt(staying, session.id, { id: question.id, result: inEurope })

    expect(await nextOf(stream)).toMatchObject({ id: 1, result: done })
    expect(await stopped).toBeLessThan(longMs)
    expect(server).toMatchObject({ begun: 1, ended: 1, saw: [inEurope] })
  })
})

test('[FLEET-6] a question that its client still has when the time is up goes to the inbox, and its call is put off', async () => {
  const { server, leaving, staying } = await aStoppableFleet('2026-07-28')
  const { stream, question } = await aPushedQuestion(leaving)

  const stopped = stop(leaving, 1_000)
  const told = await nextOf(stream)
  const put = await nextOf(stream)

  expect(told).toMatchObject({ method: 'notifications/cancelled', params: { requestId: question.id } })
  expect(put).toMatchObject({ id: 1, result: { structuredContent: { status: 'pending' } } })
  await stopped
  const ask = await firstAsk(staying.store)
  await answerInInbox(staying.store, ask, inEurope)
  const caller = await aClient('2025-11-25', staying.url, { elicitation: 'none' })
  expect(await caller.call(tool, { ask_id: ask.id })).toMatchObject(done)
  expect(server).toMatchObject({ begun: 1, ended: 1, saw: [inEurope] })
})

test.each(generations)(
  '[FLEET-6] without an inbox its caller hears that the gateway stopped, with a %s server',
  async (generation) => {
    const { server, leaving } = await aStoppableFleet(generation, {})
    const { stream } = await aPushedQuestion(leaving)

    const stopped = stop(leaving, 500)
    const heard = []
    for await (const message of stream) heard.push(message)

    expect(heard.at(-1)).toMatchObject({ id: 1, error: { message: expect.stringContaining('stopped') } })
    expect(await stopped).toBeLessThan(10_000)
    expect(server.saw).not.toContainEqual(expect.objectContaining({ action: 'accept' }))
    expect(server.ended === 0 || server.saw.length === 1).toBe(true)
  },
)

test('[FLEET-6] a call that a 2025 server waits in is waited for, and an answer through another replica ends it', async () => {
  const { server, leaving, staying } = await aStoppableFleet('2025-11-25')
  const args = { questions: [whichRegion] }
  const { result } = (await call(leaving.url, args)).message

  const stopped = stop(leaving, longMs)
  await new Promise((resolve) => setTimeout(resolve, 500))
  const rounds = { requestState: result.requestState, inputResponses: { ask_1: inEurope } }
  const finished = await call(staying.url, args, rounds)

  expect(finished.message.result).toMatchObject(done)
  expect(await stopped).toBeLessThan(longMs)
  expect(server).toMatchObject({ begun: 1, ended: 1, saw: [inEurope] })
})

test('[FLEET-6] when the time is up such a call ends on record: its caller hears so, its ask is withdrawn with the reason', async () => {
  const briefly = { gateway: { ...withInbox.gateway, holdMs: 4_000 } }
  const { server, leaving, staying } = await aStoppableFleet('2025-11-25', briefly)
  const args = { questions: [whichRegion, howMany] }
  const held = (await call(leaving.url, args, {}, cannotBeAsked)).message.result
  const waiting = untilItEnds(staying, args, held.requestState)
  const inPlace = (await aClient('2025-11-25', leaving.url, { elicitation: 'none' }))
    .call('ask', args)
    .catch((error: Error) => error.message)
  const asks = await until(async () => {
    const { asks: open } = await staying.store.inbox.page({ tenant: 'default', person: ann, show: 'open' })
    return open.length === 2 ? open : undefined
  })

  await stop(leaving, 1_000)

  expect(await inPlace).toContain('stopped')
  expect((await waiting).error.message).toContain('is gone')
  for (const { id } of asks) {
    const ended = await until(async () => endOf(await staying.store.asks.read('default', id)), 10_000)
    expect(ended).toMatchObject({ kind: 'withdrawn', reason: 'owner-lost' })
  }
  expect(server.saw).not.toContainEqual(expect.objectContaining({ action: 'accept' }))
})

test('[FLEET-6] nothing new is begun while it stops, and what waits is fetched there as well as elsewhere', async () => {
  const { leaving } = await aStoppableFleet('2026-07-28')
  const args = { questions: [whichRegion] }
  const pushed = await aPushedQuestion(leaving)
  const held = call(leaving.url, args, {}, cannotBeAsked)
  await firstAsk(leaving.store)

  const stopped = stop(leaving, longMs)
  const { result } = (await held).message
  const refused = await call(leaving.url, args)
  // A balancer that has not noticed sends it here again: then it is held here, and not told to come back over and over.
  const retried = call(leaving.url, args, { requestState: result.requestState }, cannotBeAsked)
  await new Promise((resolve) => setTimeout(resolve, 500))
  await answerInInbox(leaving.store, await firstAsk(leaving.store), inEurope)

  expect(refused).toMatchObject({ status: 503 })
  expect((await retried).message.result).toMatchObject(done)
  await post(leaving.url, { jsonrpc: '2.0', id: pushed.question.id, result: inEurope }, sessionOf(pushed.session.id))
  expect(await stopped).toBeLessThan(longMs)
})

const ann = { principal: 'ann', groups: [] }

function sessionOf(id: string) {
  return { headers: { 'mcp-session-id': id } }
}

function sayAt({ url }: Replica, session: string, message: object): Promise<Response> {
  return post(url, { jsonrpc: '2.0', ...message }, sessionOf(session))
}

/** A question that a 2025 client has been asked and not answered. */
async function aPushedQuestion(at: Replica) {
  const session = await aSession(at.url)
  const params = { name: 'ask', arguments: { questions: [whichRegion] } }
  const stream = messagesOf(await sayAt(at, session.id, { id: 1, method: 'tools/call', params }))
  return { session, stream, question: await nextOf(stream) }
}

/** Comes back as often as it is told to. */
async function untilItEnds({ url }: Replica, args: Wire, state: unknown): Promise<Heard['message']> {
  for (let requestState = state; ; ) {
    const { message } = await call(url, args, { requestState }, cannotBeAsked)
    if (message.result?.resultType !== 'input_required') return message
    requestState = message.result.requestState
  }
}

async function firstOpen({ store }: Replica, message: string): Promise<Ask | undefined> {
  const { asks } = await store.inbox.page({ tenant: 'default', person: ann, show: 'open' })
  return asks.find(({ question }) => question.kind === 'form' && question.message === message)
}
