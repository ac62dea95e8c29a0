import type { Person } from '@assent/core'
import type { Store } from '@assent/store'
import { describe, expect, test } from 'vitest'
import { answerInInbox, firstAsk } from '../../../../test-kit/gateway/answer-in-inbox.ts'
import { openTestEnv } from '../../../../test-kit/gateway/test-env.ts'
import { anAskingServer } from '../../../../test-kit/mcp/asking-servers.ts'
import { whichRegion } from '../../../../test-kit/mcp/asking-tools.ts'
import type { Revision } from '../../../../test-kit/revisions.ts'
import { until } from '../../../../test-kit/until.ts'
import { aStdioClient } from './stdio-client.suite.ts'
import { call } from './wire.suite.ts'

const generations: readonly Revision[] = ['2025-11-25', '2026-07-28']
const args = { questions: [whichRegion] }
const done = { content: [{ type: 'text', text: 'done' }] }
const inEurope = { action: 'accept', content: { region: 'eu' } }
const withoutForms = { capabilities: {} }
const inbox = { surfaces: ['inbox'] } as const
const local: Person = { principal: 'local', groups: [] }

function endOf({ asks }: Store, id: string) {
  return until(async () => {
    const ask = await asks.read('default', id)
    return ask?.state.kind === 'open' ? undefined : ask
  })
}

/** Long enough to detect an unexpected withdrawal: an expected one takes a few milliseconds. */
const aWhile = () => new Promise((resolve) => setTimeout(resolve, 400))

describe.each(generations)('a 2026-07-28 client and a %s server', (generation) => {
  const aGatewayWithInbox = async (holdMs: number) => {
    const server = await anAskingServer(generation)
    const testEnv = await openTestEnv()
    const { url } = await testEnv.gateway({ deploy: { url: server.url } }, { ...inbox, holdMs })
    return { server, store: testEnv.store, url }
  }

  test('[RUN-1] a caller over HTTP that drops its first request has no state: its ask is withdrawn', async () => {
    const { server, store, url } = await aGatewayWithInbox(20_000)
    const drop = new AbortController()
    const calling = call(url, args, {}, { ...withoutForms, signal: drop.signal }).catch((error: Error) => error)
    const ask = await firstAsk(store)

    drop.abort()

    expect((await endOf(store, ask.id)).state).toMatchObject({ kind: 'withdrawn', reason: 'call-cancelled' })
    expect(await calling).toBeInstanceOf(Error)
    expect(await answerInInbox(store, ask, inEurope)).toMatchObject({ kind: 'ended' })
    expect(server.saw).not.toContainEqual(inEurope)
  })

  test('[RUN-2] a caller over HTTP that drops a retry still holds a state: its ask stays open, and its answer counts', async () => {
    const { server, store, url } = await aGatewayWithInbox(500)
    const { requestState } = (await call(url, args, {}, withoutForms)).message.result
    const ask = await firstAsk(store)
    const drop = new AbortController()
    const retry = call(url, args, { requestState }, { ...withoutForms, signal: drop.signal }).catch(() => undefined)
    await new Promise((resolve) => setTimeout(resolve, 100))

    drop.abort()
    await retry
    await aWhile()

    expect((await store.asks.read('default', ask.id))?.state).toEqual({ kind: 'open' })
    await answerInInbox(store, ask, inEurope)
    expect((await call(url, args, { requestState }, withoutForms)).message.result).toMatchObject(done)
    expect(server).toMatchObject({ begun: 1, ended: 1, saw: [inEurope] })
  })

  test('[RUN-1] a caller on standard input that cancels its first request has no state: its ask is withdrawn', async () => {
    const server = await anAskingServer(generation)
    const { store } = await openTestEnv()
    const client = aStdioClient(store, { deploy: { url: server.url } }, { ...inbox, holdMs: 20_000 })
    client.send(1, args)
    const ask = await firstAsk(store, local)

    client.cancel(1)

    expect((await endOf(store, ask.id)).state).toMatchObject({ kind: 'withdrawn', reason: 'call-cancelled' })
  })

  test('[RUN-2] a caller on standard input that cancels a retry still holds a state: its ask stays open', async () => {
    const server = await anAskingServer(generation)
    const { store } = await openTestEnv()
    const client = aStdioClient(store, { deploy: { url: server.url } }, { ...inbox, holdMs: 500 })
    client.send(1, args)
    const { requestState } = (await client.reply(1)).result
    const ask = await firstAsk(store, local)
    client.send(2, args, { requestState })
    await new Promise((resolve) => setTimeout(resolve, 100))

    client.cancel(2)
    await aWhile()

    expect((await store.asks.read('default', ask.id))?.state).toEqual({ kind: 'open' })
    await answerInInbox(store, ask, inEurope, local)
    client.send(3, args, { requestState })
    expect((await client.reply(3)).result).toMatchObject(done)
    expect(server).toMatchObject({ begun: 1, ended: 1, saw: [inEurope] })
  })
})

test('[RUN-1] the question of a held call is withdrawn when its caller is gone before the state is returned', async () => {
  const server = await anAskingServer('2025-11-25')
  const { store, gateway } = await openTestEnv()
  const { url } = await gateway({ deploy: { url: server.url } }, { surfaces: ['client', 'inbox'] })
  const raise = store.asks.raise.bind(store.asks)
  const dropped = Promise.withResolvers<void>()
  // Simulates a slow database: the caller has disconnected by the time the question is stored.
  store.asks.raise = async (...raised) => {
    const ask = await raise(...raised)
    await dropped.promise
    await aWhile()
    return ask
  }
  const drop = new AbortController()
  const calling = call(url, args, {}, { signal: drop.signal }).catch((error: Error) => error)
  const ask = await firstAsk(store)

  drop.abort()
  dropped.resolve()

  expect((await endOf(store, ask.id)).state).toMatchObject({ kind: 'withdrawn', reason: 'call-cancelled' })
  expect(await calling).toBeInstanceOf(Error)
})
