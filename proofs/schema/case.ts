// Cases with a known verdict: schemas and answers that must be accepted, and the same with a known defect.
import { formLimits } from '../../packages/core/src/limits.ts'
import type { SeededRandom } from '../../test-kit/random.ts'
import { type FieldPlan, fieldPlan, notText, prose, word } from './field.ts'

export interface FormPlan {
  readonly fields: ReadonlyMap<string, FieldPlan>
  readonly required: readonly string[]
  readonly schema: Record<string, unknown>
}

const trickyNames = [
  'constructor',
  'toString',
  'hasOwnProperty',
  'valueOf',
  '__defineGetter__',
  'length',
  '0',
  'a/b~c',
  '😀',
]

/** At least one field, at least one of them required, so that every kind of defect applies. */
export function formPlan(random: SeededRandom): FormPlan {
  const count = random.int(50) === 0 ? formLimits.fields : 1 + random.int(8)
  const fields = new Map<string, FieldPlan>()
  while (fields.size < count) {
    const name = random.int(4) === 0 ? random.pick(trickyNames) : `${word(random)}${fields.size}`
    fields.set(name, fieldPlan(random))
  }
  const names = [...fields.keys()]
  const required = names.filter((_, index) => index === 0 || random.int(2) === 0)
  // At least one is required, so that every kind of defect applies.
  if (!required.some((name) => fields.get(name)?.takesNull !== true)) return formPlan(random)
  const properties = Object.fromEntries(names.map((name) => [name, fields.get(name)?.property]))
  const notes = random.int(3) === 0 ? { $schema: 'x', title: 'T', description: 'D', additionalProperties: false } : {}
  return { fields, required, schema: { ...notes, type: 'object', properties, required } }
}

export function goodAnswer(random: SeededRandom, { fields, required }: FormPlan): Record<string, unknown> {
  const given = [...fields].filter(([name]) => required.includes(name) || random.int(2) === 0)
  return Object.fromEntries(given.map(([name, field]) => [name, field.good()]))
}

export function badAnswer(random: SeededRandom, plan: FormPlan): unknown {
  const answer = goodAnswer(random, plan)
  const [name, field] = random.pick([...plan.fields])
  const missing = random.pick(plan.required.filter((one) => plan.fields.get(one)?.takesNull !== true))
  const spoil: readonly (() => unknown)[] = [
    () => ({ ...answer, [name]: field.bad() }),
    () => ({ ...answer, [name]: field.bad() }),
    () => ({ ...answer, [missing]: null }),
    () => without(answer, missing),
    () => ({ ...answer, [missing]: undefined }),
    () => ({ ...answer, [`${word(random)}?`]: true }),
    // The right values, but inherited.
    () => Object.create(answer),
    () => Object.assign(Object.create({ [missing]: answer[missing] }), without(answer, missing)),
    () => Object.assign(new Impostor(), answer),
    () => [answer],
    () => JSON.parse('{"__proto__":{}}'),
    () => Object.defineProperty(without(answer, missing), missing, { enumerable: true, get: trap }),
    () => new Proxy(answer, { get: trap }),
    () => random.pick([undefined, null, {}, [], '', 'accept', 0, true, Symbol('a'), 1n, new Map(), trap]),
  ]
  return random.pick(spoil)()
}

export function badSchema(random: SeededRandom, plan: FormPlan): unknown {
  const { schema } = plan
  const properties = schema.properties as Record<string, Record<string, unknown>>
  const [name, field] = random.pick([...plan.fields])
  const withField = (changes: object) => ({
    ...schema,
    properties: { ...properties, [name]: { ...field.property, ...changes } },
  })
  const withOther = (key: string, property: unknown) => ({ ...schema, properties: { ...properties, [key]: property } })
  const keyword = random.pick([
    'patternProperties',
    '$ref',
    'const',
    'allOf',
    'if',
    'not',
    'dependentSchemas',
    'contains',
    'multipleOf',
    'unevaluatedProperties',
  ])
  const exotic = random.pick([...notText.slice(4), new Proxy({}, { ownKeys: trap, getPrototypeOf: trap })])
  const spoil: readonly (() => unknown)[] = [
    () => withField({ [keyword]: random.pick(['^(a+)+$', '#', {}, [], true]) }),
    () => ({ ...schema, [keyword]: {} }),
    () =>
      withField({
        type: random.pick(['object', 'null', ['string'], ['string', 'integer'], 'String', 7, null, exotic]),
      }),
    () => withField({ title: random.pick(['\ud800', 'x'.repeat(257), 7, null]) }),
    () => withField({ properties: {} }),
    () =>
      withOther('text', {
        type: 'string',
        pattern: random.pick(['(', '(?=a)b', '(a)\\1', 7, 'x'.repeat(1_025), exotic]),
      }),
    () =>
      withOther('union', {
        anyOf: random.pick([[{ type: 'string' }, { type: 'integer' }], [{ type: 'null' }], [{}, {}], exotic]),
      }),
    () => withOther(random.pick(['', '\udc00', 'x'.repeat(129)]), { type: 'string' }),
    () => withOther('nested', random.pick([schema, { type: 'array', items: schema }, exotic, 'string', null])),
    () => withOther('text', { type: 'string', minLength: random.pick([-1, 0.5, Number.NaN, '1', 1e300, 20_000]) }),
    () => withOther('text', { type: 'string', minLength: 5, maxLength: random.int(5) }),
    () => withOther('text', { type: 'string', format: random.pick(['password', 7, exotic, null]) }),
    () => withOther('number', { type: 'number', minimum: 5, maximum: 5 - 1e-9 }),
    () =>
      withOther('number', { type: 'number', exclusiveMinimum: 5, [random.pick(['maximum', 'exclusiveMaximum'])]: 5 }),
    () => withOther('number', { type: 'number', exclusiveMinimum: random.pick([true, '1', Number.NaN, exotic]) }),
    () => withOther('list', { type: 'array', items: { type: 'string' }, minItems: random.pick([257, -1, 0.5]) }),
    () =>
      withOther('number', {
        type: 'integer',
        maximum: random.pick([1.5, Number.POSITIVE_INFINITY, Number.NaN, '1', 1n]),
      }),
    () =>
      withOther('choice', {
        type: 'string',
        enum: random.pick([[], ['a', 'a'], [''], ['a', 7], 'a', exotic, new Array(9)]),
      }),
    () =>
      withOther('choice', { type: 'string', enum: ['a', 'b'], enumNames: random.pick([['A'], [], 'AB', ['A', null]]) }),
    () => withOther('choice', { type: 'string', oneOf: [random.pick([{ const: 7 }, { title: 'A' }, 'a', exotic])] }),
    () => withOther('choice', { type: 'string', enum: Array.from({ length: 257 }, (_, index) => `o${index}`) }),
    () => withOther('choices', { type: 'array', items: { type: 'string', enum: ['a'] }, minItems: 2 }),
    () =>
      withOther('choices', { type: 'array', items: random.pick([{}, { type: 'integer' }, ['a'], exotic, undefined]) }),
    () => JSON.parse(`{"type":"object","properties":{"__proto__":{"type":"string"},"a":{"type":"string"}}}`),
    () => ({ ...schema, required: random.pick([['?'], ['__proto__'], [7], 'a', exotic, [name, name]]) }),
    () => ({ ...schema, type: random.pick(['array', undefined, null, exotic]) }),
    () => ({ ...schema, properties: random.pick([undefined, null, [], 'a', exotic]) }),
    () => ({ ...schema, additionalProperties: random.pick(['no', 7, null]) }),
    () => Object.create(schema),
    () => Object.assign(new Impostor(), schema),
    () => withOther('impostor', Object.assign(new Impostor(), { type: 'string' })),
    () => withField({ description: prose(random, 2_049) }),
    () => ({ type: 'object', properties: numbered(65, { type: 'boolean' }) }),
    () => ({ type: 'object', properties: numbered(40, { type: 'string', description: 'x'.repeat(2_000) }) }),
  ]
  return random.pick(spoil)()
}

export function numbered(count: number, property: unknown): Record<string, unknown> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, property]))
}

/** Has the right values, but is not plain data. */
class Impostor {}

export function trap(): never {
  throw new Error('A hostile object was read.')
}

function without(answer: Record<string, unknown>, name: string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(answer).filter(([key]) => key !== name))
}
