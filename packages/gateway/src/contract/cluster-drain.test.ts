import type { ServerResponse } from 'node:http'
import type { Ask } from '@assent/core'
import { afterAll, describe, expect, test } from 'vitest'
import { answerInInbox, firstAsk } from '../../../../test-kit/gateway/answer-in-inbox.ts'
import { type ClusterOptions, openCluster, type Replica } from '../../../../test-kit/gateway/cluster.ts'
import { anAskingServer } from '../../../../test-kit/mcp/asking-servers.ts'
import { howMany, whichRegion } from '../../../../test-kit/mcp/asking-tools.ts'
import { messagesOf } from '../../../../test-kit/mcp/messages.ts'
import { aClient } from '../../../../test-kit/mcp/scripted-client.ts'
import { personHeader } from '../../../../test-kit/person-header.ts'
import type { Revision } from '../../../../test-kit/revisions.ts'
import { until } from '../../../../test-kit/until.ts'
import { clusterLimits, relayLimits, setLimits } from '../limits.ts'
import {
  aRawServer,
  aSession,
  call,
  nextOf,
  post,
  type Received,
  request,
  untilTheEnd,
  type Wire,
} from './wire.suite.ts'

const generations: readonly Revision[] = ['2025-11-25', '2026-07-28']
const inEurope = { action: 'accept', content: { region: 'eu' } }
const three = { action: 'accept', content: { replicas: 3 } }
const done = { content: [{ type: 'text', text: 'done' }] }
const withInbox = { gateway: { surfaces: ['client', 'inbox'] } } as const
const cannotBeAsked = { capabilities: {} }
const tool = 'assent__await_answer'
/** Nothing here takes as long, however slow the machine is. */
const longMs = 60_000
/** Much less than that. */
const soonMs = 20_000

// On a busy machine no lease expires and no reply is cut off.
afterAll(setLimits(relayLimits, { leaseMs: 60_000, storeGraceMs: 20_000 }))
afterAll(setLimits(clusterLimits, { abortGraceMs: 20_000 }))

async function aStoppableCluster(generation: Revision, options: ClusterOptions = withInbox) {
  const server = await anAskingServer(generation)
  const cluster = await openCluster({ deploy: { url: server.url } }, options)
  const [stopping, staying] = cluster.replicas
  return { server, cluster, stopping, staying }
}

/** Shuts down as the program does. */
async function stop({ drain, close }: Replica, withinMs: number): Promise<number> {
  const startedAt = performance.now()
  await drain(withinMs)
  await close()
  return performance.now() - startedAt
}

function endOf(ask: Ask | undefined): Ask['state'] | undefined {
  return ask === undefined || ask.state.kind === 'open' ? undefined : ask.state
}

describe.each(generations)('behind a gateway that is shutting down, a %s server', (generation) => {
  test('[FLEET-5] a 2026-07-28 client that waits for the inbox gets `input_required` at once, and continues at another replica', async () => {
    const { server, stopping, staying } = await aStoppableCluster(generation)
    const args = { questions: [whichRegion, howMany] }
    const held = call(stopping.url, args, {}, { ...cannotBeAsked, ...(await stopping.program()) })
    const ask = await firstAsk(staying.store)

    const startedAt = performance.now()
    const stopped = stop(stopping, longMs)
    const { result } = (await held).message

    expect(performance.now() - startedAt).toBeLessThan(soonMs)
    expect(result).toMatchObject({ resultType: 'input_required', requestState: expect.any(String) })
    const program = { ...cannotBeAsked, ...(await staying.program()) }
    const retried = call(staying.url, args, { requestState: result.requestState }, program)
    await answerInInbox(staying.store, ask, inEurope)
    await answerInInbox(staying.store, await until(async () => firstOpen(staying, 'How many replicas?')), three)
    expect((await retried).message.result).toMatchObject(done)
    expect(await stopped).toBeLessThan(longMs)
    expect(server).toMatchObject({ begun: 1, ended: 1, saw: [inEurope, three] })
  })
})

test('[FLEET-5] a 2025 client that waits for the inbox gets a handle at once, and fetches the result at another replica', async () => {
  const { server, stopping, staying } = await aStoppableCluster('2026-07-28')
  const caller = await aClient('2025-11-25', stopping.url, { elicitation: 'none' })
  const calling = caller.call('ask', { questions: [whichRegion] })
  const ask = await firstAsk(staying.store)

  const stopped = stop(stopping, longMs)
  const pending = await calling

  expect(pending).toMatchObject({ structuredContent: { status: 'pending', askId: ask.id } })
  expect(await stopped).toBeLessThan(longMs / 2)
  const other = await aClient('2025-11-25', staying.url, { elicitation: 'none' })
  const fetched = other.call(tool, { ask_id: ask.id })
  await answerInInbox(staying.store, ask, inEurope)
  expect(await fetched).toMatchObject(done)
  expect(server).toMatchObject({ begun: 1, ended: 1, saw: [inEurope] })
})

test('[FLEET-5] a call of a 2025 client that cannot be deferred has the drain time to finish', async () => {
  const { server, stopping, staying } = await aStoppableCluster('2026-07-28')
  const caller = await aClient('2025-11-25', stopping.url, { elicitation: 'none' })
  const calling = caller.call('ask', { questions: [whichRegion], filler: 'x'.repeat(300_000) })
  const ask = await firstAsk(staying.store)

  const stopped = stop(stopping, longMs)
  await new Promise((resolve) => setTimeout(resolve, 500))
  await answerInInbox(staying.store, ask, inEurope)

  expect(await calling).toMatchObject(done)
  expect(await stopped).toBeLessThan(longMs)
  expect(server).toMatchObject({ begun: 1, ended: 1, saw: [inEurope] })
})

test('[FLEET-5] notification streams of both generations are closed, so that clients reconnect to another replica', async () => {
  const { stopping } = await aStoppableCluster('2026-07-28')
  const session = await aSession(stopping.url)
  const headers = { 'mcp-session-id': session.id, [personHeader]: 'ann', accept: 'text/event-stream' }
  const getStream = await fetch(stopping.url, { headers, signal: untilTheEnd().signal })
  const listening = request(stopping.url, 'subscriptions/listen', { notifications: { toolsListChanged: true } })
  await new Promise((resolve) => setTimeout(resolve, 300))

  const draining = stopping.drain(longMs)

  await Promise.all([getStream.text(), listening])
  await draining
})

test('[FLEET-5] a call in progress at a server finishes, and its response is delivered in full', async () => {
  const text = 'x'.repeat(3_000_000)
  const running = Promise.withResolvers<void>()
  const server = await aRawServer(async () => {
    running.resolve()
    await new Promise((resolve) => setTimeout(resolve, 700))
    return { result: { resultType: 'complete', content: [{ type: 'text', text }] } }
  })
  const { replicas } = await openCluster({ deploy: { url: server.url } })
  const calling = call(replicas[0].url, {})
  await running.promise

  const stopped = stop(replicas[0], longMs)

  expect((await calling).message.result).toMatchObject({ content: [{ type: 'text', text }] })
  expect(await stopped).toBeLessThan(longMs / 2)
})

test('[FLEET-5] an answer of a person that is being sent is acknowledged', async () => {
  const server = await anAskingServer('2026-07-28')
  const arrived = Promise.withResolvers<void>()
  const slow = async (_: unknown, response: ServerResponse) => {
    arrived.resolve()
    await new Promise((resolve) => setTimeout(resolve, 700))
    response.writeHead(200).end('kept')
  }
  const { replicas } = await openCluster({ deploy: { url: server.url } }, { gateway: { fallback: slow } })
  const answering = fetch(new URL('/api/asks/x/answer', replicas[0].url), { method: 'POST' })
  await arrived.promise

  const stopped = stop(replicas[0], longMs)

  expect(await (await answering).text()).toBe('kept')
  expect(await stopped).toBeLessThan(longMs / 2)
})

describe.each(generations)(
  'a call of a 2025 client at a gateway that is shutting down, with a %s server',
  (generation) => {
    test('[FLEET-6] that asked its client finishes with an answer through another replica', async () => {
      const { server, stopping, staying } = await aStoppableCluster(generation)
      const { stream, session, question } = await aPushedQuestion(stopping)

      const stopped = stop(stopping, longMs)
      await new Promise((resolve) => setTimeout(resolve, 500))
      await sayAt(staying, session.id, { id: question.id, result: inEurope })

      expect(await nextOf(stream)).toMatchObject({ id: 1, result: done })
      expect(await stopped).toBeLessThan(longMs)
      expect(server).toMatchObject({ begun: 1, ended: 1, saw: [inEurope] })
    })
  },
)

test('[FLEET-6] a question that its client has not answered after the drain time moves to the inbox, and its call is deferred', async () => {
  const { server, stopping, staying } = await aStoppableCluster('2026-07-28')
  const { stream, question } = await aPushedQuestion(stopping)

  const drained = stopping.drain(4_000)
  const received = await nextOf(stream)
  const put = await nextOf(stream)

  expect(received).toMatchObject({ method: 'notifications/cancelled', params: { requestId: question.id } })
  expect(put).toMatchObject({ id: 1, result: { structuredContent: { status: 'pending' } } })
  await drained
  await stopping.close()
  const ask = await firstAsk(staying.store)
  await answerInInbox(staying.store, ask, inEurope)
  const caller = await aClient('2025-11-25', staying.url, { elicitation: 'none' })
  expect(await caller.call(tool, { ask_id: ask.id })).toMatchObject(done)
  expect(server).toMatchObject({ begun: 1, ended: 1, saw: [inEurope] })
})

test.each(generations)(
  '[FLEET-6] without an inbox its caller gets an error that the gateway stopped, with a %s server',
  async (generation) => {
    const { server, stopping } = await aStoppableCluster(generation, {})
    const { stream } = await aPushedQuestion(stopping)

    const stopped = stop(stopping, 500)
    const received = []
    for await (const message of stream) received.push(message)

    expect(received.at(-1)).toMatchObject({ id: 1, error: { message: expect.stringContaining('stopped') } })
    expect(await stopped).toBeLessThan(longMs / 2)
    expect(server.saw).not.toContainEqual(expect.objectContaining({ action: 'accept' }))
    expect(server.ended === 0 || server.saw.length === 1).toBe(true)
  },
)

test('[FLEET-6] a held call of a 2025 server has the drain time to finish, and can be answered through another replica', async () => {
  const { server, stopping, staying } = await aStoppableCluster('2025-11-25')
  const args = { questions: [whichRegion] }
  const { result } = (await call(stopping.url, args, {}, await stopping.program())).message

  const stopped = stop(stopping, longMs)
  await new Promise((resolve) => setTimeout(resolve, 500))
  const rounds = { requestState: result.requestState, inputResponses: { ask_1: inEurope } }
  const finished = await call(staying.url, args, rounds, await staying.program())

  expect(finished.message.result).toMatchObject(done)
  expect(await stopped).toBeLessThan(longMs)
  expect(server).toMatchObject({ begun: 1, ended: 1, saw: [inEurope] })
})

test('[FLEET-6] after the drain time a held call ends: its caller gets an error, its ask is withdrawn with the reason', async () => {
  const briefly = { gateway: { ...withInbox.gateway, holdMs: 4_000 } }
  const { server, stopping, staying } = await aStoppableCluster('2025-11-25', briefly)
  const args = { questions: [whichRegion, howMany] }
  const held = (await call(stopping.url, args, {}, { ...cannotBeAsked, ...(await stopping.program()) })).message.result
  const waiting = untilItEnds(staying, args, held.requestState)
  const attached = (await aClient('2025-11-25', stopping.url, { elicitation: 'none' }))
    .call('ask', args)
    .catch((error: Error) => error.message)
  const asks = await until(async () => {
    const { asks: open } = await staying.store.inbox.page({ tenant: 'default', person: ann, show: 'open' })
    return open.length === 2 ? open : undefined
  })

  await stop(stopping, 1_000)

  expect(await attached).toContain('stopped')
  expect((await waiting).error.message).toContain('has stopped')
  for (const { id } of asks) {
    const ended = await until(async () => endOf(await staying.store.asks.read('default', id)))
    expect(ended).toMatchObject({ kind: 'withdrawn', reason: 'owner-lost' })
  }
  expect(server.saw).not.toContainEqual(expect.objectContaining({ action: 'accept' }))
})

test('[FLEET-6] new calls are refused during shutdown, and waiting calls can still be retried at this replica', async () => {
  const { stopping } = await aStoppableCluster('2026-07-28')
  const args = { questions: [whichRegion] }
  const pushed = await aPushedQuestion(stopping)
  const held = call(stopping.url, args, {}, { ...cannotBeAsked, ...(await stopping.program()) })
  await firstAsk(stopping.store)

  const stopped = stop(stopping, longMs)
  const { result } = (await held).message
  const refused = await call(stopping.url, args)
  // A load balancer may send the retry to this replica again. It is held here, without another `input_required`.
  const retried = call(stopping.url, args, { requestState: result.requestState }, cannotBeAsked)
  await new Promise((resolve) => setTimeout(resolve, 500))
  await answerInInbox(stopping.store, await firstAsk(stopping.store), inEurope)

  expect(refused).toMatchObject({ status: 503 })
  expect((await retried).message.result).toMatchObject(done)
  await post(stopping.url, { jsonrpc: '2.0', id: pushed.question.id, result: inEurope }, sessionOf(pushed.session.id))
  expect(await stopped).toBeLessThan(longMs)
})

const ann = { principal: 'ann', groups: [] }

function sessionOf(id: string) {
  return { headers: { 'mcp-session-id': id } }
}

function sayAt({ url }: Replica, session: string, message: object): Promise<Response> {
  return post(url, { jsonrpc: '2.0', ...message }, sessionOf(session))
}

/** A question that a 2025 client has received and not answered. */
async function aPushedQuestion(at: Replica) {
  const session = await aSession(at.url)
  const params = { name: 'ask', arguments: { questions: [whichRegion] } }
  const stream = messagesOf(await sayAt(at, session.id, { id: 1, method: 'tools/call', params }))
  return { session, stream, question: await nextOf(stream) }
}

/** Retries for as long as the result is `input_required`. */
async function untilItEnds({ url }: Replica, args: Wire, state: unknown): Promise<Received['message']> {
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
