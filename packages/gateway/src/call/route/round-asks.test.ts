import { randomBytes } from 'node:crypto'
import { askMeta, newId } from '@assent/core'
import { expect, test, vi } from 'vitest'
import type { CallLayer } from '../layers.ts'
import type { InputRequest } from '../model.ts'
import { isPage, putOf, RoundAsks } from './round-asks.ts'
import { callOf, form, openRounds, settings, shortGrace, stateOf, unusedLayer } from './sample-rounds.suite.ts'

const call = callOf()

test('[ROUTE-6] some questions move to the inbox, with a deadline, and the others stay where they are', async () => {
  const { store, asks, read, open } = await openRounds()
  const beforeMs = store.nowMs()
  vi.spyOn(store, 'nowMs').mockReturnValue(beforeMs)
  const state = stateOf({ one: form('One?'), two: form('Two?') }, { round: { id: 'round', atMs: beforeMs } })

  const moved = await asks.moveToInbox(call, unusedLayer, state, ['one'])

  expect(Object.keys(moved.inInbox)).toEqual(['one'])
  expect((await read(moved.inInbox.one))?.state.kind).toBe('open')
  expect(moved.untilMs).toBe(beforeMs + 60_000)
  expect(await open()).toHaveLength(1)
})

test('[ROUTE-6] a question whose ask is stored already is not raised again', async () => {
  const { asks, open } = await openRounds()
  const state = stateOf({ one: form('One?') }, { onRecord: { one: 'ask_stored' } })

  const moved = await asks.moveToInbox(call, unusedLayer, state, ['one'])

  expect(moved.inInbox).toEqual({ one: 'ask_stored' })
  expect(await open()).toEqual([])
})

test('[FLEET-8] if one question of a round exceeds a limit, no ask of the round stays open', async () => {
  const { asks, open } = await openRounds(1)

  const moving = asks.moveToInbox(call, unusedLayer, stateOf({ one: form('One?'), two: form('Two?') }), ['one', 'two'])

  await expect(moving).rejects.toThrow(expect.objectContaining({ limit: 'caller' }))
  expect(await open()).toEqual([])
})

test('[ROUTE-12] a question that was answered too fast has one ask, however often it moves', async () => {
  const { asks, open, store } = await openRounds()
  const raising = vi.spyOn(store.asks, 'raise')
  const state = stateOf({ one: form('One?') })

  const first = await asks.moveToInbox(call, unusedLayer, state, ['one'], ['one'])
  const second = await asks.moveToInbox(call, unusedLayer, state, ['one'], ['one'])

  expect(second.inInbox).toEqual(first.inInbox)
  expect(await open()).toHaveLength(1)
  expect(raising).toHaveBeenCalledOnce()
})

test('[ROUTE-12] a question with a timeout shorter than the silence moves to the inbox for the rest of its time', async () => {
  const { store, asks, read } = await openRounds()
  const wanted = { one: { ...form('One?'), params: { _meta: askMeta({ waitMs: 10_000 }) } } }
  const asked = stateOf(wanted, { round: { id: 'round', atMs: store.nowMs() } })
  const state = asks.withFallback(call, unusedLayer, asked, ['one'])

  const { inInbox } = await asks.moveToInbox(call, unusedLayer, state, ['one'])

  const ask = await read(inInbox.one)
  const openMs = (ask?.decideByMs ?? 0) - (ask?.raisedAtMs ?? 0)
  expect(openMs).toBeGreaterThan(8_000)
  expect(openMs).toBeLessThanOrEqual(10_000)
})

test('[ROUTE-10] only a question for a person that is not stored yet gets a fallback, and only one', async () => {
  const { asks, fallback } = await openRounds()
  const roots: InputRequest = { kind: 'roots', params: {} }
  const wanted = { one: form('One?'), stored: form('Stored?'), roots }
  const state = stateOf(wanted, { onRecord: { stored: 'ask_stored' } })

  const copied = asks.withFallback(call, unusedLayer, state, Object.keys(wanted))
  const again = asks.withFallback(call, unusedLayer, copied, Object.keys(wanted))

  expect(Object.keys(copied.copies)).toEqual(['one'])
  expect(again.copies).toEqual(copied.copies)
  await fallback.withdraw(call, copied.copies.one ?? '', 'call-cancelled')
})

test('[ROUTE-7] an abandoned call leaves neither an ask nor a fallback behind', async () => {
  const { asks, fallback, read } = await openRounds()
  const moved = await asks.moveToInbox(call, unusedLayer, stateOf({ one: form('One?'), two: form('Two?') }), ['one'])
  const state = asks.withFallback(call, unusedLayer, moved, ['two'])

  await asks.abandon(call, state)

  expect((await read(state.inInbox.one))?.state).toMatchObject({ kind: 'withdrawn', reason: 'call-cancelled' })
  expect(await read(state.copies.two)).toBeUndefined()
  // Its timer is gone: without one, withdrawing asks the store, which does not know the ask.
  await fallback.withdraw(call, state.copies.two ?? '', 'call-cancelled')
})

test('[REPLY-5] an answer given just before its ask is discarded is recorded as undelivered', async () => {
  const { asks, read, answer } = await openRounds()
  const { inInbox } = await asks.moveToInbox(call, unusedLayer, stateOf({ one: form('One?') }), ['one'])
  await answer(inInbox.one)

  await asks.discard(call, inInbox.one ?? '', 'caller-gone')

  expect((await read(inInbox.one))?.state).toMatchObject({ kind: 'settled', undeliveredAtMs: expect.any(Number) })
})

const hangs = () => new Promise<never>(() => undefined)
const down = new Error('The store is down.')
const link: InputRequest = { kind: 'url', message: 'Open it.', url: 'https://example.com', params: {} }
const page: InputRequest = { ...link, secret: { page: 'secret_1', publicKey: 'key', leftMs: 20_000 } }
const callId = newId('call', 1, randomBytes)
const recording: CallLayer = { ...unusedLayer, record: vi.fn(async () => callId) }

/** A page for a secret that belongs to Ann. */
async function openPage() {
  const rounds = await openRounds()
  const key = { tenant: 'default', id: 'secret_1', server: 'deploy', publicKey: 'key' }
  await rounds.store.secrets.open({ ...key, decideWithinMs: 60_000, keepMs: 60_000, perServer: 9, inAll: 9 })
  await rounds.store.secrets.bind(key, 'ann')
  return rounds
}

test('[SECRET-2] only pages for secrets are raised with their round, under the server’s name for the tool', async () => {
  const { asks, read, open } = await openPage()
  const wanted = { page, link, form: form('One?') }

  const raised = await asks.raisePages(call, stateOf(wanted, { target: 'original' }), wanted, {})

  expect(Object.keys(raised)).toEqual(['page'])
  expect(await open()).toHaveLength(1)
  expect(await read(raised.page)).toMatchObject({
    asker: { tool: 'original' },
    question: { call: { tool: 'original' } },
  })
})

test('[SECRET-2] a page whose ask is stored already is not raised again', async () => {
  const { asks, open } = await openPage()

  expect(await asks.raisePages(call, stateOf({ page }), { page }, { page: 'ask_stored' })).toEqual({
    page: 'ask_stored',
  })
  expect(await open()).toEqual([])
})

test('[SECRET-2] only a link with a secret is a page', () => {
  expect([page, link, form('One?')].map((one) => isPage(one))).toEqual([true, false, false])
})

test('[ROUTE-6] a question without an ask, such as for roots, is not in the inbox, and moving it sets no deadline', async () => {
  const { asks } = await openRounds()
  const state = stateOf({ roots: { kind: 'roots', params: {} } })

  expect(await asks.moveToInbox(call, unusedLayer, state, ['roots', 'unknown'])).toEqual(state)
  expect(await asks.moveToInbox(call, unusedLayer, state, [])).not.toHaveProperty('untilMs')
})

test('[ROUTE-6] the deadline of a round is that of its last question, and an earlier one stays in the inbox', async () => {
  const { store, asks } = await openRounds()
  const nowMs = store.nowMs()
  vi.spyOn(store, 'nowMs').mockReturnValue(nowMs)
  const wanted = {
    short: { ...form('One?'), params: { _meta: askMeta({ waitMs: 5_000 }) } },
    long: { ...form('Two?'), params: { _meta: askMeta({ waitMs: 20_000 }) } },
  }
  const round = { id: 'round', atMs: nowMs }
  const first = await asks.moveToInbox(call, unusedLayer, stateOf(wanted, { round }), ['short', 'long'])
  expect(first.untilMs).toBe(nowMs + 20_000)

  const later = stateOf(wanted, { round, untilMs: nowMs + 60_000, inInbox: { other: 'ask_9' } })
  const second = await asks.moveToInbox(call, unusedLayer, later, ['short'])
  expect(second.untilMs).toBe(nowMs + 60_000)
  expect(second.inInbox).toEqual({ other: 'ask_9', short: expect.stringMatching(/^ask_/) })
})

test('[FLEET-4] the ask of a held call names its recorded call and says that its timeout is unknown', async () => {
  const { asks, read } = await openRounds()
  const state = stateOf({ one: form('One?') }, { inner: { held: 'call_1' } })
  const { inInbox } = await asks.moveToInbox(call, recording, state, ['one'])

  expect(await read(inInbox.one)).toMatchObject({ callId, isWaitUnknown: true })
  const { wanted: _1, onRecord: _2, inInbox: _3, copies: _4, kept: _5, waits: _6, ...relay } = state
  expect(recording.record).toHaveBeenCalledWith(relay)
})

test('[ROUTE-6] the ask of another call names none, and only one that may exist is looked up', async () => {
  const { asks, read, store } = await openRounds()
  const reading = vi.spyOn(store.asks, 'read')
  const { inInbox } = await asks.moveToInbox(call, unusedLayer, stateOf({ one: form('One?') }), ['one'])
  expect(reading).not.toHaveBeenCalled()
  const ask = await read(inInbox.one)

  expect(ask).not.toHaveProperty('callId')
  expect(ask).not.toHaveProperty('isWaitUnknown')
})

test('[ROUTE-12] only a question that was answered too fast has a fixed ask, and only if its request can be repeated', async () => {
  const { asks, open } = await openRounds()
  const state = stateOf({ one: form('One?') })
  const { round: _round, ...inSession } = state
  const moved = [
    await asks.moveToInbox(call, unusedLayer, state, ['one'], ['two']),
    await asks.moveToInbox(call, unusedLayer, state, ['one'], ['two']),
    await asks.moveToInbox(call, unusedLayer, inSession, ['one'], ['one']),
    await asks.moveToInbox(call, unusedLayer, inSession, ['one'], ['one']),
  ]

  expect(new Set(moved.map(({ inInbox }) => inInbox.one)).size).toBe(4)
  expect(await open()).toHaveLength(4)
})

test('[ROUTE-10] a question with a fallback moves to the inbox under the id of its fallback', async () => {
  const { asks, open } = await openRounds()
  const state = asks.withFallback(call, unusedLayer, stateOf({ one: form('One?') }), ['one'])

  const { inInbox } = await asks.moveToInbox(call, unusedLayer, state, ['one'])

  expect(inInbox).toEqual(state.copies)
  expect((await open()).map(({ id }) => id)).toEqual([inInbox.one])
})

test('[FLEET-8] only a limit withdraws the asks that were raised together: another error may be temporary', async () => {
  const { asks, store, open } = await openRounds()
  const raise = store.asks.raise.bind(store.asks)
  vi.spyOn(store.asks, 'raise').mockImplementationOnce(raise).mockRejectedValueOnce(down)
  const state = stateOf({ one: form('One?'), two: form('Two?') })

  await expect(asks.moveToInbox(call, unusedLayer, state, ['one', 'two'])).rejects.toBe(down)
  expect(await open()).toHaveLength(1)
})

test('[ROUTE-10] links have a fallback too, in addition to the copies that are there', async () => {
  const { asks, fallback } = await openRounds()
  const state = stateOf({ link, one: form('One?') }, { copies: { one: 'ask_1' } })

  const { copies } = asks.withFallback(call, unusedLayer, state, ['link', 'one', 'unknown'])

  expect(copies).toEqual({ one: 'ask_1', link: expect.stringMatching(/^ask_/) })
  await fallback.withdraw(call, copies.link ?? '', 'call-cancelled')
})

test('[ROUTE-10] without an inbox, or without room for a timer, there is no fallback', async () => {
  const { asks, store, fallback, onError, asking } = await openRounds()
  const clientOnly = new RoundAsks(store, { ...settings, surfaces: ['client'] }, asking, fallback, onError)
  const state = stateOf({ one: form('One?') })

  expect(clientOnly.withFallback(call, unusedLayer, state, ['one'])).toBe(state)
  vi.spyOn(fallback, 'begin').mockReturnValue(undefined)
  expect(asks.withFallback(call, unusedLayer, state, ['one'])).toStrictEqual(state)
})

test('[FLEET-8] a round whose answers cannot be used leaves no ask open', async () => {
  const { asks, fallback, read, answer } = await openRounds()
  const two = await asks.moveToInbox(call, unusedLayer, stateOf({ one: form('One?'), two: form('Two?') }), [
    'one',
    'two',
  ])
  await answer(two.inInbox.two)
  const begun = asks.withFallback(call, unusedLayer, stateOf({ copy: form('Three?') }), ['copy'])
  const { copies } = begun
  await fallback.show(putOf(call, unusedLayer, begun, form('Three?')), copies.copy ?? '')

  await asks.withdrawRound(call, { ...two, copies })

  const undeliverable = { kind: 'withdrawn', reason: 'undeliverable' }
  expect((await read(two.inInbox.one))?.state).toMatchObject(undeliverable)
  expect((await read(copies.copy))?.state).toMatchObject(undeliverable)
  expect((await read(two.inInbox.two))?.state).toMatchObject({ kind: 'settled', undeliveredAtMs: expect.any(Number) })
})

test('[ROUTE-7] an abandoned call withdraws its other asks even if the store fails once', async () => {
  const { asks, store, errors, read } = await openRounds()
  const moved = await asks.moveToInbox(call, unusedLayer, stateOf({ one: form('One?') }), ['one'])
  const withdrawing = vi.spyOn(store.asks, 'withdraw').mockRejectedValueOnce(down)

  await asks.abandon(call, { ...moved, copies: { two: 'ask_2' } })

  expect(withdrawing).toHaveBeenCalledWith('default', 'ask_2', 'call-cancelled')
  expect(errors).toEqual([down])
  expect((await read(moved.inInbox.one))?.state).toMatchObject({ kind: 'withdrawn', reason: 'call-cancelled' })
})

test('[WAIT-7] withdrawing returns the ended ask, and a store that fails or hangs delays nothing', async () => {
  const { asks, store, errors, read } = await openRounds()
  const { inInbox } = await asks.moveToInbox(call, unusedLayer, stateOf({ one: form('One?') }), ['one'])
  const undelivered = vi.spyOn(store.asks, 'undelivered')

  expect(await asks.withdraw(call, inInbox.one ?? '', 'asker-stopped')).toEqual(await read(inInbox.one))
  expect(await asks.withdraw(call, 'ask_unknown', 'asker-stopped')).toBeUndefined()
  await asks.discard(call, inInbox.one ?? '', 'asker-stopped')
  await asks.discard(call, 'ask_unknown', 'asker-stopped')
  expect(undelivered).not.toHaveBeenCalled()

  shortGrace()
  vi.spyOn(store.asks, 'withdraw').mockRejectedValueOnce(down).mockImplementationOnce(hangs)
  expect(await asks.withdraw(call, inInbox.one ?? '', 'asker-stopped')).toBeUndefined()
  expect(await asks.withdraw(call, inInbox.one ?? '', 'asker-stopped')).toBeUndefined()
  expect(errors).toEqual([down, expect.objectContaining({ code: 'store_unavailable' })])
})

test('[WAIT-9] only answers of the inbox are recorded as undelivered', async () => {
  const { asks, store, errors } = await openRounds()
  shortGrace()
  const undelivered = vi.spyOn(store.asks, 'undelivered').mockRejectedValueOnce(down).mockImplementation(hangs)
  const state = stateOf({}, { inInbox: { one: 'ask_1', two: 'ask_2', expired: 'ask_3', none: 'ask_4' } })
  const yes = { result: { action: 'accept' } }

  await asks.noteUndelivered(call, state, {
    one: yes,
    two: yes,
    expired: { error: { code: 1, message: '' } },
    client: yes,
  })

  expect(undelivered.mock.calls).toEqual([
    ['default', 'ask_1', true],
    ['default', 'ask_2', true],
  ])
  expect(errors).toEqual([down, expect.objectContaining({ code: 'store_unavailable' })])
})

test('[REPLY-8] secrets that reached the server are deleted, and no other answer is', async () => {
  const { asks, store, errors } = await openRounds()
  const deleting = vi.spyOn(store.asks, 'deleteSecret').mockRejectedValueOnce(down).mockResolvedValue()
  const result = { action: 'accept' }
  const secret = { result, isConfirmed: true } as const
  const answers = {
    one: secret,
    two: secret,
    plain: { result },
    error: { error: { code: 1, message: '' } },
    client: secret,
    copied: { result, isSecret: true },
  } as const
  const inInbox = { one: 'ask_1', two: 'ask_2', plain: 'ask_3', error: 'ask_4' }

  await asks.deleteSecrets(call, stateOf({}, { inInbox, copies: { copied: 'ask_5' } }), answers)

  expect(deleting.mock.calls).toEqual([
    ['default', 'ask_1'],
    ['default', 'ask_2'],
    ['default', 'ask_5'],
  ])
  expect(errors).toEqual([down])
})

test.each(['accept', 'decline', 'cancel'])(
  '[REPLY-11] a %s that was too fast is recorded on the ask',
  async (action) => {
    const { asks, read } = await openRounds()
    const { inInbox } = await asks.moveToInbox(call, unusedLayer, stateOf({ one: form('One?') }), ['one'])
    await asks.noteFast(call, inInbox.one, { result: { action } }, 40)

    expect((await read(inInbox.one))?.fastAnswer).toEqual({ action, afterMs: 40 })
  },
)

test('[REPLY-11] nothing is recorded without an ask or an action, and a store that fails or hangs delays nothing', async () => {
  const { asks, store, errors } = await openRounds()
  shortGrace()
  const noting = vi.spyOn(store.asks, 'noteFastAnswer').mockRejectedValueOnce(down).mockImplementation(hangs)
  const no = { result: { action: 'decline' } }
  await asks.noteFast(call, undefined, no, 40)
  await asks.noteFast(call, 'ask_1', { result: { action: 'maybe' } }, 40)
  await asks.noteFast(call, 'ask_1', { error: { code: 1, message: '' } }, 40)
  expect(noting).not.toHaveBeenCalled()

  await asks.noteFast(call, 'ask_1', no, 40)
  await asks.noteFast(call, 'ask_1', no, 40)
  expect(errors).toEqual([down, expect.objectContaining({ code: 'store_unavailable' })])
})

test('[ROUTE-10] a fallback has all that its ask is made of', async () => {
  const state = stateOf({}, { inner: { held: 'call_1' }, target: 'original' })
  const put = putOf(call, recording, state, link)

  expect(put).toMatchObject({ server: 'deploy', wanted: link, isHeld: true, round: state.round })
  expect(put.call.params).toMatchObject({ name: 'original' })
  expect(await put.record?.()).toBe(callId)
  expect(putOf(call, unusedLayer, stateOf({}), link)).not.toHaveProperty('record')
  expect(putOf(call, unusedLayer, stateOf({}), link)).toMatchObject({ isHeld: false })
})
