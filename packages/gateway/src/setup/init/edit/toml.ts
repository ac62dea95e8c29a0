// Appends one table to a TOML file, or removes it.
//
// TOML allows a table anywhere, so ours is appended and nothing above it moves: no writer that preserves comments is
// needed, only a parser that checks the result.

import type { JsonObject } from '@assent/core'
import { parse } from 'smol-toml'
import { editText } from '../text/files.ts'
import { type EntryChange, nothing, type Remembered, type Tried, theirs, unclear } from './change.ts'
import { lineEndOf, spliced } from './splice.ts'
import { isObject, isSame, isStillOurs, valueAt, withValue } from './values.ts'

type Read = { readonly value: unknown } | { readonly because: string }

export function readToml(text: string): Read {
  try {
    return { value: parse(text, { integersAsBigInt: 'asNeeded' }) }
  } catch (error) {
    const line = (error as { line?: unknown }).line
    return { because: editText.invalid('TOML', typeof line === 'number' ? line : undefined) }
  }
}

export function putIntoToml(text: string, { path, value }: EntryChange): Tried {
  const read = readToml(text)
  if ('because' in read) return unclear(read.because)
  const found = valueAt(read.value, path)
  if (found !== undefined) return isSame(found, value) ? nothing : theirs(editText.setOtherwise(headerOf(path)))
  const eol = lineEndOf(text)
  const lead = text === '' || /\n\r?\n$/.test(text) ? '' : text.endsWith('\n') ? eol : eol + eol
  const splices = [{ at: text.length, out: '', in: lead + tableText(path, value, eol) }]
  const after = readToml(spliced(text, splices))
  // An inline table or an array of tables cannot be extended by a later table header.
  if ('because' in after || !isSame(after.value, withValue(read.value, path, value))) {
    return unclear(editText.notATable(path.slice(0, -1).join('.')))
  }
  return { kind: 'change', splices, remembered: { lead } }
}

export function takeFromToml(text: string, { path, value }: EntryChange, { lead = '' }: Remembered): Tried {
  const read = readToml(text)
  if ('because' in read) return unclear(read.because)
  const found = valueAt(read.value, path)
  if (found === undefined) return nothing
  if (!isStillOurs(found, value)) return theirs(editText.changed(headerOf(path)))
  const ours = ['\n', '\r\n'].map((eol) => tableText(path, value, eol)).find((one) => text.includes(one))
  const at = ours === undefined ? -1 : text.indexOf(ours)
  if (ours === undefined || text.indexOf(ours, at + 1) !== -1 || (at > 0 && text[at - 1] !== '\n')) {
    return theirs(editText.rewritten(headerOf(path)))
  }
  const from = text.slice(0, at).endsWith(lead) ? at - lead.length : at
  const splices = [{ at: from, out: text.slice(from, at + ours.length), in: '' }]
  const after = readToml(spliced(text, splices))
  if ('because' in after || valueAt(after.value, path) !== undefined) {
    return theirs(editText.otherParts(headerOf(path)))
  }
  return { kind: 'change', splices, remembered: {} }
}

/** Our values are strings, numbers and arrays of strings, which TOML writes as JSON does. */
export function tableText(path: readonly string[], value: JsonObject, eol: string): string {
  const lines = Object.entries(value).map(([name, one]) => {
    if (isObject(one)) throw new Error('Nested tables are not supported.')
    return `${name} = ${Array.isArray(one) ? `[${one.map((item) => JSON.stringify(item)).join(', ')}]` : JSON.stringify(one)}`
  })
  return [headerOf(path), ...lines, ''].join(eol)
}

function headerOf(path: readonly string[]): string {
  return `[${path.join('.')}]`
}
