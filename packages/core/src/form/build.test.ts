import { expect, expectTypeOf, test } from 'vitest'
import { isAssentError } from '../errors.ts'
import { formLimits } from '../limits.ts'
import { boolean, choice, choices, type FieldSpec, form, list, number, optional, text } from './build.ts'
import { type CheckedContent, checkContent } from './check.ts'
import { encodeForm } from './encode.ts'
import type { Content, ContentOf, Form } from './form.ts'
import { readForm } from './read.ts'

function refusalOf(build: () => unknown): string {
  try {
    build()
  } catch (error) {
    if (isAssentError(error, 'schema_refused')) return error.message.replace('This form cannot be asked. ', '')
    throw error
  }
  return 'nothing was refused'
}

test('[FORM-7] a form built in code is the form that its schema would be read as', () => {
  const built = form({
    region: choice({ eu: 'Europe', us: 'United States' }, { title: 'Region', default: 'eu' }),
    replicas: number({ integer: true, min: 1, max: 50, default: 3 }),
    tempo: number({ min: 60, max: 180 }),
    days: optional(
      choices(['mon', { value: 'tue', label: 'Tuesday' }], { minItems: 1, maxItems: 2, default: ['tue'] }),
    ),
    note: text({ description: 'Anything else?', maxLength: 1_000, required: false }),
    mail: text({ format: 'email', minLength: 6 }),
    sure: boolean({ default: false }),
  })

  const encoded = encodeForm(built, '2025-11-25')

  expect(encoded.ok && readForm(encoded.schema)).toStrictEqual({ ok: true, form: built })
})

test('[FORM-7] options keep the order of a list, digits or not', () => {
  const built = form({ key: choice(['10', '9', { value: 'C#' }]) })

  expect(built.fields[0]).toMatchObject({ options: [{ value: '10' }, { value: '9' }, { value: 'C#' }] })
})

test.each([
  ['an empty choice', () => choice([]), { type: 'string', enum: [] }],
  ['a duplicate option', () => choices(['a', 'a']), { type: 'array', items: { type: 'string', enum: ['a', 'a'] } }],
  ['an empty option', () => choice(['']), { type: 'string', enum: [''] }],
  ['crossed bounds', () => number({ min: 2, max: 1 }), { type: 'number', minimum: 2, maximum: 1 }],
  ['a bound that is not a number', () => number({ min: Number.NaN }), { type: 'number', minimum: Number.NaN }],
  ['a fractional bound of an integer', () => number({ integer: true, max: 1.5 }), { type: 'integer', maximum: 1.5 }],
  ['a long title', () => text({ title: 'x'.repeat(257) }), { type: 'string', title: 'x'.repeat(257) }],
  ['an unknown setting', () => text({ const: 'x' } as object), { type: 'string', const: 'x' }],
  ['too many options', () => choice(manyOptions()), { type: 'string', enum: manyOptions() }],
])('[FORM-7] %s throws the message that reading its schema would give', (_mistake, build, property) => {
  const read = readForm({ type: 'object', properties: { f: property } })

  expect(read.ok || refusalOf(build)).toContain(read.ok ? '' : read.problems[0]?.reason)
  expect(read.ok).toBe(false)
})

function manyOptions() {
  return Array.from({ length: formLimits.options + 1 }, (_, index) => `o${index}`)
}

test('[FORM-7] mistakes that are tolerated in the schema of another program are thrown for the author', () => {
  expect(refusalOf(() => number({ max: 1, default: 2 }))).toContain('The default is not a valid answer.')
  expect(refusalOf(() => text({ format: 'regex' as 'uri' }))).toContain('This must be one of email')
  expect(refusalOf(() => text({ minimum: 1 } as object))).toBe('text: A field of this type cannot use "minimum".')
  expect(refusalOf(() => text({ pattern: '(' }))).toBe('text.pattern: This is not a valid regular expression.')
  expect(refusalOf(() => list({ item: { minimum: 1 } as object }))).toBe('list.item: An entry cannot use "minimum".')
  expect(refusalOf(() => list({ item: 'text' as unknown as object }))).toContain(
    'The rules for entries must be a plain object.',
  )
})

test('[FORM-7] the message names the field and its setting', () => {
  const twice = { kind: 'choice', required: true, options: [{ value: 'a' }, { value: 'a' }] } as FieldSpec<string, true>

  expect(refusalOf(() => form({ region: twice }))).toBe('region.options.1: Two options have the same value.')
  expect(refusalOf(() => number({ min: 2, max: 1 }))).toBe('number.min: Nothing can be at least 2 and at most 1.')
  expect(refusalOf(() => form({ '': text() }))).toBe('A field needs a name.')
})

test('[FORM-7] mistakes of callers without types are thrown too', () => {
  const loose = { text, choice, form, boolean } as Record<string, (...values: unknown[]) => unknown>

  expect(refusalOf(() => loose.text?.('title'))).toBe('text: The settings must be a plain object.')
  expect(refusalOf(() => loose.boolean?.({ required: 'no' }))).toBe('boolean.required: This must be true or false.')
  expect(refusalOf(() => loose.choice?.('a,b'))).toBe('choice.options: There is nothing to choose from.')
  expect(refusalOf(() => loose.choice?.([7]))).toBe('choice.options.0: This must be text.')
  expect(refusalOf(() => loose.choice?.(Object.fromEntries(manyOptions().map((o) => [o, o]))))).toContain('256 options')
  expect(refusalOf(() => loose.form?.({ a: 'text' }))).toContain('a: A field must be text, number')
  expect(refusalOf(() => loose.form?.('a'))).toBe('A form needs a plain object of 64 fields at most.')
  expect(refusalOf(() => loose.form?.(JSON.parse('{"__proto__":{"kind":"text"}}')))).toContain('__proto__')
})

test('[FORM-7] the total text of a built form has the same limit', () => {
  const wordy = () => text({ description: 'x'.repeat(2_048) })
  const fields = Object.fromEntries(Array.from({ length: 33 }, (_, index) => [`f${index}`, wordy()]))

  expect(refusalOf(() => form(fields))).toBe('A form may hold 65536 characters of text in all.')
})

test('[FORM-8] content has the type its fields give it, and optional fields are optional keys', () => {
  const built = form({
    region: choice({ eu: 'Europe', us: 'United States' }),
    key: choice(['C', { value: 'D', label: 'D major' }]),
    n: number({ min: 1 }),
    days: choices(['mon', 'tue']),
    sure: boolean({ required: true }),
    note: text({ required: false }),
    mail: optional(text({ format: 'email' })),
    other: optional(choice(['x', 'y'])),
  })

  expectTypeOf<ContentOf<typeof built>>().toEqualTypeOf<{
    readonly region: 'eu' | 'us'
    readonly key: 'C' | 'D'
    readonly n: number
    readonly days: readonly ('mon' | 'tue')[]
    readonly sure: boolean
    readonly note?: string
    readonly mail?: string
    readonly other?: 'x' | 'y'
  }>()
  expectTypeOf(checkContent(built, {})).toEqualTypeOf<CheckedContent<ContentOf<typeof built>>>()
  expectTypeOf(built).toExtend<Form>()
})

test('[FORM-8] a field whose `required` is only known at run time is an optional key', () => {
  const built = form({ note: text({ required: Math.random() > 2 }) })

  expectTypeOf<ContentOf<typeof built>>().toEqualTypeOf<{ readonly note?: string }>()
  expect(built.fields[0]?.required).toBe(false)
})

test('[FORM-8] a form that was read has content of unknown fields', () => {
  expectTypeOf<ContentOf<Form>>().toEqualTypeOf<Content>()
  expectTypeOf(checkContent({ fields: [] } as Form, {})).toEqualTypeOf<CheckedContent<Content>>()
})

test('[FORM-8] a default that is not an option does not compile', () => {
  // @ts-expect-error: 'uk' is not an option
  expect(refusalOf(() => choice({ eu: 'Europe' }, { default: 'uk' }))).toContain('The default is not a valid answer.')
  // @ts-expect-error: a number has no length
  expect(refusalOf(() => number({ maxLength: 3 }))).toContain('"maxLength"')
})
