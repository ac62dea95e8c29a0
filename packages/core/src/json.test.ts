import { expect, test } from 'vitest'
import { isPlainObject } from './json.ts'

test.each<[string, unknown]>([
  ['an object', {}],
  ['what JSON.parse makes', JSON.parse('{"__proto__":1}')],
  ['an object without a prototype', Object.create(null)],
])('[DIGEST-2] %s is plain', (_, value) => {
  expect(isPlainObject(value)).toBe(true)
})

test.each<[string, unknown]>([
  ['a list', []],
  ['null', null],
  ['a text', 'a'],
  ['a function', () => 1],
  ['a Date', new Date(0)],
  ['a Map', new Map()],
  ['an instance', new (class Plan {})()],
  ['an object made from another', Object.create({ a: 1 })],
])('[DIGEST-2] %s is not a plain object', (_, value) => {
  expect(isPlainObject(value)).toBe(false)
})
