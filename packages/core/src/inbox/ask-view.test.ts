// What a person is shown of an ask.

import { describe, expect, test } from 'vitest'
import { judgeAnswer } from '../ask/answer.ts'
import { type Ask, raise } from '../ask/ask.ts'
import { decisionForm } from '../ask/decision.ts'
import { only } from '../ask/electorate.ts'
import type { Question } from '../ask/question.ts'
import { actionDigest } from '../digest/action.ts'
import { digestOf } from '../digest/digest.ts'
import { encodeForm } from '../form/encode.ts'
import type { Content, Field, Form } from '../form/form.ts'
import { readForm } from '../form/read.ts'
import type { JsonObject } from '../json.ts'
import type { Revision } from '../revisions.ts'
import { askView, type Naming } from './ask-view.ts'
import { drawField } from './draw-field.ts'
import { endingInWords } from './ending.ts'
import type { AskView, DecisionView } from './view.ts'

const ann = { principal: 'ann', groups: [] }
const naming: Naming = { nameOf: (principal) => principal.toUpperCase(), describe: () => ({}) }

function viewOf(question: Question, changes: { naming?: Naming } = {}): AskView {
  return askView(asksOf(question), ann, changes.naming ?? naming)
}

function asksOf(question: Question): Ask {
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
  return raise(draft, 1_000)
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

describe('an approval that came as a form', () => {
  const call = { tool: 'roll\u202Eout', arguments: { env: 'production', note: '4' } }
  const asked: Question = { kind: 'form', message: 'Approve: Deploy\n\nI will only look.', form: decisionForm, call }

  test('[CARD-1] the call is drawn from what reached us, and the words of the server stay a claim', () => {
    const { question } = viewOf(asked)
    expect(question).toMatchObject({
      kind: 'form',
      claim: 'Approve: Deploy\n\nI will only look.',
      decision: {
        content: { decision: 'approve' },
        call: {
          tool: 'roll⟨U+202E⟩out',
          arguments: [
            { name: 'env', value: 'production', shape: 'plain' },
            { name: 'note', value: '"4"', shape: 'plain' },
          ],
        },
      },
    })
    expect(judgeAnswer(asked, { action: 'accept', content: (question as Decided).decision.content }).ok).toBe(true)
    expect(judgeAnswer(asked, { action: 'accept' }).ok).toBe(false)
  })

  test('[CARD-1] arguments that were too large are not drawn in part', () => {
    const { question } = viewOf({ ...asked, call: { tool: 'rollout' } })
    expect((question as Decided).decision.call).toEqual({ tool: 'rollout', json: '{\n  "tool": "rollout"\n}' })
  })

  test.each<[string, Form]>([
    ['as it came over the oldest wire', overTheWire('2025-06-18')],
    ['as it came over the newest wire', overTheWire('2026-07-28')],
  ])('[CARD-2] the form of an approval is known %s', (_, form) => {
    expect((viewOf({ ...asked, form }).question as Decided).decision).toBeDefined()
  })

  const field = { kind: 'choice', name: 'decision', title: 'Decision', required: true } as const
  const options = [
    { value: 'approve', label: 'Approve' },
    { value: 'decline', label: 'Decline' },
  ]
  test.each<[string, readonly Field[]]>([
    [
      'labels that were swapped',
      [{ ...field, options: options.map(({ value }, at) => ({ value, label: options[1 - at]?.label ?? '' })) }],
    ],
    ['another order', [{ ...field, options: options.toReversed() }]],
    ['a third word', [{ ...field, options: [...options, { value: 'always' }] }]],
    ['a default', [{ ...field, options, default: 'approve' }]],
    ['words beside it', [{ ...field, options, description: 'Decline to approve.' }]],
    ['another title', [{ ...field, options, title: 'Cancel?' }]],
    ['an answer that is optional', [{ ...field, options, required: false }]],
    [
      'a second field',
      [
        { ...field, options },
        { kind: 'boolean', name: 'sure', required: true },
      ],
    ],
    ['no field', []],
  ])('[CARD-2] with %s it stays a form', (_, fields) => {
    expect(viewOf({ ...asked, form: { fields } }).question).not.toHaveProperty('decision')
  })

  test('[CARD-4] a form was answered, an approval approved, and what was chosen in it is not shown as filled in', () => {
    const settled = (question: Question, content: Content) => {
      const ask = {
        ...asksOf(question),
        state: {
          kind: 'settled',
          answer: { action: 'accept', content },
          by: 'ann',
          via: 'inbox',
          atMs: 2_000,
          decisionId: 'd',
        },
      } as const
      return askView(ask, ann, naming).state
    }
    expect(settled(asked, { decision: 'approve' })).toMatchObject({ what: 'You approved this', content: [] })
    const field = { kind: 'boolean', name: 'loop', required: true } as const
    expect(settled({ kind: 'form', message: 'Loop?', form: { fields: [field] } }, { loop: true })).toMatchObject({
      what: 'You answered this',
      content: [{ label: 'loop', value: 'Yes' }],
    })
  })
})

type Decided = { readonly decision: DecisionView }

function overTheWire(revision: Revision): Form {
  const encoded = encodeForm(decisionForm, revision)
  const read = encoded.ok ? readForm(JSON.parse(JSON.stringify(encoded.schema))) : undefined
  return read?.ok === true ? read.form : { fields: [] }
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
