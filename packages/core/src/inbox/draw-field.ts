// One field of a form as it is shown: its widget, texts and suggestion.
//
// The widget depends on the field alone, so every surface shows the same one. Answers are not checked here.

import {
  type ChoiceField,
  type ChoicesField,
  type Field,
  type ListField,
  mustBeFilled,
  type NumberField,
  type Option,
  type TextField,
} from '../form/form.ts'
import { formLimits } from '../limits.ts'
import { contradicts } from '../screen/options.ts'
import { oneLine, visibleText } from '../screen/text.ts'
import type { FieldView, ListFieldView, NumberFieldView, OptionView, TextFieldView } from './view.ts'

/** A single choice with more options is a list that can be searched. */
export const optionButtonsAtMost = 6
const shortTextChars = 160
const ratingStepsMost = 10
/** Of a rating that only the question calls one: "Rate the last take." */
const unnamedRatingSteps = 5
const ratingWords = /\b(?:rat(?:e|ing)|stars?|score)\b/i
const longTextWords = /\b(?:comments?|details?|description|explain|explanation|feedback|notes?|reasons?|summary)\b/i

/** @param question the text of the question, if this is the only field that it asks for */
export function drawField(field: Field, question = ''): FieldView {
  const common = {
    name: field.name,
    label: fieldLabel(field),
    ...(field.title === undefined ? { isUntitled: true as const } : {}),
    ...(field.description === undefined
      ? {}
      : { help: visibleText(field.description, 'web', { maxChars: formLimits.descriptionChars }) }),
    required: mustBeFilled(field),
  }
  switch (field.kind) {
    case 'text':
      return { ...common, ...drawText(field) }
    case 'number':
      return { ...common, ...drawNumber(field, question) }
    case 'boolean':
      return { ...common, kind: 'boolean', ...suggested(field.default) }
    case 'choice':
      return {
        ...common,
        kind: 'choice',
        widget: field.options.length <= optionButtonsAtMost ? 'cards' : 'search',
        options: drawOptions(field),
      }
    case 'choices':
      return {
        ...common,
        kind: 'choices',
        options: drawOptions(field),
        ...given('minItems', field.minItems),
        ...given('maxItems', field.maxItems),
      }
    case 'list':
      return { ...common, ...drawList(field) }
  }
}

export function fieldLabel({ title, name }: Field): string {
  return shownTitle(title ?? wordsOf(name))
}

/** The text for the value of an answer, as the person saw it. */
export function drawFieldValue(field: Field, value: unknown): string {
  if (value === null) return 'none'
  if (field.kind === 'boolean') return value === true ? 'Yes' : 'No'
  if (field.kind === 'choice') return labelOf(field.options, value)
  if (field.kind === 'choices' && Array.isArray(value)) {
    return value.length === 0 ? 'none' : value.map((one) => labelOf(field.options, one)).join(', ')
  }
  const text = field.kind === 'list' && Array.isArray(value) ? value.join('\n') || 'none' : String(value)
  return visibleText(text, 'web', { maxChars: formLimits.answerChars })
}

export function shownTitle(text: string): string {
  return oneLine(text, 'web', { maxChars: formLimits.titleChars })
}

function drawText(field: TextField): Omit<TextFieldView, 'name' | 'label' | 'required'> {
  const isSafe = field.default === undefined || visibleText(field.default, 'web') === field.default
  return {
    kind: 'text',
    lines: isLong(field) ? 'several' : 'one',
    ...given('format', field.format),
    ...given('minLength', field.minLength),
    ...given('maxLength', field.maxLength),
    ...shownPattern(field.pattern),
    ...(isSafe ? suggested(field.default) : { unsafeSuggestion: visibleText(field.default ?? '', 'web') }),
  }
}

function drawList(field: ListField): Omit<ListFieldView, 'name' | 'label' | 'required'> {
  const isSafe = field.default?.every((entry) => oneLine(entry, 'web') === entry) === true
  return {
    kind: 'list',
    ...given('minItems', field.minItems),
    ...given('maxItems', field.maxItems),
    ...given('unique', field.unique),
    ...shownPattern(field.item.pattern),
    ...(isSafe ? suggested(field.default) : {}),
  }
}

function shownPattern(pattern: string | undefined): { pattern?: string } {
  return pattern === undefined ? {} : { pattern: oneLine(pattern, 'web', { maxChars: formLimits.patternChars }) }
}

function isLong(field: TextField): boolean {
  if (field.format !== undefined) return false
  if (field.default?.includes('\n') === true) return true
  if (field.maxLength !== undefined) return field.maxLength > shortTextChars
  return longTextWords.test(searchText(field))
}

function drawNumber(field: NumberField, question: string): Omit<NumberFieldView, 'name' | 'label' | 'required'> {
  return {
    kind: 'number',
    integer: field.integer,
    ...given('min', field.min),
    ...given('max', field.max),
    ...given('above', field.above),
    ...given('below', field.below),
    widget: numberWidget(field, question),
    ...suggested(field.default),
  }
}

function numberWidget(field: NumberField, question: string): NumberFieldView['widget'] {
  const { min, max, integer } = field
  if (min === undefined || max === undefined || min === max) return 'plain'
  const isNamed = max <= ratingStepsMost && ratingWords.test(searchText(field))
  const isAsked = max === unnamedRatingSteps && ratingWords.test(question)
  return integer && min === 1 && (isNamed || isAsked) ? 'rating' : 'slider'
}

/** Names are written in many ways: `artistRating`, `artist_rating`. */
function searchText({ name, title = '' }: Field): string {
  return `${title} ${apart(name)}`
}

/** The name of a field as text for people: "Artist Rating" for `artistRating`. */
function wordsOf(name: string): string {
  const [first = '', ...rest] = apart(name).trim()
  return `${first.toUpperCase()}${rest.join('')}` || name
}

function apart(name: string): string {
  return name.replace(/[_-]+/g, ' ').replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
}

export function drawOptions(field: ChoiceField | ChoicesField): OptionView[] {
  const suggestion = field.kind === 'choice' ? [field.default] : (field.default ?? [])
  return field.options.map((option) => ({
    value: option.value,
    label: shownTitle(option.label ?? option.value),
    ...(contradicts(option) ? { shownValue: shownTitle(option.value) } : {}),
    isSuggested: suggestion.includes(option.value),
  }))
}

function labelOf(options: readonly Option[], value: unknown): string {
  const option = options.find((known) => known.value === value)
  return shownTitle(option?.label ?? String(value))
}

function suggested<T>(suggestion: T | undefined): { suggestion?: T } {
  return suggestion === undefined ? {} : { suggestion }
}

function given<K extends string, T>(key: K, value: T | undefined): { [key in K]?: T } {
  return value === undefined ? {} : ({ [key]: value } as { [key in K]?: T })
}
