import { describe, expect, test, vi } from 'vitest'
import type { Description } from '../ask/describe.ts'
import type { Keeper } from './run.ts'
import { endingBy, isScripted, scriptedPerson, seenAnswer } from './seen.ts'

const approval = { question: { kind: 'approval', title: 'Wipe' } } as unknown as Description
const link = { question: { kind: 'url', message: 'Sign in', url: 'https://example.com/' } } as Description
const yes = { action: 'accept' }
const unseen = { action: 'cancel', _meta: { 'assent/no-answer': 'unseen' } }

describe('an answer', () => {
  test('[GATE-10] that approves sooner than a person can read is a cancel that says so', () => {
    for (const afterMs of [0, 299, -1, Number.NaN]) expect(seenAnswer(approval, yes, afterMs, 300)).toEqual(unseen)
    for (const afterMs of [300, 301]) expect(seenAnswer(approval, yes, afterMs, 300)).toBe(yes)
  })

  test('[GATE-10] that is no approval passes however fast it is', () => {
    expect(seenAnswer(link, yes, 0, 300)).toBe(yes)
    for (const answer of [{ action: 'decline' }, { action: 'cancel' }, 'accept', undefined, [yes]]) {
      expect(seenAnswer(approval, answer, 0, 300)).toBe(answer)
    }
  })

  test('[TESTING-1] is a scripted person’s only where the symbol is', () => {
    expect(isScripted({ [scriptedPerson]: true })).toBe(true)
    expect(isScripted({ 'assent.scripted-person': true })).toBe(false)
    expect(scriptedPerson).toBe(Symbol.for('assent.scripted-person'))
  })
})

describe('an ending', () => {
  const keeperThat = (withdrawn: Awaited<ReturnType<Keeper['withdrawn']>>) => ({
    raised: vi.fn(),
    settled: vi.fn(async () => ({ kind: 'declined' }) as const),
    withdrawn: vi.fn(async () => withdrawn),
  })

  test('[GATE-8] is what the record says, and without a record what came back', async () => {
    expect(await endingBy(link, 'ask_1', yes, undefined)).toEqual({ kind: 'accepted' })
    const keeper = keeperThat(undefined)
    expect(await endingBy(link, 'ask_1', yes, keeper)).toEqual({ kind: 'declined' })
    expect(keeper.settled).toHaveBeenCalledExactlyOnceWith('ask_1', yes)
    expect(keeper.withdrawn).not.toHaveBeenCalled()
  })

  test('[GATE-10] that nobody saw is taken back and recorded as no answer, unless the record has one', async () => {
    const keeper = keeperThat(undefined)
    expect(await endingBy(link, 'ask_1', unseen, keeper)).toEqual({ kind: 'unseen' })
    expect(keeper.withdrawn).toHaveBeenCalledExactlyOnceWith('ask_1', 'unseen')
    expect(keeper.settled).not.toHaveBeenCalled()
    expect(await endingBy(link, 'ask_1', unseen, keeperThat({ kind: 'accepted' }))).toEqual({ kind: 'accepted' })
  })
})
