// Schemas as the SDKs of several languages write them, and as the specification's own page shows them.
import { expect, test } from 'vitest'
import { revisions } from '../revisions.ts'
import { checkContent } from './check.ts'
import { encodeForm } from './encode.ts'
import type { Field } from './form.ts'
import { type CompilePattern, trustedPatterns } from './patterns.ts'
import { readForm } from './read.ts'

const withField = (property: unknown, required: readonly string[] = []) => ({
  type: 'object',
  properties: { f: property },
  required,
})

function readOne(property: unknown, required: readonly string[] = []) {
  const read = readForm(withField(property, required), trustedPatterns)
  if (!read.ok) throw new Error(JSON.stringify(read.problems))
  return { ...read, field: read.form.fields[0] as Field }
}

const named = { name: 'f', required: false }
const whole = { kind: 'number', integer: true } as const
const ab = [{ value: 'a' }, { value: 'b' }]

test.each([
  [
    'the specification: a pattern',
    { type: 'string', pattern: '^[A-Za-z]+$' },
    { kind: 'text', pattern: '^[A-Za-z]+$' },
  ],
  [
    'Python: Optional[int] = None',
    { anyOf: [{ type: 'integer' }, { type: 'null' }], default: null, title: 'F' },
    { ...whole, nullable: true, title: 'F' },
  ],
  [
    'Python: Annotated[int | None, Field(ge=1, le=9)] = 3',
    { anyOf: [{ maximum: 9, minimum: 1, type: 'integer' }, { type: 'null' }], default: 3 },
    { ...whole, nullable: true, min: 1, max: 9, default: 3 },
  ],
  [
    'Python: list[str]',
    { type: 'array', items: { type: 'string' }, title: 'F' },
    { kind: 'list', item: {}, title: 'F' },
  ],
  ['Python: Literal without a type', { enum: ['a', 'b'] }, { kind: 'choice', options: ab }],
  ['Python: Field(gt=0)', { exclusiveMinimum: 0, type: 'number' }, { kind: 'number', integer: false, above: 0 }],
  [
    'Python: Field(gt=0, lt=10) of int',
    { exclusiveMinimum: 0, exclusiveMaximum: 10, type: 'integer' },
    { ...whole, min: 1, max: 9 },
  ],
  [
    'Python: set[Literal]',
    { type: 'array', items: { enum: ['a', 'b'], type: 'string' }, uniqueItems: true },
    { kind: 'choices', options: ab },
  ],
  [
    'Python: set[str]',
    { type: 'array', items: { type: 'string' }, uniqueItems: true },
    { kind: 'list', item: {}, unique: true },
  ],
  ['Go: *int', { type: ['null', 'integer'] }, { ...whole, nullable: true }],
  ['Rust: u32', { type: 'integer', format: 'uint32', minimum: 0 }, { ...whole, min: 0 }],
  ['Rust: Option<String>', { type: ['string', 'null'] }, { kind: 'text', nullable: true }],
  [
    'zod: z.union of literals',
    {
      anyOf: [
        { type: 'string', const: 'a' },
        { type: 'string', const: 'b' },
      ],
    },
    { kind: 'choice', options: ab },
  ],
  ['zod: z.email()', { type: 'string', format: 'email', pattern: '^(?<!x)a(?' }, { kind: 'text', format: 'email' }],
  [
    'zod: z.uuid()',
    { type: 'string', format: 'uuid', pattern: '^[0-9a-f-]{36}$' },
    { kind: 'text', pattern: '^[0-9a-f-]{36}$' },
  ],
  [
    'a nullable enum',
    { type: ['string', 'null'], enum: ['a', 'b', null] },
    { kind: 'choice', options: ab, nullable: true },
  ],
  [
    'a list with rules',
    { type: 'array', minItems: 1, items: { type: 'string', minLength: 2, format: 'email' } },
    { kind: 'list', item: { minLength: 2, format: 'email' }, minItems: 1 },
  ],
  [
    'annotations',
    {
      type: 'string',
      examples: ['a'],
      deprecated: true,
      'x-order': 1,
      $comment: 'c',
      min: 1,
      contentEncoding: 'base64',
    },
    { kind: 'text' },
  ],
  [
    'options with annotations',
    {
      type: 'string',
      oneOf: [
        { const: 'a', description: 'First' },
        { const: 'b', title: 'b' },
      ],
    },
    { kind: 'choice', options: ab },
  ],
])('[FORM-16] the schema that an SDK writes is read (%s)', (_sdk, property, field) => {
  expect(readOne(property).field).toStrictEqual({ ...named, ...field })
})

test.each([
  ['out of bounds', { type: 'number', maximum: 1, default: 2 }],
  ['of another type', { type: 'string', default: 7 }],
  ['null', { type: 'string', default: null }],
  ['not an option', { type: 'string', enum: ['a'], default: 'b' }],
  ['not a valid date', { type: 'string', format: 'date', default: 'today' }],
  ['not a list', { type: 'array', items: { type: 'string', enum: ['a'] }, default: 7 }],
])('[FORM-17] a default that is %s is dropped, and the form is read without it', (_what, property) => {
  expect(readOne(property).field.default).toBeUndefined()
})

test('[FORM-18] a nullable field may be left empty: null where it is required, absent where it is not', () => {
  const nullable = { anyOf: [{ type: 'integer', minimum: 1 }, { type: 'null' }] }
  const required = readOne(nullable, ['f']).form
  const optional = readOne(nullable).form

  expect(checkContent(required, {})).toMatchObject({ ok: true, content: { f: null } })
  expect(checkContent(optional, {})).toEqual({ ok: true, content: {} })
  expect(checkContent(optional, { f: null })).toMatchObject({ ok: true, content: { f: null } })
  expect(checkContent(required, { f: 2 })).toMatchObject({ ok: true, content: { f: 2 } })
  expect(checkContent(required, { f: 0 })).toMatchObject({ issues: [{ message: 'Must be 1 or more.' }] })
  expect(checkContent(readOne({ type: 'integer' }).form, { f: null }).ok).toBe(false)
})

test.each([
  ['a, b ,c', ['a', 'b', 'c']],
  ['a\nb, c\r\n\n', ['a', 'b, c']],
  ['["a, b", "c"]', ['a, b', 'c']],
  ['[draft], final', ['[draft]', 'final']],
  ['', []],
  [
    ['a, b', ''],
    ['a, b', ''],
  ],
])('[FORM-19] a list may be given as one text: %j', (given, content) => {
  const { form } = readOne({ type: 'array', items: { type: 'string' } })

  expect(checkContent(form, { f: given })).toMatchObject({ ok: true, content: { f: content } })
})

test('[FORM-19] entries of a list are counted, compared and checked one by one', () => {
  const list = {
    type: 'array',
    minItems: 1,
    maxItems: 2,
    uniqueItems: true,
    items: { type: 'string', pattern: '^[a-z]+$' },
  }
  const { form } = readOne(list)
  const problem = (f: unknown) => {
    const checked = checkContent(form, { f }, { patterns: trustedPatterns })
    return checked.ok ? undefined : checked.issues[0]?.message
  }

  expect(problem(['a', 'b'])).toBeUndefined()
  expect(problem([])).toBe('Enter at least 1.')
  expect(problem('a, b, c')).toBe('Enter at most 2.')
  expect(problem(['a', 'a'])).toBe('Enter each entry only once.')
  expect(problem(['a', 'B'])).toBe('Entry 2: Must match the pattern ^[a-z]+$')
  expect(problem(['a', 7])).toBe('Entry 2: Enter text.')
  expect(problem({ 0: 'a' })).toBe('Enter a list.')
  expect(problem(Array.from({ length: 257 }, (_, index) => `x${index}`))).toBe('Enter at most 256 entries.')
})

test('[FORM-20] a pattern is checked by the engine that was passed; without one the field is refused', () => {
  const { form } = readOne({ type: 'string', pattern: '^[a-z]+$' })

  expect(checkContent(form, { f: 'abc' }, { patterns: trustedPatterns }).ok).toBe(true)
  expect(checkContent(form, { f: 'ABC' }, { patterns: trustedPatterns }).ok).toBe(false)
  const upTo3: CompilePattern = () => ({ ok: true, matches: () => true, maxChars: 3 })
  expect(checkContent(form, { f: 'abc' }, { patterns: upTo3 }).ok).toBe(true)
  expect(checkContent(form, { f: 'abcd' }, { patterns: upTo3 })).toMatchObject({
    issues: [{ message: 'Enter at most 3 characters.' }],
  })
  expect(checkContent(form, { f: 'abc' }).ok).toBe(false)
  expect(readForm(withField({ type: 'string', pattern: 'x' }))).toMatchObject({
    problems: [{ path: '/properties/f/pattern', reason: 'Patterns cannot be checked here.' }],
  })
})

test('[FORM-9] a rule without a keyword in the revision is written as a hint in the description', () => {
  const properties = {
    tags: { type: 'array', items: { type: 'string' }, default: ['a', 'b'], description: 'Tags.' },
    price: { type: 'number', exclusiveMinimum: 0 },
    count: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
    name: { type: 'string', pattern: '^a' },
  }
  const read = readForm({ type: 'object', properties, required: ['tags', 'count'] }, trustedPatterns)
  if (!read.ok) throw new Error('This form can be read.')

  for (const revision of revisions) {
    const encoded = encodeForm(read.form, revision)
    expect(encoded).toMatchObject({
      ok: true,
      schema: {
        properties: {
          tags: {
            type: 'string',
            description: 'Tags. A list: separate the entries with commas, or write one per line.',
            ...(revision === '2025-06-18' ? {} : { default: 'a, b' }),
          },
          price: { type: 'number', minimum: 0, description: 'Must be more than 0.' },
          count: { type: 'integer' },
          name: { type: 'string', pattern: '^a' },
        },
        required: ['tags'],
      },
    })
    expect(encoded.ok && readForm(encoded.schema, trustedPatterns)).toMatchObject({ ok: true })
    expect(encoded.ok && readForm(encoded.schema, trustedPatterns)).not.toHaveProperty('isNonStandard')
  }
})

test.each([
  [{ type: 'string', pattern: 'x', examples: ['x'], 'x-hint': 1 }, undefined],
  [{ type: 'string', oneOf: [{ const: 'a', title: 'A' }], default: 'a' }, undefined],
  [{ type: 'array', items: { type: 'string', enum: ['a'] } }, undefined],
  [{ type: 'array', items: { anyOf: [{ const: 'a', title: 'A' }] } }, undefined],
  [{ type: 'string', oneOf: [{ const: 'a' }] }, true],
  [{ type: 'string', enum: ['a'], enumNames: ['A'] }, undefined],
  [{ enum: ['a'] }, true],
  [{ type: 'string', default: null }, true],
  [{ type: 'string', format: 'uuid' }, true],
  [{ type: 'number', exclusiveMinimum: 1 }, true],
  [{ type: ['string', 'null'] }, true],
  [{ type: 'array', items: { type: 'string' } }, true],
])('[FORM-16] a schema that a client may refuse is marked: %j', (property, isNonStandard) => {
  expect(readOne(property).isNonStandard).toBe(isNonStandard)
})
