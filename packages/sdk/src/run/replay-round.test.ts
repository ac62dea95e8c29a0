import { setTimeout as sleep } from 'node:timers/promises'
import { askLimits, newId } from '@assent/core'
import { describe, expect, test, vi } from 'vitest'
import * as asked from '../ask/describe.ts'
import type { Ending } from '../ask/ending.ts'
import type { AskRecord, RunSettings } from '../ask/run.ts'
import { Journal } from '../journal/journal.ts'
import { sdkLimits } from '../limits.ts'
import { type ReplayOptions, ReplayRun } from './replay.ts'

const nowMs = 1_000_000
const name = asked.text('Name?')
const age = asked.text('Age?')
const town = asked.text('Town?')
const answered = (text: string) => ({ action: 'accept', content: { text } })

function roundOf(journal: Journal, parts: Partial<ReplayOptions> = {}): ReplayRun {
  let ids = 0
  const runSettings: RunSettings = {
    waitMs: 60_000,
    isWaitDefault: true,
    nowMs: () => nowMs,
    onError: () => undefined,
    newAskId: () => newId('ask', nowMs, (count) => new Uint8Array(count).fill(++ids)),
  }
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

/** A journal in which these were asked in one round, each in a branch of its own. */
async function asking(...descriptions: readonly asked.Description[]): Promise<Journal> {
  const journal = new Journal('call_1')
  const run = roundOf(journal)
  await run.end(Promise.all(descriptions.map((description) => run.put(description))))
  return journal
}

const recordWith = (raised: AskRecord['raise'], withdrawn = vi.fn(async () => undefined)): AskRecord => ({
  raise: raised,
  settle: async (): Promise<Ending> => ({ kind: 'accepted' }),
  withdraw: withdrawn,
})

describe('a round', () => {
  test('[SDK-9] ends with its questions in order', async () => {
    const journal = new Journal('call_1')
    const run = roundOf(journal)
    const ended = await run.end(Promise.all([run.put(name), run.put(age)]))
    expect(ended).toEqual({
      kind: 'asks',
      asks: [
        { place: 0, entry: expect.objectContaining({ label: 'Name?', decideByMs: nowMs + 60_000 }), description: name },
        { place: 1, entry: expect.objectContaining({ label: 'Age?' }), description: age },
      ],
    })
    expect([run.callId, run.surface, run.asksSecrets]).toEqual(['call_1', 'client', false])
  })

  test('[SDK-9] waits for a running step after the handler has returned', async () => {
    const journal = new Journal('call_1')
    const run = roundOf(journal)
    const slow = run.once('slow', () => sleep(30, 'slept'))
    const ended = await run.end(Promise.race([run.put(name), slow, Promise.resolve('early')]))
    expect(ended.kind).toBe('asks')
    expect(journal.steps.get('slow')).toEqual({ kind: 'done', result: 'slept' })
  })

  test('[SDK-9] that is over starts nothing more', async () => {
    const work = vi.fn()
    const late = async (run: ReplayRun, journal: Journal, asks: number) => {
      const settled = vi.fn()
      void run.once('late', work).then(settled)
      void run.put(town).then(settled)
      await sleep(5)
      expect(settled).not.toHaveBeenCalled()
      expect(journal.asks).toHaveLength(asks)
    }
    const finished = new Journal('call_1')
    const first = roundOf(finished)
    expect(await first.end(Promise.resolve('done'))).toEqual({ kind: 'finished', value: 'done' })
    await late(first, finished, 0)

    const paused = new Journal('call_1')
    const second = roundOf(paused)
    await second.end(second.put(name))
    await late(second, paused, 1)

    const broken = new Journal('call_1')
    const third = roundOf(broken)
    void third.once('', work)
    await late(third, broken, 0)
    expect(work).not.toHaveBeenCalled()
  })

  test('[SDK-9] runs its `afterwards` work when the call is over, and not while it has questions', async () => {
    const journal = new Journal('call_1')
    const work = vi.fn(async () => undefined)
    const first = roundOf(journal)
    await first.afterwards(work)
    await first.end(first.put(name))
    expect(work).not.toHaveBeenCalled()
    const second = roundOf(journal, { answers: new Map([[0, answered('Ada')]]) })
    await second.afterwards(work)
    expect(work).not.toHaveBeenCalled()
    expect(await second.end(second.put(name))).toMatchObject({
      kind: 'finished',
      value: { ending: { kind: 'accepted', content: { text: 'Ada' } }, atMs: nowMs, repeatableUntilMs: nowMs + 60_000 },
    })
    expect(work).toHaveBeenCalledTimes(1)
    const third = roundOf(new Journal('call_1'))
    await third.afterwards(work)
    expect(await third.end(Promise.reject(new Error('x')))).toMatchObject({ kind: 'failed', error: { message: 'x' } })
    expect(work).toHaveBeenCalledTimes(2)
  })

  test('[RUN-16] withdraws an approval only after it is recorded', async () => {
    const order: string[] = []
    const withdrawn = vi.fn(async () => {
      order.push('withdrawn')
      return undefined
    })
    const run = roundOf(new Journal('call_1'))
    const raising = async () => {
      await sleep(20)
      order.push('raised')
    }
    void run.put(name, recordWith(raising, withdrawn))
    const failing = recordWith(() => Promise.reject(new Error('away')), withdrawn)
    void run.put(age, failing)
    await run.withdrawRaised()
    expect(order).toEqual(['withdrawn', 'raised', 'withdrawn'])
    expect(withdrawn).toHaveBeenCalledTimes(2)
  })
})

describe('questions at once', () => {
  const many = (count: number) => Array.from({ length: count }, (_, at) => asked.text(`Question ${at}?`))
  const together = (run: ReplayRun, count: number) =>
    run.end(Promise.all(many(count).map((description) => run.put(description))))

  test('[SDK-12] are limited, and the error has the limit', async () => {
    expect(await together(roundOf(new Journal('call_1')), sdkLimits.asksAtOnce)).toMatchObject({ kind: 'asks' })
    expect(await together(roundOf(new Journal('call_1')), sdkLimits.asksAtOnce + 1)).toMatchObject({
      kind: 'failed',
      error: { code: 'limit_exceeded', message: 'At most 16 questions can be open at once.' },
    })
  })

  test('[SDK-4] that the client cannot show are not sent, and do not count', async () => {
    const journal = new Journal('call_1')
    const raised = vi.fn(async () => undefined)
    const run = roundOf(journal, { refuses: () => 'no forms' })
    const count = sdkLimits.asksAtOnce + 1
    const ended = await run.end(Promise.all(many(count).map((description) => run.put(description, recordWith(raised)))))
    expect(ended).toMatchObject({ kind: 'finished' })
    expect(journal.asks.map(({ ended: entry }) => entry?.ending)).toEqual(
      Array.from({ length: count }, () => ({ kind: 'not_supported', why: 'no forms' })),
    )
    expect(raised).not.toHaveBeenCalled()
  })

  test('[SDK-4] for another surface are not sent', async () => {
    const journal = new Journal('call_1')
    const run = roundOf(journal)
    await run.end(run.put(asked.text('Name?', { surface: 'terminal' })))
    expect(journal.asks[0]?.ended?.ending).toMatchObject({ kind: 'not_supported', why: expect.stringMatching(/./) })
  })
})

describe('the wait of a question', () => {
  const waitMs = async (description: asked.Description, isGateway: boolean) => {
    const journal = new Journal('call_1')
    const run = roundOf(journal, { isGateway })
    await run.end(run.put(description))
    return (journal.asks[0]?.decideByMs ?? 0) - nowMs
  }

  test('[WAIT-5] [WAIT-6] is its own; behind our gateway there is extra time to send the answer', async () => {
    const short = asked.text('Name?', { waitMs: 5_000 })
    expect(await waitMs(name, false)).toBe(60_000)
    expect(await waitMs(short, false)).toBe(5_000)
    expect(await waitMs(short, true)).toBe(5_000 + sdkLimits.returnWithinMs)
    expect(await waitMs(name, true)).toBe(sdkLimits.resumableWaitMs + sdkLimits.returnWithinMs)
    const days = asked.text('Name?', { waitMs: 2 * sdkLimits.resumableWaitMs, isDefaultWait: true })
    expect(await waitMs(days, true)).toBe(2 * sdkLimits.resumableWaitMs + sdkLimits.returnWithinMs)
    expect(await waitMs(asked.text('Name?', { waitMs: askLimits.decideMaxMs }), true)).toBe(askLimits.decideMaxMs)
  })
})

describe('branches of a handler', () => {
  test('[SDK-8] that ask concurrently are marked, one that asks alone is not', async () => {
    expect((await asking(name)).asks.map(({ isConcurrent }) => isConcurrent)).toEqual([undefined])
    expect((await asking(name, age)).asks.map(({ isConcurrent }) => isConcurrent)).toEqual([true, true])
  })

  test('[SDK-8] a question asked while a step runs or starts is marked', async () => {
    const before = new Journal('call_1')
    const first = roundOf(before)
    const slow = first.once('slow', () => sleep(10))
    await first.end(Promise.all([slow, first.put(name)]))
    expect(before.asks[0]?.isConcurrent).toBe(true)

    const after = new Journal('call_1')
    const second = roundOf(after)
    const begin = async () => {
      // Late enough for the question to be open, and before the turn is over.
      for (let turn = 0; turn < 20; turn++) await Promise.resolve()
      await second.once('slow', () => sleep(10))
    }
    await second.end(Promise.all([second.put(name), begin()]))
    expect(after.asks[0]?.isConcurrent).toBe(true)
  })

  test('[SDK-8] a question next to a step that finishes at once, or after another one in the same turn, is marked', async () => {
    const quick = new Journal('call_1')
    const first = roundOf(quick)
    const step = first.once('quick', async () => 'done')
    await first.end(Promise.all([step, first.put(name)]))
    expect(quick.asks[0]?.isConcurrent).toBe(true)

    const inTurn = new Journal('call_1')
    const second = roundOf(inTurn)
    const later = async () => {
      for (let turn = 0; turn < 20; turn++) await Promise.resolve()
      return second.put(age)
    }
    await second.end(Promise.all([second.put(name), later()]))
    expect(inTurn.asks.map(({ isConcurrent }) => isConcurrent)).toEqual([true, true])
  })

  test('[SDK-10] a slower branch is waited for when it had asked concurrently', async () => {
    const journal = await asking(name, age)
    const run = roundOf(journal, { answers: new Map([[0, answered('Ada')]]) })
    const fast = run.put(name).then(() => run.put(town))
    const slow = sleep(40).then(() => run.put(age))
    expect(await run.end(Promise.all([fast, slow]))).toMatchObject({
      kind: 'asks',
      asks: [{ description: town }, { description: age }],
    })
  })

  test('[SDK-10] a question that is not asked again in time is out of order, and so is one that was asked alone', async () => {
    const outOfOrder = { kind: 'failed', error: { code: 'out_of_order' } }
    const concurrent = roundOf(await asking(name, age), { answers: new Map([[0, answered('Ada')]]) })
    const startedAt = performance.now()
    expect(await concurrent.end(concurrent.put(name).then(() => concurrent.put(town)))).toMatchObject(outOfOrder)
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(sdkLimits.slowBranchesMs - 5)

    const alone = roundOf(await asking(name))
    expect(await alone.end(alone.put(town))).toMatchObject({
      ...outOfOrder,
      error: { message: expect.stringContaining('asked "Name?" before and asks "Town?" now') },
    })
  })

  test('[SDK-9] a round that asks nothing new ends though another question was not reached yet', async () => {
    const run = roundOf(await asking(name, age))
    expect(await run.end(run.put(age))).toMatchObject({ kind: 'asks', asks: [{ place: 1, description: age }] })
  })
})
