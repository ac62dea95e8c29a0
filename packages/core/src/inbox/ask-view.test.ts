// What a person is shown of an ask.
import { describe, expect, test } from 'vitest'
import { type Answer, checkAnswer } from '../ask/answer.ts'
import { soleApprover } from '../ask/approval-rule.ts'
import { type Ask, raise } from '../ask/ask.ts'
import { decisionForm } from '../ask/decision.ts'
import type { Question } from '../ask/question.ts'
import { actionDigest } from '../digest/action.ts'
import { digestOf } from '../digest/digest.ts'
import { boolean, choice, form, optional, text } from '../form/build.ts'
import { encodeForm } from '../form/encode.ts'
import type { Content, Field, Form } from '../form/form.ts'
import { readForm } from '../form/read.ts'
import type { JsonObject } from '../json.ts'
import type { Revision } from '../revisions.ts'
import { askView, type DisplayNames } from './ask-view.ts'
import { drawField } from './draw-field.ts'
import { endingText } from './ending-text.ts'
import type { AskView, DecisionView } from './view.ts'

const ann = { principal: 'ann', groups: [] }
const naming: DisplayNames = { nameOf: (principal) => principal.toUpperCase(), describe: () => ({}) }

function viewOf(question: Question, changes: { naming?: DisplayNames } = {}): AskView {
  return askView(asksOf(question), ann, changes.naming ?? naming)
}

function asksOf(question: Question): Ask {
  const draft = {
    tenant: 'acme',
    id: 'ask_1',
    asker: { server: 'deploy', tool: 'roll\u202Eout' },
    principal: 'ben',
    question,
    approvalRule: soleApprover('ann'),
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

  test('[CARD-1] the call is drawn from the request, and the text of the server stays a claim', () => {
    const { question } = viewOf(asked)
    expect(question).toMatchObject({
      kind: 'form',
      claim: 'Approve: Deploy\n\nI will only look.',
      decision: { content: { decision: 'approve' } },
      call: {
        kind: 'tool',
        name: 'roll⟨U+202E⟩out',
        arguments: [
          { name: 'env', value: 'production', shape: 'plain' },
          { name: 'note', value: '"4"', shape: 'plain' },
        ],
      },
    })
    expect(checkAnswer(asked, { action: 'accept', content: (question as Decided).decision.content }).ok).toBe(true)
    expect(checkAnswer(asked, { action: 'accept' }).ok).toBe(false)
  })

  test('[CARD-1] arguments that were too large are not drawn in part', () => {
    const { question } = viewOf({ ...asked, call: { tool: 'rollout' } })
    expect(question).toMatchObject({ call: { kind: 'tool', name: 'rollout', json: '{\n  "tool": "rollout"\n}' } })
    expect(question).not.toHaveProperty('call.arguments')
  })

  test.each<[string, Form]>([
    ['after encoding in the oldest revision', encodedAndRead('2025-06-18')],
    ['after encoding in the newest revision', encodedAndRead('2026-07-28')],
  ])('[CARD-2] the form of an approval is recognised %s', (_, form) => {
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
    ['a third option', [{ ...field, options: [...options, { value: 'always' }] }]],
    ['a default', [{ ...field, options, default: 'approve' }]],
    ['a description', [{ ...field, options, description: 'Decline to approve.' }]],
    ['another title', [{ ...field, options, title: 'Cancel?' }]],
    ['an optional field', [{ ...field, options, required: false }]],
    [
      'a second field',
      [
        { ...field, options },
        { kind: 'boolean', name: 'sure', required: true },
      ],
    ],
    ['no field', []],
  ])('[CARD-2] a form with %s is not an approval', (_, fields) => {
    expect(viewOf({ ...asked, form: { fields } }).question).not.toHaveProperty('decision')
  })

  test('[CARD-4] a form is "answered" and an approval "approved", without the chosen option as content', () => {
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
      what: 'You answered Yes',
      content: [{ label: 'Loop?', value: 'Yes' }],
    })
  })
})

describe('the person’s actual answer', () => {
  const yesNo: Question = {
    kind: 'form',
    message: 'Delete the five artifacts?\n\nThis cannot be undone.',
    form: form({ confirmed: boolean({ title: 'Yes' }) }),
  }
  const plan: Question = {
    kind: 'form',
    message: 'Approve this plan?',
    form: form({
      decision: choice({ approve: 'Approve: begin', request_changes: 'Request changes', cancel: 'Cancel' }),
      feedback: optional(text()),
    }),
  }
  const settled = (question: Question, answer: Answer) =>
    askView(
      {
        ...asksOf(question),
        state: { kind: 'settled', answer, by: 'ann', via: 'inbox', atMs: 2_000, decisionId: 'd' },
      },
      ann,
      naming,
    ).state

  test('[REPLY-6] a No is shown with its question and does not count as a yes', () => {
    expect(settled(yesNo, { action: 'accept', content: { confirmed: false } })).toMatchObject({
      what: 'You answered No',
      answered: { name: 'no', verdict: 'no', text: 'No' },
      content: [{ label: 'Delete the five artifacts?', value: 'No' }],
    })
  })

  test('[REPLY-6] a plan that was sent back or cancelled does not count as a yes, and a choice is shown by its label', () => {
    const content = { decision: 'request_changes', feedback: 'use FTS5' }
    expect(settled(plan, { action: 'accept', content })).toMatchObject({
      what: 'You requested changes',
      answered: { verdict: 'no', text: 'Changes requested' },
    })
    expect(settled(plan, { action: 'accept', content: { decision: 'cancel' } })).toMatchObject({
      what: 'You chose to cancel',
      answered: { verdict: 'no', text: 'Cancelled' },
    })
    const database = form({ choice: choice({ sqlite: 'SQLite', pg: 'PostgreSQL' }) })
    const which: Question = { kind: 'form', message: 'Which?', form: database }
    expect(settled(which, { action: 'accept', content: { choice: 'pg' } })).toMatchObject({
      what: 'You chose “PostgreSQL”',
      answered: { name: 'answered', verdict: 'neutral', text: 'PostgreSQL' },
    })
  })

  test('[REPLY-7] a view has who receives a comment, and which field of the form is the comment', () => {
    const ask = asksOf(yesNo)
    expect(askView(ask, ann, naming)).toMatchObject({ commentReaches: 'audit-log' })
    expect(askView(ask, ann, naming)).not.toHaveProperty('commentField')
    expect(askView({ ...asksOf(plan), commentReaches: 'asker' }, ann, naming)).toMatchObject({
      commentReaches: 'asker',
      commentField: 'feedback',
    })
  })
})

type Decided = { readonly decision: DecisionView }

function encodedAndRead(revision: Revision): Form {
  const encoded = encodeForm(decisionForm, revision)
  const read = encoded.ok ? readForm(JSON.parse(JSON.stringify(encoded.schema))) : undefined
  return read?.ok === true ? read.form : { fields: [] }
}

describe('the call in which a server asks', () => {
  const message = 'Let read_file continue\n\nI only look.'
  const call = { tool: 'wipe_disk', arguments: { path: '/', recursive: true } }
  const drawn = {
    kind: 'tool',
    name: 'wipe_disk',
    arguments: [
      { name: 'path', value: '/', shape: 'plain' },
      { name: 'recursive', value: 'true', shape: 'plain' },
    ],
  }

  test('[CARD-5] every question shows it: a form, a form without fields and a link', () => {
    const fields: readonly Field[] = [{ kind: 'boolean', name: 'sure', required: true }]
    const questions: readonly Question[] = [
      { kind: 'form', message, form: { fields }, call },
      { kind: 'form', message, form: { fields: [] }, call },
      { kind: 'url', message, url: 'https://example.com/', call },
    ]
    for (const question of questions) expect(viewOf(question).question).toMatchObject({ call: drawn })
  })

  test('[CARD-5] a question that may belong to several calls shows all of them, and is not drawn as an approval', () => {
    const oneOf = [{ tool: 'list' }, { tool: 'deploy', arguments: { region: 'eu' } }]
    const view = viewOf({ kind: 'form', message, form: decisionForm, oneOf }).question
    expect(view).toMatchObject({
      oneOf: [{ name: 'list' }, { name: 'deploy', arguments: [{ name: 'region', value: 'eu' }] }],
    })
    expect(view).not.toHaveProperty('decision')
    expect(view).not.toHaveProperty('call')
  })

  test('[CARD-5] a prompt and a resource are labelled as such', () => {
    const form = { fields: [] }
    const prompt = { kind: 'prompt', tool: 'summarize', arguments: { path: 'a' } } as const
    const resource = { kind: 'resource', tool: 'file:///etc/passwd', arguments: {} } as const
    const asked = (called: typeof prompt | typeof resource) => viewOf({ kind: 'form', message, form, call: called })
    expect(asked(prompt).question).toMatchObject({ call: { kind: 'prompt', name: 'summarize' } })
    expect(asked(resource).question).toMatchObject({
      call: { kind: 'resource', name: 'file:///etc/passwd', arguments: [] },
    })
  })

  test('[CARD-6] a form without fields has Assent’s title, with the tool that was called', () => {
    const form = { fields: [] }
    const view = viewOf({ kind: 'form', message, form, call })
    expect(view.headline).toBe('deploy asks you to confirm: wipe_disk')
    expect(view.question).toMatchObject({ claim: message })
    expect(viewOf({ kind: 'form', message, form }).headline).toBe('deploy asks you to confirm: roll⟨U+202E⟩out')
    const named = { ...naming, describe: () => ({ name: 'Disks\u202E' }) }
    expect(viewOf({ kind: 'form', message, form, call }, { naming: named }).headline).toBe(
      'Disks⟨U+202E⟩ asks you to confirm: wipe_disk',
    )
  })
})

describe('an ask', () => {
  test('[INBOX-13] names come from configuration and identity, and every text is made visible', () => {
    const view = viewOf(
      { kind: 'url', message: 'First\u200B line\nand \u001b[31mmore', url: 'https://xn--bcher-kva.example/' },
      { naming: { ...naming, describe: () => ({ name: 'Deployments', origin: 'configured by your team' }) } },
    )
    expect(view.asker).toEqual({ server: 'Deployments', tool: 'roll⟨U+202E⟩out', origin: 'configured by your team' })
    expect(view.onBehalfOf).toEqual({ name: 'BEN', isYou: false })
    expect(view.headline).toBe('Open a page on bücher.example')
    expect(view.question).toMatchObject({ claim: 'First⟨U+200B⟩ line\nand ⟨U+001B⟩[31mmore' })
    expect(view.question).toMatchObject({
      link: { ok: true, host: { ascii: 'xn--bcher-kva.example', unicode: 'bücher.example' } },
    })
    expect(view.answers).toEqual(['accept', 'decline', 'cancel'])
  })

  test('[INBOX-13] an action is drawn in full, and ambiguous texts are quoted', () => {
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

  test('[INBOX-13] the headline of a long question is cut between words, and the card has the whole text', () => {
    const message = `Shall I ${'rename the table and '.repeat(10)}deploy?`
    const form: Form = { fields: [{ kind: 'boolean', name: 'a', required: true }] }
    const view = viewOf({ kind: 'form', message, form })
    expect(view.headline).toMatch(/ (?:rename|the|table|and)…$/)
    expect(view.headline.length).toBeLessThanOrEqual(140)
    expect(view.question).toMatchObject({ claim: message })
    for (const start of ['', 'x']) {
      expect(viewOf({ kind: 'form', message: start + '😀'.repeat(200), form }).headline).toMatch(/😀…$/)
    }
  })

  test('[INBOX-4] every ending has a sentence', () => {
    const sentence = (state: AskView['state']) => endingText({ state }, 200_000)
    const by = { name: 'Ben', isYou: false }
    const answered = { name: 'declined', verdict: 'no', text: 'Declined' } as const
    const how = { outcome: 'declined', answered, by, via: 'terminal' } as const
    const settled = { kind: 'settled', ...how, atMs: 20_000, content: [] } as const
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
    ['a rating of ten', number({ min: 1, max: 10, title: 'Score' }), { widget: 'rating' }],
    ['a rating that can be 0', number({ min: 0, max: 5, title: 'Score' }), { widget: 'slider' }],
    ['a small range that is no rating', number({ min: 1, max: 5, title: 'Replicas' }), { widget: 'slider' }],
    ['few choices', { kind: 'choice', name: 'a', required: true, options: options(6) }, { widget: 'cards' }],
    ['many choices', { kind: 'choice', name: 'a', required: true, options: options(7) }, { widget: 'search' }],
  ]
  test.each(widgets)('[INBOX-14] has its widget: %s', (_, field, expected) => {
    expect(drawField(field)).toMatchObject(expected)
  })

  test('[INBOX-14] a number from 1 to 5 is a rating if it is the only field and the question asks to rate something', () => {
    const widgetOf = (message: string, fields: readonly Field[]) => {
      const { question } = viewOf({ kind: 'form', message, form: { fields } })
      return question.kind === 'form' && question.fields[0]?.kind === 'number' ? question.fields[0].widget : undefined
    }
    const stars = number({ min: 1, max: 5, title: 'Number' })
    expect(widgetOf('Rate the last take.', [stars])).toBe('rating')
    expect(widgetOf('How many replicas?', [stars])).toBe('slider')
    expect(widgetOf('Rate the last take.', [number({ min: 1, max: 10, title: 'Number' })])).toBe('slider')
    expect(widgetOf('Rate the take and set the bars.', [stars, text({})])).toBe('slider')
  })

  test('[INBOX-14] a suggestion is offered only if all its characters are visible', () => {
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

  test('[CARD-8] an option whose label and value contradict each other shows both', () => {
    const drawn = drawField({
      kind: 'choice',
      name: 'a',
      required: true,
      options: [
        { value: 'yes', label: 'No, keep everything' },
        { value: 'eu', label: 'Europe' },
      ],
    })
    expect(drawn).toMatchObject({ options: [{ shownValue: 'yes' }, { value: 'eu' }] })
    expect(drawn).not.toHaveProperty('options.1.shownValue')
  })
})
