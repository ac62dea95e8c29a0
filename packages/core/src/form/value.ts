// Checks one value against one field, with messages for the person who fills it in.
//
// Answers and defaults are checked alike, so a form can never suggest a value that it would refuse.

import { formLimits } from '../limits.ts'
import type { ChoicesField, FieldValue, ListField, NumberField, TextFormat, TextRules, UnnamedField } from './form.ts'
import { hasFormat } from './formats.ts'
import { listOfText } from './list-text.ts'
import { type CompilePattern, noPatterns } from './patterns.ts'
import { readList } from './untrusted.ts'

export type CheckedValue =
  | { readonly ok: true; readonly value: FieldValue }
  | { readonly ok: false; readonly message: string }

/** Returns a copy that shares nothing with the input. */
export function checkValue(field: UnnamedField, value: unknown, compile: CompilePattern = noPatterns): CheckedValue {
  switch (field.kind) {
    case 'text':
      return checkText(field, value, compile)
    case 'number':
      return checkNumber(field, value)
    case 'boolean':
      return typeof value === 'boolean' ? good(value) : bad('Choose yes or no.')
    case 'choice': {
      const option = field.options.find((known) => known.value === value)
      return option === undefined ? bad('Choose one of the options.') : good(option.value)
    }
    case 'choices':
      return checkChoices(field, value)
    case 'list':
      return checkList(field, value, compile)
  }
}

type TextChecked = { readonly ok: true; readonly value: string } | { readonly ok: false; readonly message: string }

function checkText(field: TextRules, value: unknown, compile: CompilePattern): TextChecked {
  if (typeof value !== 'string') return bad('Enter text.')
  // Length first: nothing below may iterate over a text that is too long to be an answer.
  const pattern = field.pattern === undefined ? undefined : compile(field.pattern)
  if (pattern?.ok === false) return bad(pattern.reason)
  const most = Math.min(pattern?.maxChars ?? formLimits.answerChars, formLimits.answerChars)
  const maxLength = Math.min(field.maxLength ?? most, most)
  const length = codePoints(value, maxLength)
  if (length > maxLength) return bad(`Enter at most ${characters(maxLength)}.`)
  if (!value.isWellFormed()) return bad('Contains a broken character. Enter it again.')
  if (field.minLength !== undefined && length < field.minLength) {
    return bad(`Enter at least ${characters(field.minLength)}.`)
  }
  if (field.format !== undefined && !hasFormat(value, field.format)) return bad(formatHints[field.format])
  if (pattern?.matches(value) === false) return bad(`Must match the pattern ${field.pattern}`)
  return { ok: true, value }
}

const formatHints: Readonly<Record<TextFormat, string>> = {
  email: 'Enter an email address like name@example.com.',
  uri: 'Enter a full address like https://example.com/page.',
  date: 'Enter a date like 2026-07-28.',
  'date-time': 'Enter a date and time like 2026-07-28T09:30:00Z.',
}

function checkNumber(field: UnnamedField<NumberField>, value: unknown): CheckedValue {
  if (typeof value !== 'number' || !Number.isFinite(value)) {
    return bad(field.integer ? 'Enter a whole number.' : 'Enter a number.')
  }
  if (field.min !== undefined && value < field.min) return bad(`Must be ${field.min} or more.`)
  if (field.max !== undefined && value > field.max) return bad(`Must be ${field.max} or less.`)
  if (field.above !== undefined && value <= field.above) return bad(`Must be more than ${field.above}.`)
  if (field.below !== undefined && value >= field.below) return bad(`Must be less than ${field.below}.`)
  if (field.integer && !Number.isInteger(value)) return bad('Enter a whole number.')
  // Beyond this, two neighbouring whole numbers are the same double: what arrives may not be what was typed.
  if (field.integer && !Number.isSafeInteger(value)) return bad('This number is too large to be exact.')
  // JSON writes -0 as 0; so do we, or the same answer would have two digests.
  return good(value === 0 ? 0 : value)
}

function checkChoices(field: UnnamedField<ChoicesField>, value: unknown): CheckedValue {
  const list = readList(value, formLimits.options)
  if (!list.ok) return bad('Choose from the options.')
  const known = new Set(field.options.map((option) => option.value))
  const chosen = list.items.filter((item): item is string => typeof item === 'string' && known.has(item))
  if (chosen.length < list.items.length) return bad('Choose from the options.')
  if (new Set(chosen).size < chosen.length) return bad('Choose each option only once.')
  if (field.minItems !== undefined && chosen.length < field.minItems) return bad(`Choose at least ${field.minItems}.`)
  if (field.maxItems !== undefined && chosen.length > field.maxItems) return bad(`Choose at most ${field.maxItems}.`)
  return good(chosen)
}

/** A client or a surface that has only a text input sends the list as one text. */
function checkList(field: UnnamedField<ListField>, value: unknown, compile: CompilePattern): CheckedValue {
  const list = readList(typeof value === 'string' ? entriesOf(value) : value, formLimits.listItems)
  if (!list.ok) return bad(list.why === 'too-many' ? `Enter at most ${formLimits.listItems} entries.` : 'Enter a list.')
  const entries: string[] = []
  let chars = 0
  for (const item of list.items) {
    const checked = checkText(field.item, item, compile)
    if (!checked.ok) return bad(`Entry ${entries.length + 1}: ${checked.message}`)
    chars += checked.value.length
    if (chars > formLimits.answerChars) return bad(`Enter at most ${characters(formLimits.answerChars)} in all.`)
    entries.push(checked.value)
  }
  if (field.unique === true && new Set(entries).size < entries.length) return bad('Enter each entry only once.')
  if (field.minItems !== undefined && entries.length < field.minItems) return bad(`Enter at least ${field.minItems}.`)
  if (field.maxItems !== undefined && entries.length > field.maxItems) return bad(`Enter at most ${field.maxItems}.`)
  return good(entries)
}

/** A text that is too long is not split: as one entry it is refused for its length. */
function entriesOf(text: string): readonly string[] {
  return text.length > 2 * formLimits.answerChars ? [text] : listOfText(text)
}

/**
 * Characters as JSON Schema counts them. One has at most two UTF-16 units, so a text of more than `2 * max` units is
 * over the limit and is not counted.
 */
function codePoints(text: string, max: number): number {
  if (text.length > 2 * max) return text.length
  let count = 0
  for (const _ of text) count++
  return count
}

function characters(count: number): string {
  return count === 1 ? '1 character' : `${count} characters`
}

const good = (value: FieldValue): CheckedValue => ({ ok: true, value })
const bad = (message: string): { ok: false; message: string } => ({ ok: false, message })
