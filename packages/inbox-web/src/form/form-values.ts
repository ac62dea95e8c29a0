// The values a person has entered so far, by field name. A field without a value is absent; the gateway decides whether it
// is required.

export type FieldValue = string | number | boolean | readonly string[]
export type FormValues = ReadonlyMap<string, FieldValue>

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
