import fc from 'fast-check'
import { afterEach, expect, test } from 'vitest'
import { checkContent } from './check.ts'
import type { Form } from './form.ts'
import { readForm } from './read.ts'
import { readList, readObject } from './untrusted.ts'

const fail = () => {
  throw new Error('a trap')
}
const trapped = new Proxy({}, { get: fail, ownKeys: fail, getPrototypeOf: fail, getOwnPropertyDescriptor: fail })
const trappedList = new Proxy(['a'], { get: fail })
const cyclic: Record<string, unknown> = { type: 'object' }
cyclic.properties = { f: cyclic }

const exotic: readonly (readonly [string, unknown])[] = [
  ['undefined', undefined],
  ['a symbol', Symbol('s')],
  ['a bigint', 10n],
  ['a function', () => 'x'],
  ['a class instance', new (class Form {})()],
  ['a date', new Date(0)],
  ['a map', new Map([['type', 'object']])],
  ['a boxed string', Object('text')],
  ['an object that inherits', Object.create({ type: 'object', properties: {} })],
  ['a cyclic object', cyclic],
  ['an object whose getter throws', Object.defineProperty({}, 'type', { enumerable: true, get: fail })],
  ['a proxy whose traps throw', trapped],
  ['a list whose traps throw', trappedList],
  ['a revoked proxy', revoked()],
  ['a sparse list', new Array(4_000_000_000)],
]

function revoked() {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

const oneOfEach: Form = {
  fields: [
    { kind: 'text', name: 'text', required: true },
    { kind: 'number', name: 'number', required: true, integer: false },
    { kind: 'boolean', name: 'boolean', required: true },
    { kind: 'choice', name: 'choice', required: true, options: [{ value: 'a' }] },
    { kind: 'choices', name: 'choices', required: true, options: [{ value: 'a' }] },
  ],
}

test.each(exotic)('[FORM-5] %s is refused at every position, and nothing throws', (_what, value) => {
  const property = { type: 'string', enum: ['a'] }
  const schemas = [
    value,
    { type: 'object', properties: value },
    { type: 'object', properties: { f: value } },
    { type: value, properties: {} },
    { type: 'object', properties: { f: { ...property, enum: value } } },
    { type: 'object', properties: { f: { ...property, enum: [value] } } },
    { type: 'object', properties: { f: { type: 'string', oneOf: [value] } } },
    { type: 'object', properties: { f: { type: 'array', items: value } } },
  ]
  const answers = [value, ...oneOfEach.fields.map((field) => ({ [field.name]: value }))]

  for (const schema of schemas) expect(readForm(schema).ok).toBe(false)
  for (const answer of answers) expect(checkContent(oneOfEach, answer).ok).toBe(false)
})

test('[FORM-5] no generated value makes the reader or the checks throw', () => {
  const anything = fc.anything({ withBigInt: true, withDate: true, withMap: true, withSparseArray: true })

  fc.assert(
    fc.property(anything, (value) => {
      readForm(value)
      readForm({ type: 'object', properties: { f: value }, required: value })
      checkContent(oneOfEach, value)
    }),
  )
})

test('[FORM-5] a list whose length changes between reads is read with its first length', () => {
  let reads = 0
  const length = { valueOf: () => (reads++ === 0 ? 1 : 1_000_000_000) }
  const shifty = new Proxy(['a'], { get: (list, name) => (name === 'length' ? length : Reflect.get(list, name)) })

  expect(readList(shifty, 10)).toStrictEqual({ ok: true, items: ['a'] })
})

test('[FORM-6] a field named like a member of every object is an ordinary field', () => {
  const names = ['constructor', 'toString', 'hasOwnProperty', 'valueOf', 'prototype']
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]))

  const optional = readForm({ type: 'object', properties })
  const required = readForm({ type: 'object', properties, required: names })
  if (!optional.ok || !required.ok) throw new Error('These names are legal.')

  expect(optional.form.fields.map((field) => field.name)).toStrictEqual(names)
  expect(checkContent(required.form, {})).toMatchObject({ ok: false, issues: names.map((field) => ({ field })) })
  const checked = checkContent(optional.form, { toString: 'mine' })
  expect(checked.ok && Object.entries(checked.content)).toStrictEqual([['toString', 'mine']])
  expect(checked.ok && checked.content.constructor).toBeUndefined()
})

const polluted = Object.prototype as Record<string, unknown>
const pollutedList = Array.prototype as unknown as Record<string, unknown>
afterEach(() => {
  delete polluted.choice
  delete polluted.type
  delete pollutedList['0']
})

test('[FORM-6] properties of a polluted prototype are neither an answer nor a schema', () => {
  const form: Form = { fields: oneOfEach.fields.slice(3, 4) }
  polluted.choice = 'a'
  polluted.type = 'object'
  pollutedList['0'] = 'a'

  expect(checkContent(form, {}).ok).toBe(false)
  expect(readForm({ properties: {} }).ok).toBe(false)
  expect(readForm({ type: 'object', properties: { f: { type: 'string', enum: new Array(1) } } }).ok).toBe(false)
})

test('[FORM-6] an own "__proto__" in an answer is refused as unknown and changes nothing', () => {
  const answer: unknown = JSON.parse('{"__proto__":{"choice":"a"}}')

  expect(checkContent({ fields: [] }, answer)).toStrictEqual({
    ok: false,
    issues: [{ field: '__proto__', message: 'This was not asked for.' }],
  })
  expect(({} as Record<string, unknown>).choice).toBeUndefined()
})

test('[FORM-6] only own enumerable properties are read', () => {
  const hidden = Object.defineProperty({ seen: 1 }, 'hidden', { value: 2, enumerable: false })

  const read = readObject(hidden, 10)

  expect(read.ok && [...read.entries]).toStrictEqual([['seen', 1]])
})
