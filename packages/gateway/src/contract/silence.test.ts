// A client that was asked and says nothing: the other place is asked as well, and the first valid answer counts.

import type { Ask } from '@assent/core'
import type { Store } from '@assent/store'
import { describe, expect, test } from 'vitest'
import { howMany, whichRegion } from './asking.suite.ts'
import { aClient, type Says } from './clients.suite.ts'
import { answerInInbox, firstAsk, openAsks } from './inbox.suite.ts'
import { messagesOf } from './messages-of.suite.ts'
import { anAskingServer, type Generation } from './servers.suite.ts'
import { aStage, until } from './stage.suite.ts'
import { aSession, call } from './wire.suite.ts'

const generations: readonly Generation[] = ['2025-11-25', '2026-07-28']
const pairings = generations.flatMap((client) => generations.map((server) => ({ client, server })))
const done = { content: [{ type: 'text', text: 'done' }] }
const inEurope = { action: 'accept', content: { region: 'eu' } }
const inAmerica = { action: 'accept', content: { region: 'us' } }
const ann = { principal: 'ann', groups: [] }

const usual = { surfaces: ['client', 'inbox'], silentAfterMs: 300, unseenAfterMs: 10 } as const

/** A person who answers when the test says so, and never sooner than a person reads. */
function someoneQuiet() {
  const { promise, resolve } = Promise.withResolvers<unknown>()
  const asked = Promise.withResolvers<void>()
  const says: Says = async () => {
    asked.resolve()
    const readingMs = 5 * usual.unseenAfterMs
    const [answer] = await Promise.all([promise, new Promise((read) => setTimeout(read, readingMs))])
    return answer
  }
  return { says, say: resolve, asked: asked.promise }
}

async function endOf(store: Store, { id }: Ask): Promise<Ask['state']> {
  return until(async () => {
    const state = (await store.asks.read('default', id))?.state
    return state === undefined || state.kind === 'open' ? undefined : state
  })
}

describe.each(pairings)('a $client client and a $server server', ({ client: clientSpeaks, server: serverSpeaks }) => {
  const aPairing = async (says: Says, options = {}) => {
    const server = await anAskingServer(serverSpeaks)
    const stage = await aStage()
    const gateway = await stage.gateway({ deploy: { url: server.url } }, { ...usual, ...options })
    return { server, store: stage.store, client: await aClient(clientSpeaks, gateway.url, { says }) }
  }
  // A server of 2025 waits inside the call; for a client that comes back its question is on record from the beginning.
  const isOnRecordAtOnce = clientSpeaks === '2026-07-28' && serverSpeaks === '2025-11-25'

  test('[ROUTE-10] what the client is silent about is asked in the inbox too, and the answer there counts', async () => {
    const person = someoneQuiet()
    const { server, store, client } = await aPairing(person.says)

    const calling = client.call('ask', { questions: [whichRegion] })
    await person.asked
    if (!isOnRecordAtOnce) expect(await openAsks(store)).toEqual([])
    const ask = await firstAsk(store)
    expect(await answerInInbox(store, ask, inEurope)).toMatchObject({ kind: 'settled' })
    // A client of 2025 hears that no answer is needed; one of 2026 comes back when its person has done with it.
    if (clientSpeaks === '2026-07-28') person.say({ action: 'decline' })

    expect(await calling).toMatchObject(done)
    expect(server.saw).toEqual([inEurope])
    expect(server).toMatchObject({ begun: 1, ended: 1 })
    expect(client.asked).toHaveLength(1)
    expect(await endOf(store, ask)).toMatchObject({ kind: 'settled', via: 'inbox', answer: { action: 'accept' } })
  })

  test('[ROUTE-10] the client’s copy stays open: when its person is first, the inbox says who, how and when', async () => {
    const person = someoneQuiet()
    const { server, store, client } = await aPairing(person.says)

    const calling = client.call('ask', { questions: [whichRegion] })
    const ask = await firstAsk(store)
    person.say(inAmerica)

    expect(await calling).toMatchObject(done)
    expect(server.saw).toEqual([inAmerica])
    expect(await endOf(store, ask)).toMatchObject({ kind: 'settled', by: 'ann', via: 'client' })
    const late = await answerInInbox(store, ask, inEurope)
    expect(late).toMatchObject({ kind: 'ended', ask: { state: { via: 'client' } } })
  })

  test('[ROUTE-10] a client that answers in time leaves nothing open in the inbox', async () => {
    const { server, store, client } = await aPairing(
      () => new Promise((resolve) => setTimeout(resolve, 100, inAmerica)),
      { silentAfterMs: 2_500 },
    )

    await client.call('ask', { questions: [whichRegion] })
    await new Promise((resolve) => setTimeout(resolve, 2_700))

    expect(server.saw).toEqual([inAmerica])
    expect(await openAsks(store)).toEqual([])
    const { asks } = await store.inbox.page({ tenant: 'default', person: ann, show: 'ended' })
    expect(asks.map(({ state }) => state)).toEqual(isOnRecordAtOnce ? [expect.objectContaining({ via: 'client' })] : [])
  })

  test('[ROUTE-11] with the inbox as first choice the client is asked when the inbox is silent, and the first answer counts', async () => {
    const person = someoneQuiet()
    const { server, store, client } = await aPairing(person.says, { surfaces: ['inbox', 'client'] })

    const calling = client.call('ask', { questions: [whichRegion] })
    const ask = await firstAsk(store)
    expect(client.asked).toEqual([])
    await person.asked
    expect((await store.asks.read('default', ask.id))?.state.kind).toBe('open')
    person.say(inAmerica)

    expect(await calling).toMatchObject(done)
    expect(server.saw).toEqual([inAmerica])
    expect(await endOf(store, ask)).toMatchObject({ via: 'client' })
  })

  test('[ROUTE-11] with the inbox as first choice and no word about silence, the client is not asked', async () => {
    const person = someoneQuiet()
    const { server, store, client } = await aPairing(person.says, {
      surfaces: ['inbox', 'client'],
      silentAfterMs: undefined,
    })

    const calling = client.call('ask', { questions: [whichRegion] })
    await answerInInbox(store, await firstAsk(store), inEurope)

    expect(await calling).toMatchObject(done)
    expect([client.asked, server.saw]).toEqual([[], [inEurope]])
  })
})

test('[ROUTE-10] a client of 2025 is told within a second who was faster, and its late answer changes nothing', async () => {
  // Of several, one is quick enough even on a busy machine.
  let quickestMs = Number.POSITIVE_INFINITY
  for (let n = 0; n < 5 && quickestMs >= 1_000; n++) quickestMs = Math.min(quickestMs, await toldAfterMs())
  expect(quickestMs).toBeLessThan(1_000)
})

async function toldAfterMs(): Promise<number> {
  const server = await anAskingServer('2026-07-28')
  const stage = await aStage()
  const gateway = await stage.gateway({ deploy: { url: server.url } }, usual)
  const session = await aSession(gateway.url)
  const response = await session.post({
    jsonrpc: '2.0',
    id: 7,
    method: 'tools/call',
    params: { name: 'ask', arguments: { questions: [whichRegion] } },
  })
  const stream = messagesOf(response)
  const question = (await stream.next()).value as { id: string }

  await answerInInbox(stage.store, await firstAsk(stage.store), inEurope)
  const answeredAt = performance.now()
  const cancelled = (await stream.next()).value
  const tookMs = performance.now() - answeredAt

  expect(cancelled).toMatchObject({
    method: 'notifications/cancelled',
    params: { requestId: question.id, reason: 'It was answered in the inbox.' },
  })
  await session.post({ jsonrpc: '2.0', id: question.id, result: { action: 'decline' } })
  expect((await stream.next()).value).toMatchObject({ id: 7, result: done })
  expect(server.saw).toEqual([inEurope])
  return tookMs
}

test('[ROUTE-10] an answer of the client that does not fit ends nothing: the inbox goes on asking', async () => {
  const server = await anAskingServer('2026-07-28')
  const stage = await aStage()
  const gateway = await stage.gateway({ deploy: { url: server.url } }, usual)
  const person = someoneQuiet()
  const client = await aClient('2025-11-25', gateway.url, { says: person.says })

  const calling = client.call('ask', { questions: [whichRegion] })
  const ask = await firstAsk(stage.store)
  person.say({ action: 'accept', content: { region: 'moon' } })
  await new Promise((resolve) => setTimeout(resolve, 200))
  expect((await stage.store.asks.read('default', ask.id))?.state.kind).toBe('open')
  await answerInInbox(stage.store, ask, inEurope)

  expect(await calling).toMatchObject(done)
  expect(server.saw).toEqual([inEurope])
})

test('[ROUTE-10] a call that its caller gives up takes the copy out of the inbox', async () => {
  const server = await anAskingServer('2026-07-28')
  const stage = await aStage()
  const gateway = await stage.gateway({ deploy: { url: server.url } }, usual)
  const client = await aClient('2025-11-25', gateway.url, { says: someoneQuiet().says })
  const giveUp = new AbortController()

  const calling = client.call('ask', { questions: [whichRegion] }, giveUp.signal).catch((error: Error) => error)
  const ask = await firstAsk(stage.store)
  giveUp.abort()

  expect(await calling).toBeInstanceOf(Error)
  expect(await endOf(stage.store, ask)).toEqual({
    kind: 'withdrawn',
    reason: 'call-cancelled',
    atMs: expect.any(Number),
  })
})

test('[ROUTE-10] a caller whose patience ends while the inbox has the question gets a handle', async () => {
  const server = await anAskingServer('2026-07-28')
  const stage = await aStage()
  const gateway = await stage.gateway({ deploy: { url: server.url } }, { ...usual, patienceMs: 900 })
  const client = await aClient('2025-11-25', gateway.url, { says: someoneQuiet().says })

  const pending = (await client.call('ask', { questions: [whichRegion, howMany] })) as {
    structuredContent: { status: string; askId: string }
  }
  const ask = await firstAsk(stage.store)

  expect(pending.structuredContent).toMatchObject({ status: 'pending', askId: ask.id })
})

test('[ROUTE-10] whichever replica the caller comes back to, its answer in time leaves nothing open', async () => {
  const server = await anAskingServer('2026-07-28')
  const stage = await aStage()
  const [first, second] = [
    await stage.gateway({ deploy: { url: server.url } }, { ...usual, silentAfterMs: 2_000 }),
    await stage.gateway({ deploy: { url: server.url } }, { ...usual, silentAfterMs: 2_000 }),
  ]
  const args = { questions: [whichRegion] }

  const { result } = (await call(first.url, args)).message
  const [key = ''] = Object.keys(result.inputRequests as object)
  await new Promise((resolve) => setTimeout(resolve, 50))
  const answers = { inputResponses: { [key]: inAmerica }, requestState: result.requestState }
  expect((await call(second.url, args, answers)).message.result).toMatchObject(done)
  await new Promise((resolve) => setTimeout(resolve, 2_300))

  expect(server.saw).toEqual([inAmerica])
  expect(await openAsks(stage.store)).toEqual([])
})
