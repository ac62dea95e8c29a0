import { AssentError } from '@assent/core'
import type { Store, StoredRecordedCall } from '@assent/store'
import { describe, expect, test, vi } from 'vitest'
import { allItems } from '../../../../test-kit/all-items.ts'
import { answerInInbox, firstAsk } from '../../../../test-kit/gateway/answer-in-inbox.ts'
import { openTestEnv } from '../../../../test-kit/gateway/test-env.ts'
import { anAskingServer } from '../../../../test-kit/mcp/asking-servers.ts'
import { whichRegion } from '../../../../test-kit/mcp/asking-tools.ts'
import { aClient } from '../../../../test-kit/mcp/scripted-client.ts'
import type { Revision } from '../../../../test-kit/revisions.ts'
import { until } from '../../../../test-kit/until.ts'
import { noTelemetry } from '../call/telemetry-port.ts'
import type { GatewayOptions } from '../program/gateway.ts'
import { aGatewayWithPolicies, allowAll, ben, cleo, type PolicyText, twoOfRelease } from './policies.suite.ts'
import { aRawServer, complete, type RawRequest, request } from './wire.suite.ts'

const record = { isOn: true, keepsArguments: false }
const generations: readonly Revision[] = ['2025-11-25', '2026-07-28']
const pairings = generations.flatMap((client) => generations.map((server) => ({ client, server })))
const accept = { action: 'accept' }
const noQuestions = { questions: [] }
const denied: PolicyText = { name: 'no asking', effect: 'deny', targets: ['deploy/ask'] }

function recordedIn(store: Store): Promise<StoredRecordedCall[]> {
  return allItems(store.recordedCalls.since('default', { atMs: 0, id: '' }, 0))
}

/** The calls in the record, when the last of them has ended. */
function endedIn(store: Store, count = 1): Promise<StoredRecordedCall[]> {
  return until(async () => {
    const calls = await recordedIn(store)
    return calls.length >= count && calls.every(({ outcome }) => outcome !== undefined) ? calls : undefined
  })
}

describe.each(pairings)('a $client client and a $server server', ({ client: clientSpeaks, server }) => {
  const aPairing = async (policies: readonly PolicyText[], options: Partial<GatewayOptions> = {}) => {
    const behind = await anAskingServer(server)
    const started = await aGatewayWithPolicies({ deploy: { url: behind.url } }, policies, { record, ...options })
    return { ...started, server: behind, client: await aClient(clientSpeaks, started.gateway.url, {}) }
  }

  test('[RECORD-1] a call that no policy decides leaves one row', async () => {
    const { store, client } = await aPairing([{ ...allowAll, kind: 'prompts' }])

    await client.call('ask', noQuestions)

    const [call, ...others] = await endedIn(store)
    expect(others).toEqual([])
    expect(call).toMatchObject({
      principal: 'ann',
      groups: ['engineers', 'release'],
      client: expect.any(String),
      clientVersion: expect.any(String),
      server: 'deploy',
      method: 'tools/call',
      target: 'ask',
      digest: expect.stringMatching(/^sha256:/),
      outcome: 'ok',
    })
    expect(call?.endedAtMs).toBeGreaterThanOrEqual(call?.beganAtMs ?? 0)
    expect(call).toMatchObject({ effect: undefined, policies: undefined, arguments: undefined, askId: undefined })
  })

  test('[RECORD-1] a call that was approved leaves one row, with its ask and policies', async () => {
    const { store, client } = await aPairing([allowAll, twoOfRelease])

    const calling = client.call('ask', noQuestions)
    const ask = await firstAsk(store, ben)
    expect(await until(async () => (await recordedIn(store))[0])).toMatchObject({ outcome: undefined, effect: 'ask' })
    await answerInInbox(store, ask, accept, ben)
    await answerInInbox(store, ask, accept, cleo)
    await calling

    expect(await endedIn(store)).toMatchObject([
      { effect: 'ask', policies: ['release'], askId: ask.id, outcome: 'ok', target: 'ask' },
    ])
  })

  test('[RECORD-1] a declined and a denied call are recorded as such', async () => {
    const declined = await aPairing([allowAll, twoOfRelease])
    const calling = declined.client.call('ask', noQuestions)
    const ask = await firstAsk(declined.store, ben)
    await answerInInbox(declined.store, ask, { action: 'decline' }, ben)
    await calling
    expect(await endedIn(declined.store)).toMatchObject([{ outcome: 'declined', askId: ask.id, policies: ['release'] }])

    const { store, client } = await aPairing([allowAll, denied])
    await client.call('ask', noQuestions)
    expect(await endedIn(store)).toMatchObject([{ outcome: 'denied', effect: 'deny', policies: ['no asking'] }])
  })

  test('[RECORD-1] a call in which the server asks leaves one row, when it has ended', async () => {
    const { store, client } = await aPairing([allowAll])

    const calling = client.call('ask', { questions: [whichRegion] })
    const ask = await firstAsk(store)
    await answerInInbox(store, ask, { action: 'accept', content: { region: 'eu' } })
    await calling

    expect(await endedIn(store)).toMatchObject([{ outcome: 'ok', effect: 'allow', policies: ['everything else'] }])
  })

  test('[RECORD-3] a call that a policy decided does not run if its row cannot be stored', async () => {
    const onLost = vi.fn()
    const watch = { ...noTelemetry, callsUnrecorded: onLost }
    const { store, client, server } = await aPairing([allowAll], { watch, onError: () => undefined })
    const write = vi.spyOn(store.recordedCalls, 'write')
    write.mockRejectedValue(new AssentError('store_unavailable', 'not now'))

    await expect(client.call('ask', noQuestions)).rejects.toThrow('record cannot be written now. Nothing ran')
    expect(server.begun).toBe(0)

    write.mockRestore()
    expect(await endedIn(store)).toMatchObject([{ outcome: 'failed' }])
    await client.call('ask', noQuestions)
    expect(server.begun).toBe(1)
    expect(onLost).not.toHaveBeenCalled()
  })

  test('[RECORD-3] an approved call does not run if its row cannot be stored', async () => {
    const { store, client, server } = await aPairing([allowAll, twoOfRelease], { onError: () => undefined })
    const calling = client.call('ask', noQuestions)
    const ask = await firstAsk(store, ben)
    await answerInInbox(store, ask, accept, ben)
    vi.spyOn(store.recordedCalls, 'write').mockRejectedValue(new AssentError('store_unavailable', 'not now'))
    await answerInInbox(store, ask, accept, cleo)

    await expect(calling).rejects.toThrow('Nothing ran')
    expect(server.begun).toBe(0)
  })

  test('[RECORD-5] a call that no policy decided runs although the store takes no row, and is counted', async () => {
    const onLost = vi.fn()
    const watch = { ...noTelemetry, callsUnrecorded: onLost }
    const { store, client, gateway, server } = await aPairing([{ ...allowAll, kind: 'prompts' }], {
      watch,
      onError: () => undefined,
    })
    vi.spyOn(store.recordedCalls, 'write').mockRejectedValue(new AssentError('store_unavailable', 'not now'))

    await client.call('ask', noQuestions)
    expect(server.begun).toBe(1)

    await gateway.close()
    expect(onLost).toHaveBeenCalledWith(1)
  })
})

const results: Readonly<Record<string, object>> = {
  'tools/list': { tools: [{ name: 'ask', inputSchema: { type: 'object' } }] },
  'prompts/get': { messages: [] },
  'resources/read': { contents: [] },
}
const answers = ({ method, params }: RawRequest): unknown => {
  if (method === 'tools/call' && params?.name === 'bad') return { result: { content: [], isError: true } }
  if (method === 'tools/call' && params?.name === 'none') return { error: { code: -32_602, message: 'no such tool' } }
  return method in results ? { result: { resultType: 'complete', ttlMs: 0, ...results[method] } } : complete
}

async function withoutPolicies(options: Partial<GatewayOptions> = {}) {
  const server = await aRawServer(answers, { tools: {}, prompts: {}, resources: {} })
  const env = await openTestEnv()
  const gateway = await env.gateway({ notes: { url: server.url } }, { record, ...options })
  return { store: env.store, env, gateway, url: gateway.url }
}

test('[RECORD-1] prompts, resources, tool errors and failures are recorded; lists are not', async () => {
  const { store, url } = await withoutPolicies()

  await request(url, 'tools/list', {})
  await request(url, 'prompts/get', { name: 'summary' })
  await request(url, 'resources/read', { uri: 'notes://plan' })
  await request(url, 'tools/call', { name: 'bad', arguments: {} })
  await request(url, 'tools/call', { name: 'none', arguments: {} })

  const calls = await endedIn(store, 4)
  expect(calls.map(({ method, target, outcome }) => [method, target, outcome]).toSorted()).toEqual([
    ['prompts/get', 'summary', 'ok'],
    ['resources/read', 'notes://plan', 'ok'],
    ['tools/call', 'bad', 'tool-error'],
    ['tools/call', 'none', 'failed'],
  ])
})

test('[RECORD-1] a call of a server that cannot be opened is recorded as failed', async () => {
  const env = await openTestEnv()
  const { url } = await env.gateway({ notes: { url: 'http://127.0.0.1:1/mcp' } }, { record })

  await request(url, 'tools/call', { name: 'ask', arguments: {} })

  expect(await endedIn(env.store)).toMatchObject([{ server: 'notes', target: 'ask', outcome: 'failed' }])
})

test('[RECORD-6] the same arguments have the same digest, and are recorded only if a setting says so', async () => {
  const { store, env, url } = await withoutPolicies()
  const server = await aRawServer(answers, { tools: {} })
  const keeping = { record: { isOn: true, keepsArguments: true } }
  const other = await env.gateway({ notes: { url: server.url } }, keeping)

  const params = { name: 'ask', arguments: { env: 'test', password: 'hunter2' } }
  await request(url, 'tools/call', params)
  await request(other.url, 'tools/call', params)

  const [bare, kept] = (await endedIn(store, 2)).toSorted((a, b) =>
    (a.arguments ?? '').localeCompare(b.arguments ?? ''),
  )
  expect(bare).toMatchObject({ arguments: undefined, hidden: undefined, digest: kept?.digest })
  expect(kept).toMatchObject({ arguments: '{"env":"test","password":"(secret, not recorded)"}', hidden: ['/password'] })
})

test('[RECORD-2] when a server gets a call that a policy decided, its row is stored', async () => {
  const stored: (readonly StoredRecordedCall[])[] = []
  const opened: { store?: Store } = {}
  const server = await aRawServer(
    async (asked: RawRequest) => {
      if (asked.method === 'tools/call' && opened.store !== undefined) stored.push(await recordedIn(opened.store))
      return answers(asked)
    },
    { tools: {} },
  )
  const { store, gateway } = await aGatewayWithPolicies({ notes: { url: server.url } }, [allowAll], { record })
  opened.store = store

  await request(gateway.url, 'tools/call', { name: 'ask', arguments: {} })

  expect(stored).toMatchObject([
    [{ target: 'ask', outcome: undefined, effect: 'allow', policies: ['everything else'] }],
  ])
  expect(await endedIn(store)).toMatchObject([{ outcome: 'ok' }])
})

test('[RECORD-1] a call whose approval expired is recorded as such', async () => {
  const soon: PolicyText = { name: 'soon', effect: { ask: { ask: '1 of group:release', within: '1s' } } }
  const behind = await anAskingServer('2026-07-28')
  const { store, gateway } = await aGatewayWithPolicies({ deploy: { url: behind.url } }, [allowAll, soon], { record })
  const client = await aClient('2026-07-28', gateway.url, {})

  await client.call('ask', noQuestions).catch(() => undefined)

  expect(await endedIn(store)).toMatchObject([{ outcome: 'expired', effect: 'ask', policies: ['soon'] }])
  expect(behind.begun).toBe(0)
})

test('[RECORD-7] with `record: decisions` no call is recorded; a reload changes that', async () => {
  const { store, url, gateway } = await withoutPolicies({ record: { isOn: false, keepsArguments: false } })
  const server = await aRawServer(answers, { tools: {} })
  await request(url, 'tools/call', { name: 'ask', arguments: {} })

  gateway.reload({ servers: { notes: { url: server.url } }, record })
  await request(url, 'tools/call', { name: 'later', arguments: {} })

  expect(await endedIn(store)).toMatchObject([{ target: 'later' }])
})
