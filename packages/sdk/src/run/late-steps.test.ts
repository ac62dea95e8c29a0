// Steps and gates that must not start, or start again: the call has failed, the owner is gone, the approval is too old.

import { describe, expect, test, vi } from 'vitest'
import type { Ending } from '../ask/ending.ts'
import type { StepContext, StepOptions } from '../ask/step.ts'
import { runLiveGate } from '../gate/live-gate.suite.ts'
import { accept } from '../rounds.suite.ts'
import type { DurableSteps, StepClaim } from '../server/durable.ts'
import type { StepRecord } from '../server/step-record.ts'
import { attemptStep } from './step-attempts.ts'
import { firstEnding, readStoredStep, runStep } from './steps.ts'

const stepOf = (work: (context: StepContext) => unknown, options: StepOptions = {}, hasFailed = false) => ({
  name: 'pay',
  label: 'pay',
  callId: 'call_1',
  work,
  options,
  signal: new AbortController().signal,
  hasFailed: () => hasFailed,
})

function recordOf(claims: StepClaim[], parts: Partial<DurableSteps> = {}): StepRecord {
  const steps: DurableSteps = {
    claim: vi.fn(async () => (claims.length > 1 ? claims.shift() : claims[0]) as StepClaim),
    finish: vi.fn(async () => true),
    keep: () => Promise.reject(new Error('not used')),
    ...parts,
  }
  return {
    steps,
    tenant: 'acme',
    callId: 'call_1',
    owner: 'me',
    keepMs: 1_000,
    running: new Map(),
    nowMs: () => 1_000_000,
  }
}

const longAgo: StepClaim = { kind: 'begun', atMs: 5 }
const outcome = JSON.stringify({ kind: 'done', result: 1 })

describe('a step', () => {
  test('[SDK-38] of a call that has failed is not run, and not claimed, so that a later round can run it', async () => {
    const work = vi.fn()
    const record = recordOf([{ kind: 'yours' }])
    expect((await runStep(stepOf(work, {}, true), record)).entry).toMatchObject({
      kind: 'failed',
      message: '"pay" was not run: its call had already failed.',
    })
    expect(record.steps.claim).not.toHaveBeenCalled()
    expect((await attemptStep(stepOf(work, {}, true))).entry).toMatchObject({ kind: 'failed' })
    expect(work).not.toHaveBeenCalled()
  })

  test('[SDK-38] that was taken over is not run again if the call has failed meanwhile', async () => {
    const work = vi.fn()
    expect((await attemptStep(stepOf(work, {}, true), 2)).entry).toMatchObject({
      message: '"pay" was not run again: its call had already failed.',
    })
    expect(work).not.toHaveBeenCalled()
  })

  test('[SDK-32] that another caller took over first is not run here', async () => {
    const work = vi.fn()
    const takeOver = vi.fn(async () => false)
    const record = recordOf([longAgo, { kind: 'finished', outcome }], { takeOver })
    expect((await runStep(stepOf(work, { onCrash: 'retry' }), record)).entry).toEqual({ kind: 'done', result: 1 })
    expect(takeOver).toHaveBeenCalledTimes(1)
    expect(work).not.toHaveBeenCalled()
  })

  test('[SDK-32] that was taken over while it ran here is unclear if the other process has not finished', async () => {
    const record = recordOf([{ kind: 'yours' }, longAgo], { finish: async () => false })
    await expect(
      runStep(
        stepOf(() => 'mine', { onCrash: 'retry' }),
        record,
      ),
    ).rejects.toMatchObject({
      code: 'step_unclear',
    })
    // The row is gone: no result counts.
    const gone = recordOf([{ kind: 'yours' }, { kind: 'yours' }], { finish: async () => false })
    await expect(
      runStep(
        stepOf(() => 'mine', { onCrash: 'retry' }),
        gone,
      ),
    ).rejects.toMatchObject({
      message: 'The step "pay" was done, but its result could not be stored.',
    })
  })

  test('[SDK-33] whose stored result is gone is not run again', async () => {
    const work = vi.fn()
    for (const claim of [longAgo, { kind: 'yours' } as const])
      await expect(readStoredStep(stepOf(work), recordOf([claim]))).rejects.toMatchObject({
        code: 'step_unclear',
        message: 'The step "pay" was done, but its result is no longer in the store.',
      })
    expect(work).not.toHaveBeenCalled()
  })

  test('[SDK-29] whose result throws a text when it is read has failed', async () => {
    const toJSON = () => {
      // biome-ignore lint/style/useThrowOnlyError: other code may throw anything
      throw 'no JSON'
    }
    expect((await attemptStep(stepOf(() => ({ toJSON })))).entry).toMatchObject({
      kind: 'failed',
      message: '"pay" was done, but its result cannot be stored: no JSON',
    })
  })

  test('[SDK-20] the first answer in the store counts, and a later one does not', async () => {
    const yes: Ending = { kind: 'accepted', content: { text: 'second' } }
    let first: string | undefined
    const keep: DurableSteps['keep'] = async (kept) => {
      first ??= kept.outcome
      return first
    }
    expect(await firstEnding('m 1', { kind: 'declined' }, recordOf([longAgo], { keep }))).toEqual({ kind: 'declined' })
    expect(await firstEnding('m 1', yes, recordOf([longAgo], { keep }))).toEqual({ kind: 'declined' })
    // A store that lost the answer does not turn it into a yes.
    const lost = recordOf([longAgo], { keep: async () => undefined })
    await expect(firstEnding('m 1', yes, lost)).rejects.toMatchObject({ code: 'state_refused' })
  })
})

test('[GATE-5] an approval that was used in time does not start its work when that time has passed', async () => {
  let nowMs = 1_000_000
  const ran = vi.fn(() => 'ran')
  let reads = 0
  const result = await runLiveGate(
    async ({ gate }) => (await gate({ title: 'Deploy', arguments: {}, useWithinMs: 5 }, ran)).value,
    () => accept(),
    { nowMs: () => nowMs },
    {
      name: 'deploy',
      definition: () => {
        // The third time: after the approval was used, before the work begins.
        if (++reads === 3) nowMs += 5
        return { name: 'deploy' }
      },
    },
  )
  expect(reads).toBe(3)
  expect(result).toMatchObject({ code: 'grant_refused', text: expect.stringContaining('the approval is too old') })
  expect(ran).not.toHaveBeenCalled()
})
