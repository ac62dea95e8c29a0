import { setTimeout as sleep } from 'node:timers/promises'
import { askLimits, newId } from '@assent/core'
import { describe, expect, test, vi } from 'vitest'
import * as asked from '../ask/describe.ts'
import type { Ending } from '../ask/ending.ts'
import { Journal } from '../journal/journal.ts'
import { sdkLimits } from '../limits.ts'
import { type ReplayParts, ReplayRun } from './replay.ts'
import type { Keeper, Terms } from './run.ts'

const nowMs = 1_000_000
const name = asked.text('Name?')
const age = asked.text('Age?')
const town = asked.text('Town?')
const answered = (text: string) => ({ action: 'accept', content: { text } })

function roundOf(journal: Journal, parts: Partial<ReplayParts> = {}): ReplayRun {
  let ids = 0
  const terms: Terms = {
    waitMs: 60_000,
    isWaitDefault: true,
    nowMs: () => nowMs,
    newAskId: () => newId('ask', nowMs, (count) => new Uint8Array(count).fill(++ids)),
  }
  return new ReplayRun({
    journal,
    answers: new Map(),
    terms,
    record: undefined,
    hears: (_, raw) => raw,
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

const keeping = (raised: Keeper['raised'], withdrawn = vi.fn(async () => undefined)): Keeper => ({
  raised,
  settled: async (): Promise<Ending> => ({ kind: 'accepted' }),
  withdrawn,
})

describe('a round', () => {
  test('[SDK-9] ends with its questions, each in its place', async () => {
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

  test('[SDK-9] waits for a step under way though the handler has returned', async () => {
    const journal = new Journal('call_1')
    const run = roundOf(journal)
    const slow = run.once('slow', () => sleep(30, 'slept'))
    const ended = await run.end(Promise.race([run.put(name), slow, Promise.resolve('early')]))
    expect(ended.kind).toBe('asks')
    expect(journal.steps.get('slow')).toEqual({ kind: 'done', result: 'slept' })
  })

  test('[SDK-9] that is over lets nothing more begin', async () => {
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

  test('[SDK-9] does what comes afterwards when the call is over, and not while it has questions', async () => {
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

  test('[RUN-16] takes back what it asked for only after that is on record', async () => {
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
    void run.put(name, keeping(raising, withdrawn))
    const failing = keeping(() => Promise.reject(new Error('away')), withdrawn)
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

  test('[SDK-12] are so many and no more, and the error says how many', async () => {
    expect(await together(roundOf(new Journal('call_1')), sdkLimits.asksAtOnce)).toMatchObject({ kind: 'asks' })
    expect(await together(roundOf(new Journal('call_1')), sdkLimits.asksAtOnce + 1)).toMatchObject({
      kind: 'failed',
      error: { code: 'limit_exceeded', message: 'At most 16 questions can be open at once.' },
    })
  })

  test('[SDK-4] that cannot be put are put to nobody, and do not count', async () => {
    const journal = new Journal('call_1')
    const raised = vi.fn(async () => undefined)
    const run = roundOf(journal, { refuses: () => 'no forms' })
    const count = sdkLimits.asksAtOnce + 1
    const ended = await run.end(Promise.all(many(count).map((description) => run.put(description, keeping(raised)))))
    expect(ended).toMatchObject({ kind: 'finished' })
    expect(journal.asks.map(({ ended: entry }) => entry?.ending)).toEqual(
      Array.from({ length: count }, () => ({ kind: 'not_supported', why: 'no forms' })),
    )
    expect(raised).not.toHaveBeenCalled()
  })

  test('[SDK-4] that belong elsewhere are not put here', async () => {
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

  test('[WAIT-5] [WAIT-6] is its own; behind our gateway there is time to bring the answer', async () => {
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
  test('[SDK-8] asked beside each other are marked, one that is alone is not', async () => {
    expect((await asking(name)).asks.map(({ isBeside }) => isBeside)).toEqual([undefined])
    expect((await asking(name, age)).asks.map(({ isBeside }) => isBeside)).toEqual([true, true])
  })

  test('[SDK-8] a question asked while a step is under way, or begins, is marked', async () => {
    const before = new Journal('call_1')
    const first = roundOf(before)
    const slow = first.once('slow', () => sleep(10))
    await first.end(Promise.all([slow, first.put(name)]))
    expect(before.asks[0]?.isBeside).toBe(true)

    const after = new Journal('call_1')
    const second = roundOf(after)
    const begin = async () => {
      // Late enough for the question to be open, and before the turn is over.
      for (let turn = 0; turn < 20; turn++) await Promise.resolve()
      await second.once('slow', () => sleep(10))
    }
    await second.end(Promise.all([second.put(name), begin()]))
    expect(after.asks[0]?.isBeside).toBe(true)
  })

  test('[SDK-8] also what was asked beside a step that was done at once, or one after the other in one turn, is marked', async () => {
    const quick = new Journal('call_1')
    const first = roundOf(quick)
    const step = first.once('quick', async () => 'done')
    await first.end(Promise.all([step, first.put(name)]))
    expect(quick.asks[0]?.isBeside).toBe(true)

    const inTurn = new Journal('call_1')
    const second = roundOf(inTurn)
    const later = async () => {
      for (let turn = 0; turn < 20; turn++) await Promise.resolve()
      return second.put(age)
    }
    await second.end(Promise.all([second.put(name), later()]))
    expect(inTurn.asks.map(({ isBeside }) => isBeside)).toEqual([true, true])
  })

  test('[SDK-10] a slower branch is waited for when it had asked beside others', async () => {
    const journal = await asking(name, age)
    const run = roundOf(journal, { answers: new Map([[0, answered('Ada')]]) })
    const fast = run.put(name).then(() => run.put(town))
    const slow = sleep(40).then(() => run.put(age))
    expect(await run.end(Promise.all([fast, slow]))).toMatchObject({
      kind: 'asks',
      asks: [{ description: town }, { description: age }],
    })
  })

  test('[SDK-10] what is not asked again in time is out of order, and so is what was asked alone', async () => {
    const outOfOrder = { kind: 'failed', error: { code: 'out_of_order' } }
    const beside = roundOf(await asking(name, age), { answers: new Map([[0, answered('Ada')]]) })
    const patience = performance.now()
    expect(await beside.end(beside.put(name).then(() => beside.put(town)))).toMatchObject(outOfOrder)
    expect(performance.now() - patience).toBeGreaterThanOrEqual(sdkLimits.branchesMs - 5)

    const alone = roundOf(await asking(name))
    expect(await alone.end(alone.put(town))).toMatchObject({
      ...outOfOrder,
      error: { message: expect.stringContaining('asked "Name?" before and asks "Town?" now') },
    })
  })

  test('[SDK-9] a round that asks nothing new ends though another question is not met yet', async () => {
    const run = roundOf(await asking(name, age))
    expect(await run.end(run.put(age))).toMatchObject({ kind: 'asks', asks: [{ place: 1, description: age }] })
  })
})
