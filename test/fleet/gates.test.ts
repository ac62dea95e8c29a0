// Gates whose database fails them: they say no, soon and in words, and nothing stays held behind them.

import { createServer } from 'node:http'
import type { Store } from '@assent/store'
import { expect, onTestFinished, test } from 'vitest'
import { whichRegion } from '../../packages/gateway/src/contract/asking.suite.ts'
import { aClient } from '../../packages/gateway/src/contract/clients.suite.ts'
import { aFleet, type FleetOptions, postgresUrl } from '../../packages/gateway/src/contract/fleet.suite.ts'
import { answerInInbox, firstAsk } from '../../packages/gateway/src/contract/inbox.suite.ts'
import { anAskingServer, listening } from '../../packages/gateway/src/contract/servers.suite.ts'
import { until } from '../../packages/gateway/src/contract/stage.suite.ts'
import { anOlderRawServer, call, type OlderCall } from '../../packages/gateway/src/contract/wire.suite.ts'
import { upstreamLimits } from '../../packages/gateway/src/limits.ts'
import { Link } from './link.ts'

const args = { questions: [whichRegion] }
const inEurope = { action: 'accept', content: { region: 'eu' } }
const done = { content: [{ type: 'text', text: 'done' }] }
const away = 'The gateway cannot reach its database now'
/** What the promise says, and time for a machine that does other things too. */
const soonMs = 2_000 + 2_000

/** Two replicas, of which the first has a database that can be made to fail. */
async function aScene(gateway: FleetOptions['gateway'] = {}, generation: '2025-11-25' | '2026-07-28' = '2025-11-25') {
  const server = await anAskingServer(generation)
  const link = await Link.to(postgresUrl, 5432)
  onTestFinished(() => link.close())
  const fleet = await aFleet(
    { deploy: { url: server.url } },
    { firstThrough: (database) => link.through(database), gateway: { surfaces: ['client', 'inbox'], ...gateway } },
  )
  onTestFinished(() => link.mend())
  return { server, link, fleet, sick: fleet.replicas[0], healthy: fleet.replicas[1] }
}

async function isBack({ asks }: Store): Promise<true | undefined> {
  return asks.read('default', 'none').then(
    () => true,
    () => undefined,
  )
}

async function timed<Value>(work: Promise<Value>): Promise<{ ms: number; value: Value }> {
  const startedAt = performance.now()
  const value = await work
  return { ms: performance.now() - startedAt, value }
}

test.each(['hanging', 'half-open', 'down'] as const)(
  '[FLEET-12] with a database that is %s a call is refused in words, and its server is let go',
  async (way) => {
    const { server, link, sick } = await aScene()
    await call(sick.url, args)
    await link.fail(way)

    const calls = await Promise.all([1, 2, 3].map(() => timed(call(sick.url, args))))

    for (const { ms, value } of calls) {
      expect(value.message.error.message).toContain(away)
      expect(ms).toBeLessThan(soonMs)
    }
    expect(sick.standing().parkedCalls).toBe(1)
    // Long before anyone's time is up.
    await until(() => (server.ended === 3 ? true : undefined))
    expect(server.saw).not.toContainEqual(expect.objectContaining({ action: 'accept' }))
  },
)

test('[FLEET-12] a 2025 client hears so too, and none of its connections to the server stays taken', async () => {
  const before = upstreamLimits.connections
  upstreamLimits.connections = 2
  onTestFinished(() => {
    upstreamLimits.connections = before
  })
  const { server, link, sick } = await aScene()
  const caller = await aClient('2025-11-25', sick.url, { elicitation: 'none' })
  await link.fail('hanging')

  for (let turn = 0; turn < 3; turn++) {
    const { ms, value } = await timed(caller.call('ask', args).catch((error: Error) => error.message))
    expect(value).toContain(away)
    expect(ms).toBeLessThan(soonMs)
  }
  await until(() => (server.ended === 3 ? true : undefined))
  await link.mend()
  await until(() => isBack(sick.store), 20_000)
  const answering = (async () => answerInInbox(sick.store, await firstAsk(sick.store), inEurope))()

  expect(await caller.call('ask', args)).toMatchObject(done)
  await answering
})

test.each(['2025-11-25', '2026-07-28'] as const)(
  '[FLEET-12] a question to a %s client that nobody answers ends in time without a database',
  async (client) => {
    const askWaitMs = 1_500
    const { server, link, sick, healthy } = await aScene({ askWaitMs, patienceMs: 60_000, holdMs: 60_000 })
    const caller = await aClient(client, sick.url, { elicitation: 'none' })
    const calling = timed(caller.call('ask', args).catch((error: Error) => error.message))
    await firstAsk(healthy.store)
    await link.fail('hanging')

    const { ms, value } = await calling

    expect(ms).toBeLessThan(askWaitMs + soonMs)
    expect(JSON.stringify(value)).toMatch(/cannot reach its database|done/)
    expect(server.saw).not.toContainEqual(expect.objectContaining({ action: 'accept' }))
  },
)

test('[FLEET-12] an answer that the database did not keep is none, and counts when it is sent again', async () => {
  // The client of this test answers at once.
  const { server, link, sick } = await aScene({ unseenAfterMs: 0 })
  const { requestState } = (await call(sick.url, args)).message.result
  const rounds = { requestState, inputResponses: { ask_1: inEurope } }
  await link.fail('hanging')

  const refused = await timed(call(sick.url, args, rounds))

  expect(refused.value.message.error.message).toContain(away)
  expect(refused.ms).toBeLessThan(soonMs)
  expect(server.saw).toEqual([])
  await link.mend()
  const again = await until(async () => {
    const { message } = await call(sick.url, args, rounds)
    return message.error === undefined ? message.result : undefined
  }, 20_000)
  expect(again).toMatchObject(done)
  expect(server).toMatchObject({ begun: 1, ended: 1, saw: [inEurope] })
})

test('[FLEET-12] what came of a call is kept as soon as the database is back, and given to whoever comes for it', async () => {
  const link = await Link.to(postgresUrl, 5432)
  onTestFinished(() => link.close())
  let held: OlderCall | undefined
  const server = await anOlderRawServer((asking) => {
    held = asking
    asking.say({ id: 1, method: 'elicitation/create', params: whichRegion })
  })
  const fleet = await aFleet({ deploy: { url: server.url } }, { firstThrough: (database) => link.through(database) })
  const [sick, healthy] = fleet.replicas
  const { requestState } = (await call(sick.url, args)).message.result
  const rounds = { requestState, inputResponses: { ask_1: inEurope } }
  const continuing = call(sick.url, args, rounds)
  await until(() => (server.heard.some((one) => one.method === undefined) ? true : undefined))
  await link.fail('hanging')
  held?.end({ result: done })

  expect((await continuing).message.error.message).toContain(away)
  await link.mend()
  const kept = await until(async () => {
    const { message } = await call(healthy.url, args, rounds)
    return message.error === undefined ? message.result : undefined
  }, 20_000)

  expect(kept).toMatchObject(done)
  expect(sick.standing().parkedCalls).toBe(0)
})

test.each(['2025-11-25', '2026-07-28'] as const)(
  '[FLEET-12] a %s server that says nothing in a call is given up, in words that claim nothing',
  async (generation) => {
    const before = { ...upstreamLimits }
    Object.assign(upstreamLimits, { silentMs: 1_000 })
    onTestFinished(() => {
      Object.assign(upstreamLimits, before)
    })
    const server = await anAskingServer(generation)
    const link = await Link.to(server.url, 80)
    onTestFinished(() => link.close())
    const fleet = await aFleet({ deploy: { url: link.through(server.url) } }, { replicas: 1 })
    const [{ url }] = fleet.replicas
    await call(url, args)
    await link.fail('half-open')

    const { ms, value } = await timed(call(url, args))

    expect(value.message.error.message).toMatch(/nothing for 1 s.*not known/)
    expect(ms).toBeLessThan(1_000 + soonMs)
  },
)

test('[FLEET-12] a server that hangs when it is first called is spoken to in its own revision when it is back', async () => {
  const before = { ...upstreamLimits }
  Object.assign(upstreamLimits, { openMs: 1_000 })
  onTestFinished(() => {
    Object.assign(upstreamLimits, before)
  })
  const server = await anAskingServer('2026-07-28')
  const link = await Link.to(server.url, 80)
  onTestFinished(() => link.close())
  const fleet = await aFleet({ deploy: { url: link.through(server.url) } }, { replicas: 1 })
  const [{ url }] = fleet.replicas
  await link.fail('hanging')

  const { ms, value } = await timed(call(url, args))

  expect(value.message.error.message).toContain('The server did not answer in time.')
  expect(ms).toBeLessThan(1_000 + soonMs)
  await link.mend()
  const again = await until(async () => (await call(url, args)).message.result, 20_000)
  expect(Object.keys(again.inputRequests as object)).toEqual(['question'])
})

test('[FLEET-12] a server whose first words were nonsense is asked again which revision it speaks', async () => {
  let turn = 0
  const server = createServer(async (request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end()
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    const { id, method } = JSON.parse(body) as { id: number; method: string }
    response.setHeader('content-type', 'application/json')
    if (turn++ === 0) return void response.end('{"no')
    // It knows one revision, and refuses what belongs to others.
    if (method !== 'server/discover' && method !== 'tools/call') return void response.writeHead(400).end()
    const found = { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } }
    const result = { resultType: 'complete', ...(method === 'tools/call' ? done : found) }
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
  })
  const { url: behind } = await listening(server)
  const fleet = await aFleet({ deploy: { url: behind } }, { replicas: 1 })
  const [{ url }] = fleet.replicas

  expect((await call(url, args)).message.error.message).toContain('cannot be used now')
  expect((await call(url, args)).message.result).toMatchObject(done)
})
