// The fields of a form, in one place: `ask.form('Who are you?', { name: field.text(), age: field.number({ min: 0 }) })`.

import { boolean, choice, choices, list, number, optional, text } from '@assent/core'

export const field: {
  readonly text: typeof text
  readonly number: typeof number
  readonly boolean: typeof boolean
  readonly choice: typeof choice
  readonly choices: typeof choices
  readonly list: typeof list
  readonly optional: typeof optional
} = { text, number, boolean, choice, choices, list, optional }
