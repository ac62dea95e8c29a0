import type { Ask } from '@assent/core'
import type { Store } from '@assent/store'
import { describe, expect, test } from 'vitest'
import { answerInInbox, firstAsk, openAsks } from '../../../../test-kit/gateway/answer-in-inbox.ts'
import { openTestEnv } from '../../../../test-kit/gateway/test-env.ts'
import { anAskingServer } from '../../../../test-kit/mcp/asking-servers.ts'
import { whichRegion } from '../../../../test-kit/mcp/asking-tools.ts'
import { aClient } from '../../../../test-kit/mcp/scripted-client.ts'
import type { Revision } from '../../../../test-kit/revisions.ts'
import { until } from '../../../../test-kit/until.ts'
import { anSdkServer } from './sdk-servers.suite.ts'
import { request } from './wire.suite.ts'

const generations: readonly Revision[] = ['2025-11-25', '2026-07-28']
const pairings = generations.flatMap((client) => generations.map((server) => ({ client, server })))
const ada = { action: 'accept', content: { text: 'Ada' } }
const surfaces = ['client', 'inbox'] as const
const day = 24 * 60 * 60 * 1_000

function endedAsk({ inbox }: Store): Promise<Ask> {
  const person = { principal: 'ann', groups: [] }
  return until(async () => (await inbox.page({ tenant: 'default', person, show: 'ended' })).asks[0])
}

describe.each(pairings)(
  'a $client client and a $server server of our SDK',
  ({ client: clientSpeaks, server: serverSpeaks }) => {
    const aPairing = async (options = {}, settings = {}) => {
      const server = await anSdkServer(serverSpeaks, settings)
      const { store, gateway } = await openTestEnv()
      const { url } = await gateway({ names: { url: server.url } }, { surfaces, ...options })
      return { server, store, url, client: await aClient(clientSpeaks, url, { elicitation: 'none' }) }
    }

    test.each([
      { case: 'tool shorter', waitMs: 4_000, askWaitMs: 60_000 },
      { case: 'gateway shorter', waitMs: 60_000, askWaitMs: 4_000 },
    ])(
      '[WAIT-4] $case: the ask is open until the earlier timeout, and then the tool gets a timeout',
      async ({ waitMs, askWaitMs }) => {
        const { server, store, client } = await aPairing({ askWaitMs })

        const result = await client.call('name', { waitMs })
        const ask = await endedAsk(store)
        const late = await answerInInbox(store, ask, ada)

        expect(ask.decideByMs - ask.raisedAtMs).toBeLessThanOrEqual(4_000)
        expect(ask.decideByMs - ask.raisedAtMs).toBeGreaterThan(1_000)
        expect(result).toMatchObject({ isError: true })
        expect(server.ended).toEqual(['timed_out'])
        expect(late).toMatchObject({ kind: 'ended', ask: { state: { kind: 'expired' } } })
      },
    )

    test('[WAIT-5] an answer just before the deadline reaches the tool, and an answer after it does not count', async () => {
      const { server, store, url } = await aPairing()

      const answered = async (beforeMs: number, index: number) => {
        const person = { principal: `p${index}`, groups: [] }
        const client = await aClient(clientSpeaks, url, { elicitation: 'none', person: person.principal })
        const calling = client.call('name', { waitMs: 7_000 })
        const ask = await firstAsk(store, person)
        await until(() => (store.nowMs() >= ask.decideByMs - beforeMs ? true : undefined))
        const { kind } = await answerInInbox(store, ask, { ...ada, content: { text: person.principal } }, person)
        const { isError } = (await calling) as { isError?: boolean }
        return { kind, isAnswer: isError !== true }
      }
      const all = await Promise.all([5_000, 300, 120, 60, 30, 10, 3, 0, -3, -25, -200].map(answered))

      for (const { kind, isAnswer } of all) expect(isAnswer).toBe(kind === 'settled')
      const names = all.flatMap(({ kind }, index) => (kind === 'settled' ? [`p${index}`] : ['timed_out']))
      expect(server.ended.toSorted()).toEqual(names.toSorted())
      expect(all[0]?.kind).toBe('settled')
      expect(all.at(-1)?.kind).toBe('ended')
    })
  },
)

describe('a caller that can retry', () => {
  const aNewest = async (options = {}, settings = {}) => {
    const server = await anSdkServer('2026-07-28', settings)
    const { store, gateway } = await openTestEnv()
    const { url } = await gateway({ names: { url: server.url } }, { surfaces, holdMs: 20, ...options })
    const call = async (args: object, requestState?: unknown) => {
      const rounds = requestState === undefined ? {} : { requestState }
      const params = { name: 'name', arguments: args, ...rounds }
      return (await request(url, 'tools/call', params, { capabilities: {} })).message.result
    }
    return { server, store, call }
  }

  const waits = ({ raisedAtMs, decideByMs }: Ask) => decideByMs - raisedAtMs

  test('[WAIT-6] without a configured or requested timeout, its ask stays open for a day', async () => {
    const { store, call } = await aNewest()
    await call({})

    expect(waits(await firstAsk(store))).toBeGreaterThan(day - 5_000)
  })

  test.each([
    { case: 'the author chose it for this question', args: { waitMs: 60_000 }, options: {}, settings: {} },
    { case: 'the author chose it for the server', args: {}, options: {}, settings: { waitMs: 60_000 } },
    { case: 'the operator chose it', args: {}, options: { askWaitMs: 60_000 }, settings: {} },
  ])('[WAIT-6] an explicit timeout is not extended: $case', async ({ args, options, settings }) => {
    const { store, call } = await aNewest(options, settings)
    await call(args)

    const ask = await firstAsk(store)
    expect(waits(ask)).toBeLessThanOrEqual(60_000)
    expect(waits(ask)).toBeGreaterThan(50_000)
  })

  test.each([
    { case: 'chosen by the author', args: { waitMs: 5_000 }, afterMs: 5_400 },
    { case: 'longer than the SDK waits by itself', args: {}, afterMs: 0 },
  ])('[WAIT-5] an answer given in time counts when its caller retries later: $case', async ({ args, afterMs }) => {
    let aheadMs = 0
    const { server, store, call } = await aNewest({}, { nowMs: () => Date.now() + aheadMs })
    const { requestState } = await call(args)
    const ask = await firstAsk(store)
    const { kind } = await answerInInbox(store, ask, ada)

    await new Promise((resolve) => setTimeout(resolve, afterMs))
    // Moves the SDK's clock far past its default timeout of five minutes.
    if (afterMs === 0) aheadMs = 20 * 60 * 60 * 1_000
    const result = await call(args, requestState)

    expect(kind).toBe('settled')
    expect(result).toMatchObject({ content: [{ text: 'got Ada' }] })
    expect(server.ended).toEqual(['Ada'])
  })

  test('[WAIT-6] a 2025 caller gets a handle for a day, and the timeout of a 2025 server is not extended', async () => {
    const { store, gateway } = await openTestEnv()
    for (const [generation, atLeastMs, atMostMs] of [
      ['2026-07-28', day - 5_000, day],
      ['2025-11-25', 290_000, 300_000],
    ] as const) {
      const server = await anSdkServer(generation)
      const { url } = await gateway({ names: { url: server.url } }, { surfaces, patienceMs: 50 })
      const client = await aClient('2025-11-25', url, { elicitation: 'none' })
      const pending = (await client.call('name', {})) as { structuredContent: { askId: string; expiresAt: string } }
      const { askId, expiresAt } = pending.structuredContent
      const ask = (await store.asks.read('default', askId)) as Ask

      expect(waits(ask)).toBeGreaterThan(atLeastMs)
      expect(waits(ask)).toBeLessThanOrEqual(atMostMs)
      expect(Date.parse(expiresAt)).toBe(ask.decideByMs)
      await answerInInbox(store, ask, ada)
      expect(await client.call('assent__await_answer', { ask_id: askId })).toMatchObject({
        content: [{ text: 'got Ada' }],
      })
    }
  })
})

test.each(generations)(
  '[WAIT-4] a question of a %s server that the client shows expires with the tool’s timeout',
  async (generation) => {
    const server = await anSdkServer(generation)
    const { gateway } = await openTestEnv()
    const { url } = await gateway({ names: { url: server.url } })
    const client = await aClient('2025-11-25', url, { says: () => new Promise(() => undefined) })
    const beganAt = Date.now()

    await client.call('name', { waitMs: 1_200 })

    expect(server.ended).toEqual(['timed_out'])
    // Without the tool's timeout, the question would be open for minutes.
    expect(Date.now() - beganAt).toBeLessThan(40_000)
  },
)

test.each(generations)(
  '[WAIT-3] a chained gateway shows the timeout of a %s server, and its answer counts',
  async (generation) => {
    const server = await anSdkServer(generation)
    const inner = await openTestEnv()
    const outer = await openTestEnv()
    const near = await inner.gateway({ names: { url: server.url } }, { askWaitMs: 40_000 })
    const far = await outer.gateway({ inner: { url: near.url } }, { surfaces })
    const client = await aClient('2025-11-25', far.url, { elicitation: 'none' })

    for (const waitMs of [30_000, 50_000]) {
      const calling = client.call('name', { waitMs })
      const ask = await firstAsk(outer.store)
      await answerInInbox(outer.store, ask, ada)
      await calling
      expect(ask.decideByMs - ask.raisedAtMs).toBeLessThanOrEqual(Math.min(waitMs, 40_000))
      expect(ask.decideByMs - ask.raisedAtMs).toBeGreaterThan(20_000)
    }
    expect(server.ended).toEqual(['Ada', 'Ada'])
  },
)

test('[WAIT-4] for a server without our SDK the gateway’s timeout applies', async () => {
  const server = await anAskingServer('2026-07-28')
  const { store, gateway } = await openTestEnv()
  const { url } = await gateway({ deploy: { url: server.url } }, { surfaces })
  const client = await aClient('2026-07-28', url, { elicitation: 'none' })

  const calling = client.call('ask', { questions: [whichRegion] })
  const ask = await firstAsk(store)
  await answerInInbox(store, ask, { action: 'decline' })
  await calling

  expect(ask.decideByMs - ask.raisedAtMs).toBeGreaterThan(590_000)
  expect(ask.decideByMs - ask.raisedAtMs).toBeLessThanOrEqual(600_000)
  expect(await openAsks(store)).toEqual([])
})

test('[WAIT-4] caller shorter: the question of a caller that cannot retry expires with the caller’s own timeout', async () => {
  const server = await anSdkServer('2026-07-28')
  const { store, gateway } = await openTestEnv()
  const { url } = await gateway({ names: { url: server.url } }, { surfaces, patienceMs: 20_000 })
  const client = await aClient('2025-11-25', url, { elicitation: 'none' })

  // A lone surrogate has no canonical form, so the call cannot be deferred.
  const calling = client.call('name', { half: '\ud800' })
  const ask = await firstAsk(store)
  await answerInInbox(store, ask, ada)
  await calling

  expect(ask.decideByMs - ask.raisedAtMs).toBeLessThanOrEqual(20_000)
  expect(server.ended).toEqual(['Ada'])
})
