// What a person is shown of an ask.

import { describe, expect, test } from 'vitest'
import { raise } from '../ask/ask.ts'
import { only } from '../ask/electorate.ts'
import type { Question } from '../ask/question.ts'
import { actionDigest } from '../digest/action.ts'
import { digestOf } from '../digest/digest.ts'
import type { Field } from '../form/form.ts'
import type { JsonObject } from '../json.ts'
import { askView, type Naming } from './ask-view.ts'
import { drawField } from './draw-field.ts'
import { endingInWords } from './ending.ts'
import type { AskView } from './view.ts'

const ann = { principal: 'ann', groups: [] }
const naming: Naming = { nameOf: (principal) => principal.toUpperCase(), describe: () => ({}) }

function viewOf(question: Question, changes: { naming?: Naming } = {}): AskView {
  const draft = {
    tenant: 'acme',
    id: 'ask_1',
    asker: { server: 'deploy', tool: 'roll\u202Eout' },
    principal: 'ben',
    question,
    electorate: only('ann'),
    decideWithinMs: 60_000,
    useWithinMs: 60_000,
  }
  return askView(raise(draft, 1_000), ann, changes.naming ?? naming)
}

function approvalOf(args: JsonObject, claim?: string): Question {
  const action = {
    server: 'deploy',
    tool: 'rollout',
    definitionDigest: digestOf('tool definition v1', {}),
    arguments: args,
  }
  return {
    kind: 'approval',
    title: 'Roll\nout',
    action,
    digest: actionDigest(action),
    ...(claim === undefined ? {} : { claim }),
  }
}

describe('an ask', () => {
  test('[INBOX-13] names come from configuration and identity, and everything written is shown visibly', () => {
    const view = viewOf(
      { kind: 'url', message: 'First\u200B line\nand \u001b[31mmore', url: 'https://xn--bcher-kva.example/' },
      { naming: { ...naming, describe: () => ({ name: 'Deployments', origin: 'configured by your team' }) } },
    )
    expect(view.asker).toEqual({ server: 'Deployments', tool: 'roll⟨U+202E⟩out', origin: 'configured by your team' })
    expect(view.onBehalfOf).toEqual({ name: 'BEN', isYou: false })
    expect(view.headline).toBe('First⟨U+200B⟩ line')
    expect(view.question).toMatchObject({ claim: 'First⟨U+200B⟩ line\nand ⟨U+001B⟩[31mmore' })
    expect(view.question).toMatchObject({
      link: { ok: true, host: { ascii: 'xn--bcher-kva.example', unicode: 'bücher.example' } },
    })
    expect(view.answers).toEqual(['accept', 'decline', 'cancel'])
  })

  test('[INBOX-13] an action is drawn whole, and texts that could be taken for something else stand in quotes', () => {
    const view = viewOf(
      approvalOf({ env: 'prod', count: 4, text: '4', no: false, none: null, empty: '', list: [1], pad: ' a' }),
    )
    expect(view.question).toMatchObject({
      title: 'Roll⟨U+000A⟩out',
      action: {
        arguments: [
          { name: 'count', value: '4', shape: 'plain' },
          { name: 'empty', value: '"" (empty text)', shape: 'plain' },
          { name: 'env', value: 'prod', shape: 'plain' },
          { name: 'list', value: '[\n  1\n]', shape: 'json' },
          { name: 'no', value: 'false', shape: 'plain' },
          { name: 'none', value: 'nothing (null)', shape: 'plain' },
          { name: 'pad', value: '" a"', shape: 'plain' },
          { name: 'text', value: '"4"', shape: 'plain' },
        ],
      },
    })
    const long = 'x'.repeat(100_000)
    expect(viewOf(approvalOf({ long })).question).toMatchObject({ action: { arguments: [{ value: long }] } })
    expect(JSON.stringify(viewOf(approvalOf({ 'a\u202Eb': 'c\u2066d' })))).not.toMatch(/[\u202E\u2066]/)
  })

  test('[INBOX-4] how it ended is said in a sentence, for every ending', () => {
    const sentence = (state: AskView['state']) => endingInWords({ state }, 200_000)
    const by = { name: 'Ben', isYou: false }
    const settled = { kind: 'settled', outcome: 'declined', by, via: 'terminal', atMs: 20_000, content: [] } as const
    expect(sentence({ ...settled, what: 'Ben declined this', comment: 'no' })).toBe('Ben declined this, 3 min ago: no')
    expect(sentence({ kind: 'expired', what: 'Over', atMs: 200_000 })).toBe('Over, just now.')
    expect(sentence({ kind: 'withdrawn', what: 'Gone', reason: 'unseen', atMs: 195_000 })).toBe('Gone, 5 s ago.')
    expect(sentence({ kind: 'open' })).toBeUndefined()
  })
})

describe('a field', () => {
  const text = (more: object) => ({ kind: 'text', name: 'a', required: true, ...more }) as Field
  const number = (more: object) => ({ kind: 'number', name: 'a', required: true, integer: true, ...more }) as Field
  const options = (count: number) => Array.from({ length: count }, (_, index) => ({ value: `v${index}` }))

  const widgets: readonly [string, Field, object][] = [
    ['a short text', text({}), { lines: 'one' }],
    ['a long text by its limit', text({ maxLength: 1_000 }), { lines: 'several' }],
    ['a long text by its name', text({ name: 'revisionNotes' }), { lines: 'several' }],
    ['a formatted text', text({ name: 'notes', format: 'email' }), { lines: 'one', format: 'email' }],
    ['a number', number({ min: 1 }), { widget: 'plain' }],
    ['a number between two bounds', number({ min: 60, max: 180 }), { widget: 'slider' }],
    ['a rating', number({ min: 1, max: 5, title: 'Your rating' }), { widget: 'rating' }],
    ['a rating by its name', number({ min: 1, max: 5, name: 'mixRating' }), { widget: 'rating' }],
    ['a small range that is no rating', number({ min: 1, max: 5, title: 'Replicas' }), { widget: 'slider' }],
    ['few choices', { kind: 'choice', name: 'a', required: true, options: options(6) }, { widget: 'cards' }],
    ['many choices', { kind: 'choice', name: 'a', required: true, options: options(7) }, { widget: 'search' }],
  ]
  test.each(widgets)('[INBOX-14] has its widget: %s', (_, field, expected) => {
    expect(drawField(field)).toMatchObject(expected)
  })

  test('[INBOX-14] a suggestion is filled in only if all of it can be seen', () => {
    expect(drawField(text({ default: 'eu-1' }))).toMatchObject({ suggestion: 'eu-1' })
    const hidden = drawField(text({ default: 'eu\u202E-1' }))
    expect(hidden).toMatchObject({ unsafeSuggestion: 'eu⟨U+202E⟩-1' })
    expect(hidden).not.toHaveProperty('suggestion')
    expect(drawField({ kind: 'boolean', name: 'a', required: true, default: true })).toMatchObject({ suggestion: true })
    const choices = { kind: 'choices', name: 'a', required: true, options: options(2), default: ['v1'] } as const
    expect(drawField(choices)).toMatchObject({
      options: [
        { value: 'v0', label: 'v0', isSuggested: false },
        { value: 'v1', isSuggested: true },
      ],
    })
  })
})
