// Gates while their database fails: calls are refused soon, with a message, and no server call is left open.

import { createServer } from 'node:http'
import type { Store } from '@assent/store'
import { expect, onTestFinished, test } from 'vitest'
import { anOlderRawServer, call, type OlderCall } from '../../packages/gateway/src/contract/wire.suite.ts'
import { serverLimits, setLimits } from '../../packages/gateway/src/limits.ts'
import { listening } from '../../test-kit/close-after-test.ts'
import { Link } from '../../test-kit/faulty-link.ts'
import { answerInInbox, firstAsk } from '../../test-kit/gateway/answer-in-inbox.ts'
import { type ClusterOptions, openCluster } from '../../test-kit/gateway/cluster.ts'
import { anAskingServer } from '../../test-kit/mcp/asking-servers.ts'
import { whichRegion } from '../../test-kit/mcp/asking-tools.ts'
import { aClient } from '../../test-kit/mcp/scripted-client.ts'
import { postgresUrl } from '../../test-kit/postgres.ts'
import { Stopwatch } from '../../test-kit/stopwatch.ts'
import { until } from '../../test-kit/until.ts'

const args = { questions: [whichRegion] }
const inEurope = { action: 'accept', content: { region: 'eu' } }
const done = { content: [{ type: 'text', text: 'done' }] }
const away = 'The gateway cannot reach its database'
/** The promised two seconds, and a margin for a busy machine. */
const soonMs = 2_000 + 2_000

/** Two replicas; the database connection of the first can be made to fail. */
async function aScene(gateway: ClusterOptions['gateway'] = {}, generation: '2025-11-25' | '2026-07-28' = '2025-11-25') {
  const server = await anAskingServer(generation)
  const link = await Link.to(postgresUrl, 5432)
  onTestFinished(() => link.close())
  const cluster = await openCluster(
    { deploy: { url: server.url } },
    { firstThrough: (database) => link.through(database), gateway: { surfaces: ['client', 'inbox'], ...gateway } },
  )
  onTestFinished(() => link.restore())
  return { server, link, cluster, sick: cluster.replicas[0], healthy: cluster.replicas[1] }
}

async function isBack({ asks }: Store): Promise<true | undefined> {
  return asks.read('default', 'none').then(
    () => true,
    () => undefined,
  )
}

async function timed<Value>(work: Promise<Value>): Promise<{ ms: number; value: Value }> {
  const stopwatch = new Stopwatch()
  const value = await work.finally(() => stopwatch.stop())
  return { ms: stopwatch.ms, value }
}

test.each(['hanging', 'half-open', 'down'] as const)(
  '[FLEET-12] with a database that is %s a call gets an error, and its server is released',
  async (way) => {
    const { server, link, sick } = await aScene()
    const program = await sick.program()
    await call(sick.url, args, {}, program)
    await link.fail(way)

    const calls = await Promise.all([1, 2, 3].map(() => timed(call(sick.url, args, {}, program))))

    for (const { ms, value } of calls) {
      expect(value.message.error.message).toContain(away)
      expect(ms).toBeLessThan(soonMs)
    }
    await expect.poll(() => sick.standing().heldCalls, { timeout: 60_000 }).toBe(1)
    // Long before any timeout.
    await until(() => (server.ended === 3 ? true : undefined))
    expect(server.saw).not.toContainEqual(expect.objectContaining({ action: 'accept' }))
  },
)

test('[FLEET-12] a 2025 client gets the error too, and its connections to the server are released', async () => {
  onTestFinished(setLimits(serverLimits, { connections: 2 }))
  const { server, link, sick } = await aScene()
  const caller = await aClient('2025-11-25', sick.url, { elicitation: 'none' })
  await link.fail('hanging')

  for (let turn = 0; turn < 3; turn++) {
    const { ms, value } = await timed(caller.call('ask', args).catch((error: Error) => error.message))
    expect(value).toContain(away)
    expect(ms).toBeLessThan(soonMs)
  }
  await until(() => (server.ended === 3 ? true : undefined))
  await link.restore()
  await until(() => isBack(sick.store))
  const answering = (async () => answerInInbox(sick.store, await firstAsk(sick.store), inEurope))()

  expect(await caller.call('ask', args)).toMatchObject(done)
  await answering
})

test.each(['2025-11-25', '2026-07-28'] as const)(
  '[FLEET-12] an unanswered question to a %s client ends in time without a database',
  async (client) => {
    // Long enough to be found in the store before it expires.
    const askWaitMs = 10_000
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

test('[FLEET-12] an answer that was not stored does not count, and counts when it is sent again', async () => {
  // The client of this test answers at once.
  const { server, link, sick } = await aScene({ unseenAfterMs: 0 })
  const program = await sick.program()
  const { requestState } = (await call(sick.url, args, {}, program)).message.result
  const rounds = { requestState, inputResponses: { ask_1: inEurope } }
  await link.fail('hanging')

  const refused = await timed(call(sick.url, args, rounds, program))

  expect(refused.value.message.error.message).toContain(away)
  expect(refused.ms).toBeLessThan(soonMs)
  expect(server.saw).toEqual([])
  await link.restore()
  const again = await until(async () => {
    const { message } = await call(sick.url, args, rounds, program)
    return message.error === undefined ? message.result : undefined
  })
  expect(again).toMatchObject(done)
  expect(server).toMatchObject({ begun: 1, ended: 1, saw: [inEurope] })
})

test('[FLEET-12] the outcome of a call is stored as soon as the database is back, and returned to its caller', async () => {
  const link = await Link.to(postgresUrl, 5432)
  onTestFinished(() => link.close())
  let held: OlderCall | undefined
  const server = await anOlderRawServer((asking) => {
    held = asking
    asking.say({ id: 1, method: 'elicitation/create', params: whichRegion })
  })
  const cluster = await openCluster(
    { deploy: { url: server.url } },
    { firstThrough: (database) => link.through(database) },
  )
  const [sick, healthy] = cluster.replicas
  const program = await sick.program()
  const { requestState } = (await call(sick.url, args, {}, program)).message.result
  const rounds = { requestState, inputResponses: { ask_1: inEurope } }
  const continuing = call(sick.url, args, rounds, program)
  await until(() => (server.received.some((one) => one.method === undefined) ? true : undefined))
  await link.fail('hanging')
  held?.end({ result: done })

  expect((await continuing).message.error.message).toContain(away)
  await link.restore()
  const kept = await until(async () => {
    const { message } = await call(healthy.url, args, rounds)
    return message.error === undefined ? message.result : undefined
  })

  expect(kept).toMatchObject(done)
  await expect.poll(() => sick.standing().heldCalls, { timeout: 60_000 }).toBe(0)
})

test.each(['2025-11-25', '2026-07-28'] as const)(
  '[FLEET-12] a call to a %s server that does not respond times out, with an error that leaves its effect open',
  async (generation) => {
    const server = await anAskingServer(generation)
    const link = await Link.to(server.url, 80)
    onTestFinished(() => link.close())
    const cluster = await openCluster({ deploy: { url: link.through(server.url) } }, { replicas: 1 })
    const [{ url }] = cluster.replicas
    await call(url, args)
    // Not for the first call, to which a busy machine may respond late.
    onTestFinished(setLimits(serverLimits, { silentMs: 1_000 }))
    await link.fail('half-open')

    const { ms, value } = await timed(call(url, args))

    expect(value.message.error.message).toMatch(/nothing for 1 s.*not known/)
    expect(ms).toBeLessThan(1_000 + soonMs)
  },
)

test('[FLEET-12] a server that hangs at its first call is called in its own revision when it is back', async () => {
  onTestFinished(setLimits(serverLimits, { openMs: 1_000 }))
  const server = await anAskingServer('2026-07-28')
  const link = await Link.to(server.url, 80)
  onTestFinished(() => link.close())
  const cluster = await openCluster({ deploy: { url: link.through(server.url) } }, { replicas: 1 })
  const [{ url }] = cluster.replicas
  await link.fail('hanging')

  const { ms, value } = await timed(call(url, args))

  expect(value.message.error.message).toContain('The server did not respond in time.')
  expect(ms).toBeLessThan(1_000 + soonMs)
  await link.restore()
  const again = await until(async () => (await call(url, args)).message.result)
  expect(Object.keys(again.inputRequests as object)).toEqual(['question'])
})

test('[FLEET-12] after an unparsable first reply a server is asked again for its revision', async () => {
  let turn = 0
  const server = createServer(async (request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end()
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    const { id, method } = JSON.parse(body) as { id: number; method: string }
    response.setHeader('content-type', 'application/json')
    if (turn++ === 0) return void response.end('{"no')
    // It supports one revision and refuses the others.
    if (method !== 'server/discover' && method !== 'tools/call') return void response.writeHead(400).end()
    const found = { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } }
    const result = { resultType: 'complete', ...(method === 'tools/call' ? done : found) }
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
  })
  const { url: behind } = await listening(server)
  const cluster = await openCluster({ deploy: { url: behind } }, { replicas: 1 })
  const [{ url }] = cluster.replicas

  expect((await call(url, args)).message.error.message).toContain('cannot be used now')
  expect((await call(url, args)).message.result).toMatchObject(done)
})
