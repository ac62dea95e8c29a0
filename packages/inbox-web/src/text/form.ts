// The fields of a form.

import type { ChoicesFieldView, ListFieldView, NumberFieldView, OptionView, TextFieldView } from '@assent/core'

const optional = 'optional'
const suggested = 'suggested'

const suggestion = {
  label: suggested,
  /** With a real minus sign. */
  number: (value: number) => signed(value),
  use: 'Use',
  useFor: (label: string) => `the suggestion for ${label}`,
}

const yesNo = { yes: 'Yes', no: 'No' }

const choice = {
  search: (count: number) => `Search ${count} options`,
  noMatch: 'No option matches',
  sends: (value: string) => `sends “${value}”`,
  /** For a list that cannot render elements. */
  option: ({ label, shownValue, isSuggested }: OptionView) =>
    `${label}${shownValue === undefined ? '' : ` (sends “${shownValue}”)`}${isSuggested ? ` · ${suggested}` : ''}`,
  limits: ({ minItems, maxItems }: ChoicesFieldView, count: number): string | undefined => {
    const chosen = `(${count} chosen).`
    if (minItems !== undefined && maxItems !== undefined) {
      const range = `${minItems} ${maxItems === minItems + 1 ? 'or' : 'to'} ${maxItems}`
      return `Choose ${minItems === maxItems ? minItems : range} ${chosen}`
    }
    if (maxItems !== undefined) return `Choose up to ${maxItems} ${chosen}`
    return minItems === undefined ? undefined : `Choose at least ${minItems} ${chosen}`
  },
}

function listHelp({ minItems, maxItems, unique, pattern }: ListFieldView): string {
  return [
    'One entry per line.',
    ...(minItems === undefined ? [] : [`At least ${minItems}.`]),
    ...(maxItems === undefined ? [] : [`At most ${maxItems}.`]),
    ...(unique === true ? ['No duplicates.'] : []),
    ...(pattern === undefined ? [] : [`Each must match ${pattern}`]),
  ].join(' ')
}

/** A hyphen before a number reads as a dash. */
function signed(value: number): string {
  return String(value).replace('-', '\u2212')
}

const number = {
  notSet: 'not set yet',
  noValue: '–',
  stars: (count: number, of: number) => `${count} of ${of}`,
  notRated: 'Not rated yet',
  range: ({ min, max, above, below, integer }: NumberFieldView): string | undefined => {
    const kind = integer ? 'A whole number' : 'A number'
    if (above !== undefined || below !== undefined) {
      const bounds = [
        ...(min === undefined ? [] : [`${signed(min)} or more`]),
        ...(above === undefined ? [] : [`more than ${signed(above)}`]),
        ...(max === undefined ? [] : [`${signed(max)} or less`]),
        ...(below === undefined ? [] : [`less than ${signed(below)}`]),
      ]
      return `${kind}, ${bounds.join(' and ')}.`
    }
    if (min !== undefined && max !== undefined) return `${kind} from ${signed(min)} to ${signed(max)}.`
    if (min !== undefined) return `${kind}, ${signed(min)} or more.`
    return max === undefined ? undefined : `${kind}, ${signed(max)} or less.`
  },
}

const text = {
  timeZone: (zone: string) => `In your time zone, ${zone}.`,
  help: ({ minLength, maxLength, pattern, unsafeSuggestion }: TextFieldView): string | undefined => {
    const parts = [
      textLength(minLength, maxLength),
      pattern === undefined ? undefined : `Must match ${pattern}`,
      unsafeSuggestion === undefined
        ? undefined
        : `The suggested text has hidden characters and cannot be used: ${unsafeSuggestion}`,
    ].filter((part) => part !== undefined)
    return parts.length === 0 ? undefined : parts.join(' ')
  },
}

function textLength(min: number | undefined, max: number | undefined): string | undefined {
  if (min !== undefined && max !== undefined) return `${min} to ${max} characters.`
  if (max !== undefined) return `Up to ${max} characters.`
  return min === undefined ? undefined : `At least ${min} characters.`
}

export const formText = { optional, suggested, suggestion, yesNo, choice, listHelp, number, text }
