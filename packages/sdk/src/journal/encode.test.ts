import type { JsonValue } from '@assent/core'
import { describe, expect, test } from 'vitest'
import type { Ending } from '../ask/ending.ts'
import { sdkLimits } from '../limits.ts'
import { decodeEnding, decodeJournal, encodeEnding, encodeJournal } from './encode.ts'
import { type AskEntry, Journal, type StepEntry } from './journal.ts'

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
  const open: AskEntry = { id: 'ask_1', fingerprint: 'm1', label: 'Name?', decideByMs: 5 }
  const concurrent: AskEntry = { ...open, id: 'ask_2', isConcurrent: true }
  const ended: AskEntry = { ...open, id: 'ask_3', ended: { atMs: 4, ending: { kind: 'declined', comment: 'no' } } }
  const steps: readonly (readonly [string, StepEntry])[] = [
    ['nothing', { kind: 'done' }],
    ['something', { kind: 'done', result: { id: 7 } }],
    ['null', { kind: 'done', result: null }],
    ['broke', { kind: 'failed', code: 'step_failed', message: 'disk full' }],
    ['shut', { kind: 'failed', code: 'grant_refused', message: 'too old' }],
  ]
  const encoded = [
    1,
    'call_1',
    [
      ['ask_1', 'm1', 'Name?', 5, 0],
      ['ask_2', 'm1', 'Name?', 5, 1],
      ['ask_3', 'm1', 'Name?', 5, 0, 4, 'n', 'no'],
    ],
    [
      ['nothing'],
      ['something', { id: 7 }],
      ['null', null],
      ['broke', 'disk full', 'step_failed'],
      ['shut', 'too old', 'grant_refused'],
    ],
  ]

  test('[SDK-7] is encoded with its asks and steps, and decoded unchanged', () => {
    const journal = new Journal('call_1', [open, concurrent, ended], steps)
    expect(encodeJournal(journal)).toEqual(encoded)
    const back = decodeJournal(encoded as JsonValue)
    expect(back.callId).toBe('call_1')
    expect(back.asks).toEqual([open, concurrent, ended])
    expect([...back.steps]).toStrictEqual(steps)
  })

  const ask = ['ask_1', 'm1', 'Name?', 5, 0]
  test.each<[string, unknown]>([
    ['an object', {}],
    ['a text of four characters', '1234'],
    ['an object that looks like a list', { ...[1, 'call_1', [], []], length: 4 }],
    ['three parts', [1, 'call_1', []]],
    ['five parts', [1, 'call_1', [], [], []]],
    ['another version', [2, 'call_1', [], []]],
    ['a call id that is no text', [1, 7, [], []]],
    ['asks that are no list', [1, 'call_1', {}, []]],
    ['steps that are no list', [1, 'call_1', [], {}]],
    ['an ask that is no list', [1, 'call_1', ['abcd'], []]],
    ['an ask that is an object', [1, 'call_1', [{}], []]],
    ['a step that is an object', [1, 'call_1', [], [{ 0: 'step' }]]],
    ...[0, 1, 2, 3].map((at): [string, unknown] => [
      `an ask whose part ${at} is of another kind`,
      [1, 'call_1', [ask.with(at, null as never)], []],
    ]),
    ['an ask with an ending that is not known', [1, 'call_1', [[...ask, 4, 'x']], []]],
    ['a step that is no list', [1, 'call_1', [], ['step']]],
    ['a step without a name', [1, 'call_1', [], [[7]]]],
  ])('[SDK-13] in another format is refused: %s', (_, value) => {
    expect(() => decodeJournal(value as JsonValue)).toThrow(refusal)
  })

  test('[SDK-12] is encoded up to its largest size, and above it the error describes what to do', () => {
    const sized = (chars: number) => new Journal('c', [], [['s', { kind: 'done', result: 'x'.repeat(chars) }]])
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
