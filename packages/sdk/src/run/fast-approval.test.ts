import { describe, expect, test, vi } from 'vitest'
import type { Description } from '../ask/describe.ts'
import { InvalidReply } from '../ask/ending.ts'
import type { AskRecord } from '../ask/run.ts'
import { isScripted, rejectFastApproval, scriptedPersonKey, settleAnswer } from './human-check.ts'

const approval = { question: { kind: 'approval', title: 'Wipe' } } as unknown as Description
const link = { question: { kind: 'url', message: 'Sign in', url: 'https://example.com/' } } as Description
const yes = { action: 'accept' }
const unseen = { action: 'cancel', _meta: { 'assent/no-answer': 'unseen' } }

describe('an answer', () => {
  test('[GATE-10] that approves sooner than a person can read becomes a cancel marked unseen', () => {
    for (const afterMs of [0, 299, -1, Number.NaN])
      expect(rejectFastApproval(approval, yes, afterMs, 300)).toEqual(unseen)
    for (const afterMs of [300, 301]) expect(rejectFastApproval(approval, yes, afterMs, 300)).toBe(yes)
  })

  test('[GATE-10] that is not an approval passes however fast it is', () => {
    expect(rejectFastApproval(link, yes, 0, 300)).toBe(yes)
    for (const answer of [{ action: 'decline' }, { action: 'cancel' }, 'accept', undefined, [yes]]) {
      expect(rejectFastApproval(approval, answer, 0, 300)).toBe(answer)
    }
  })

  test('[TESTING-1] counts as scripted only with the symbol of a scripted person', () => {
    expect(isScripted({ [scriptedPersonKey]: true })).toBe(true)
    expect(isScripted({ 'assent.scripted-person': true })).toBe(false)
    expect(scriptedPersonKey).toBe(Symbol.for('assent.scripted-person'))
  })
})

describe('an ending', () => {
  const recordThat = (ending: Awaited<ReturnType<AskRecord['withdraw']>>) => ({
    raise: vi.fn(),
    settle: vi.fn(async () => ({ kind: 'declined' }) as const),
    withdraw: vi.fn(async () => ending),
  })

  test('[GATE-8] is taken from the record, and without a record from the reply', async () => {
    expect(await settleAnswer(link, 'ask_1', yes, undefined)).toEqual({ kind: 'accepted' })
    const askRecord = recordThat(undefined)
    expect(await settleAnswer(link, 'ask_1', yes, askRecord)).toEqual({ kind: 'declined' })
    expect(askRecord.settle).toHaveBeenCalledExactlyOnceWith('ask_1', yes)
    expect(askRecord.withdraw).not.toHaveBeenCalled()
  })

  test('[GATE-8] has the reason of the form that was shown, if the record refuses the reply too', async () => {
    const refused = { kind: 'validation_failed', why: 'An answer is an object with an action.' } as const
    const askRecord = { ...recordThat(undefined), settle: vi.fn(async () => refused) }
    const reply = new InvalidReply({ ok: false, reason: 'malformed', message: 'A decision is missing.' })
    const ending = { kind: 'validation_failed', why: 'A decision is missing.' }
    expect(await settleAnswer(approval, 'ask_1', reply, askRecord)).toEqual(ending)
    expect(askRecord.settle).toHaveBeenCalledExactlyOnceWith('ask_1', reply)
    expect(await settleAnswer(approval, 'ask_1', reply, recordThat(undefined))).toEqual({ kind: 'declined' })
  })

  test('[GATE-10] that is unseen is withdrawn and recorded as no answer, unless the record has one', async () => {
    const askRecord = recordThat(undefined)
    expect(await settleAnswer(link, 'ask_1', unseen, askRecord)).toEqual({ kind: 'unseen' })
    expect(askRecord.withdraw).toHaveBeenCalledExactlyOnceWith('ask_1', 'unseen')
    expect(askRecord.settle).not.toHaveBeenCalled()
    expect(await settleAnswer(link, 'ask_1', unseen, recordThat({ kind: 'accepted' }))).toEqual({ kind: 'accepted' })
  })
})
