import { describe, expect, test } from 'vitest'
import { answerInInbox, firstAsk, openAsks } from '../../../../test-kit/gateway/answer-in-inbox.ts'
import { openCluster } from '../../../../test-kit/gateway/cluster.ts'
import { openTestEnv } from '../../../../test-kit/gateway/test-env.ts'
import { whichRegion } from '../../../../test-kit/mcp/asking-tools.ts'
import { until } from '../../../../test-kit/until.ts'
import { relayLimits } from '../limits.ts'
import {
  anAnsweredRound,
  args,
  aServer,
  done,
  end,
  inbox,
  inEurope,
  local,
  retry,
  textOf,
  withoutForms,
} from './one-run.suite.ts'
import { aStdioClient } from './stdio-client.suite.ts'
import { aRawServer, asks, call, complete, type RawRequest, type Received, request, type Wire } from './wire.suite.ts'

describe('one answer in the inbox runs a 2026-07-28 tool once', () => {
  test('[RUN-5] every retry with the same state returns the stored outcome, in turn and at the same time', async () => {
    const server = await aServer(() => done(server.runs.length))
    const { store, gateway } = await openTestEnv()
    const { url } = await gateway({ deploy: { url: server.url } }, inbox)
    const round = await anAnsweredRound(url, store)

    const inTurn = [await retry(url, round), await retry(url, round), await retry(url, round)]
    const atOnce = await Promise.all([end(url, round), end(url, round), end(url, round)])

    expect([...inTurn, ...atOnce].map(textOf)).toEqual(Array.from({ length: 6 }, () => 'run 1'))
    expect(server.runs).toHaveLength(1)
  })

  test('[RUN-5] retries at the same moment wait for the one that runs, at another replica too', async () => {
    const server = await aServer(async () => {
      await new Promise((resolve) => setTimeout(resolve, 300))
      return done(server.runs.length)
    })
    const { replicas } = await openCluster({ deploy: { url: server.url } }, { gateway: { ...inbox, holdMs: 5_000 } })
    const [first, second] = replicas
    const calling = call(first.url, args, {}, withoutForms)
    const ask = await firstAsk(first.store)
    // A drain with no time returns the state of the first request before the person answers.
    await first.drain(0)
    const { requestState } = (await calling).message.result
    await answerInInbox(second.store, ask, inEurope)

    const outcomes = await Promise.all(
      Array.from({ length: 6 }, (_, n) => end(replicas[n % 2]?.url ?? '', { requestState })),
    )

    expect(outcomes.map(textOf)).toEqual(Array.from({ length: 6 }, () => 'run 1'))
    expect(server.runs).toHaveLength(1)
  })

  test('[RUN-5] a restarted gateway returns the outcome that the previous process stored', async () => {
    const server = await aServer(() => done(server.runs.length))
    const { store, gateway } = await openTestEnv()
    const before = await gateway({ deploy: { url: server.url } }, inbox)
    const round = await anAnsweredRound(before.url, store)
    const first = await retry(before.url, round)
    await before.close()
    const after = await gateway({ deploy: { url: server.url } }, inbox)

    const second = await retry(after.url, round)

    expect([first, second].map(textOf)).toEqual(['run 1', 'run 1'])
    expect(server.runs).toHaveLength(1)
  })

  test('[RUN-5] an error of the server is stored and returned like any other outcome', async () => {
    const server = await aServer(() => ({ error: { code: -32_050, message: `failed ${server.runs.length}` } }))
    const { store, gateway } = await openTestEnv()
    const { url } = await gateway({ deploy: { url: server.url } }, inbox)
    const round = await anAnsweredRound(url, store)

    const outcomes = [await retry(url, round), await retry(url, round)]

    expect(outcomes.map(({ message }) => message.error)).toEqual([
      { code: -32_050, message: 'failed 1' },
      { code: -32_050, message: 'failed 1' },
    ])
  })

  test('[RUN-5] an earlier and a later state of the same round lead to the same run', async () => {
    const server = await aServer(() => done(server.runs.length))
    const { store, gateway } = await openTestEnv()
    const { url } = await gateway({ deploy: { url: server.url } }, inbox)
    const first = (await call(url, args, {}, withoutForms)).message.result
    const second = (await retry(url, { requestState: first.requestState })).message.result
    await answerInInbox(store, await firstAsk(store), inEurope)

    const outcomes = [
      await retry(url, { requestState: second.requestState }),
      await retry(url, { requestState: first.requestState }),
    ]

    expect(outcomes.map(textOf)).toEqual(['run 1', 'run 1'])
    expect(server.runs).toHaveLength(1)
  })

  test('[RUN-5] a handle and a state of the same round lead to the same run', async () => {
    const server = await aServer(() => done(server.runs.length))
    const { store, gateway } = await openTestEnv()
    const { url } = await gateway({ deploy: { url: server.url } }, { ...inbox, holdMs: 5 })
    let rounds: Wire = {}
    let last: Received['message']['result'] = {}
    const states: unknown[] = []
    while (last.structuredContent === undefined) {
      last = (await retry(url, rounds)).message.result
      if (last.requestState !== undefined) states.push(last.requestState)
      rounds = { requestState: last.requestState }
    }
    const { askId } = last.structuredContent as { askId: string }
    await answerInInbox(store, await firstAsk(store), inEurope)
    const params = { name: 'assent__await_answer', arguments: { ask_id: askId } }
    const patient = await gateway({ deploy: { url: server.url } }, { ...inbox, holdMs: 60_000 })
    const fetchIt = () => request(patient.url, 'tools/call', params, withoutForms)

    const outcomes = await Promise.all([fetchIt(), end(patient.url, { requestState: states.at(-1) }), fetchIt()])

    expect(outcomes.map(textOf)).toEqual(['run 1', 'run 1', 'run 1'])
    expect(server.runs).toHaveLength(1)
  })
})

test('[RUN-6] an outcome that asks again is stored too: a retry leads to the same ask and the same final outcome', async () => {
  const runs: unknown[] = []
  const { url: server } = await aRawServer(({ params }) => {
    if (params.inputResponses === undefined) return asks({ where: whichRegion }, 'round 1')
    runs.push(params.requestState)
    return params.requestState === 'round 1' ? asks({ where: whichRegion }, 'round 2') : done(runs.length)
  })
  const { store, gateway } = await openTestEnv()
  const { url } = await gateway({ deploy: { url: server } }, inbox)
  const round = await anAnsweredRound(url, store)

  const [next, again] = [await retry(url, round), await retry(url, round)]
  const open = await openAsks(store)
  for (const ask of open) await answerInInbox(store, ask, inEurope)
  const states = [round.requestState, next.message.result.requestState, again.message.result.requestState]
  const ends = await Promise.all(states.map((requestState) => end(url, { requestState })))

  expect(open).toHaveLength(1)
  for (const { message } of [next, again]) expect(message.result).toMatchObject({ resultType: 'input_required' })
  expect(ends.map(textOf)).toEqual(['run 2', 'run 2', 'run 2'])
  expect(runs).toEqual(['round 1', 'round 2'])
})

test('[RUN-8] when the process dies between sending and storing, every retry gets an error that the outcome is unknown', async () => {
  const { promise: never } = Promise.withResolvers<void>()
  const server = await aServer(() => never)
  const { replicas, tamper } = await openCluster({ deploy: { url: server.url } }, { gateway: inbox })
  const [first, second] = replicas
  const round = await anAnsweredRound(first.url, first.store)
  void end(first.url, round).catch(() => undefined)
  await until(() => server.runs[0])
  // Simulates kill -9: the lease is no longer renewed.
  first.store.replicas.renew = async () => true
  const waiting = await retry(second.url, round)
  await tamper('update replicas set lease_until = 0')

  const unknown = await until(async () => {
    const received = await retry(second.url, round)
    return received.message.error === undefined ? undefined : received
  })
  const again = await end(second.url, round)

  expect(waiting.message.result).toMatchObject({ resultType: 'input_required' })
  for (const received of [unknown, again]) expect(textOf(received)).toContain('check before calling it again')
  expect(server.runs).toHaveLength(1)
})

test('[RUN-9] a caller over HTTP that drops a retry while the server runs gets the outcome with the next one', async () => {
  const { promise: goesOn, resolve: goOn } = Promise.withResolvers<void>()
  const server = await aServer(async () => {
    await goesOn
    return done(server.runs.length)
  })
  const { store, gateway } = await openTestEnv()
  const { url } = await gateway({ deploy: { url: server.url } }, inbox)
  const round = await anAnsweredRound(url, store)
  const drop = new AbortController()
  const dropped = retry(url, round, { signal: drop.signal }).catch((error: Error) => error)
  await until(() => server.runs[0])

  drop.abort()
  await dropped
  const meanwhile = await retry(url, round)
  goOn()
  const after = await end(url, round)

  expect(meanwhile.message.result).toMatchObject({ resultType: 'input_required' })
  expect(textOf(after)).toBe('run 1')
  expect(server.runs).toHaveLength(1)
})

test('[RUN-9] a caller on standard input that cancels a retry stops the server, and a later retry runs nothing', async () => {
  let isStopped = false
  const runs: RawRequest[] = []
  const { url: server } = await aRawServer((received, response) => {
    if (received.params.inputResponses === undefined) return asks({ where: whichRegion }, 'round 1')
    runs.push(received)
    response.on('close', () => {
      isStopped = true
    })
    return undefined
  })
  const { store } = await openTestEnv()
  const client = aStdioClient(store, { deploy: { url: server } }, inbox)
  client.send(1, args)
  const { requestState } = (await client.reply(1)).result
  await answerInInbox(store, await firstAsk(store, local), inEurope, local)
  client.send(2, args, { requestState })
  await until(() => runs[0])

  client.cancel(2)
  await until(() => (isStopped ? true : undefined))
  client.send(3, args, { requestState })

  expect((await client.reply(3)).error.message).toContain('The caller cancelled this request')
  expect(runs).toHaveLength(1)
})

test('[RUN-10] an outcome that is too large to store is returned once, and a retry runs nothing', async () => {
  const text = 'x'.repeat(relayLimits.roundOutcomeChars)
  const server = await aServer(() => ({ result: { resultType: 'complete', content: [{ type: 'text', text }] } }))
  const { store, gateway } = await openTestEnv()
  const { url } = await gateway({ deploy: { url: server.url } }, inbox)
  const round = await anAnsweredRound(url, store)

  const [first, second] = [await retry(url, round), await retry(url, round)]

  expect(textOf(first)).toBe(text)
  expect(textOf(second)).toContain('too large to store')
  expect(server.runs).toHaveLength(1)
})

test('[RUN-11] an answer given in the client is forwarded as without a gateway: the same retry runs again', async () => {
  const server = await aServer(() => complete)
  const { store, gateway } = await openTestEnv()
  const surfaces = ['client', 'inbox'] as const
  const { url } = await gateway({ deploy: { url: server.url } }, { surfaces, unseenAfterMs: 1, silentAfterMs: 30 })
  const { requestState } = (await call(url, args)).message.result
  await firstAsk(store)
  const rounds = { requestState, inputResponses: { where: inEurope } }

  for (let n = 0; n < 3; n++) expect((await call(url, args, rounds)).message.result).toMatchObject(complete.result)

  expect(server.runs).toHaveLength(3)
})

test('[RUN-5] if the inbox answered before the client, the call runs once, however often the client answers', async () => {
  const server = await aServer(() => done(server.runs.length))
  const { store, gateway } = await openTestEnv()
  const surfaces = ['client', 'inbox'] as const
  const { url } = await gateway({ deploy: { url: server.url } }, { surfaces, unseenAfterMs: 1, silentAfterMs: 30 })
  const { requestState } = (await call(url, args)).message.result
  await answerInInbox(store, await firstAsk(store), inEurope)
  const rounds = { requestState, inputResponses: { where: { action: 'decline' } } }

  const outcomes = [await call(url, args, rounds), await call(url, args, rounds)]

  expect(outcomes.map(textOf)).toEqual(['run 1', 'run 1'])
  expect(server.runs.map(({ params }) => params.inputResponses)).toEqual([{ where: inEurope }])
})
