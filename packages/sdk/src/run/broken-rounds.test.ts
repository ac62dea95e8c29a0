// Rounds and calls that end in the same moment in which something else continues. Nothing may start then.

import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '@assent/core'
import { describe, expect, test, vi } from 'vitest'
import * as asked from '../ask/describe.ts'
import type { AskRecord, RunSettings } from '../ask/run.ts'
import { createAssent } from '../assent.ts'
import { decodeJournal, encodeJournal } from '../journal/encode.ts'
import { Journal } from '../journal/journal.ts'
import { sdkLimits } from '../limits.ts'
import { accept, roundsOf } from '../rounds.suite.ts'
import type { Surface } from '../surface.ts'
import { LiveRun } from './live.ts'
import { type ReplayOptions, ReplayRun } from './replay.ts'

const nowMs = 1_000_000
const [name, age] = [asked.text('Name?'), asked.text('Age?')]
const answered = { action: 'accept', content: { text: 'Ada' } }
const runSettings: RunSettings = {
  waitMs: 60_000,
  isWaitDefault: true,
  nowMs: () => nowMs,
  onError: () => undefined,
  repeatWithinMs: sdkLimits.repeatWithinMs,
  newAskId: () => newId('ask', nowMs, (count) => new Uint8Array(count)),
}

function roundOf(journal: Journal, parts: Partial<ReplayOptions> = {}): ReplayRun {
  return new ReplayRun({
    journal,
    answers: new Map(),
    runSettings,
    record: undefined,
    decodeAnswer: (_, raw) => raw,
    isGateway: false,
    refuses: () => undefined,
    ...parts,
  })
}

/** The journal of the second round of a handler that asked these. */
async function secondRound(...descriptions: readonly asked.Description[]): Promise<Journal> {
  const journal = new Journal('call_1')
  const run = roundOf(journal)
  await run.end(Promise.all(descriptions.map((description) => run.put(description))))
  return decodeJournal(encodeJournal(journal))
}

describe('a mistake in one branch', () => {
  const misconfigured = { kind: 'failed', error: { code: 'misconfigured' } }
  const never = () => new Promise<never>(() => undefined)

  test('[SDK-38] starts no step and no ask that waited for an earlier question', async () => {
    const journal = await secondRound(name)
    const run = roundOf(journal, { answers: new Map([[0, answered]]) })
    const [work, settled, raise] = [vi.fn(), vi.fn(), vi.fn(async () => undefined)]
    const record: AskRecord = { raise, settle: async () => ({ kind: 'accepted' }), withdraw: async () => undefined }
    void run.once('new', work).then(settled)
    void run.put(age, record).then(settled)
    // Reached now, and in the same moment the handler makes a mistake.
    void run.put(name).then(settled)
    void run.once('', work).then(settled)
    expect(await run.end(never())).toMatchObject(misconfigured)
    await sleep(5)
    for (const not of [work, settled, raise]) expect(not).not.toHaveBeenCalled()
    expect(journal.asks).toHaveLength(1)
  })

  test('[SDK-38] starts no step that was about to start, and delivers no answer', async () => {
    const run = roundOf(new Journal('call_1'))
    const work = vi.fn()
    void run.once('pay', work)
    void run.once('', work)
    expect(await run.end(never())).toMatchObject(misconfigured)
    await sleep(5)
    expect(work).not.toHaveBeenCalled()

    const journal = await secondRound(name)
    const second = roundOf(journal, { answers: new Map([[0, answered]]) })
    const got = vi.fn()
    void second.put(name).then(got)
    void second.once('', work)
    expect(await second.end(never())).toMatchObject(misconfigured)
    await sleep(5)
    expect(got).not.toHaveBeenCalled()
  })
})

test('[SDK-33] a step whose declared result fits into the state runs without a store', async () => {
  const run = roundOf(new Journal('call_1'))
  expect(await run.end(run.once('small', () => 'ok', { maxResultChars: 100 }))).toEqual({
    kind: 'finished',
    value: 'ok',
  })
})

test('[SDK-33] a step that declares a larger result than a store keeps is not run, with or without a store', async () => {
  const work = vi.fn()
  const large = { maxResultChars: 1_000_000 }
  const refused = { code: 'misconfigured', message: expect.stringContaining('`maxResultChars` of a step is') }
  const live = new LiveRun('call_1', {} as Surface, runSettings)
  await expect(live.end(live.once('big', work, large))).rejects.toMatchObject(refused)
  const steps = { claim: work, finish: work, keep: work } as never
  const store = {
    steps,
    tenant: 'acme',
    callId: 'call_1',
    owner: 'me',
    keepMs: 1,
    running: new Map(),
    nowMs: () => nowMs,
  }
  for (const record of [undefined, store]) {
    const run = roundOf(new Journal('call_1'), { record })
    expect(await run.end(run.once('big', work, large))).toMatchObject({ kind: 'failed', error: refused })
  }
  expect(work).not.toHaveBeenCalled()
})

test('[SDK-4] a client that retries without an answer, and can no longer show the question, is not sent it', async () => {
  const call = roundsOf(createAssent().interactive, async (_, { ask }) => ask.text('Name?'))
  const { state } = await call()
  const again = await call(undefined, { state, elicitation: { url: {} } })
  expect(again).toMatchObject({ code: 'not_supported', state: undefined })
  const answers = { 'ask-1': accept({ text: 'Ada' }) }
  expect((await call(undefined, { state, answers })).text).toBe('Ada')
})

describe('a surface', () => {
  const surfaceWith = (put: Surface['put'], graceMs?: number): Surface => ({
    name: 'client',
    refuses: () => undefined,
    put,
    ...(graceMs === undefined ? {} : { graceMs }),
  })

  test.each([
    ['an error', new Error('closed')],
    ['a text', 'closed'],
  ])('[SDK-17] that throws %s has not reached the person', async (_, thrown) => {
    const run = new LiveRun(
      'call_1',
      surfaceWith(() => Promise.reject(thrown)),
      runSettings,
    )
    expect(await run.end(run.put(name))).toMatchObject({ ending: { kind: 'channel_closed', why: 'closed' } })
  })

  test('[GATE-8] the record of an approval stays open for as long as the surface may still reply', async () => {
    for (const graceMs of [undefined, 30_000]) {
      const raise = vi.fn(async () => undefined)
      const settle: AskRecord['settle'] = async () => ({ kind: 'accepted' })
      const surface = surfaceWith(async () => ({ kind: 'answered', answer: answered }), graceMs)
      const run = new LiveRun('call_1', surface, runSettings)
      await run.end(run.put(name, { raise, settle, withdraw: async () => undefined }))
      expect(raise).toHaveBeenCalledWith(expect.any(String), 60_000 + (graceMs ?? 0))
    }
  })
})
