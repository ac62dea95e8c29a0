import { expect, test } from 'vitest'
import { formLimits } from '../limits.ts'
import { boolean, choice, choices, form, number, optional, text } from './build.ts'
import { checkContent } from './check.ts'
import type { Form } from './form.ts'

const deploy = form({
  region: choice({ eu: 'Europe', us: 'United States' }),
  replicas: number({ integer: true, min: 1, max: 50 }),
  days: optional(choices(['mon', 'tue', 'wed'], { minItems: 1, maxItems: 2 })),
  note: text({ maxLength: 20, required: false }),
  sure: boolean(),
})
const complete = { region: 'eu', replicas: 3, sure: true }

function messageFor(part: Parameters<typeof form>[0][string], value: unknown): string | undefined {
  const checked = checkContent(form({ f: part }), { f: value })
  if (checked.ok) return undefined
  expect(checked.issues).toHaveLength(1)
  expect(checked.issues[0]?.field).toBe('f')
  return checked.issues[0]?.message
}

test('[FORM-11] a complete and valid answer is accepted, with or without optional fields', () => {
  expect(checkContent(deploy, complete)).toEqual({ ok: true, content: complete })
  expect(checkContent(deploy, { ...complete, days: ['wed', 'mon'], note: '' })).toMatchObject({ ok: true })
})

test.each([undefined, {}, null, [], '', 'yes', true, 7, [complete]])(
  '[FORM-11] accepting with %j does not answer a form with required fields',
  (content) => {
    expect(checkContent(deploy, content).ok).toBe(false)
  },
)

test('[FORM-11] missing content is accepted if no field is required, but null is not', () => {
  const relaxed = form({ note: optional(text()) })

  expect(checkContent(relaxed, undefined)).toEqual({ ok: true, content: {} })
  expect(checkContent(relaxed, {})).toEqual({ ok: true, content: {} })
  expect(checkContent(relaxed, { note: undefined })).toEqual({ ok: true, content: {} })
  expect(checkContent(relaxed, null).ok).toBe(false)
  expect(checkContent(relaxed, { note: null }).ok).toBe(false)
})

test('[FORM-11] one wrong value makes the whole answer invalid', () => {
  expect(checkContent(deploy, { ...complete, sure: 'true' }).ok).toBe(false)
  expect(checkContent(deploy, { ...complete, replicas: 51 }).ok).toBe(false)
  expect(checkContent(deploy, { ...complete, region: 'Europe' }).ok).toBe(false)
  expect(checkContent(deploy, { ...complete, Region: 'eu' }).ok).toBe(false)
})

test.each([
  ['text', text(), [7, true, null, ['a'], {}], 'Enter text.'],
  ['a number', number(), ['7', null, Number.NaN, Number.POSITIVE_INFINITY, [7], 7n], 'Enter a number.'],
  ['a whole number', number({ integer: true }), [7.5, '7', Number.NaN], 'Enter a whole number.'],
  ['a boolean', boolean(), ['true', 1, 0, null, {}], 'Choose yes or no.'],
  ['a choice', choice(['a', 'b']), ['c', 'A', '', ['a'], null, 'toString'], 'Choose one of the options.'],
  ['choices', choices(['a', 'b']), ['a', ['c'], ['a', null], { 0: 'a', length: 1 }, null], 'Choose from the options.'],
])('[FORM-12] the message for a value that is not %s says what to enter', (_kind, part, values, message) => {
  for (const value of values) expect(messageFor(part, value)).toBe(message)
})

test.each([
  [number({ min: 60 }), 59.9, 'Must be 60 or more.'],
  [number({ max: 180 }), 180.1, 'Must be 180 or less.'],
  [number({ integer: true }), 2 ** 53, 'This number is too large to be exact.'],
  [text({ minLength: 1 }), '', 'Enter at least 1 character.'],
  [text({ minLength: 3 }), 'ab', 'Enter at least 3 characters.'],
  [text({ maxLength: 3 }), 'abcd', 'Enter at most 3 characters.'],
  [text({ maxLength: 3 }), 'x'.repeat(100), 'Enter at most 3 characters.'],
  [text(), 'a\ud800b', 'Contains a broken character. Enter it again.'],
  [text(), 'x'.repeat(formLimits.answerChars + 1), 'Enter at most 16384 characters.'],
  [text({ maxLength: 999_999 }), 'x'.repeat(formLimits.answerChars + 1), 'Enter at most 16384 characters.'],
  [text({ format: 'email' }), 'me', 'Enter an email address like name@example.com.'],
  [text({ format: 'uri' }), 'example.com', 'Enter a full address like https://example.com/page.'],
  [text({ format: 'date' }), '28.7.2026', 'Enter a date like 2026-07-28.'],
  [text({ format: 'date-time' }), '2026-07-28', 'Enter a date and time like 2026-07-28T09:30:00Z.'],
  [choices(['a', 'b', 'c'], { minItems: 2 }), ['a'], 'Choose at least 2.'],
  [choices(['a', 'b', 'c'], { maxItems: 2 }), ['a', 'b', 'c'], 'Choose at most 2.'],
  [choices(['a', 'b', 'c'], { maxItems: 2 }), ['a', 'a'], 'Choose each option only once.'],
  [choices(['a']), Array(1_000).fill('a'), 'Choose from the options.'],
])('[FORM-12] outside the bounds of %j, the message for %j is "%s"', (part, value, message) => {
  expect(messageFor(part, value)).toBe(message)
})

test.each([
  [number({ min: 60, max: 180 }), 60],
  [number({ min: 60, max: 180 }), 180],
  [number({ integer: true }), -(2 ** 53 - 1)],
  [text({ minLength: 2, maxLength: 3 }), 'ab'],
  [text({ minLength: 2, maxLength: 3 }), 'abc'],
  [text({ maxLength: 0 }), ''],
  [text(), 'x'.repeat(formLimits.answerChars)],
  [text({ format: 'date' }), '2026-07-28'],
  [choices(['a', 'b', 'c'], { minItems: 2 }), ['c', 'a']],
  [choices(['a'], { maxItems: 9 }), []],
])('[FORM-11] the bounds of %j themselves are accepted', (part, value) => {
  expect(messageFor(part, value)).toBeUndefined()
})

test('[FORM-12] every issue is reported in the order of the form; unknown fields come last with shortened names', () => {
  const checked = checkContent(deploy, { replicas: 0, ['x'.repeat(1_000)]: 1 })

  expect(checked).toStrictEqual({
    ok: false,
    issues: [
      { field: 'region', message: 'This is required.' },
      { field: 'replicas', message: 'Must be 1 or more.' },
      { field: 'sure', message: 'This is required.' },
      { field: `${'x'.repeat(40)}…`, message: 'This was not asked for.' },
    ],
  })
})

test('[FORM-12] the number of issues is limited, and an answer with too many values is not read', () => {
  const unknowns = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`s${index}`, 1]))

  const many = checkContent(deploy, unknowns(60))
  expect(many.ok || many.issues.length).toBe(formLimits.problems)
  expect(checkContent(deploy, unknowns(65))).toStrictEqual({
    ok: false,
    issues: [{ field: '', message: 'There are too many answers.' }],
  })
})

test('[FORM-13] content is in the order of the form and shares no object with the input', () => {
  const days = ['tue']
  const answer = { sure: false, days, replicas: 1, region: 'us' }

  const checked = checkContent(deploy, answer)
  days.push('wed')

  if (!checked.ok) throw new Error('This answer is valid.')
  expect(Object.keys(checked.content)).toStrictEqual(['region', 'replicas', 'days', 'sure'])
  expect(checked.content.days).toStrictEqual(['tue'])
  expect(Object.getPrototypeOf(checked.content)).toBeNull()
})

test('[FORM-13] minus zero becomes zero, so that one answer has one digest', () => {
  const checked = checkContent(form({ n: number({ min: 0 }) }), { n: -0 })

  expect(checked.ok && Object.is(checked.content.n, 0)).toBe(true)
})

test('[FORM-14] an emoji is one character, and a combining accent is another one', () => {
  const three = text({ minLength: 3, maxLength: 3 })

  expect(messageFor(three, '😀😀😀')).toBeUndefined()
  expect(messageFor(three, '😀😀')).toBe('Enter at least 3 characters.')
  expect(messageFor(three, '😀😀😀😀')).toBe('Enter at most 3 characters.')
  expect(messageFor(three, 'e\u0301e\u0301')).toBe('Enter at most 3 characters.')
})

test('[FORM-11] a form without fields accepts an empty answer and nothing else', () => {
  const empty: Form = { fields: [] }

  expect(checkContent(empty, {})).toEqual({ ok: true, content: {} })
  expect(checkContent(empty, { approved: true }).ok).toBe(false)
})
