import { AssentError, type Content, checkAnswer, type Form } from '@assent/core'
import { expect, describe as group, test } from 'vitest'
import { z } from 'zod'
import * as describe from './describe.ts'
import { answerValue, endingOf } from './ending.ts'
import { field } from './field.ts'

const action = { server: 's', tool: 't', definitionDigest: `sha256:${'0'.repeat(64)}`, arguments: { a: 1 } }

function formOf({ question }: describe.Description): Form {
  if (question.kind !== 'form') throw new Error('The question is not a form.')
  return question.form
}

group('every kind of ask', () => {
  // One row per kind: the ask, content a person could give, the value the handler gets.
  test.each<[describe.Description, Content | undefined, unknown]>([
    [describe.text('Name?', { maxLength: 5 }), { text: 'Ada' }, 'Ada'],
    [describe.secret('Password?'), { secret: 'hunter2' }, 'hunter2'],
    [describe.confirm('Sure?'), { confirmed: true }, true],
    [describe.confirm('Sure?'), { confirmed: false }, false],
    [describe.choose('Which?', { a: 'A', b: 'B' }), { choice: 'b' }, 'b'],
    [describe.chooseMany('Which?', ['a', 'b'], { min: 1 }), { choices: ['a'] }, ['a']],
    [describe.number('How many?', { min: 60, max: 180, integer: true }), { number: 120 }, 120],
    [describe.date('When?'), { date: '2026-07-28' }, '2026-07-28'],
    [describe.file('Which file?'), { file: './notes.md' }, './notes.md'],
    [describe.fields('Who?', { name: field.text() }), { name: 'Ada' }, { name: 'Ada' }],
    [describe.fields('Who?', z.object({ n: z.int().positive() })), { n: 2 }, { n: 2 }],
    [describe.url('Sign in?', 'https://example.com/in'), undefined, undefined],
    [describe.approve('Deploy', action), undefined, { a: 1 }],
  ])('[SDK-21] becomes a core question, and its answer a value: $0.kind', async (description, content, value) => {
    const answer = content === undefined ? { action: 'accept' } : { action: 'accept', content }
    expect(checkAnswer(description.question, answer).ok).toBe(true)
    expect(await answerValue(description, endingOf(description, answer))).toEqual(value)
  })

  test('[TOOL-8] a confirmation is not labelled with one of its answers', () => {
    expect(formOf(describe.confirm('Sure?')).fields).toMatchObject([{ kind: 'boolean', title: 'Your answer' }])
  })

  test('[POINT-16] what was checked is a paragraph of the question, or the ask is refused', () => {
    const asked = { name: field.text() }
    const message = 'Who?\n\nChecked by Assent:\n- a'
    expect(describe.fields(message, asked, { checked: '- a' }).question).toMatchObject({ message, checked: '- a' })
    for (const checked of ['', '- b', 'Who?']) {
      expect(() => describe.fields(message, asked, { checked })).toThrow('must be a paragraph')
    }
  })

  test('[SDK-21] a form that the author changes afterwards is asked as it was, and then as it is', () => {
    const asked = { name: field.text({ title: 'First' }) }
    const before = describe.fields('Who?', asked)
    asked.name = field.text({ title: 'Second' })
    expect(formOf(describe.fields('Who?', asked)).fields).toMatchObject([{ title: 'Second' }])
    expect(formOf(before).fields).toMatchObject([{ title: 'First' }])

    const form = { fields: [{ kind: 'text' as const, name: 'name', required: true, title: 'First' }] }
    const whole = describe.edit('Who?', { form, take: (content) => content, options: {} })
    const [first] = form.fields
    if (first !== undefined) first.title = 'Second'
    expect(formOf(whole).fields).toMatchObject([{ title: 'First' }])
    const again = describe.edit('Who?', { form, take: (content) => content, options: {} })
    expect(formOf(again).fields).toMatchObject([{ title: 'Second' }])
  })

  test('[SDK-21] has the bounds, options and suggestions that it was given', () => {
    expect(formOf(describe.number('?', { min: 1, max: 5, suggest: 3, integer: true })).fields).toEqual([
      {
        kind: 'number',
        name: 'number',
        title: 'Your answer',
        required: true,
        integer: true,
        min: 1,
        max: 5,
        default: 3,
      },
    ])
    expect(formOf(describe.choose('?', { a: 'A' }, { suggest: 'a' })).fields).toMatchObject([
      { kind: 'choice', options: [{ value: 'a', label: 'A' }], default: 'a' },
    ])
    expect(formOf(describe.date('?')).fields).toMatchObject([{ kind: 'text', format: 'date' }])
  })

  test.each([
    ['text', describe.text('?'), 'Your answer'],
    ['a number', describe.number('?'), 'Your answer'],
    ['a date', describe.date('?'), 'Your answer'],
    ['yes or no', describe.confirm('?'), 'Your answer'],
    ['a choice', describe.choose('?', ['a', 'b']), 'Your choice'],
    ['several choices', describe.chooseMany('?', ['a', 'b']), 'Your choice'],
    ['text with a title', describe.text('?', { title: 'Name' }), 'Name'],
  ])('[SDK-21] the only field has a title, so that no client shows its name: %s', (_, asked, title) => {
    expect(formOf(asked).fields).toMatchObject([{ title }])
  })

  test('[SDK-21] the form has what a form can show, and the schema validates all of it', async () => {
    const even = z.object({ n: z.number().multipleOf(2), code: z.string().regex(/^[A-Z]+$/) })
    const asked = describe.fields('?', even)
    expect(formOf(asked).fields).toEqual([
      { kind: 'number', name: 'n', required: true, integer: false },
      { kind: 'text', name: 'code', required: true },
    ])
    const ending = endingOf(asked, { action: 'accept', content: { n: 3, code: 'a' } })
    await expect(answerValue(asked, ending)).rejects.toMatchObject({ code: 'validation_failed' })
    await expect(answerValue(asked, ending)).rejects.toThrow('n')
  })
})

group('a mistake in an ask', () => {
  test.each<[string, () => unknown]>([
    ['no text', () => describe.text(' ')],
    ['too much text', () => describe.text('x'.repeat(10_000))],
    ['a minimum above the maximum', () => describe.number('?', { min: 2, max: 1 })],
    ['no options', () => describe.choose('?', [])],
    ['a suggestion that is not an option', () => describe.choose('?', ['a'], { suggest: 'b' as 'a' })],
    ['a secret in a form', () => describe.text('What is your password?')],
    ['a secret in a field', () => describe.fields('Sign in', { apiKey: field.text() })],
    ['an unsafe link', () => describe.url('?', 'javascript:alert(1)')],
    ['a nested schema', () => describe.fields('?', z.object({ a: z.object({ b: z.string() }) }))],
    [
      'a schema without a JSON Schema',
      () => describe.fields('?', { '~standard': { version: 1, vendor: 'v', validate: (value) => ({ value }) } }),
    ],
    ['a wait of zero', () => describe.text('?', { waitMs: 0 })],
    ['an infinite wait', () => describe.text('?', { waitMs: Number.POSITIVE_INFINITY })],
    [
      'a fallback for a destructive question',
      () => describe.confirm('?', { fallback: true, risk: 'destructive' } as never),
    ],
    ['a fallback for an approval', () => describe.approve('?', action, { fallback: true } as never)],
    ['a fallback for a secret', () => describe.secret('?', { fallback: 'x' } as never)],
    ['an action with an unknown member', () => describe.approve('?', { ...action, more: 1 } as never)],
  ])('[SDK-21] is thrown before a person is asked: %s', (_, mistake) => {
    expect(mistake).toThrow(AssentError)
  })
})
