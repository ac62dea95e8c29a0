// Deeply frozen values: what is shown, shared or approved must not change afterwards.

import { isPlainObject } from '@assent/core'

/** Freezes the value itself. */
export function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  for (const part of Object.values(value)) frozen(part)
  return Object.freeze(value)
}

/** A frozen copy of plain data. Anything else in it, such as a date, is the same value as before. */
export function frozenCopy<T>(value: T): T {
  if (Array.isArray(value)) return Object.freeze(value.map(frozenCopy)) as T
  if (!isPlainObject(value)) return value
  const members = Object.entries(value).map(([name, member]) => [name, frozenCopy(member)])
  return Object.freeze(Object.fromEntries(members)) as T
}
