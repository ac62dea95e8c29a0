// Reads untrusted values: usually parsed JSON, but possibly a proxy with traps.
//
// Untrusted objects and lists are read only in this file, once per property, into a Map or an array of our own. So
// nothing is inherited, nothing changes between check and use, and exceptions that the value throws are caught.

import { isPlainObject } from '../json.ts'

type Unreadable = { readonly ok: false; readonly why: 'wrong-type' | 'too-many' }
export type ObjectRead = { readonly ok: true; readonly entries: ReadonlyMap<string, unknown> } | Unreadable
export type ListRead = { readonly ok: true; readonly items: readonly unknown[] } | Unreadable

const wrongType = { ok: false, why: 'wrong-type' } as const
const tooMany = { ok: false, why: 'too-many' } as const

/**
 * The properties of a plain object, if there are no more than `max`. They are counted before any is read. Counting
 * takes less time than parsing them did, so the size limit of the parsed text also limits this.
 */
export function readObject(value: unknown, max: number): ObjectRead {
  try {
    if (!isPlainObject(value)) return wrongType
    const names = Object.keys(value)
    if (names.length > max) return tooMany
    return { ok: true, entries: new Map(names.map((name) => [name, value[name]])) }
  } catch {
    // A proxy or a getter threw. JSON has neither, so this is not data.
    return wrongType
  }
}

/** The items of a list, if there are no more than `max`. A hole reads as undefined, whatever Array.prototype holds. */
export function readList(value: unknown, max: number): ListRead {
  try {
    if (!Array.isArray(value)) return wrongType
    // Converted to a number once: a proxy's length may be an object that is small when compared and huge when used.
    const length = Number(value.length)
    if (length > max) return tooMany
    const items = Array.from({ length }, (_, index) => (Object.hasOwn(value, index) ? value[index] : undefined))
    return { ok: true, items }
  } catch {
    return wrongType
  }
}
