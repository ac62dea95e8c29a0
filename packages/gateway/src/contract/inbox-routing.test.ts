import type { Person } from '@assent/core'
import { describe, expect, test } from 'vitest'
import { nobodyWatches } from '../watch/watch.ts'
import { howMany, signIn, whichRegion } from './asking.suite.ts'
import { aClient, type Visit } from './clients.suite.ts'
import { answerInInbox, firstAsk, openAsks } from './inbox.suite.ts'
import { anAskingServer, type Generation } from './servers.suite.ts'
import { aStage, until } from './stage.suite.ts'
import { call } from './wire.suite.ts'

const generations: readonly Generation[] = ['2025-11-25', '2026-07-28']
const pairings = generations.flatMap((client) => generations.map((server) => ({ client, server })))
const done = { content: [{ type: 'text', text: 'done' }] }
const inEurope = { action: 'accept', content: { region: 'eu' } }

describe.each(pairings)('a $client client and a $server server', ({ client: clientSpeaks, server: serverSpeaks }) => {
  const aPairing = async (visit: Visit, options = {}) => {
    const server = await anAskingServer(serverSpeaks)
    const stage = await aStage()
    const surfaces = ['client', 'inbox'] as const
    const gateway = await stage.gateway({ deploy: { url: server.url } }, { surfaces, ...options })
    return { server, store: stage.store, gateway, client: await aClient(clientSpeaks, gateway.url, visit) }
  }

  test('[ROUTE-1] what a client cannot show is asked in the inbox, and its call goes on with the answer', async () => {
    const { server, store, client } = await aPairing({ elicitation: 'none' })

    const calling = client.call('ask', { questions: [whichRegion, signIn] })
    await answerInInbox(store, await firstAsk(store), inEurope)
    const second = await until(async () => (await openAsks(store)).find(({ question }) => question.kind === 'url'))
    await answerInInbox(store, second, { action: 'accept' })

    expect(await calling).toMatchObject(done)
    expect(server.saw).toEqual([inEurope, { action: 'accept' }])
    expect(server).toMatchObject({ begun: 1, ended: 1 })
  })

  test('[ROUTE-2] a "no" that came faster than anyone can read is nobody\'s, and the person is asked in the inbox', async () => {
    const { server, store, client } = await aPairing({ says: () => ({ action: 'decline' }) })

    const calling = client.call('ask', { questions: [whichRegion] })
    await answerInInbox(store, await firstAsk(store), inEurope)

    expect(await calling).toMatchObject(done)
    expect(client.asked).toHaveLength(1)
    expect(server.saw).toEqual([inEurope])
    expect(server).toMatchObject({ begun: 1, ended: 1 })
  })

  test('[ROUTE-2] a "no" that took its time is the person\'s own and is not asked again', async () => {
    const { server, store, client } = await aPairing(
      { says: () => new Promise((resolve) => setTimeout(resolve, 60, { action: 'decline' })) },
      { unseenAfterMs: 10 },
    )

    await client.call('ask', { questions: [whichRegion] })

    expect(server.saw).toEqual([{ action: 'decline' }])
    expect(await openAsks(store)).toEqual([])
  })

  test('[ROUTE-3] a no in the inbox is a no for the server, and silence is no answer', async () => {
    const { server, store, client } = await aPairing({ elicitation: 'none' }, { askWaitMs: 1_000 })

    const calling = client.call('ask', { questions: [whichRegion, howMany] })
    await answerInInbox(store, await firstAsk(store), { action: 'decline' })
    await calling

    const silence =
      serverSpeaks === '2025-11-25' ? { error: expect.stringContaining('Nobody answered') } : { action: 'cancel' }
    expect(server.saw).toEqual([{ action: 'decline' }, silence])
    expect(server).toMatchObject({ begun: 1, ended: 1 })
  })

  test('[ROUTE-4] nobody but the person whose call it is can see or answer what waits in the inbox', async () => {
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
  '[ROUTE-2] an answer that nobody can have given is on record and counted as unseen, asked in %s',
  async (surfaces) => {
    const unseen: string[] = []
    const server = await anAskingServer('2026-07-28')
    const { store, gateway } = await aStage()
    const watch = { ...nobodyWatches, unseen: (name: string) => void unseen.push(name) }
    const { url } = await gateway({ deploy: { url: server.url } }, { surfaces, watch })
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

test('[ROUTE-5] a caller that cannot be held is told to come back, and continues when it does, also after a restart', async () => {
  const server = await anAskingServer('2026-07-28')
  const stage = await aStage()
  const first = await stage.gateway({ deploy: { url: server.url } }, held)
  const args = { questions: [whichRegion] }

  const { result: waiting } = (await call(first.url, args, {}, withoutForms)).message
  await first.close()
  const second = await stage.gateway({ deploy: { url: server.url } }, held)
  const { result: still } = (await call(second.url, args, { requestState: waiting.requestState }, withoutForms)).message
  await answerInInbox(stage.store, await firstAsk(stage.store), inEurope)
  const { result } = (await call(second.url, args, { requestState: still.requestState }, withoutForms)).message

  for (const round of [waiting, still]) {
    expect(round).toMatchObject({ resultType: 'input_required', requestState: expect.any(String) })
    expect(round).not.toHaveProperty('inputRequests')
  }
  expect(result).toMatchObject(done)
  expect(server).toMatchObject({ begun: 1, ended: 1, saw: [inEurope] })
})

test('[ROUTE-6] a client that shows some questions is asked those, and waits for the inbox with the others', async () => {
  const server = await anAskingServer('2026-07-28')
  const stage = await aStage()
  const gateway = await stage.gateway({ deploy: { url: server.url } }, { ...held, holdMs: 5_000, unseenAfterMs: 0 })
  const client = await aClient('2026-07-28', gateway.url, { elicitation: { form: {} } })

  const calling = client.call('ask', { questions: [whichRegion, signIn] })
  const ask = await firstAsk(stage.store)
  await answerInInbox(stage.store, ask, { action: 'accept' })

  expect(await calling).toMatchObject(done)
  expect(client.asked.map(({ message }) => message)).toEqual([whichRegion.message])
  expect(ask.question).toMatchObject({ kind: 'url' })
  expect(server.saw).toEqual([inEurope, { action: 'accept' }])
})

test('[ROUTE-7] a call that its caller gives up takes its question out of the inbox', async () => {
  const server = await anAskingServer('2025-11-25')
  const stage = await aStage()
  const gateway = await stage.gateway({ deploy: { url: server.url } }, { surfaces: ['client', 'inbox'] })
  const client = await aClient('2025-11-25', gateway.url, { elicitation: 'none' })
  const giveUp = new AbortController()

  const calling = client.call('ask', { questions: [whichRegion] }, giveUp.signal).catch((error: Error) => error)
  const ask = await firstAsk(stage.store)
  giveUp.abort()

  expect(await calling).toBeInstanceOf(Error)
  const ended = await until(async () => {
    const found = await stage.store.asks.read('default', ask.id)
    return found?.state.kind === 'open' ? undefined : found
  })
  expect(ended.state).toMatchObject({ kind: 'withdrawn', reason: 'call-cancelled' })
})
