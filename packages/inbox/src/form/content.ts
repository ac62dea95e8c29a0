// What a person has filled in so far, by the field's name. What was not answered is absent: the gateway is the one judge
// of whether that will do.

import type { FieldView } from '@assent/core'

export type Value = string | number | boolean | readonly string[]
export type Filled = ReadonlyMap<string, Value>

/** Suggested text and numbers are filled in and marked. An option, tick or yes/no is only marked: the person chooses it. */
export function suggestions(fields: readonly FieldView[]): Filled {
  const filled = new Map<string, Value>()
  for (const field of fields) {
    const value = suggestionOf(field)
    if (value !== undefined) filled.set(field.name, value)
  }
  return filled
}

function suggestionOf(field: FieldView): Value | undefined {
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

export function withValue(filled: Filled, name: string, value: Value | undefined): Filled {
  const next = new Map(filled)
  if (value === undefined || value === '') next.delete(name)
  else next.set(name, value)
  return next
}

/** Entries become own properties whatever they are called, `__proto__` included. */
export function contentOf(filled: Filled): Readonly<Record<string, Value>> {
  const entries = [...filled].flatMap(([name, value]): [string, Value][] => {
    if (typeof value !== 'object') return [[name, value]]
    const given = withoutBlanks(value)
    // A list that was only opened and left blank is no answer; several choices of which none is ticked are one.
    return given.length === 0 && value.length > 0 ? [] : [[name, given]]
  })
  return Object.fromEntries(entries)
}

/** A list is typed one entry per line, so blank lines come and go. */
function withoutBlanks(list: readonly string[]): readonly string[] {
  return list.filter((entry) => entry.trim() !== '')
}

export function isSuggestion(field: FieldView, value: Value | undefined): boolean {
  const suggested = suggestionOf(field)
  return suggested !== undefined && JSON.stringify(suggested) === JSON.stringify(value)
}
