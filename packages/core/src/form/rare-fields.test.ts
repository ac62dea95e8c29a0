// Fields that few servers write: bounds of both kinds, lists with commas, options without titles, types that are missing.

import { expect, test } from 'vitest'
import { formLimits } from '../limits.ts'
import { boundsOf } from './bounds.ts'
import { list as listField } from './build.ts'
import { checkContent } from './check.ts'
import type { Field } from './form.ts'
import { listHint, numberHint } from './hints.ts'
import { listOfText, textOfList } from './list-text.ts'
import { trustedPatterns } from './patterns.ts'
import { readForm } from './read.ts'

function read(property: unknown) {
  return readForm({ type: 'object', properties: { f: property } }, trustedPatterns)
}

function fieldOf(property: unknown): Field {
  const form = read(property)
  if (!form.ok) throw new Error(JSON.stringify(form.problems))
  return form.form.fields[0] as Field
}

function problemsWith(property: unknown, value: unknown): string | undefined {
  const form = read(property)
  if (!form.ok) throw new Error(JSON.stringify(form.problems))
  const checked = checkContent(form.form, { f: value }, { patterns: trustedPatterns })
  return checked.ok ? undefined : checked.issues[0]?.message
}

test('[FORM-16] of an inclusive and an exclusive bound the narrower one is kept', () => {
  expect(boundsOf(false, { min: 1, above: 2, max: 9, below: 8 })).toEqual({ above: 2, below: 8 })
  expect(boundsOf(false, { min: 2, above: 1, max: 8, below: 9 })).toEqual({ min: 2, max: 8 })
  expect(boundsOf(true, { min: 1, above: 2, max: 9, below: 8 })).toEqual({ min: 3, max: 7 })
  expect(boundsOf(true, { min: 5, above: 2, max: 6, below: 8 })).toEqual({ min: 5, max: 6 })
  expect(boundsOf(true, { above: 0.5 })).toEqual({ min: 1, max: undefined })
})

test('[FORM-11] a number at an exclusive bound is refused', () => {
  const between = { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 }
  expect(problemsWith(between, 0.5)).toBeUndefined()
  expect(problemsWith(between, 1)).toBe('Must be less than 1.')
  expect(problemsWith(between, 0)).toBe('Must be more than 0.')
})

test('[FORM-10] rules that a revision has no keyword for are in the description', () => {
  expect(numberHint(fieldOf({ type: 'number', exclusiveMaximum: 1 }) as Field & { kind: 'number' })).toBe(
    'Must be less than 1.',
  )
  const most = { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 2 }
  expect(listHint(fieldOf(most) as Field & { kind: 'list' })).toContain('At least 1. At most 2.')
})

test('[FORM-19] a list whose entries contain commas is one text, and reads back as the same list', () => {
  for (const list of [['a, b', 'c'], [' a'], ['a', 'b'], ['']]) expect(listOfText(textOfList(list))).toEqual(list)
  expect(listOfText('["a", 1]')).toEqual(['["a"', '1]'])
  expect(listOfText('[a')).toEqual(['[a'])
})

test('[FORM-11] a list that is too long in all, as entries or as one text, is refused', () => {
  const texts = { type: 'array', items: { type: 'string' } }
  const half = 'x'.repeat(formLimits.answerChars / 2 + 1)
  expect(problemsWith(texts, [half])).toBeUndefined()
  expect(problemsWith(texts, [half, half])).toMatch(/^Enter at most .* in all\.$/)
  // Not split at its commas: it is refused for its length before that.
  expect(problemsWith(texts, ','.repeat(2 * formLimits.answerChars + 1))).toMatch(/^Entry 1: Enter at most/)
})

test('[FORM-16] options without a type or a title, and in `oneOf` of a list, are read', () => {
  expect(fieldOf({ type: 'array', items: { enum: ['a', 'b'] } })).toMatchObject({ kind: 'choices' })
  expect(fieldOf({ type: 'array', items: { oneOf: [{ const: 'a' }, { const: 'b', title: 'B' }] } })).toMatchObject({
    kind: 'choices',
    options: [{ value: 'a' }, { value: 'b', label: 'B' }],
  })
  expect(fieldOf({ enum: ['a', null] })).toMatchObject({ kind: 'choice', nullable: true, options: [{ value: 'a' }] })
  expect(fieldOf({ type: ['string', 'null'], enum: ['a', null] })).toMatchObject({ kind: 'choice', nullable: true })
})

test('[FORM-3] a list of choices of another type, a title that is no text and a missing type are refused', () => {
  for (const property of [
    { type: 'array', items: { type: 'integer', enum: ['a'] } },
    { oneOf: [{ const: 'a', title: null }] },
    { type: undefined, enum: ['a'] },
    { type: ['string', 'integer'] },
    { type: 'string', enum: ['a', null] },
  ])
    expect(read(property).ok).toBe(false)
})

test('[FORM-7] a list that is built in code may leave out the rules of its entries', () => {
  expect(listField()).toMatchObject({ kind: 'list', item: {} })
  expect(listField({ item: { minLength: 2 } })).toMatchObject({ item: { minLength: 2 } })
  expect(() => listField({ item: { size: 1 } as never })).toThrow('size')
})
