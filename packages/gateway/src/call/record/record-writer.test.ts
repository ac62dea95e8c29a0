import { AssentError } from '@assent/core'
import type { RecordedCall } from '@assent/store'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { relayLimits, setLimits } from '../../limits.ts'
import { RecordWriter } from './record-writer.ts'

const callOf = (id: string, changes: Partial<RecordedCall> = {}): RecordedCall => ({
  tenant: 'default',
  id,
  principal: 'ann',
  groups: [],
  server: 'deploy',
  method: 'tools/call',
  target: 'rollout',
  digest: 'none',
  beganAtMs: 1,
  ...changes,
})
const unavailable = new AssentError('store_unavailable', 'not now')

/** A store that can be made to fail or to wait. */
function aWriter() {
  const groups: string[][] = []
  const state = { error: undefined as unknown, pause: undefined as Promise<void> | undefined, lost: 0, errors: 0 }
  const write = async (calls: readonly RecordedCall[]) => {
    await state.pause
    if (state.error !== undefined) throw state.error
    groups.push(calls.map(({ id }) => id))
  }
  const writer = new RecordWriter(
    { write },
    (count) => {
      state.lost += count
    },
    () => {
      state.errors += 1
    },
  )
  return { writer, groups, state }
}

const before = { recordRows: relayLimits.recordRows, recordCommits: relayLimits.recordCommits }
beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
  setLimits(relayLimits, before)
})

test('[RECORD-4] calls that may wait are written in one group, within 200 ms', async () => {
  const { writer, groups } = aWriter()
  writer.later(() => callOf('a'))
  await vi.advanceTimersByTimeAsync(relayLimits.recordEveryMs - 1)
  writer.later(() => callOf('b'))
  expect(groups).toEqual([])

  await vi.advanceTimersByTimeAsync(1)

  expect(groups).toEqual([['a', 'b']])
  expect(relayLimits.recordEveryMs).toBeLessThan(200)
  writer.later(() => callOf('c'))
  await writer.close()
  expect(groups).toEqual([['a', 'b'], ['c']])
})

test('[RECORD-2] a call that is committed is stored first; calls that are committed meanwhile share a statement', async () => {
  const { writer, groups, state } = aWriter()
  const { promise, resolve } = Promise.withResolvers<void>()
  state.pause = promise
  const commits = ['a', 'b', 'c'].map((id) => writer.commit(callOf(id)))
  resolve()

  expect(await Promise.all(commits)).toEqual([true, true, true])
  expect(groups).toEqual([['a'], ['b', 'c']])
})

test('[RECORD-3] a commit that fails, or one too many, returns false', async () => {
  const { writer, state } = aWriter()
  state.error = unavailable
  expect(await writer.commit(callOf('a'))).toBe(false)
  expect(state.errors).toBe(1)

  setLimits(relayLimits, { recordCommits: 1 })
  state.error = undefined
  const { promise, resolve } = Promise.withResolvers<void>()
  state.pause = promise
  const commits = ['running', 'waiting', 'too many'].map((id) => writer.commit(callOf(id)))
  resolve()
  expect(await Promise.all(commits)).toEqual([true, true, false])
})

test('[RECORD-5] while the store is unavailable calls wait up to the limit; later ones are counted as lost', async () => {
  setLimits(relayLimits, { recordRows: 2 })
  const { writer, groups, state } = aWriter()
  state.error = unavailable
  for (const id of ['a', 'b', 'lost', 'lost too']) writer.later(() => callOf(id))
  await vi.advanceTimersByTimeAsync(relayLimits.recordEveryMs)
  expect(state).toMatchObject({ lost: 2, errors: 1 })
  writer.later(() => callOf('lost as well'))

  state.error = undefined
  await vi.advanceTimersByTimeAsync(relayLimits.recordRetryMs)

  expect(groups).toEqual([['a', 'b']])
  await vi.advanceTimersByTimeAsync(relayLimits.recordRetryMs)
  expect(state.lost).toBe(3)
})

test('[RECORD-5] the characters of waiting calls are limited too', async () => {
  const { writer, groups, state } = aWriter()
  const half = 'x'.repeat(relayLimits.recordChars / 2)
  writer.later(() => callOf('a', { arguments: half }))
  writer.later(() => callOf('b', { arguments: half }))
  await vi.advanceTimersByTimeAsync(relayLimits.recordEveryMs)
  expect(groups).toEqual([['a']])
  expect(state.lost).toBe(1)

  writer.later(() => callOf('c', { arguments: half }))
  await vi.advanceTimersByTimeAsync(relayLimits.recordEveryMs)
  expect(groups).toEqual([['a'], ['c']])
})

test('[RECORD-5] what drafts keep in memory is within the same limit, also while the store does not reply', async () => {
  const { writer, groups, state } = aWriter()
  const { promise, resolve } = Promise.withResolvers<void>()
  state.pause = promise
  writer.later(() => callOf('hanging'))
  await vi.advanceTimersByTimeAsync(relayLimits.recordEveryMs)
  const drawnUp: string[] = []
  const draft = (id: string) => () => {
    drawnUp.push(id)
    return callOf(id)
  }

  writer.later(draft('a'), 0.4 * relayLimits.recordChars)
  writer.later(draft('b'), 0.4 * relayLimits.recordChars)
  expect(drawnUp).toEqual([])
  writer.later(draft('c'), 0.4 * relayLimits.recordChars)
  expect(drawnUp).toEqual(['a', 'b', 'c'])

  resolve()
  await vi.advanceTimersByTimeAsync(relayLimits.recordEveryMs)
  expect(groups).toEqual([['hanging'], ['a', 'b', 'c']])
  expect(state.lost).toBe(0)
})

test('[RECORD-5] a group that the store refuses is counted as lost and holds up no other', async () => {
  const { writer, groups, state } = aWriter()
  state.error = new Error('invalid')
  writer.later(() => callOf('a'))
  await vi.advanceTimersByTimeAsync(relayLimits.recordEveryMs)
  expect(state).toMatchObject({ lost: 1, errors: 1 })

  state.error = undefined
  writer.later(() => callOf('b'))
  await vi.advanceTimersByTimeAsync(relayLimits.recordEveryMs)
  expect(groups).toEqual([['b']])
})

test('[RECORD-5] a call that arrives while lost ones are reported is written without a further call', async () => {
  const groups: string[][] = []
  let isRefusing = true
  const write = async (calls: readonly RecordedCall[]) => {
    if (isRefusing) throw new Error('refused')
    groups.push(calls.map(({ id }) => id))
  }
  const onLost = () => {
    isRefusing = false
    writer.later(() => callOf('b'))
  }
  const writer = new RecordWriter({ write }, onLost, () => undefined)
  writer.later(() => callOf('a'))

  await vi.advanceTimersByTimeAsync(2 * relayLimits.recordEveryMs)

  expect(groups).toEqual([['b']])
})

test('[RECORD-5] what a closing writer cannot write is counted as lost', async () => {
  const { writer, state } = aWriter()
  state.error = unavailable
  writer.later(() => callOf('a'))
  await writer.close()
  expect(state.lost).toBe(1)
})
