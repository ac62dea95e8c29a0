import { expect, test } from 'vitest'
import type { Field } from './form.ts'
import { readForm } from './read.ts'

const withField = (property: unknown) => ({ type: 'object', properties: { f: property } })

function fieldOf(property: unknown): Field | undefined {
  const read = readForm(withField(property))
  return read.ok ? read.form.fields[0] : undefined
}

const named = { name: 'f', required: false }

test.each([
  [{ type: 'string' }, { kind: 'text' }],
  [
    {
      type: 'string',
      title: 'T',
      description: 'D',
      format: 'date',
      minLength: 0,
      maxLength: 99,
      default: '2026-07-28',
    },
    { kind: 'text', title: 'T', description: 'D', format: 'date', minLength: 0, maxLength: 99, default: '2026-07-28' },
  ],
  [
    { type: 'number', minimum: -1.5, maximum: 2, default: 0.5 },
    { kind: 'number', integer: false, min: -1.5, max: 2, default: 0.5 },
  ],
  [
    { type: 'integer', minimum: -0, default: -0 },
    { kind: 'number', integer: true, min: 0, default: 0 },
  ],
  [
    { type: 'integer', maximum: 2 ** 63 },
    { kind: 'number', integer: true, max: 2 ** 63 },
  ],
  [
    { type: 'boolean', default: false },
    { kind: 'boolean', default: false },
  ],
])('[FORM-1] the simple types are read: %j', (property, field) => {
  expect(fieldOf(property)).toStrictEqual({ ...named, ...field })
})

test.each([
  ['untitled single', { type: 'string', enum: ['a', 'b'], default: 'b' }, { kind: 'choice', default: 'b' }],
  [
    'titled single',
    { type: 'string', oneOf: titled(), default: 'b' },
    { kind: 'choice', default: 'b', labelled: true },
  ],
  ['legacy', { type: 'string', enum: ['a', 'b'], enumNames: ['A', 'B'] }, { kind: 'choice', labelled: true }],
  [
    'untitled multi',
    { type: 'array', items: { type: 'string', enum: ['a', 'b'] }, minItems: 1, maxItems: 2, default: ['b'] },
    { kind: 'choices', minItems: 1, maxItems: 2, default: ['b'] },
  ],
  ['titled multi', { type: 'array', items: { anyOf: titled() } }, { kind: 'choices', labelled: true }],
])('[FORM-1] the %s enum is read', (_shape, property, { labelled, ...field }: Record<string, unknown>) => {
  const options = labelled
    ? [
        { value: 'a', label: 'A' },
        { value: 'b', label: 'B' },
      ]
    : [{ value: 'a' }, { value: 'b' }]

  expect(fieldOf(property)).toStrictEqual({ ...named, ...field, options })
})

function titled() {
  return [
    { const: 'a', title: 'A' },
    { const: 'b', title: 'B' },
  ]
}

test('[FORM-1] fields keep their order, and `required` lists those that must be filled in', () => {
  const read = readForm({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    title: 'Deploy',
    description: 'Where to?',
    properties: { z: { type: 'boolean' }, a: { type: 'boolean' } },
    required: ['a'],
    additionalProperties: false,
  })

  expect(read).toStrictEqual({
    ok: true,
    isClosed: true,
    form: {
      fields: [
        { kind: 'boolean', name: 'z', required: false },
        { kind: 'boolean', name: 'a', required: true },
      ],
    },
  })
})

test('[FORM-1] a form may have no fields, and a label that repeats its value is dropped', () => {
  expect(readForm({ type: 'object', properties: {} })).toStrictEqual({ ok: true, form: { fields: [] } })
  expect(fieldOf({ type: 'string', oneOf: [{ const: 'a', title: 'a' }] })).toMatchObject({ options: [{ value: 'a' }] })
})
