// The values a person has entered so far, by field name. A field without a value is absent; the gateway decides whether it
// is required.

import type { FieldView } from '@assent/core'

export type FieldValue = string | number | boolean | readonly string[]
export type FormValues = ReadonlyMap<string, FieldValue>

/** Suggested text and numbers are filled in and marked. A suggested option or yes/no is only marked, never selected. */
export function suggestions(fields: readonly FieldView[]): FormValues {
  const values = new Map<string, FieldValue>()
  for (const field of fields) {
    const value = suggestionOf(field)
    if (value !== undefined) values.set(field.name, value)
  }
  return values
}

function suggestionOf(field: FieldView): FieldValue | undefined {
  switch (field.kind) {
    case 'text':
    case 'number':
    case 'list':
      return field.suggestion
    case 'choice':
    case 'choices':
    case 'boolean':
      return undefined
  }
}

export function withValue(values: FormValues, name: string, value: FieldValue | undefined): FormValues {
  const next = new Map(values)
  if (value === undefined || value === '') next.delete(name)
  else next.set(name, value)
  return next
}

/** Built with `Object.fromEntries`, because a server may call its field `__proto__`. */
export function contentOf(values: FormValues): Readonly<Record<string, FieldValue>> {
  const answered = [...values].flatMap(([name, value]): [string, FieldValue][] => {
    if (typeof value !== 'object') return [[name, value]]
    const entries = withoutBlanks(value)
    // A list with only blank lines counts as not answered. Multiple choice with nothing ticked is an answer.
    return entries.length === 0 && value.length > 0 ? [] : [[name, entries]]
  })
  return Object.fromEntries(answered)
}

/** A list is typed one entry per line; blank lines are ignored. */
function withoutBlanks(list: readonly string[]): readonly string[] {
  return list.filter((entry) => entry.trim() !== '')
}

export function isSuggestion(field: FieldView, value: FieldValue | undefined): boolean {
  const suggested = suggestionOf(field)
  return suggested !== undefined && JSON.stringify(suggested) === JSON.stringify(value)
}
