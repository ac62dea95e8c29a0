// Names of at most 64 characters for tools whose prefixed name is longer: several model APIs reject longer ones.
//
// A short name is the start of the long one plus a digest of all of it, so every replica computes the same one, also
// after a restart. A long name that has the form of a short one is shortened too, so every name of that form is a short
// name.

import { hash } from 'node:crypto'

export const nameChars = 64
/** 80 bits: two names of one server never have the same digest by chance. */
const digestChars = 20
const shortName = new RegExp(`_[0-9a-f]{${digestChars}}$`)

export function shortened(name: string): string {
  if (name.length <= nameChars && !isShort(name)) return name
  // As UTF-16, so that names with lone surrogates differ too.
  const digest = hash('sha256', Buffer.from(name, 'utf16le'), 'hex').slice(0, digestChars)
  return `${name.slice(0, nameChars - digestChars - 1).toWellFormed()}_${digest}`
}

export function isShort(name: string): boolean {
  return name.length === nameChars && shortName.test(name)
}
