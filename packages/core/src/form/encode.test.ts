import fc from 'fast-check'
import { expect, test } from 'vitest'
import { revisions } from '../revisions.ts'
import { boolean, choice, choices, form, number, optional, text } from './build.ts'
import { encodeForm } from './encode.ts'
import { type Field, type Form, textFormats } from './form.ts'
import { readForm } from './read.ts'

const sample = form({
  region: choice({ eu: 'Europe', us: 'United States' }, { title: 'Region', default: 'eu' }),
  key: choice(['C', 'D']),
  tempo: optional(number({ integer: true, min: 60, max: 180, default: 120 })),
  name: text({ format: 'email', minLength: 6, maxLength: 99, default: 'me@example.com' }),
  sure: boolean({ default: false }),
})

test('[FORM-9] 2025-06-18 gets labels in a second list, and defaults for booleans only', () => {
  expect(encodeForm(sample, '2025-06-18')).toStrictEqual({
    ok: true,
    schema: {
      type: 'object',
      properties: {
        region: { type: 'string', title: 'Region', enum: ['eu', 'us'], enumNames: ['Europe', 'United States'] },
        key: { type: 'string', enum: ['C', 'D'] },
        tempo: { type: 'integer', minimum: 60, maximum: 180 },
        name: { type: 'string', format: 'email', minLength: 6, maxLength: 99 },
        sure: { type: 'boolean', default: false },
      },
      required: ['region', 'key', 'name', 'sure'],
    },
  })
})

test.each(['2025-11-25', '2026-07-28'] as const)('[FORM-9] %s gets titled options and every default', (revision) => {
  const withDays = { fields: [...sample.fields, ...form({ d: choices({ mo: 'Monday' }), e: choices(['x']) }).fields] }

  expect(encodeForm(withDays, revision)).toStrictEqual({
    ok: true,
    schema: {
      type: 'object',
      properties: {
        region: {
          type: 'string',
          title: 'Region',
          oneOf: [
            { const: 'eu', title: 'Europe' },
            { const: 'us', title: 'United States' },
          ],
          default: 'eu',
        },
        key: { type: 'string', enum: ['C', 'D'] },
        tempo: { type: 'integer', minimum: 60, maximum: 180, default: 120 },
        name: { type: 'string', format: 'email', minLength: 6, maxLength: 99, default: 'me@example.com' },
        sure: { type: 'boolean', default: false },
        d: { type: 'array', items: { anyOf: [{ const: 'mo', title: 'Monday' }] } },
        e: { type: 'array', items: { type: 'string', enum: ['x'] } },
      },
      required: ['region', 'key', 'name', 'sure', 'd', 'e'],
    },
  })
})

test('[FORM-9] `required` is omitted when no field is required', () => {
  for (const revision of revisions) {
    expect(encodeForm({ fields: [] }, revision)).toStrictEqual({ ok: true, schema: { type: 'object', properties: {} } })
  }
})

test('[FORM-10] a form with several choices is refused for 2025-06-18 instead of losing the field', () => {
  expect(encodeForm(form({ sure: boolean(), days: choices(['mon']) }), '2025-06-18')).toStrictEqual({
    ok: false,
    reason: 'In 2025-06-18 "days" cannot allow several choices.',
  })
})

test('[FORM-9] any form is read back unchanged from its 2025-11-25 schema', () => {
  fc.assert(
    fc.property(anyForm(), (any) => {
      const encoded = encodeForm(any, '2025-11-25')
      expect(encoded.ok && readForm(JSON.parse(JSON.stringify(encoded.schema)))).toStrictEqual({ ok: true, form: any })
    }),
  )
})

test('[FORM-9] any form is read back from its 2025-06-18 schema, without the defaults that it cannot express', () => {
  fc.assert(
    fc.property(anyForm(), (any) => {
      const expressible: Form = { fields: any.fields.filter((field) => field.kind !== 'choices') }
      const encoded = encodeForm(expressible, '2025-06-18')
      const fields = expressible.fields.map(({ default: suggested, ...rest }) =>
        rest.kind === 'boolean' && suggested !== undefined ? { ...rest, default: suggested } : rest,
      )
      const again = readForm(encoded.ok && JSON.parse(JSON.stringify(encoded.schema)))
      expect(again.ok && again.form).toStrictEqual({ fields })
      expect(encodeForm(any, '2025-06-18').ok).toBe(expressible.fields.length === any.fields.length)
    }),
  )
})

/** Valid forms: fields in the order of an object's names, labels only where they differ from the value. */
function anyForm(): fc.Arbitrary<Form> {
  const name = fc.oneof(
    fc.constantFrom('constructor', 'toString', 'a/b~c', '7', '😀'),
    fc.string({ minLength: 1, maxLength: 20, unit: 'binary' }).filter((text) => text !== '__proto__'),
  )
  return fc
    .dictionary(name, anyPart(), { maxKeys: 12 })
    .map((parts) => ({ fields: Object.entries(parts).map(([key, part]) => ({ name: key, ...part }) as Field) }))
}

function anyPart(): fc.Arbitrary<object> {
  const prose = fc.string({ maxLength: 40, unit: 'binary' })
  const common = { title: prose, description: prose }
  const required = fc.record({ required: fc.boolean() })
  const ordered = (bound: fc.Arbitrary<number>, [low, high]: [string, string]) =>
    fc
      .tuple(bound, bound)
      .chain(([a, b]) => someOf({ [low]: fc.constant(Math.min(a, b)), [high]: fc.constant(Math.max(a, b)) }))
  const bounded = (integer: boolean) => {
    const bound = integer ? fc.integer() : fc.double({ noNaN: true, noDefaultInfinity: true }).map((x) => x + 0)
    return ordered(bound, ['min', 'max'])
  }
  const text = fc.oneof(
    ordered(fc.nat({ max: 16_384 }), ['minLength', 'maxLength']),
    someOf({ format: fc.constantFrom(...textFormats) }),
    fc.record({ default: prose }),
  )
  const options = fc.uniqueArray(anyOption(), { minLength: 1, maxLength: 8, selector: (option) => option.value })
  const choice = options.chain((list) =>
    merged(fc.constant({ options: list }), someOf({ default: fc.constantFrom(...list.map((o) => o.value)) })),
  )
  const several = options.chain((list) => {
    const values = list.map((option) => option.value)
    return fc.oneof(
      merged(fc.constant({ options: list }), someOf({ default: fc.subarray(values) })),
      merged(fc.constant({ options: list }), ordered(fc.nat({ max: list.length }), ['minItems', 'maxItems'])),
    )
  })
  const number = fc.boolean().chain((integer) => merged(fc.constant({ integer }), bounded(integer)))
  return merged(
    required,
    someOf(common),
    fc.oneof(
      merged(fc.constant({ kind: 'text' }), text),
      merged(fc.constant({ kind: 'number' }), number),
      merged(fc.constant({ kind: 'boolean' }), someOf({ default: fc.boolean() })),
      merged(fc.constant({ kind: 'choice' }), choice),
      merged(fc.constant({ kind: 'choices' }), several),
    ),
  )
}

function anyOption() {
  const word = fc.string({ minLength: 1, maxLength: 10, unit: 'binary' })
  return fc
    .record({ value: word, label: fc.option(word, { nil: undefined }) })
    .map(({ value, label }) => (label === undefined || label === value ? { value } : { value, label }))
}

function someOf(parts: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<object> {
  return fc.record(parts, { requiredKeys: [] })
}

function merged(...parts: fc.Arbitrary<object>[]): fc.Arbitrary<object> {
  return fc.tuple(...parts).map((list) => Object.assign({}, ...list))
}
