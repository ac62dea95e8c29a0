import { type Ask, askView } from '@assent/core'
import type { Store } from '@assent/store'
import { describe, expect, test } from 'vitest'
import { answerInInbox, firstAsk, openAsks } from '../../../../test-kit/gateway/answer-in-inbox.ts'
import { openTestEnv } from '../../../../test-kit/gateway/test-env.ts'
import { anAskingServer } from '../../../../test-kit/mcp/asking-servers.ts'
import { whichRegion } from '../../../../test-kit/mcp/asking-tools.ts'
import { aClient } from '../../../../test-kit/mcp/scripted-client.ts'
import type { Revision } from '../../../../test-kit/revisions.ts'
import { until } from '../../../../test-kit/until.ts'
import { relayLimits, setLimits } from '../limits.ts'
import { anSdkServer } from './sdk-servers.suite.ts'
import { call } from './wire.suite.ts'

const generations: readonly Revision[] = ['2025-11-25', '2026-07-28']
const inEurope = { action: 'accept', content: { region: 'eu' } }
const surfaces = ['client', 'inbox'] as const
const ann = { principal: 'ann', groups: [] }
const naming = { nameOf: (name: string) => name, describe: () => ({}) }

async function entriesOf(store: Store, id: string): Promise<string[]> {
  const found: string[] = []
  for await (const { kind, subject } of store.audit.entries('default')) if (subject === id) found.push(kind)
  return found
}

function ended(store: Store, { id }: Ask): Promise<Ask> {
  return until(async () => {
    const ask = await store.asks.read('default', id)
    return ask?.state.kind === 'open' ? undefined : ask
  })
}

describe.each(generations)('a %s client and a 2025 server without our SDK', (clientSpeaks) => {
  test('[WAIT-8] the card shows that the server may stop waiting earlier', async () => {
    const server = await anAskingServer('2025-11-25')
    const { store, gateway } = await openTestEnv()
    const { url } = await gateway({ deploy: { url: server.url } }, { surfaces })
    const client = await aClient(clientSpeaks, url, { elicitation: 'none' })

    const calling = client.call('ask', { questions: [whichRegion] })
    const ask = await firstAsk(store)
    await answerInInbox(store, ask, inEurope)
    await calling

    expect(askView(ask, ann, naming).mayEndEarlier).toBe(true)
    expect(await entriesOf(store, ask.id)).toEqual(['ask.raised', 'ask.settled'])
  })

  test('[WAIT-9] when the server stops waiting, the open ask is withdrawn at once', async () => {
    const server = await anAskingServer('2025-11-25')
    const { store, gateway } = await openTestEnv()
    const { url } = await gateway({ deploy: { url: server.url } }, { surfaces })
    const client = await aClient(clientSpeaks, url, { elicitation: 'none' })

    const calling = client.call('ask', { questions: [whichRegion], timeoutMs: 6_000 })
    const ask = await firstAsk(store)
    const { state } = await ended(store, ask)
    const late = await answerInInbox(store, ask, inEurope)
    await calling

    expect(state).toMatchObject({ kind: 'withdrawn', reason: 'asker-stopped' })
    expect(late.kind).toBe('ended')
    expect(server.saw).toEqual([{ error: expect.stringContaining('timed out') }])
  })
})

test('[WAIT-9] an answer whose server stopped waiting before its caller retried is recorded as not delivered', async () => {
  const server = await anAskingServer('2025-11-25')
  const { store, gateway } = await openTestEnv()
  const { url } = await gateway({ deploy: { url: server.url } }, { surfaces, holdMs: 20 })

  await call(url, { questions: [whichRegion], timeoutMs: 8_000 }, {}, { capabilities: {} })
  const ask = await firstAsk(store)
  const { kind } = await answerInInbox(store, ask, inEurope)
  const undelivered = await until(async () => {
    const { state } = (await store.asks.read('default', ask.id)) as Ask
    return state.kind === 'settled' && state.undeliveredAtMs !== undefined ? state : undefined
  })

  expect(kind).toBe('settled')
  expect(undelivered.answer).toEqual(inEurope)
  expect(await entriesOf(store, ask.id)).toEqual(['ask.raised', 'ask.settled', 'ask.undelivered'])
  expect(server.saw).toEqual([{ error: expect.stringContaining('timed out') }])
  const { ended: figures } = await store.inbox.statistics({ tenant: 'default', person: ann, sinceMs: 0, atMost: 10 })
  expect(figures.map(({ outcome }) => outcome)).toEqual(['undelivered'])
  expect(await store.audit.verify('default')).toMatchObject({ ok: true })
})

test('[WAIT-9] an answer that the server received is not recorded as undelivered when its call continues and ends', async () => {
  const server = await anAskingServer('2025-11-25')
  const { store, gateway } = await openTestEnv()
  const { url } = await gateway({ deploy: { url: server.url } }, { surfaces, holdMs: 20 })
  const args = { questions: [whichRegion, whichRegion], timeoutMs: 6_000 }
  const bare = { capabilities: {} }

  let { result } = (await call(url, args, {}, bare)).message
  const first = await firstAsk(store)
  await answerInInbox(store, first, inEurope)
  result = (await call(url, args, { requestState: result.requestState }, bare)).message.result
  const second = await firstAsk(store)
  await ended(store, second)
  await until(() => (server.ended === 1 ? true : undefined))

  expect(await entriesOf(store, first.id)).toEqual(['ask.raised', 'ask.settled'])
  expect(await entriesOf(store, second.id)).toEqual(['ask.raised', 'ask.withdrawn'])
  expect(server.saw).toEqual([inEurope, { error: expect.stringContaining('timed out') }])
})

test.each([
  { server: 'a 2026 server that is not ours', begin: () => anAskingServer('2026-07-28'), tool: 'ask' },
  { server: 'a 2025 server of our SDK', begin: () => anSdkServer('2025-11-25'), tool: 'name' },
  { server: 'a 2026 server of our SDK', begin: () => anSdkServer('2026-07-28'), tool: 'name' },
])('[WAIT-8] the card of $server does not show that it may stop waiting earlier', async ({ begin, tool }) => {
  const server = await begin()
  const { store, gateway } = await openTestEnv()
  const { url } = await gateway({ deploy: { url: server.url } }, { surfaces })
  const client = await aClient('2025-11-25', url, { elicitation: 'none' })

  const calling = client.call(tool, { questions: [whichRegion] })
  const ask = await firstAsk(store)
  await answerInInbox(store, ask, { action: 'decline' })
  await calling

  expect(askView(ask, ann, naming)).not.toHaveProperty('mayEndEarlier')
})

test('[WAIT-10] the card shows when its caller last waited for the answer', async () => {
  const server = await anAskingServer('2026-07-28')
  const { store, gateway } = await openTestEnv()
  const { url } = await gateway({ deploy: { url: server.url } }, { surfaces, holdMs: 20 })
  const restore = setLimits(relayLimits, { callerSeenEveryMs: 100 })
  try {
    const args = { questions: [whichRegion] }
    const { result } = (await call(url, args, {}, { capabilities: {} })).message
    const raised = await firstAsk(store)
    await new Promise((resolve) => setTimeout(resolve, 150))
    await call(url, args, { requestState: result.requestState }, { capabilities: {} })
    const again = await until(async () => {
      const [ask] = await openAsks(store)
      return ask !== undefined && (ask.lastSeenAtMs ?? 0) > raised.raisedAtMs ? ask : undefined
    })

    expect(askView(raised, ann, naming).callerSeenAtMs).toBe(raised.raisedAtMs)
    expect(again.lastSeenAtMs).toBeGreaterThanOrEqual(raised.raisedAtMs + 150)
  } finally {
    restore()
  }
})
