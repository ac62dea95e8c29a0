import { expect, test } from 'vitest'
import { formLimits } from '../limits.ts'
import { readForm } from './read.ts'

const withField = (property: unknown) => ({ type: 'object', properties: { f: property } })

function firstProblem(schema: unknown) {
  const read = readForm(schema)
  return read.ok ? undefined : read.problems[0]
}

test.each([
  [null, ''],
  [[], ''],
  [{ properties: {} }, '/type'],
  [{ type: 'array', properties: {} }, '/type'],
  [{ type: 'object' }, '/properties'],
  [{ type: 'object', properties: [] }, '/properties'],
  [{ type: 'object', properties: {}, allOf: [] }, '/allOf'],
  [{ type: 'object', properties: {}, patternProperties: { '^x-': {} } }, '/patternProperties'],
  [{ type: 'object', properties: {}, additionalProperties: null }, '/additionalProperties'],
  [{ type: 'object', properties: { 'a/b~c': { type: 'null' } } }, '/properties/a~1b~0c/type'],
  [{ type: 'object', properties: {}, title: 7 }, '/title'],
  [{ type: 'object', properties: {}, $schema: 'x'.repeat(3_000) }, '/$schema'],
  [{ type: 'object', properties: {}, required: 'a' }, '/required'],
  [{ type: 'object', properties: {}, required: [7] }, '/required/0'],
  [{ type: 'object', properties: { a: { type: 'boolean' } }, required: ['a', 'a'] }, '/required/1'],
  [{ type: 'object', properties: { '': { type: 'string' } } }, '/properties/'],
  [{ type: 'object', properties: { ['x'.repeat(129)]: { type: 'string' } } }, `/properties/${'x'.repeat(40)}…`],
  [{ type: 'object', properties: { 'a\ud800': { type: 'string' } } }, '/properties/a\ufffd'],
  [JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}'), '/properties/__proto__'],
])('[FORM-2] an invalid form is refused with the path of the problem: %j', (schema, path) => {
  expect(firstProblem(schema)).toMatchObject({ path })
})

test.each([
  ['string', ''],
  [{ $ref: '#/$defs/a' }, '/type'],
  [{ type: 'object', properties: {} }, '/type'],
  [{ type: 'null' }, '/type'],
  [{ type: ['string', 'integer'] }, '/type'],
  [{ type: ['string', 'integer', 'null'] }, '/type'],
  [{ anyOf: [{ type: 'object' }, { type: 'null' }] }, '/anyOf/0/type'],
  [{ anyOf: [{ type: 'string', minLength: -1 }, { type: 'null' }] }, '/anyOf/0/minLength'],
  [{ anyOf: [{ type: 'string' }, { type: 'null' }], minLength: -1 }, '/minLength'],
  [{ anyOf: [{ type: 'string' }, { type: 'integer' }] }, '/anyOf/1/type'],
  [{ enum: [1, 2] }, '/enum/0'],
  [{ title: 'Anything' }, '/type'],
  [{ type: 'string', pattern: '^(a+)+$' }, '/pattern'],
  [{ type: 'string', const: 'a' }, '/const'],
  [{ type: 'string', not: {} }, '/not'],
  [{ type: 'string', format: 'password' }, '/format'],
  [{ type: 'string', format: 7 }, '/format'],
  [{ type: 'number', multipleOf: 5 }, '/multipleOf'],
  [{ type: 'number', exclusiveMinimum: true }, '/exclusiveMinimum'],
  [{ type: 'string', title: 7 }, '/title'],
  [{ type: 'string', title: '\udc00' }, '/title'],
  [{ type: 'string', title: 'x'.repeat(257) }, '/title'],
  [{ type: 'string', description: null }, '/description'],
  [{ type: 'string', minLength: -1 }, '/minLength'],
  [{ type: 'string', maxLength: 1.5 }, '/maxLength'],
  [{ type: 'string', minLength: formLimits.answerChars + 1 }, '/minLength'],
  [{ type: 'string', minimum: 1 }, '/minimum'],
  [{ type: 'number', minimum: '1' }, '/minimum'],
  [{ type: 'number', maximum: Number.POSITIVE_INFINITY }, '/maximum'],
  [{ type: 'boolean', required: true }, '/required'],
  [{ type: 'string', enum: 'ab' }, '/enum'],
  [{ type: 'string', enum: ['a', 7] }, '/enum/1'],
  [{ type: 'string', enum: ['a', '\ud800'] }, '/enum/1'],
  [{ type: 'string', enum: ['a', 'x'.repeat(257)] }, '/enum/1'],
  [{ type: 'string', enum: ['a'], enumNames: 'A' }, '/enumNames'],
  [{ type: 'string', enum: ['a'], enumNames: [null] }, '/enum/0'],
  [{ type: 'string', enum: ['a'], enumNames: new Array(1) }, '/enum/0'],
  [{ type: 'string', enum: ['a'], minLength: 1 }, '/minLength'],
  [{ type: 'string', enum: ['a'], oneOf: [{ const: 'a', title: 'A' }] }, '/enum'],
  [{ type: 'string', oneOf: ['a'] }, '/oneOf/0'],
  [{ type: 'string', oneOf: [{ title: 'A' }] }, '/oneOf/0'],
  [{ type: 'string', oneOf: [{ const: 'a', title: '' }] }, '/oneOf/0'],
  [{ type: 'string', oneOf: [{ const: 'a', title: 'A', pattern: 'x' }] }, '/oneOf/0/pattern'],
  [{ type: 'array' }, '/items'],
  [{ type: 'array', items: {} }, '/items/type'],
  [{ type: 'array', items: { type: 'integer' } }, '/items/type'],
  [{ type: 'array', items: { type: 'string', minLength: -1 } }, '/items/minLength'],
  [{ type: 'array', items: { type: 'string', pattern: 'x' } }, '/items/pattern'],
  [{ type: 'array', items: { type: 'string', const: 'x' } }, '/items/const'],
  [{ type: 'array', items: { type: 'string' }, contains: {} }, '/contains'],
  [{ type: 'array', items: { type: 'string' }, uniqueItems: 'yes' }, '/uniqueItems'],
  [{ type: 'array', items: { type: 'string' }, minItems: formLimits.listItems + 1 }, '/minItems'],
  [{ type: 'array', items: { type: 'number', enum: ['a'] } }, '/items/type'],
  [{ type: 'array', items: { type: 'string', enum: ['a'], pattern: 'x' } }, '/items/pattern'],
  [{ type: 'array', items: { anyOf: [{}] } }, '/items/anyOf/0'],
])('[FORM-2] a field outside the subset is refused: %j', (property, path) => {
  expect(firstProblem(withField(property))).toMatchObject({ path: `/properties/f${path}` })
})

test('[FORM-2] a problem has a code for programs and a reason for people', () => {
  expect(firstProblem(withField({ type: 'string', multipleOf: 2 }))).toStrictEqual({
    path: '/properties/f/multipleOf',
    reason: 'A field of this type cannot use "multipleOf".',
    code: 'unsupported',
  })
})

test.each([
  [{ type: 'string', minLength: 3, maxLength: 2 }, '/minLength'],
  [{ type: 'number', minimum: 3, maximum: 2 }, '/minimum'],
  [{ type: 'integer', minimum: 0.5 }, '/minimum'],
  [{ type: 'integer', exclusiveMinimum: 3, exclusiveMaximum: 4 }, '/exclusiveMinimum'],
  [{ type: 'number', exclusiveMinimum: 3, maximum: 3 }, '/exclusiveMinimum'],
  [{ type: 'number', minimum: 3, exclusiveMaximum: 3 }, '/exclusiveMaximum'],
  [{ type: 'integer', minimum: 2 ** 60 }, '/minimum'],
  [{ type: 'integer', maximum: -(2 ** 60) }, '/minimum'],
  [{ type: 'string', enum: [] }, '/enum'],
  [{ type: 'string', enum: ['a', 'a'] }, '/enum/1'],
  [{ type: 'string', enum: ['a', 'b'], enumNames: ['A'] }, '/enumNames'],
  [{ type: 'string', enum: ['a'], enumNames: ['A', 'B'] }, '/enumNames'],
  [{ type: 'array', items: { type: 'string', enum: ['a'] }, minItems: 2 }, '/minItems'],
  [{ type: 'array', items: { type: 'string', enum: ['a', 'b'] }, minItems: 2, maxItems: 1 }, '/minItems'],
])('[FORM-3] a field that contradicts itself is refused: %j', (property, path) => {
  expect(firstProblem(withField(property))).toMatchObject({ path: `/properties/f${path}`, code: 'contradictory' })
})

test('[FORM-3] an empty option and a required field that does not exist are refused', () => {
  expect(firstProblem(withField({ type: 'string', enum: ['a', ''] }))).toMatchObject({ reason: 'An option is empty.' })
  expect(firstProblem({ type: 'object', properties: {}, required: ['toString'] })).toMatchObject({
    path: '/required/0',
    reason: 'There is no field "toString".',
  })
})
