import type { Person } from '@assent/core'
import { describe, expect, test } from 'vitest'
import { answerInInbox, firstAsk, openAsks } from '../../../../test-kit/gateway/answer-in-inbox.ts'
import { openTestEnv } from '../../../../test-kit/gateway/test-env.ts'
import { anAskingServer } from '../../../../test-kit/mcp/asking-servers.ts'
import { howMany, signIn, whichRegion } from '../../../../test-kit/mcp/asking-tools.ts'
import { aClient, type Visit } from '../../../../test-kit/mcp/scripted-client.ts'
import type { Revision } from '../../../../test-kit/revisions.ts'
import { until } from '../../../../test-kit/until.ts'
import { noTelemetry } from '../call/telemetry-port.ts'
import { call } from './wire.suite.ts'

const generations: readonly Revision[] = ['2025-11-25', '2026-07-28']
const pairings = generations.flatMap((client) => generations.map((server) => ({ client, server })))
const done = { content: [{ type: 'text', text: 'done' }] }
const inEurope = { action: 'accept', content: { region: 'eu' } }

describe.each(pairings)('a $client client and a $server server', ({ client: clientSpeaks, server: serverSpeaks }) => {
  const aPairing = async (visit: Visit, options = {}) => {
    const server = await anAskingServer(serverSpeaks)
    const testEnv = await openTestEnv()
    const surfaces = ['client', 'inbox'] as const
    const gateway = await testEnv.gateway({ deploy: { url: server.url } }, { surfaces, ...options })
    return { server, store: testEnv.store, gateway, client: await aClient(clientSpeaks, gateway.url, visit) }
  }

  test('[ROUTE-1] a question that the client cannot show is asked in the inbox, and the call continues with the answer', async () => {
    const { server, store, client } = await aPairing({ elicitation: 'none' })

    const calling = client.call('ask', { questions: [whichRegion, signIn] })
    await answerInInbox(store, await firstAsk(store), inEurope)
    const second = await until(async () => (await openAsks(store)).find(({ question }) => question.kind === 'url'))
    await answerInInbox(store, second, { action: 'accept' })

    expect(await calling).toMatchObject(done)
    expect(server.saw).toEqual([inEurope, { action: 'accept' }])
    expect(server).toMatchObject({ begun: 1, ended: 1 })
  })

  test('[INBOX-21] the ask names the program, where it works, and nothing that the server says', async () => {
    const workplace = () => ({ folder: 'notes', branch: 'main' })
    const fallback = await aPairing(
      { name: 'my-agent', says: () => new Promise(() => undefined) },
      { workplace, silentAfterMs: 50 },
    )
    const { store, client } = await aPairing({ name: 'my-agent', elicitation: 'none' }, { workplace })

    void client.call('ask', { questions: [whichRegion] }).catch(() => undefined)
    void fallback.client.call('ask', { questions: [whichRegion] }).catch(() => undefined)

    const caller = { client: 'my-agent', folder: 'notes', branch: 'main' }
    expect(await firstAsk(store)).toMatchObject({ asker: { server: 'deploy', tool: 'ask' }, caller })
    expect(await firstAsk(fallback.store)).toMatchObject({ caller })
  })

  test('[ROUTE-2] a decline that arrives faster than a person can read does not count, and the question moves to the inbox', async () => {
    const says = () => ({ action: 'decline' })
    const { server, store, client } = await aPairing({ says }, { unseenAfterMs: 60_000 })

    const calling = client.call('ask', { questions: [whichRegion] })
    await answerInInbox(store, await firstAsk(store), inEurope)

    expect(await calling).toMatchObject(done)
    expect(client.asked).toHaveLength(1)
    expect(server.saw).toEqual([inEurope])
    expect(server).toMatchObject({ begun: 1, ended: 1 })
  })

  test('[ROUTE-2] a decline after a plausible time counts, and the question is not asked again', async () => {
    const { server, store, client } = await aPairing(
      { says: () => new Promise((resolve) => setTimeout(resolve, 60, { action: 'decline' })) },
      { unseenAfterMs: 10 },
    )

    await client.call('ask', { questions: [whichRegion] })

    expect(server.saw).toEqual([{ action: 'decline' }])
    expect(await openAsks(store)).toEqual([])
  })

  test('[ROUTE-3] a decline in the inbox is a decline for the server, and a timeout is not an answer', async () => {
    const { server, store, client } = await aPairing({ elicitation: 'none' }, { askWaitMs: 5_000 })

    const calling = client.call('ask', { questions: [whichRegion, howMany] })
    await answerInInbox(store, await firstAsk(store), { action: 'decline' })
    await calling

    const unanswered =
      serverSpeaks === '2025-11-25' ? { error: expect.stringContaining('No person answered') } : { action: 'cancel' }
    expect(server.saw).toEqual([{ action: 'decline' }, unanswered])
    expect(server).toMatchObject({ begun: 1, ended: 1 })
  })

  test('[ROUTE-4] only the person whose call it is can see or answer its ask in the inbox', async () => {
    const { server, store, client } = await aPairing({ elicitation: 'none' })
    const ben: Person = { principal: 'ben', groups: [] }

    const calling = client.call('ask', { questions: [whichRegion] })
    const ask = await firstAsk(store)
    const tried = await answerInInbox(store, ask, inEurope, ben)

    expect(tried).toEqual({ kind: 'not-found' })
    expect(await openAsks(store, ben)).toEqual([])
    await answerInInbox(store, ask, { action: 'decline' })
    await calling
    expect(server.saw).toEqual([{ action: 'decline' }])
  })
})

test.each([[['client', 'inbox']], [['client']]] as const)(
  '[ROUTE-2] an answer that no person can have given is audited and counted as unseen, with surfaces %s',
  async (surfaces) => {
    const unseen: string[] = []
    const server = await anAskingServer('2026-07-28')
    const { store, gateway } = await openTestEnv()
    const watch = { ...noTelemetry, unseen: (name: string) => void unseen.push(name) }
    const { url } = await gateway({ deploy: { url: server.url } }, { surfaces, watch, unseenAfterMs: 60_000 })
    const client = await aClient('2025-11-25', url, { says: () => ({ action: 'decline' }) })

    const calling = client.call('ask', { questions: [whichRegion] })
    if (surfaces.length === 2) await answerInInbox(store, await firstAsk(store), { action: 'decline' })
    await calling

    expect(unseen).toEqual(['deploy'])
    await until(async () => {
      for await (const { body } of store.audit.entries('default')) if (body.includes('"event":"unseen"')) return true
      return undefined
    })
  },
)

const held = { holdMs: 30, surfaces: ['client', 'inbox'] } as const
const withoutForms = { capabilities: {} }

test('[ROUTE-5] a caller that cannot wait gets `input_required`, and continues with its retry, also after a restart', async () => {
  const server = await anAskingServer('2026-07-28')
  const testEnv = await openTestEnv()
  const first = await testEnv.gateway({ deploy: { url: server.url } }, held)
  const args = { questions: [whichRegion] }

  const { result: waiting } = (await call(first.url, args, {}, withoutForms)).message
  await first.close()
  const second = await testEnv.gateway({ deploy: { url: server.url } }, held)
  const { result: still } = (await call(second.url, args, { requestState: waiting.requestState }, withoutForms)).message
  await answerInInbox(testEnv.store, await firstAsk(testEnv.store), inEurope)
  const { result } = (await call(second.url, args, { requestState: still.requestState }, withoutForms)).message

  for (const round of [waiting, still]) {
    expect(round).toMatchObject({ resultType: 'input_required', requestState: expect.any(String) })
    expect(round).not.toHaveProperty('inputRequests')
  }
  expect(result).toMatchObject(done)
  expect(server).toMatchObject({ begun: 1, ended: 1, saw: [inEurope] })
})

test('[ROUTE-6] a client gets the questions that it can show, and the others are asked in the inbox', async () => {
  const server = await anAskingServer('2026-07-28')
  const testEnv = await openTestEnv()
  const gateway = await testEnv.gateway({ deploy: { url: server.url } }, { ...held, holdMs: 5_000, unseenAfterMs: 0 })
  const client = await aClient('2026-07-28', gateway.url, { elicitation: { form: {} } })

  const calling = client.call('ask', { questions: [whichRegion, signIn] })
  const ask = await firstAsk(testEnv.store)
  await answerInInbox(testEnv.store, ask, { action: 'accept' })

  expect(await calling).toMatchObject(done)
  expect(client.asked.map(({ message }) => message)).toEqual([whichRegion.message])
  expect(ask.question).toMatchObject({ kind: 'url' })
  expect(server.saw).toEqual([inEurope, { action: 'accept' }])
})

test('[ROUTE-7] when a caller abandons its call, its question is removed from the inbox', async () => {
  const server = await anAskingServer('2025-11-25')
  const testEnv = await openTestEnv()
  const gateway = await testEnv.gateway({ deploy: { url: server.url } }, { surfaces: ['client', 'inbox'] })
  const client = await aClient('2025-11-25', gateway.url, { elicitation: 'none' })
  const giveUp = new AbortController()

  const calling = client.call('ask', { questions: [whichRegion] }, giveUp.signal).catch((error: Error) => error)
  const ask = await firstAsk(testEnv.store)
  giveUp.abort()

  expect(await calling).toBeInstanceOf(Error)
  const ended = await until(async () => {
    const found = await testEnv.store.asks.read('default', ask.id)
    return found?.state.kind === 'open' ? undefined : found
  })
  expect(ended.state).toMatchObject({ kind: 'withdrawn', reason: 'call-cancelled' })
})
