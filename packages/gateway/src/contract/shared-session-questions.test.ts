import { afterEach, expect, test } from 'vitest'
import { answerInInbox, openAsks } from '../../../../test-kit/gateway/answer-in-inbox.ts'
import { openTestEnv } from '../../../../test-kit/gateway/test-env.ts'
import { until } from '../../../../test-kit/until.ts'
import { serverLimits, setLimits } from '../limits.ts'
import { callTool, countedIn, inSession, replyOf, stateful, textOf } from './shared-session.suite.ts'
import { anOlderRawServer, aSession, nextOf, type Wire } from './wire.suite.ts'

afterEach(setLimits(serverLimits, {}))

test('[SHARE-2] a question that names its call belongs to that call, also while others are in progress', async () => {
  const { url } = await (await openTestEnv()).gateway({ deploy: stateful })
  const session = await aSession(url)
  await inSession(session, 1, 'hang')
  const asking = await inSession(session, 2, 'ask', { message: 'mine', named: true })

  const question = await nextOf(asking)

  expect(question).toMatchObject({ method: 'elicitation/create', params: { message: 'mine' } })
  await session.post({ jsonrpc: '2.0', id: question.id, result: { action: 'accept', content: { word: 'a' } } })
  expect(textOf((await nextOf(asking)).result)).toContain('"word":"a"')
})

test('[SHARE-2] a question that arrived on the stream of a call belongs to that call', async () => {
  const server = await anOlderRawServer(({ id, params, say }) => {
    if (params.name === 'ask')
      setTimeout(
        () =>
          say({
            id: `q${id}`,
            method: 'elicitation/create',
            params: { message: 'mine', requestedSchema: { type: 'object', properties: {} } },
          }),
        300,
      )
  })
  const { url } = await (await openTestEnv()).gateway({ deploy: { url: server.url } })
  const session = await aSession(url)
  await inSession(session, 1, 'other')
  const asking = await inSession(session, 2, 'ask')

  expect(await nextOf(asking)).toMatchObject({ method: 'elicitation/create', params: { message: 'mine' } })
  expect(server.received.filter(({ method }) => method === 'initialize')).toHaveLength(1)
})

test('[SHARE-3] a question that may belong to several calls is shown with all of them, and its answer reaches the call that asked', async () => {
  const { store, gateway } = await openTestEnv()
  const { url } = await gateway({ deploy: stateful }, { surfaces: ['inbox'] })
  const session = await aSession(url)
  const hanging = await inSession(session, 1, 'hang', { slow: true })
  const asking = [
    await inSession(session, 2, 'ask', { message: 'two' }),
    await inSession(session, 3, 'ask', { message: 'three' }),
  ]

  const asks = await until(async () => {
    const open = await openAsks(store)
    return open.length === 2 ? open : undefined
  })

  for (const ask of asks) {
    const { question } = ask
    if (question.kind !== 'form') throw new Error('Not a form.')
    expect(question.call).toBeUndefined()
    expect(ask.asker).toEqual({ server: 'deploy' })
    expect(question.oneOf).toContainEqual({ tool: 'hang', arguments: { slow: true } })
    expect(question.oneOf).toContainEqual({ tool: 'ask', arguments: { message: question.message } })
    await answerInInbox(store, ask, { action: 'accept', content: { word: `to ${question.message}` } })
  }
  const answers = await Promise.all(asking.map(async (stream) => textOf((await replyOf(stream)).result)))
  expect(answers[0]).toContain('to two')
  expect(answers[1]).toContain('to three')
  await replyOf(await inSession(session, 4, 'release'))
  expect(textOf((await replyOf(hanging)).result)).toContain('released')
})

test('[SHARE-3] an open question does not block other calls', async () => {
  const { url } = await (await openTestEnv()).gateway({ deploy: stateful })
  const session = await aSession(url)
  const asking = await inSession(session, 1, 'ask', { message: 'open' })
  expect(await nextOf(asking)).toMatchObject({ method: 'elicitation/create' })

  expect(await countedIn(session, 2)).toMatchObject({ counted: 1 })
})

test('[SHARE-3] a question moves to a remaining call when its call is cancelled, and is withdrawn with the last call', async () => {
  const { store, gateway } = await openTestEnv()
  const { url } = await gateway({ deploy: stateful }, { surfaces: ['inbox'] })
  const session = await aSession(url)
  await inSession(session, 1, 'hang')
  await inSession(session, 2, 'ask', { message: 'whose?' })
  const [first] = await until(async () => {
    const open = await openAsks(store)
    return open.length === 1 ? open : undefined
  })

  await session.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })
  const [moved] = await until(async () => {
    const open = await openAsks(store)
    return open[0] !== undefined && open[0].id !== first?.id ? open : undefined
  })
  await session.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } })

  await until(async () => ((await openAsks(store)).length === 0 ? true : undefined))
  expect((await store.asks.read('default', moved?.id ?? ''))?.state).toMatchObject({ kind: 'withdrawn' })
})

test('[SHARE-3] for a 2026-07-28 client each question is returned by one call, and each answer reaches its own question', async () => {
  const { url } = await (await openTestEnv()).gateway({ deploy: stateful })
  const messages = ['one', 'two']
  const asked = await Promise.all(messages.map((message) => callTool(url, 'ask', { message })))

  const answered = await Promise.all(
    asked.map(({ result }, at) => {
      const inputResponses = Object.fromEntries(
        Object.entries(result.inputRequests as Record<string, { params: { message: string } }>).map(
          ([key, { params }]) => [key, { action: 'accept', content: { word: `to ${params.message}` } }],
        ),
      )
      return callTool(url, 'ask', { message: messages[at] }, { inputResponses, requestState: result.requestState })
    }),
  )

  expect(answered.map(({ result }) => textOf(result))).toEqual([
    expect.stringContaining('to one'),
    expect.stringContaining('to two'),
  ])
})

test('[SHARE-3] a client with a session is not asked again when the call that sent the question ends', async () => {
  const { url } = await (await openTestEnv()).gateway({ deploy: stateful })
  const session = await aSession(url)
  const hanging = await inSession(session, 1, 'hang')
  const asking = await inSession(session, 2, 'ask', { message: 'whose?' })
  const question = await nextOf(hanging)
  expect(question).toMatchObject({ method: 'elicitation/create', params: { message: 'whose?' } })

  await replyOf(await inSession(session, 3, 'release'))
  expect(await nextOf(hanging)).toHaveProperty('result')
  await session.post({ jsonrpc: '2.0', id: question.id, result: { action: 'accept', content: { word: 'once' } } })

  const said: Wire[] = []
  for await (const message of asking) said.push(message)
  expect(said).toHaveLength(1)
  expect(textOf(said[0]?.result)).toContain('once')
})

test('[SHARE-4] a cancelled call does not affect other calls or their process, and its later questions are not assigned to them', async () => {
  const { store, gateway } = await openTestEnv()
  const { url } = await gateway({ deploy: stateful }, { surfaces: ['inbox'] })
  const session = await aSession(url)
  const before = await countedIn(session, 1)
  await inSession(session, 2, 'late')
  await inSession(session, 3, 'hang')

  await session.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } })

  const [ask] = await until(async () => {
    const open = await openAsks(store)
    return open.length === 1 ? open : undefined
  })
  expect(ask?.question).toMatchObject({ message: 'late', oneOf: [{ tool: 'hang' }] })
  expect(await countedIn(session, 4)).toEqual({ counted: 2, process: before.process })
})

test('[SHARE-3] the state of a call does not contain the states of other calls, and its card shows their arguments', async () => {
  const { store, gateway } = await openTestEnv()
  const { url } = await gateway({ deploy: stateful }, { surfaces: ['inbox'], holdMs: 5_000, unseenAfterMs: 0 })
  const messages = ['one', 'two', 'three']
  const begun = await Promise.all(messages.map((message) => callTool(url, 'ask again', { message })))
  const candidates = messages.map((message) => ({ tool: 'ask again', arguments: { message } }))
  let states = begun.map(({ result }) => result.requestState as string)

  for (let round = 0; round < 4; round += 1) {
    const asks = await openAsks(store)
    expect(asks).toHaveLength(messages.length)
    for (const ask of asks) await answerInInbox(store, ask, { action: 'accept', content: { word: 'more' } })
    // The first question was asked before there was another call.
    const [{ question } = {}] = asks
    if (round > 0 && question?.kind === 'form') expect(question.oneOf).toEqual(expect.arrayContaining(candidates))
    const replies = await Promise.all(
      messages.map((message, at) => callTool(url, 'ask again', { message }, { requestState: states[at] })),
    )
    states = replies.map(({ result }) => result.requestState as string)
    expect(Math.max(...states.map((state) => state.length))).toBeLessThan(4_000)
  }
})
