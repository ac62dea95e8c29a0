import { expect, test, vi } from 'vitest'
import { closeAfterTest } from '../../../../../test-kit/close-after-test.ts'
import { listen } from '../../../../../test-kit/listen.ts'
import { until } from '../../../../../test-kit/until.ts'
import { clusterLimits, setLimits } from '../../limits.ts'
import type { RelayState } from '../call-state.ts'
import type { Answers, Call, NeedsInput } from '../model.ts'
import { callOf, form, stateOf as routedState } from '../route/sample-rounds.suite.ts'
import { Shutdown } from '../shutdown.ts'
import { callerLeft } from './lost-calls.ts'
import { type ContinueHere, cancelPath, continuePath, RemoteCalls } from './remote-calls.ts'
import { asked, openReplica, pause, stateOf, yes } from './sample-calls.suite.ts'
import { lookEvery, othersOf, serveOthers } from './sample-cluster.suite.ts'

const ended = { kind: 'ended' } as const
const isNotOver = async () => false
const isOver = async () => true

interface Continued {
  readonly call: Call
  readonly state: RelayState
  readonly given: Answers
  readonly digest: string
}

/** Replica `b` holds a call and continues it with this function; replica `a` sends it requests. */
async function openPair(continueHere: (continued: Continued) => ReturnType<ContinueHere>) {
  lookEvery(40)
  const holder = await openReplica('b')
  const { store } = holder
  const [shutdown, shutdownOfHolder] = [new Shutdown(), new Shutdown()]
  const continued: Continued[] = []
  const remote = new RemoteCalls(store, undefined, shutdownOfHolder)
  await serveOthers(store, holder.heartbeat, {
    [continuePath]: (forwarded) =>
      remote.continue(forwarded, (call, state, given, digest) => {
        continued.push({ call, state, given, digest })
        return continueHere({ call, state, given, digest })
      }),
    [cancelPath]: (forwarded) => remote.cancel(forwarded),
  })
  const sender = new RemoteCalls(store, othersOf('a', store), shutdown)
  const continueAt = (call: Call = callOf(), over: () => Promise<boolean> = isNotOver) =>
    sender.continueAt('b', call, stateOf(), yes, 'digest', over)
  return { ...holder, sender, continueAt, continued, shutdown, shutdownOfHolder }
}

test('[FLEET-3] the holder gets the answers, the state and the parts of the request that it needs', async () => {
  const { sender, continued } = await openPair(async () => ended)
  const client = { info: { name: 'c' }, declared: { elicitation: {} }, capabilities: { roots: {} }, shows: () => true }
  const _meta = { progressToken: 7 }
  const params = { name: 'deploy', arguments: { secret: 'x' }, _meta }
  const requestHeaders = { 'x-team': 'one', authorization: 'Bearer x' }
  const call = callOf({ scope: 'session', params, client, requestHeaders })
  const { inner } = stateOf()
  const state = routedState({ one: form('One?') }, { inner, target: 'run', kept: { two: { result: {} } } })

  expect(await sender.continueAt('b', call, state, yes, 'digest', isNotOver)).toEqual(ended)

  const { round, server, schemas, isPrefixed } = state
  expect(continued).toEqual([
    {
      call: {
        tenant: 'default',
        principal: 'ann',
        scope: '',
        method: 'tools/call',
        params: { _meta },
        client: { info: client.info, declared: client.declared, capabilities: client.capabilities },
        requestHeaders: { 'x-team': 'one' },
        notify: expect.any(Function),
        signal: expect.any(AbortSignal),
      },
      state: { server, schemas, isPrefixed, inner, round, target: 'run' },
      given: yes,
      digest: 'digest',
    },
  ])
})

test('[FLEET-3] a call that asks again returns its questions, without what is valid at the holder only', async () => {
  const next: NeedsInput<RelayState> = asked({ two: form('Two?') }, { isStreamed: true, asks: { two: 'ask_2' } })
  const { continueAt } = await openPair(async () => next)

  const { over: _over, isStreamed: _streamed, ...carried } = next
  expect(await continueAt()).toEqual(carried)
})

test('[RELAY-11] notifications of the call reach the caller while it runs, in their order', async () => {
  const notified: unknown[] = []
  const { continueAt } = await openPair(async ({ call }) => {
    for (const level of ['info', 'error']) {
      call.notify({ jsonrpc: '2.0', method: 'notifications/message', params: { level } })
    }
    await until(() => (notified.length === 2 ? true : undefined))
    return ended
  })

  expect(await continueAt(callOf({ notify: ({ params }) => notified.push(params) }))).toEqual(ended)
  expect(notified).toEqual([{ level: 'info' }, { level: 'error' }])
})

test('[FLEET-14] a request that the holder does not accept is repeated until the call is over', async () => {
  const { continueAt, continued } = await openPair(async () => undefined)
  const over = vi.fn(async () => continued.length === 2)

  expect(await continueAt(callOf(), over)).toBeUndefined()
  expect(continued).toHaveLength(2)
})

test('[FLEET-3] a repeated request gets the state of the call after the connection broke', async () => {
  let requests = 0
  const { continueAt } = await openPair(async () => {
    requests += 1
    if (requests === 1) throw new Error('A bug.')
    return ended
  })

  expect(await continueAt()).toEqual(ended)
  expect(requests).toBe(2)
})

test('[FLEET-4] the sender notices from the row that the call is over, while the holder does not respond', async () => {
  const { promise, resolve } = Promise.withResolvers<typeof ended>()
  const { continueAt, continued } = await openPair(() => promise)
  let looks = 0

  expect(await continueAt(callOf(), async () => ++looks === 3)).toBeUndefined()
  expect(looks).toBe(3)
  expect(continued).toHaveLength(1)
  resolve(ended)
})

test('[RELAY-11] when its caller cancels, the holder cancels the request; other requests continue', async () => {
  const caller = new AbortController()
  const { continueAt, continued } = await openPair(async ({ call }) => {
    await until(() => (call.signal.aborted ? true : undefined), 5_000)
    return ended
  })
  const other = new AbortController()
  const ofOther = continueAt(callOf({ signal: other.signal }))
  await until(() => (continued.length === 1 ? true : undefined))
  const continuing = continueAt(callOf({ signal: caller.signal }))
  await until(() => (continued.length === 2 ? true : undefined))
  caller.abort()

  expect(await continuing).toEqual(ended)
  expect(continued.map(({ call }) => call.signal.aborted)).toEqual([false, true])
  other.abort()
  expect(await ofOther).toEqual(ended)
})

test('[RELAY-11] a request of a caller that has left before cancels the call at the holder', async () => {
  const { continueAt, continued } = await openPair(async () => ended)

  expect(await continueAt(callOf({ signal: AbortSignal.abort() }))).toEqual(ended)
  expect(continued.map(({ call }) => call.signal.aborted)).toEqual([true])
})

test('[RELAY-11] a cancellation that arrives before its request is sent again', async () => {
  lookEvery(20)
  closeAfterTest(setLimits(clusterLimits, { cancelAgainMs: 20 }))
  const { store, heartbeat } = await openReplica('b')
  const { promise, resolve } = Promise.withResolvers<void>()
  const caller = new AbortController()
  const remote = new RemoteCalls(store, undefined, new Shutdown())
  let cancellations = 0
  await serveOthers(store, heartbeat, {
    [continuePath]: async (forwarded) => {
      caller.abort()
      await until(() => (cancellations > 1 ? true : undefined))
      await remote.continue(forwarded, async ({ signal }) => {
        await until(() => (signal.aborted ? true : undefined))
        resolve()
        return ended
      })
    },
    [cancelPath]: async (forwarded) => {
      cancellations += 1
      await remote.cancel(forwarded)
    },
  })
  const sender = new RemoteCalls(store, othersOf('a', store), new Shutdown())

  const call = callOf({ signal: caller.signal })
  expect(await sender.continueAt('b', call, stateOf(), yes, 'digest', isNotOver)).toEqual(ended)
  await promise
})

test('[FLEET-6] when the sender shuts down the holder continues', async () => {
  const caller = new AbortController()
  const { promise, resolve } = Promise.withResolvers<typeof ended>()
  const { continueAt, continued, shutdown } = await openPair(() => promise)
  const continuing = continueAt(callOf({ signal: caller.signal }))
  await until(() => (continued.length === 1 ? true : undefined))
  shutdown.enter('closed')
  caller.abort()
  await pause(80)
  resolve(ended)

  expect(await continuing).toEqual(ended)
  expect(await continueAt(callOf({ signal: caller.signal }))).toEqual(ended)
  expect(continued.map(({ call }) => call.signal.aborted)).toEqual([false, false])
})

test('[RELAY-11] a request whose caller has left is not repeated after its connection broke', async () => {
  const leaving = new AbortController()
  const { continueAt, continued } = await openPair(async () => {
    leaving.abort()
    throw new Error('A bug.')
  })

  expect(await continueAt(callOf({ signal: leaving.signal }))).toEqual(callerLeft)
  expect(continued).toHaveLength(1)
})

test('[RELAY-11] a caller that leaves between two requests to the holder ends the wait at once', async () => {
  const leaving = new AbortController()
  const { continueAt, continued } = await openPair(async () => undefined)
  const over = async () => {
    lookEvery(60_000)
    setTimeout(() => leaving.abort(), 20)
    return false
  }

  expect(await continueAt(callOf({ signal: leaving.signal }), over)).toEqual(callerLeft)
  expect(continued).toHaveLength(1)
})

test('[RELAY-11] a caller that leaves after its request has ended cancels nothing', async () => {
  const { store, shutdown, heartbeat } = await openPair(async () => ended)
  await heartbeat.ensure()
  const others = othersOf('a', store)
  const send = vi.spyOn(others.forwarder, 'send')
  const caller = new AbortController()
  const sender = new RemoteCalls(store, others, shutdown)
  await sender.continueAt('b', callOf({ signal: caller.signal }), stateOf(), yes, 'digest', isNotOver)

  caller.abort()
  await pause(10)

  expect(send).toHaveBeenCalledTimes(1)
})

test('[FLEET-6] a holder that closes ends its responses, and the sender reads the row', async () => {
  const { promise, resolve } = Promise.withResolvers<typeof ended>()
  const { continueAt, continued, shutdownOfHolder } = await openPair(() => promise)
  let isEnded = false
  const continuing = continueAt(callOf(), async () => isEnded)
  await until(() => (continued.length === 1 ? true : undefined))
  isEnded = true
  shutdownOfHolder.enter('closed')

  expect(await continuing).toBeUndefined()
  resolve(ended)
})

test('[FLEET-3] a call that a live process without an address holds cannot be continued here', async () => {
  for (const isAlone of [true, false]) {
    const { store, heartbeat } = await openReplica('b')
    await heartbeat.ensure()
    const sender = new RemoteCalls(store, isAlone ? undefined : othersOf('a', store), new Shutdown())

    const outcome = await sender.continueAt('b', callOf(), stateOf(), yes, 'digest', isNotOver)

    expect(outcome).toMatchObject({ kind: 'failed', error: { message: expect.stringContaining('cannot reach it') } })
  }
})

test('[FLEET-6] for a holder that is shutting down, the sender waits until the row of the call has ended', async () => {
  lookEvery(20)
  const { store } = await openPair(async () => ended)
  const others = othersOf('a', store)
  await others.peers.all()
  others.peers.leaves('b')
  const sender = new RemoteCalls(store, others, new Shutdown())
  let looks = 0
  const over = async () => ++looks === 2

  expect(await sender.continueAt('b', callOf(), stateOf(), yes, 'digest', over)).toBeUndefined()
  expect(looks).toBe(2)
})

test('[FLEET-3] a holder that announced its address between the two reads is reached', async () => {
  const { store } = await openPair(async () => ended)
  const others = othersOf('a', store)
  vi.spyOn(others.peers, 'find').mockResolvedValueOnce(undefined)
  const sender = new RemoteCalls(store, others, new Shutdown())

  expect(await sender.continueAt('b', callOf(), stateOf(), yes, 'digest', isNotOver)).toEqual(ended)
})

test('[FLEET-4] for a holder that is gone, the sender waits until the row of the call has ended', async () => {
  lookEvery(20)
  const { store } = await openReplica('a')
  for (const others of [undefined, othersOf('a', store)]) {
    const sender = new RemoteCalls(store, others, new Shutdown())
    let looks = 0
    const over = async () => ++looks === 2

    expect(await sender.continueAt('gone', callOf(), stateOf(), yes, 'digest', over)).toBeUndefined()
    expect(looks).toBe(2)
  }
})

test('[FLEET-4] while nothing listens at the address of the holder, the sender waits until the call is over', async () => {
  lookEvery(20)
  const { store, heartbeat } = await openReplica('b')
  const { origin, close } = await listen(() => undefined)
  await close()
  await heartbeat.announce(origin)
  const sender = new RemoteCalls(store, othersOf('a', store), new Shutdown())
  let looks = 0

  const outcome = await sender.continueAt('b', callOf(), stateOf(), yes, 'digest', async () => ++looks === 2)

  expect([outcome, looks]).toEqual([undefined, 2])
})

test('[FLEET-4] a response with another status is not the state of the call', async () => {
  lookEvery(20)
  const { store, heartbeat } = await openReplica('b')
  const state = `${JSON.stringify({ state: ended })}\n`
  await serveOthers(store, heartbeat, {
    [continuePath]: async ({ response }) => void response.writeHead(500).end(state),
  })
  const sender = new RemoteCalls(store, othersOf('a', store), new Shutdown())

  expect(await sender.continueAt('b', callOf(), stateOf(), yes, 'digest', isOver)).toBeUndefined()
})

test('[FLEET-3] lines may be split, and a line without a state is skipped', async () => {
  lookEvery(20)
  const { store, heartbeat } = await openReplica('b')
  await serveOthers(store, heartbeat, {
    [continuePath]: async ({ response }) => {
      response.writeHead(200).write('[1]\n{"other":1}\n{"sta')
      await pause()
      response.end('te":{"kind":"ended"}}\n{"state":{"kind":"later"}}\n')
    },
  })
  const sender = new RemoteCalls(store, othersOf('a', store), new Shutdown())

  expect(await sender.continueAt('b', callOf(), stateOf(), yes, 'digest', isNotOver)).toEqual(ended)
})

test('[FLEET-4] a response that is not JSON is treated as a broken connection', async () => {
  lookEvery(20)
  const { store, heartbeat } = await openReplica('b')
  await serveOthers(store, heartbeat, {
    [continuePath]: async ({ response }) => void response.writeHead(200).end('{"state":\n{"state":{"kind":"ended"}}\n'),
  })
  const sender = new RemoteCalls(store, othersOf('a', store), new Shutdown())

  expect(await sender.continueAt('b', callOf(), stateOf(), yes, 'digest', isOver)).toBeUndefined()
})
