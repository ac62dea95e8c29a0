import { describe, expect, test } from 'vitest'
import type { Field } from '../form/form.ts'
import { contradicts, screenOptions } from './options.ts'

const field = (...labels: string[]): Field => ({
  kind: 'choice',
  name: 'pick',
  title: 'Pick\u202E one',
  required: true,
  options: labels.map((label, index) => ({ value: `v${index}`, label })),
})

describe('options that read the same', () => {
  test.each([
    ['the same text', 'Keep', 'Keep'],
    ['case', 'Keep', 'KEEP'],
    ['spaces', 'Keep  it', ' Keep\u00A0it '],
    ['a hidden character', 'Keep', 'Ke\u200Bep'],
    ['full width', 'Keep', 'Ｋｅｅｐ'],
    ['a Cyrillic letter', 'Approve', 'Аpprоve'],
    ['a Greek and a Cyrillic letter', 'το', 'тο'],
    ['a ligature', 'ﬁle', 'file'],
  ])('[CARD-7] two options that differ only by %s are refused', (_, one, other) => {
    const reason = screenOptions([field('Something else', one, other)])
    expect(reason).toContain('read the same to a person')
    expect(reason).toContain('"Pick⟨U+202E⟩ one"')
    expect(reason).not.toMatch(/[\u200B\u202E]/)
  })

  test('[CARD-7] several choices and options without labels are checked too', () => {
    const options = [{ value: 'eu' }, { value: 'EU' }]
    expect(screenOptions([{ kind: 'choices', name: 'a', required: true, options }])).toContain('"eu" and "EU"')
    expect(screenOptions([field('A', 'B'), field('C', 'c')])).toContain('"C" and "c"')
  })

  test.each([
    [['Keep', 'Delete', 'Keep all']],
    [['1', '2', '10']],
    [['C', 'C♯', 'D', 'D♭']],
    [['мир', 'мпр']],
    [['año', 'ano']],
    [['はい', 'いいえ']],
    [[]],
  ])('[CARD-7] options that a person can tell apart pass: %j', (labels) => {
    expect(screenOptions([field(...labels)])).toBeUndefined()
  })
})

describe('label and value', () => {
  test.each([
    ['No, keep everything', 'yes'],
    ['Keep my files', 'delete'],
    ['Approve', 'deny'],
    ['Yes', 'reject'],
    ['Nein, behalten', 'approve'],
    ['Нет', 'yes'],
    ['いいえ', 'approve'],
    ['Cancel', 'true'],
    ['DENY', 'ALLOW'],
    ['Denу', 'allow'],
  ])('[CARD-8] the label %j and the value %j contradict each other', (label, value) => {
    expect(contradicts({ value, label })).toBe(true)
  })

  test.each([
    ['Yes, delete it', 'yes'],
    ['No', 'no'],
    ['Approve', 'approve'],
    ['Europe', 'eu'],
    ['Nothing', 'none'],
    ['Notify the team', 'approve'],
    ['Norway', 'yes'],
  ])('[CARD-8] the label %j and the value %j do not contradict each other', (label, value) => {
    expect(contradicts({ value, label })).toBe(false)
  })

  test('[CARD-8] an option without a label does not contradict itself', () => {
    for (const value of ['yes', 'no', 'do not delete']) expect(contradicts({ value })).toBe(false)
  })
})
