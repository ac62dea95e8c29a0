import type { JsonObject } from '@assent/core'
import { describe, expect, test } from 'vitest'
import { answerInInbox, firstAsk } from '../../../../test-kit/gateway/answer-in-inbox.ts'
import { openTestEnv } from '../../../../test-kit/gateway/test-env.ts'
import { anAskingServer } from '../../../../test-kit/mcp/asking-servers.ts'
import { type Question, whichRegion } from '../../../../test-kit/mcp/asking-tools.ts'
import { aClient } from '../../../../test-kit/mcp/scripted-client.ts'
import type { Revision } from '../../../../test-kit/revisions.ts'
import { anSdkServer } from './sdk-servers.suite.ts'
import { aSession, nextOf, request } from './wire.suite.ts'

const generations: readonly Revision[] = ['2025-11-25', '2026-07-28']
const pairings = generations.flatMap((client) => generations.map((server) => ({ client, server })))
const ada = { action: 'accept', content: { text: 'Ada' } }
const declared = { 'assent/ask': {} }

describe.each(pairings)('a $client client and a $server server', ({ client: clientSpeaks, server: serverSpeaks }) => {
  test.each([[['client']], [['client', 'inbox']]] as const)(
    '[WAIT-1] the gateway declares to servers that it supports the asker’s timeout, with surfaces %j',
    async (surfaces) => {
      const server = await anSdkServer(serverSpeaks)
      const { gateway } = await openTestEnv()
      const { url } = await gateway({ names: { url: server.url } }, { surfaces, unseenAfterMs: 0 })
      const client = await aClient(clientSpeaks, url, { says: () => ada })

      const result = await client.call('name', {})

      expect(result).toMatchObject({ content: [{ text: 'got Ada' }] })
      expect(server.capabilities[0]).toMatchObject({ elicitation: {}, experimental: declared })
    },
  )

  test('[ASK-3] an error of the client is no person’s answer, and the asker can distinguish them', async () => {
    const server = await anSdkServer(serverSpeaks)
    const { gateway } = await openTestEnv()
    const { url } = await gateway({ names: { url: server.url } }, { surfaces: ['client'], unseenAfterMs: 0 })
    const client = await aClient(clientSpeaks, url, {
      says: () => {
        throw new Error('no window')
      },
    })

    const called = client.call('name', {})

    // A 2026-07-28 client cannot answer with an error: its own call fails.
    if (clientSpeaks === '2026-07-28') await expect(called).rejects.toThrow('no window')
    else expect(await called).toMatchObject({ isError: true })
    expect(server.ended).toEqual(clientSpeaks === '2026-07-28' ? [] : ['channel_closed'])
  })

  test('[WAIT-3] a client that did not declare support gets the question without the asker’s timeout, and other `_meta` fields stay', async () => {
    const server = await anAskingServer(serverSpeaks)
    const { gateway } = await openTestEnv()
    const { url } = await gateway({ deploy: { url: server.url } }, { unseenAfterMs: 0 })
    const client = await aClient(clientSpeaks, url)
    const question = { ...whichRegion, _meta: { 'assent/ask': { waitMs: 60_000 }, 'com.example/kept': 1 } }

    await client.call('ask', { questions: [question] })

    const [asked] = client.asked as readonly (Question & { _meta?: JsonObject })[]
    expect(asked?.message).toBe('Which region?')
    expect(asked?._meta ?? {}).not.toHaveProperty('assent/ask')
    // For 2026-07-28 clients, other `_meta` fields are not passed on.
    if (clientSpeaks === '2025-11-25') expect(asked?._meta).toHaveProperty('com.example/kept', 1)
  })
})

test.each(generations)(
  '[WAIT-3] a chained gateway receives the timeout of a %s server written with our SDK',
  async (generation) => {
    const server = await anSdkServer(generation)
    const inner = await openTestEnv()
    const outer = await openTestEnv()
    const near = await inner.gateway({ names: { url: server.url } })
    const far = await outer.gateway({ inner: { url: near.url } }, { surfaces: ['client', 'inbox'] })
    const client = await aClient('2025-11-25', far.url, { elicitation: 'none' })

    const calling = client.call('name', { waitMs: 45_000 })
    const ask = await firstAsk(outer.store)
    await answerInInbox(outer.store, ask, ada)

    expect(await calling).toMatchObject({ content: [{ text: 'got Ada' }] })
    expect(server.ended).toEqual(['Ada'])
  },
)

test('[WAIT-1] the client’s other declarations reach the server too', async () => {
  const server = await anSdkServer('2026-07-28')
  const { gateway } = await openTestEnv()
  const { url } = await gateway({ names: { url: server.url } })
  const capabilities = { elicitation: {}, experimental: { 'com.example/x': { a: 1 } } }

  await request(url, 'tools/call', { name: 'name', arguments: {} }, { capabilities })

  expect(server.capabilities[0]).toEqual({ elicitation: {}, experimental: { 'com.example/x': { a: 1 }, ...declared } })
})

describe.each([
  { declares: 'assent/ask', experimental: declared },
  { declares: 'nothing of ours', experimental: { 'com.example/x': {} } },
])('a caller that declares $declares', ({ experimental }) => {
  const isOurs = Object.hasOwn(experimental, 'assent/ask')

  test.each([
    { args: {}, wait: { waitMs: 300_000, isDefault: true } },
    { args: { waitMs: 4_000 }, wait: { waitMs: 4_000 } },
  ])(
    '[WAIT-2] a server written with our SDK sends its timeout only to an Assent gateway: $wait',
    async ({ args, wait }) => {
      const server = await anSdkServer('2026-07-28', { nowMs: () => 1_000_000 })
      const capabilities = { elicitation: {}, experimental }

      const { message } = await request(server.url, 'tools/call', { name: 'name', arguments: args }, { capabilities })

      expect(questionIn(message.result)._meta).toEqual(isOurs ? { 'assent/ask': wait } : undefined)
    },
  )

  test('[SHARE-2] a 2025 server written with our SDK names the call in which it asks, only to an Assent gateway', async () => {
    const server = await anSdkServer('2025-11-25')
    const session = await aSession(server.url, { capabilities: { elicitation: {}, experimental } })
    await session.post({ jsonrpc: '2.0', method: 'notifications/initialized' })

    const question = await nextOf(await session.ask('tools/call', { name: 'name', arguments: { waitMs: 4_000 } }, 7))

    const { _meta } = question.params as { _meta?: unknown }
    expect(_meta).toEqual(isOurs ? { 'assent/ask': { waitMs: 4_000, call: 7 } } : undefined)
  })

  test('[WAIT-3] the gateway forwards the timeout only to another Assent gateway', async () => {
    const server = await anSdkServer('2026-07-28')
    const { gateway } = await openTestEnv()
    const { url } = await gateway({ names: { url: server.url } })
    const capabilities = { elicitation: {}, experimental }
    const params = { name: 'name', arguments: { waitMs: 60_000 } }

    const { message } = await request(url, 'tools/call', params, { capabilities })

    const { _meta } = questionIn(message.result)
    if (isOurs) expect(_meta).toMatchObject({ 'assent/ask': { waitMs: expect.any(Number) } })
    else expect(_meta).toBeUndefined()
  })
})

function questionIn(result: JsonObject | Record<string, unknown>): { _meta?: unknown } {
  const [question] = Object.values(result.inputRequests as Record<string, { params: { _meta?: unknown } }>)
  return question?.params ?? {}
}
