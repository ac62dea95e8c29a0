import { randomBytes } from 'node:crypto'
import { AssentError, askMeta, type JsonObject, newId } from '@assent/core'
import { afterEach, expect, test, vi } from 'vitest'
import { until } from '../../../../../test-kit/until.ts'
import { relayLimits, setLimits } from '../../limits.ts'
import type { InputResponse } from '../model.ts'
import { OpenAskLimits } from '../screen/open-limits.ts'
import { noTelemetry } from '../telemetry-port.ts'
import { InboxFallback, type InboxFallbackSettings, type Put } from './inbox-fallback.ts'
import { callOf, form, openRounds } from './sample-rounds.suite.ts'

const text = form('Which?', { type: 'object', properties: { region: { type: 'string' } }, required: ['region'] })
const region: InputResponse = { result: { action: 'accept', content: { region: 'eu' } } }
const longMs = 3_600_000
const ghp = `ghp_${'a1B2'.repeat(9)}`
const putOf = (more: Partial<Put> = {}): Put => ({ call: callOf(), server: 'deploy', wanted: text, ...more })

const restores: (() => void)[] = []
afterEach(() => {
  vi.useRealTimers()
  for (const restore of restores.splice(0)) restore()
})

async function fallbackWith(changes: Partial<InboxFallbackSettings> = {}, allowsSecrets = false, perCaller = 100) {
  const rounds = await openRounds()
  const refusals: string[] = []
  const open = { perCaller, total: 1_000 }
  const telemetry = { ...noTelemetry, refused: (why: string) => void refusals.push(why) }
  const options = { isEnabled: true, askWaitMs: 60_000, open, allowsSecrets: () => allowsSecrets }
  const asking = new OpenAskLimits(options, telemetry)
  const settings = { askWaitMs: 60_000, silentAfterMs: longMs, ...changes }
  const fallback = new InboxFallback(rounds.store, settings, asking, rounds.onError)
  const begin = (put: Put = putOf()) => {
    const id = fallback.begin(put) ?? ''
    restores.push(() => void fallback.withdraw(callOf(), id, 'call-cancelled').catch(() => undefined))
    return id
  }
  const shown = (id: string) => until(async () => (await rounds.read(id)) ?? undefined, 2_000)
  return { ...rounds, fallback, begin, shown, refusals }
}

test('[ROUTE-10] the inbox asks after the silence, with the question, its call and its deadline', async () => {
  const { store, begin, shown, read } = await fallbackWith({ silentAfterMs: 30 })
  const round = { id: 'round', atMs: store.nowMs() - 20_000 }
  const params = { name: 'wipe', arguments: { disk: 1 }, _meta: { progressToken: 1 } }
  const wanted = { ...text, params: { _meta: { ...askMeta({ waitMs: 50_000 }), other: 1 }, requestedSchema: {} } }
  const id = begin(putOf({ call: callOf({ params }), wanted, round, isHeld: true }))
  expect(id).toMatch(/^ask_/)
  expect(await read(id)).toBeUndefined()

  const ask = await shown(id)

  expect(ask).toMatchObject({
    asker: { server: 'deploy', tool: 'wipe' },
    principal: 'ann',
    commentReaches: 'asker',
    question: { kind: 'form', message: 'Which?', call: { tool: 'wipe', arguments: { disk: 1 } } },
  })
  expect(ask).not.toHaveProperty('isWaitUnknown')
  const openMs = ask.decideByMs - ask.raisedAtMs
  expect(openMs).toBeGreaterThan(28_000)
  expect(openMs).toBeLessThanOrEqual(30_000)
})

test('[CARD-5] the card of a question in a read of a resource names the resource', async () => {
  const { begin, shown } = await fallbackWith({ silentAfterMs: 10 })
  const call = callOf({ method: 'resources/read', params: { uri: 'file:///a', name: 'stray' } })

  expect(await shown(begin(putOf({ call })))).toMatchObject({
    asker: { server: 'deploy' },
    question: { call: { kind: 'resource', tool: 'file:///a', arguments: {} } },
  })
  expect((await shown(begin(putOf({ call })))).asker).not.toHaveProperty('tool')
})

test('[ROUTE-10] a question whose time is nearly up is shown for a second; a server without metadata gets no comment', async () => {
  const { store, begin, shown } = await fallbackWith({ silentAfterMs: 10 })
  const round = { id: 'round', atMs: store.nowMs() - 70_000 }

  const ask = await shown(begin(putOf({ round, isHeld: true })))

  expect(ask.decideByMs - ask.raisedAtMs).toBe(1_000)
  expect(ask).not.toHaveProperty('commentReaches')
  expect(ask.isWaitUnknown).toBe(true)
})

test('[ROUTE-10] without a time for the silence there is no fallback', async () => {
  const { fallback } = await fallbackWith({ silentAfterMs: undefined })
  expect(fallback.begin(putOf())).toBeUndefined()
})

test('[ROUTE-10] beyond the most timers a question has no fallback, and an ended one makes room', async () => {
  const { fallback, begin } = await fallbackWith()
  restores.push(setLimits(relayLimits, { silentWaits: 1 }))
  const id = begin()

  expect(fallback.begin(putOf())).toBeUndefined()
  await fallback.withdraw(callOf(), id, 'call-cancelled')
  expect(begin()).not.toBe('')
})

test('[ROUTE-10] the timers do not keep the process running', async () => {
  const { begin } = await fallbackWith()
  const unref = vi.fn()
  const timeout = vi.spyOn(globalThis, 'setTimeout').mockReturnValueOnce({ unref } as unknown as NodeJS.Timeout)
  begin()
  timeout.mockRestore()
  expect(unref).toHaveBeenCalledOnce()
})

test('[FLEET-4] the call is recorded before its question is shown, and the ask names it', async () => {
  const { begin, shown } = await fallbackWith({ silentAfterMs: 10 })
  const callId = newId('call', 1, randomBytes)
  const record = vi.fn(async () => callId)

  const ask = await shown(begin(putOf({ record })))

  expect(record).toHaveBeenCalledOnce()
  expect(ask.callId).toBe(callId)
})

test('[RUN-15] an ask that is raised after the reply is tracked where its process alone can use the answer', async () => {
  const { begin, shown, store } = await fallbackWith({ silentAfterMs: 10 })
  await store.replicas.renew('here', 60_000)
  const raised: string[] = []
  const afterwards = { replicaFor: async () => 'here', raised: (id: string) => void raised.push(id) }
  const id = begin(putOf({ call: callOf({ waiting: { afterwards } as never }) }))
  await shown(id)
  await until(() => (raised.length > 0 ? true : undefined), 2_000)

  expect(raised).toEqual([id])
})

test('[FLEET-8] at a limit only the client is asked, and the refusal is counted', async () => {
  const { fallback, begin, refusals, errors, read } = await fallbackWith({ silentAfterMs: 10 }, false, 1)
  await fallback.show(putOf(), begin())
  const id = begin()
  await until(() => (refusals.length > 0 ? true : undefined), 2_000)

  expect(refusals).toEqual(['too-many-open-caller'])
  expect(errors).toEqual([])
  expect(await read(id)).toBeUndefined()
})

test('[FLEET-10] a store that fails when the question is to be shown is reported', async () => {
  const { begin, refusals, errors, store } = await fallbackWith({ silentAfterMs: 10 })
  vi.spyOn(store.asks, 'raise').mockRejectedValue(new Error('The store is down.'))
  begin()
  await until(() => (errors.length > 0 ? true : undefined), 2_000)

  expect(errors).toEqual([new Error('The store is down.')])
  expect(refusals).toEqual([])
})

test('[ROUTE-10] an answer of the client before the silence counts, and the inbox never asks', async () => {
  const { fallback, begin, read } = await fallbackWith()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const id = begin()

  expect(await fallback.answered(putOf(), id, region)).toEqual({ given: region })
  await vi.advanceTimersByTimeAsync(2 * longMs)
  vi.useRealTimers()
  expect(await read(id)).toBeUndefined()
})

test('[ROUTE-10] an answer of the client after the silence counts and settles the ask', async () => {
  const { fallback, begin, read } = await fallbackWith()
  const id = begin()
  await fallback.show(putOf(), id)

  expect(await fallback.answered(putOf(), id, region)).toEqual({ given: region })
  expect((await read(id))?.state).toMatchObject({ kind: 'settled', via: 'client', by: 'ann' })
})

test('[ROUTE-10] after an answer in the inbox, the inbox’s answer counts', async () => {
  const { fallback, begin, answer } = await fallbackWith()
  const id = begin()
  await fallback.show(putOf(), id)
  await answer(id, { action: 'decline' })

  expect(await fallback.answered(putOf(), id, region)).toEqual({
    given: { result: { action: 'decline' } },
    isFromInbox: true,
  })
})

test('[ROUTE-10] an answer of the client that is sent twice counts once, as the client’s', async () => {
  const { fallback, begin } = await fallbackWith()
  const id = begin()
  await fallback.show(putOf(), id)
  await fallback.answered(putOf(), id, region)

  expect(await fallback.answered(putOf(), id, { result: { action: 'decline' } })).toEqual({ given: region })
})

test('[ROUTE-10] after the ask has been withdrawn, no answer of the client counts', async () => {
  const { fallback, begin, read } = await fallbackWith()
  const id = begin()
  await fallback.show(putOf(), id)
  await fallback.withdraw(callOf(), id, 'asker-stopped')
  expect((await read(id))?.state).toMatchObject({ kind: 'withdrawn', reason: 'asker-stopped' })

  expect(await fallback.answered(putOf(), id, region)).toEqual({
    given: { result: { action: 'cancel' }, end: 'withdrawn' },
    isFromInbox: true,
  })
})

const bad: readonly (readonly [string, JsonObject])[] = [
  ['does not fit the form', { action: 'accept', content: { region: 7 } }],
  ['is not an answer', { action: 'maybe' }],
  ['looks like a secret', { action: 'accept', content: { region: ghp } }],
]
test.each(bad)(
  '[ROUTE-10] an answer of the client that %s does not count, and the inbox still asks',
  async (_what, result) => {
    const { fallback, begin, read } = await fallbackWith()
    const id = begin()
    await fallback.show(putOf(), id)

    expect(await fallback.answered(putOf(), id, { result })).toBeUndefined()
    expect((await read(id))?.state.kind).toBe('open')
  },
)

test('[ROUTE-10] an error of the client does not count, and the inbox still asks', async () => {
  const { fallback, begin, read } = await fallbackWith()
  const id = begin()
  await fallback.show(putOf(), id)

  expect(await fallback.answered(putOf(), id, { error: { code: -1, message: 'closed' } })).toBeUndefined()
  expect((await read(id))?.state.kind).toBe('open')
})

test('[VOTE-7] where a secret may pass, it counts, also in a retry, and is stored until it is sent', async () => {
  const { fallback, begin, store } = await fallbackWith({}, true)
  const deleting = vi.spyOn(store.asks, 'deleteSecret')
  const id = begin()
  await fallback.show(putOf(), id)
  const given = { result: { action: 'accept', content: { region: ghp } } }

  expect(await fallback.answered(putOf(), id, given)).toEqual({ given: { ...given, isSecret: true } })
  expect(await fallback.answered(putOf(), id, given)).toEqual({ given: { ...given, isSecret: true } })
  expect(deleting).not.toHaveBeenCalled()
})

test('[VOTE-7] an answer that is no secret is not marked as one', async () => {
  const { fallback, begin } = await fallbackWith({}, true)
  const id = begin()
  await fallback.show(putOf(), id)

  expect(await fallback.answered(putOf(), id, region)).toEqual({ given: region })
})

test('[FLEET-3] an answer whose timer runs at another replica counts: the ask is stored with it, beyond any limit', async () => {
  const { fallback, begin, read } = await fallbackWith({}, false, 1)
  const other = (await fallbackWith()).begin()
  await fallback.show(putOf(), begin())

  expect(await fallback.answered(putOf(), other, region)).toEqual({ given: region })
  expect((await read(other))?.state).toMatchObject({ kind: 'settled', via: 'client' })
})

test('[ROUTE-7] withdrawing before the silence only stops the timer', async () => {
  const { fallback, begin, store } = await fallbackWith()
  const withdrawing = vi.spyOn(store.asks, 'withdraw')
  await fallback.withdraw(callOf(), begin(), 'call-cancelled')

  expect(withdrawing).not.toHaveBeenCalled()
})

const signal = new AbortController().signal

test('[ROUTE-8] a client whose question is not stored any more learns that the inbox asks', async () => {
  const { fallback } = await fallbackWith()
  expect(await fallback.elsewhere(callOf(), 'ask_unknown', 0, signal)).toBe('It is now asked in the inbox.')
})

test('[ROUTE-10] the client learns that the question was answered in the inbox, but not the answer', async () => {
  const { fallback, begin, answer } = await fallbackWith()
  const id = begin()
  const reasons = [fallback.elsewhere(callOf(), id, longMs, signal), fallback.elsewhere(callOf(), id, longMs, signal)]
  await fallback.show(putOf(), id)
  await answer(id, { action: 'decline', comment: 'Never.' })

  expect(await Promise.all(reasons)).toEqual(Array(2).fill('It was answered in the inbox.'))
})

test('[ROUTE-10] the client learns that the question has ended without an answer', async () => {
  const { fallback, begin } = await fallbackWith()
  const id = begin()
  await fallback.show(putOf(), id)
  const reason = fallback.elsewhere(callOf(), id, longMs, signal)
  await fallback.withdraw(callOf(), id, 'asker-stopped')

  expect(await reason).toBe('It is no longer open.')
})

test('[ROUTE-10] a question that cannot be stored is shown when the store is available again, and its waiter gets the answer', async () => {
  restores.push(setLimits(relayLimits, { renewEveryMs: 20 }))
  const { store, begin, fallback, shown, answer } = await fallbackWith({ silentAfterMs: 10 })
  const unavailable = () => Promise.reject(new AssentError('store_unavailable', 'The store is down.'))
  const raise = vi.spyOn(store.asks, 'raise').mockImplementation(unavailable)
  const id = begin()
  const reason = fallback.elsewhere(callOf(), id, longMs, signal)
  await until(() => (raise.mock.calls.length > 1 ? true : undefined))
  raise.mockRestore()

  await shown(id)
  await answer(id, { action: 'decline' })

  expect(await reason).toBe('It was answered in the inbox.')
})

test('[ROUTE-10] a question that could not be stored is not shown once the client has answered, or no server waits', async () => {
  restores.push(setLimits(relayLimits, { renewEveryMs: 20 }))
  for (const how of ['answer', 'answer later', 'withdraw', 'stop'] as const) {
    const { store, begin, fallback, read, errors } = await fallbackWith({ silentAfterMs: 10 })
    const raise = vi.spyOn(store.asks, 'raise')
    raise.mockImplementation(() => Promise.reject(new AssentError('store_unavailable', 'The store is down.')))
    const id = begin()
    await until(() => (errors.length > (how === 'answer later' ? 1 : 0) ? true : undefined))
    raise.mockRestore()
    if (how === 'stop') fallback.stop(id)
    else if (how === 'withdraw') await fallback.withdraw(callOf(), id, 'asker-stopped')
    else expect(await fallback.answered(putOf(), id, region)).toEqual({ given: region })
    await new Promise((resolve) => setTimeout(resolve, 60))

    const state = (await read(id))?.state.kind
    expect([how, state]).toEqual([how, how.startsWith('answer') ? 'settled' : undefined])
  }
})

test('[ROUTE-10] a question whose time is over is not stored again', async () => {
  restores.push(setLimits(relayLimits, { renewEveryMs: 10 }))
  const { store, begin, errors } = await fallbackWith({ silentAfterMs: 10 })
  const raise = vi.spyOn(store.asks, 'raise')
  raise.mockImplementation(() => Promise.reject(new AssentError('store_unavailable', 'The store is down.')))

  begin(putOf({ round: { id: 'round', atMs: store.nowMs() - 60_000 } }))
  await until(() => (errors.length > 0 ? true : undefined))
  await new Promise((resolve) => setTimeout(resolve, 60))

  expect(raise).toHaveBeenCalledTimes(1)
})

test('[ROUTE-8] a client that cannot wait longer learns that the inbox asks', async () => {
  const { fallback, begin } = await fallbackWith()
  const id = begin()
  let isOver = false
  const reason = fallback.elsewhere(callOf(), id, 40, signal)
  void reason.then(() => (isOver = true))
  await new Promise((resolve) => setTimeout(resolve, 80))
  // Only the client asks so far, so it has to go on.
  expect(isOver).toBe(false)
  await fallback.show(putOf(), id)

  expect(await reason).toBe('It is now asked in the inbox.')
})

test('[ROUTE-8] the time that a client can wait begins when it is asked, and an unreadable store ends it too', async () => {
  const { fallback, begin, store } = await fallbackWith()
  const waiting = vi.spyOn(store.asks, 'wait')
  const id = begin()
  const reason = fallback.elsewhere(callOf(), id, 200, signal)
  await new Promise((resolve) => setTimeout(resolve, 50))
  waiting.mockRejectedValue(new Error('The store is down.'))
  await fallback.show(putOf(), id)

  expect(await reason).toBe('It is now asked in the inbox.')
  const timeoutMs = waiting.mock.calls[0]?.[2]?.timeoutMs ?? 0
  expect(timeoutMs).toBeLessThanOrEqual(151)
})
