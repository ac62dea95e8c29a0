import type { JsonValue } from '@assent/core'
import { describe, expect, test } from 'vitest'
import type { Ending } from '../ask/ending.ts'
import { sdkLimits } from '../limits.ts'
import { decodeEnding, decodeJournal, encodeEnding, encodeJournal, takenIn } from './encode.ts'
import { type AskEntry, Journal, type JournalStep } from './journal.ts'

const endings: readonly [Ending, JsonValue[]][] = [
  [{ kind: 'accepted' }, ['y']],
  [{ kind: 'accepted', content: { name: 'Ada' } }, ['y', { name: 'Ada' }]],
  [{ kind: 'accepted', content: { name: 'Ada' }, comment: 'go' }, ['y', { name: 'Ada' }, 'go']],
  [{ kind: 'declined' }, ['n']],
  [{ kind: 'declined', comment: 'not now' }, ['n', 'not now']],
  [{ kind: 'cancelled' }, ['c']],
  [{ kind: 'cancelled', comment: 'later' }, ['c', 'later']],
  [{ kind: 'timed_out' }, ['t']],
  [{ kind: 'unseen' }, ['f']],
  [{ kind: 'channel_closed', why: 'gone' }, ['g', 'gone']],
  [{ kind: 'not_supported', why: 'no form' }, ['u', 'no form']],
  [{ kind: 'validation_failed', why: 'no name' }, ['v', 'no name']],
]

test.each(endings)('[SDK-2] an ending is encoded by its own code and decoded unchanged: %j', (ending, encoded) => {
  expect(encodeEnding(ending)).toEqual(encoded)
  const [code, more, comment] = encoded
  expect(decodeEnding(code, more, comment)).toEqual(ending)
})

test('[SDK-2] a comment on an accept without content is decoded with it', () => {
  const encoded = encodeEnding({ kind: 'accepted', comment: 'go' })
  expect(encoded).toEqual(['y', {}, 'go'])
  expect(decodeEnding(...(encoded as [unknown, unknown, unknown]))).toEqual({
    kind: 'accepted',
    content: {},
    comment: 'go',
  })
})

test('[SDK-2] a comment that is not text is dropped', () => {
  expect(decodeEnding('y', undefined, 7)).toEqual({ kind: 'accepted' })
  expect(decodeEnding('n', 7)).toEqual({ kind: 'declined' })
  expect(decodeEnding('c', {})).toEqual({ kind: 'cancelled' })
  expect(decodeEnding('y', 'no content')).toEqual({ kind: 'accepted' })
})

const refusal = expect.objectContaining({
  code: 'state_refused',
  message: 'This state was made by another release of the sdk. Start the call again.',
})

describe('a journal', () => {
  const open: AskEntry = { id: 'ask_1', fingerprint: 'm1', label: 'Name?', decideByMs: 5, round: 1 }
  const later: AskEntry = { ...open, id: 'ask_2', round: 2 }
  const ending = { kind: 'declined', comment: 'no' } as const
  const ended: AskEntry = { ...open, id: 'ask_3', ended: { atMs: 4, round: 2, ending } }
  const cause = { name: 'HttpError', code: 503, data: { retry: true } }
  const steps: readonly (readonly [string, JournalStep])[] = [
    ['nothing', { round: 1, entry: { kind: 'done' } }],
    ['something', { round: 1, entry: { kind: 'done', result: { id: 7 } } }],
    ['null', { round: 2, entry: { kind: 'done', result: null } }],
    ['broke', { round: 2, entry: { kind: 'failed', code: 'step_failed', message: 'disk full', cause } }],
    ['shut', { round: 2, entry: { kind: 'failed', code: 'grant_refused', message: 'too old' } }],
    ['large', { round: 2, entry: { kind: 'stored' } }],
  ]
  const encoded = [
    3,
    'call_1',
    2,
    [
      ['ask_1', 'm1', 'Name?', 5, 1],
      ['ask_2', 'm1', 'Name?', 5, 2],
      ['ask_3', 'm1', 'Name?', 5, 1, 4, 2, 'n', 'no'],
    ],
    [
      ['nothing', 1],
      ['something', 1, { id: 7 }],
      ['null', 2, null],
      ['broke', 2, 'disk full', 'step_failed', cause],
      ['shut', 2, 'too old', 'grant_refused'],
      ['large', 2, null, 'stored'],
    ],
  ]

  test('[SDK-7] is encoded with its asks and steps, and decoded unchanged for the next round', () => {
    const journal = new Journal('call_1', { round: 2, asks: [open, later, ended], steps })
    expect(encodeJournal(journal)).toEqual(encoded)
    const back = decodeJournal(encoded as JsonValue)
    expect([back.callId, back.round, back.given]).toEqual(['call_1', 3, undefined])
    expect(back.asks).toEqual([open, later, ended])
    expect([...back.steps]).toStrictEqual(steps)
    expect(decodeJournal([...encoded, [{ env: 'test' }]] as JsonValue).given).toEqual([{ env: 'test' }])
  })

  test('[SDK-12] takes what it has as JSON and what is reserved in it', () => {
    const journal = new Journal('call_1', { asks: [open] })
    const chars = JSON.stringify(encodeJournal(journal)).length
    expect(takenIn(journal)).toBe(chars)
    journal.reserve(new Map([['work', 100]]))
    expect(takenIn(journal)).toBe(chars + 100)
  })

  const ask = ['ask_1', 'm1', 'Name?', 5, 1]
  test.each<[string, unknown]>([
    ['an object', {}],
    ['a text of five characters', '12345'],
    ['an object that looks like a list', { ...[3, 'call_1', 1, [], []], length: 5 }],
    ['four parts', [3, 'call_1', 1, []]],
    ['seven parts', [3, 'call_1', 1, [], [], [], []]],
    ['an earlier version', [2, 'call_1', 1, [], []]],
    ['a call id that is no text', [3, 7, 1, [], []]],
    ['a round that is text', [3, 'call_1', '1', [], []]],
    ['round 0', [3, 'call_1', 0, [], []]],
    ['asks that are no list', [3, 'call_1', 1, {}, []]],
    ['steps that are no list', [3, 'call_1', 1, [], {}]],
    ['an ask that is no list', [3, 'call_1', 1, ['abcd'], []]],
    ['an ask that is an object', [3, 'call_1', 1, [{}], []]],
    ['a step that is an object', [3, 'call_1', 1, [], [{ 0: 'step' }]]],
    ...[0, 1, 2, 3, 4].map((at): [string, unknown] => [
      `an ask whose part ${at} is of another kind`,
      [3, 'call_1', 1, [ask.with(at, null as never)], []],
    ]),
    ['an ask with an ending that is not known', [3, 'call_1', 1, [[...ask, 4, 1, 'x']], []]],
    ['an ask that ended in no round', [3, 'call_1', 1, [[...ask, 4, null, 'y']], []]],
    ['a step that is no list', [3, 'call_1', 1, [], ['step']]],
    ['a step without a name', [3, 'call_1', 1, [], [[7, 1]]]],
    ['a step without a round', [3, 'call_1', 1, [], [['a']]]],
  ])('[SDK-13] in another format is refused: %s', (_, value) => {
    expect(() => decodeJournal(value as JsonValue)).toThrow(refusal)
  })

  test('[SDK-12] is encoded up to its largest size, and above it the error describes what to do', () => {
    const sized = (chars: number) =>
      new Journal('c', { steps: [['s', { round: 1, entry: { kind: 'done', result: 'x'.repeat(chars) } }]] })
    const frame = JSON.stringify(encodeJournal(sized(0))).length
    const room = sdkLimits.journalChars - frame
    expect(JSON.stringify(encodeJournal(sized(room)))).toHaveLength(sdkLimits.journalChars)
    expect(() => encodeJournal(sized(room + 1))).toThrow(
      expect.objectContaining({
        code: 'limit_exceeded',
        message:
          'The journal of this call has 163841 characters; at most 163840 can be sent. ' +
          'Keep large results of steps elsewhere and return their names.',
      }),
    )
  })
})
