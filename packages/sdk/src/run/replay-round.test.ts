import { setTimeout as sleep } from 'node:timers/promises'
import { askLimits, newId } from '@assent/core'
import { afterEach, describe, expect, test, vi } from 'vitest'
import * as asked from '../ask/describe.ts'
import type { Ending } from '../ask/ending.ts'
import type { AskRecord, RunSettings } from '../ask/run.ts'
import { decodeJournal, encodeJournal } from '../journal/encode.ts'
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
    repeatWithinMs: sdkLimits.repeatWithinMs,
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
    expect(journal.steps.get('slow')?.entry).toEqual({ kind: 'done', result: 'slept' })
  })

  test('[SDK-9] that is over starts nothing more', async () => {
    const work = vi.fn()
    const late = async (run: ReplayRun, journal: Journal, asks: number) => {
      const settled = vi.fn()
      void run.once('late', work).then(settled)
      // Rejected where the handler has finished, see late-ask.test.ts.
      void run.put(town).then(settled, () => undefined)
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

  test('[SDK-9] that ends with questions does not end its call; every other end does', async () => {
    const journal = new Journal('call_1')
    const first = roundOf(journal)
    await first.end(first.put(name))
    expect(first.ended.aborted).toBe(false)
    const second = roundOf(journal, { answers: new Map([[0, answered('Ada')]]) })
    expect(await second.end(second.put(name))).toMatchObject({
      kind: 'finished',
      value: { ending: { kind: 'accepted', content: { text: 'Ada' } }, atMs: nowMs, repeatableUntilMs: nowMs + 60_000 },
    })
    const third = roundOf(new Journal('call_1'))
    expect(await third.end(Promise.reject(new Error('x')))).toMatchObject({ kind: 'failed', error: { message: 'x' } })
    expect([second.ended.aborted, third.ended.aborted]).toEqual([true, true])
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
  const next = (journal: Journal) => decodeJournal(encodeJournal(journal))
  afterEach(() => {
    vi.useRealTimers()
  })

  test('[SDK-10] however slow a branch is, it is waited for: no answer is delivered and nothing new starts before it', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const journal = next(await asking(name, age))
    const run = roundOf(journal, { answers: new Map([[0, answered('Ada')]]) })
    const work = vi.fn(() => 1)
    const fast = run.put(name).then(() => run.once('new', work).then(() => run.put(town)))
    const slow = new Promise((resolve) => setTimeout(resolve, 9_000)).then(() => run.put(age))
    const ended = run.end(Promise.all([fast, slow]))
    await vi.advanceTimersByTimeAsync(8_999)
    expect(work).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    expect(await ended).toMatchObject({ kind: 'asks', asks: [{ description: age }, { description: town }] })
    expect(work).toHaveBeenCalledTimes(1)
  })

  test('[SDK-10] a declined question cannot end the handler before a slow branch has reached what it asked', async () => {
    const journal = next(await asking(name, age))
    const run = roundOf(journal, { answers: new Map([[0, { action: 'decline' }]]) })
    const handler = async () => {
      const slow = sleep(20).then(() => run.put(age))
      const first = await Promise.race([run.put(name), slow])
      return first.ending.kind
    }
    expect(await run.end(handler())).toMatchObject({ kind: 'asks' })
  })

  test('[SDK-10] a handler that finishes without what it asked before is stopped at once', async () => {
    const journal = new Journal('call_1')
    const first = roundOf(journal)
    await first.end(Promise.all([first.once('charge', () => 1), first.put(name)]))
    const answers = new Map([[0, answered('Ada')]])
    const withoutAsk = roundOf(next(journal), { answers })
    expect(await withoutAsk.end(withoutAsk.once('charge', () => 2))).toMatchObject({
      kind: 'failed',
      error: { message: expect.stringContaining('asked "Name?" before and has now finished without it') },
    })
    const failing = roundOf(next(journal), { answers })
    expect(await failing.end(Promise.reject(new Error('network')))).toMatchObject({ error: { message: 'network' } })
  })

  test('[SDK-10] a handler that does something else in its place is stopped, and nothing new has run', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const work = vi.fn()
    const stoppedBy = async (run: ReplayRun, handler: Promise<unknown>) => {
      const ended = run.end(handler)
      await vi.advanceTimersByTimeAsync(sdkLimits.repeatWithinMs)
      return ended
    }
    const journal = new Journal('call_1')
    const first = roundOf(journal)
    await first.end(first.once('charge 1', work).then(() => first.put(name)))
    work.mockClear()
    const answers = new Map([[0, answered('Ada')]])
    const stepping = roundOf(next(journal), { answers })
    expect(await stoppedBy(stepping, stepping.once('charge 2', work))).toMatchObject({
      kind: 'failed',
      error: {
        code: 'out_of_order',
        message: expect.stringContaining('"charge 1" before and runs the step "charge 2"'),
      },
    })
    const asking2 = roundOf(next(await asking(name)), { answers })
    expect(await stoppedBy(asking2, asking2.put(town))).toMatchObject({
      kind: 'failed',
      error: { message: expect.stringContaining('asked "Name?" before and asks "Town?" now') },
    })
    const skipping = roundOf(next(journal), { answers })
    expect(await stoppedBy(skipping, skipping.put(name))).toMatchObject({
      kind: 'failed',
      error: { message: expect.stringContaining('ran the step "charge 1" before and does not reach it now') },
    })
    const partly = roundOf(next(await asking(name, age)), { answers })
    expect(await stoppedBy(partly, partly.put(name))).toMatchObject({
      kind: 'failed',
      error: { message: expect.stringContaining('asked "Age?" before and does not reach it now') },
    })
    expect(work).not.toHaveBeenCalled()
    expect(vi.getTimerCount()).toBe(0)
  })
})
