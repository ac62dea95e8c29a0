// The text around a field: its title, its help, its bounds, and its value as a person reads it.

import {
  type ChoiceField,
  contradicts,
  type Field,
  type FieldValue,
  mustBeFilled,
  oneLine,
  textOfList,
  visibleText,
} from '@assent/core'
import { exitHints, keyHints } from './key-hints.ts'
import { terminalLimits } from './limits.ts'
import type { ListOption } from './prompts/list.ts'
import type { PromptContext } from './prompts/run-prompt.ts'

export function titleOf(field: Field): string {
  return oneLine(field.title ?? field.name, 'terminal')
}

/** A value as a person reads it. */
export function shownValue(field: Field, value: FieldValue | undefined): string {
  if (value === undefined) return 'left out'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (field.kind === 'choice' || field.kind === 'choices') {
    const chosen = typeof value === 'object' ? value : [value]
    const labels = field.options.filter((option) => chosen.includes(option.value)).map(optionLabel)
    return labels.length === 0 ? 'nothing' : labels.join(', ')
  }
  return oneLine(typeof value === 'object' ? textOfList(value) : String(value), 'terminal')
}

/** The label, followed by the value if the two contradict each other (a label “No” that sends "yes"). */
export function optionLabel(option: ChoiceField['options'][number]): string {
  const label = oneLine(option.label ?? option.value, 'terminal')
  return contradicts(option) ? `${label} (sends "${oneLine(option.value, 'terminal')}")` : label
}

export function help(field: Field, title: string): { help?: string } {
  const description = field.description === undefined ? '' : visibleText(field.description, 'terminal')
  // If another title is shown, the help begins with the field's own title; "Your answer" is not worth showing.
  const ownTitle =
    field.title === undefined || title.startsWith(titleOf(field)) || field.title === 'Your answer' ? '' : titleOf(field)
  const parts = [ownTitle, description, boundsOf(field), mustBeFilled(field) ? '' : 'optional'].filter(isNotEmpty)
  return parts.length === 0 ? {} : { help: parts.join(description.includes('\n') ? '\n' : ' · ') }
}

function boundsOf(field: Field): string {
  if (field.kind === 'number')
    return [rangeOf(field.min, field.max, ''), openBounds(field)].filter(isNotEmpty).join(', ')
  if (field.kind === 'text') return patternWords(field.pattern)
  if (field.kind === 'list') {
    const count = rangeOf(field.minItems, field.maxItems, 'enter ')
    return ['separate entries with commas', count, patternWords(field.item.pattern)].filter(isNotEmpty).join(' · ')
  }
  if (field.kind === 'choices') return rangeOf(field.minItems, field.maxItems, 'choose ')
  return ''
}

function openBounds({ above, below }: Extract<Field, { kind: 'number' }>): string {
  const words = [above === undefined ? '' : `more than ${above}`, below === undefined ? '' : `less than ${below}`]
  return words.filter(isNotEmpty).join(', ')
}

function patternWords(pattern: string | undefined): string {
  return pattern === undefined ? '' : `must match ${oneLine(pattern, 'terminal')}`
}

function isNotEmpty(words: string): boolean {
  return words !== ''
}

function rangeOf(least: number | undefined, most: number | undefined, before: string): string {
  if (least !== undefined && most !== undefined)
    return least === most ? `${before}${least}` : `${before}${least} to ${most}`
  if (least !== undefined) return `${before}${least} or more`
  return most === undefined ? '' : `${before}${most} or fewer`.replace('fewer', before === '' ? 'less' : 'fewer')
}

const placeholders = {
  date: '2026-07-28',
  'date-time': '2026-07-28T09:30:00Z',
  email: 'name@example.com',
  uri: 'https://',
}

export function placeholderOf(field: Field): string {
  return field.kind === 'text' && field.format !== undefined ? placeholders[field.format] : ''
}

export function enterKeys(field: Field, offered?: string): readonly string[] {
  if (offered !== undefined) return ['enter accepts the suggestion']
  return [mustBeFilled(field) ? keyHints.answer : `${keyHints.answer} or leaves it out`]
}

export function pickKeys(
  options: readonly Pick<ListOption, 'key'>[],
  context: Pick<PromptContext, 'answers' | 'mayLeave'>,
): readonly string[] {
  const keys = options.flatMap(({ key }) => key ?? [])
  const isSearched = options.length > terminalLimits.optionsAtSight
  if (isSearched || keys.length === 0)
    return [isSearched ? keyHints.search : keyHints.choose, keyHints.answer, ...exitHints(context)]
  const [first, last] = [keys[0], keys.at(-1)]
  return [keys.length > 2 ? `${first} to ${last} answers` : `${first} or ${last} answers`, ...exitHints(context)]
}
