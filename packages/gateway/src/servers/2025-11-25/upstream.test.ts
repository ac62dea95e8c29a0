import { expect, onTestFinished, test } from 'vitest'
import { closeAfterTest } from '../../../../../test-kit/close-after-test.ts'
import { whichRegion } from '../../../../../test-kit/mcp/asking-tools.ts'
import { until } from '../../../../../test-kit/until.ts'
import type { Call } from '../../call/model.ts'
import { anOlderRawServer } from '../../contract/wire.suite.ts'
import { serverLimits, setLimits } from '../../limits.ts'
import { BackOff } from '../back-off.ts'
import { openUpstream } from '../open-upstream.ts'
import { ProcessCount } from '../process-count.ts'
import { sampleCall, sampleWires } from './sample-wire.suite.ts'
import { Upstream20251125 } from './upstream.ts'

function callOf(principal: string): Call {
  return {
    tenant: 'default',
    principal,
    scope: '',
    method: 'tools/call',
    params: { name: 'ask', arguments: {} },
    client: { info: {}, declared: {}, capabilities: { elicitation: {} } },
    notify: () => undefined,
    signal: new AbortController().signal,
  }
}

test('[RELAY-8] a call in which a 2025 server waits is continued only by the person who started it', async () => {
  const server = await anOlderRawServer(({ say }) =>
    say({ id: 'q', method: 'elicitation/create', params: whichRegion }),
  )
  const options = {
    askWaitMs: 60_000,
    onLog: () => undefined,
    environment: () => ({}),
    backOff: new BackOff(),
    processes: new ProcessCount(),
  }
  const upstream = await openUpstream('deploy', { url: server.url }, callOf('ann'), options)
  closeAfterTest(() => upstream.close())
  const asked = await upstream.start(callOf('ann'))
  if (asked.kind !== 'input-required') throw new Error('The server did not ask.')
  const given = (region: string) => ({ ask_1: { result: { action: 'accept', content: { region } } } })

  const outcome = await upstream.continue(callOf('bob'), asked.state, given('us'))

  expect(outcome).toMatchObject({ kind: 'failed' })
  void upstream.continue(callOf('ann'), asked.state, given('eu'))
  const answer = await until(() => server.received.find(({ id }) => id === 'q'))
  expect(answer.result).toEqual(given('eu').ask_1.result)
})

function anUpstream(perCall: number | undefined, wiring: Parameters<typeof sampleWires>[0] = {}) {
  const wired = sampleWires(wiring)
  const upstream = new Upstream20251125('deploy', wired.open, { askWaitMs: 60_000, perCall, close: () => undefined })
  closeAfterTest(() => upstream.close())
  return { upstream, ...wired }
}

const left = { kind: 'failed', error: { message: 'The caller disconnected.' } }

test('[SHARE-9] a call that waited for a session is not sent after its caller has left', async () => {
  const { upstream, wires, calls } = anUpstream(1)
  const first = upstream.start(sampleCall())
  const running = await until(() => calls()[0])
  const leaving = new AbortController()
  const second = upstream.start(sampleCall(leaving.signal))
  await new Promise((resolve) => setImmediate(resolve))

  leaving.abort()
  expect(await second).toMatchObject(left)
  wires[0]?.reply(running)
  expect(await first).toMatchObject({ kind: 'finished' })

  const third = upstream.start(sampleCall())
  const next = await until(() => calls()[1])
  wires[0]?.reply(next)
  expect(await third).toMatchObject({ kind: 'finished' })
  expect(calls()).toHaveLength(2)
  expect(wires).toHaveLength(1)
})

test.each(['tools/call', 'tools/list'])(
  '[SHARE-9] %s is not sent if its caller left while the session was opening',
  async (method) => {
    const { upstream, wires, calls } = anUpstream(undefined, { opens: () => false })
    const leaving = new AbortController()
    const outcome = upstream.start(sampleCall(leaving.signal, { method }))
    await until(() => wires[0])
    leaving.abort()
    wires[0]?.finishOpening()

    expect(await outcome).toMatchObject(left)
    expect(calls()).toEqual([])
  },
)

test('[SHARE-9] a call whose caller has left opens no session, and is no failure of the server', async () => {
  const { upstream, wires } = anUpstream(undefined)

  const outcome = await upstream.start(sampleCall(AbortSignal.abort()))

  expect(outcome).toMatchObject(left)
  expect(outcome).not.toHaveProperty('isAway')
  expect(wires).toEqual([])
})

test('[SHARE-9] a description or a stream for a client that has left opens no session', async () => {
  const { upstream, wires } = anUpstream(undefined)
  const gone = sampleCall(AbortSignal.abort())

  await upstream.listen(gone)
  await expect(upstream.describe(gone)).rejects.toThrow('The caller disconnected.')
  expect(wires).toEqual([])
})

test('[SHARE-9] after a listening client has left, no more resources are subscribed to', async () => {
  const { upstream, wires, calls } = anUpstream(undefined)
  const leaving = new AbortController()
  const params = { notifications: { resourceSubscriptions: ['file:///a', 'file:///b', 'file:///c'] } }
  const listening = upstream.listen(sampleCall(leaving.signal, { params }))
  const first = await until(() => calls()[0])

  leaving.abort()
  wires[0]?.reply(first)
  await listening

  expect(calls().map(({ method }) => method)).toEqual(['resources/subscribe', 'resources/unsubscribe'])
})

test('[SHARE-10] a session is closed although its server does not read the cancellation of a call', async () => {
  onTestFinished(setLimits(serverLimits, { cancelMs: 10 }))
  const { upstream, wires, calls } = anUpstream(1, {
    reads: (message) => !('method' in message && message.method === 'notifications/cancelled'),
  })
  const leaving = new AbortController()
  const outcome = upstream.start(sampleCall(leaving.signal))
  await until(() => calls()[0])

  leaving.abort()

  expect(await outcome).toMatchObject(left)
  await until(() => wires[0]?.isClosed || undefined, 5_000)
})

test('[SHARE-9] a session that is being opened when its client session ends is closed', async () => {
  const { upstream, wires, calls } = anUpstream(undefined, { opens: () => false })
  const leaving = new AbortController()
  const outcome = upstream.start(sampleCall(leaving.signal))
  await until(() => wires[0])
  leaving.abort()
  upstream.leave('ann', 'session')
  wires[0]?.finishOpening()

  expect(await outcome).toMatchObject(left)
  await until(() => wires[0]?.isClosed || undefined)
  expect(calls()).toEqual([])
})
