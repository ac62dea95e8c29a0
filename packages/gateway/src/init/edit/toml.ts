// One table put at the end of a TOML file, or taken out again.
//
// TOML lets a table stand anywhere, so ours comes last and nothing above it moves: no writer is needed that knows how to
// keep comments, only a reader that says whether the result means what it should.

import type { JsonObject } from '@assent/core'
import { parse } from 'smol-toml'
import { type Entry, nothing, type Remembered, type Tried, theirs, unclear } from './change.ts'
import { lineEndOf, spliced } from './splice.ts'
import { isObject, isSame, isStillOurs, valueAt, withValue } from './values.ts'

type Read = { readonly value: unknown } | { readonly because: string }

export function readToml(text: string): Read {
  try {
    return { value: parse(text, { integersAsBigInt: 'asNeeded' }) }
  } catch (error) {
    const line = (error as { line?: unknown }).line
    return { because: typeof line === 'number' ? `line ${line} is not valid TOML` : 'it is not valid TOML' }
  }
}

export function putIntoToml(text: string, { path, value }: Entry): Tried {
  const read = readToml(text)
  if ('because' in read) return unclear(read.because)
  const found = valueAt(read.value, path)
  if (found !== undefined)
    return isSame(found, value) ? nothing : theirs(`[${path.join('.')}] is set to something else`)
  const eol = lineEndOf(text)
  const lead = text === '' || /\n\r?\n$/.test(text) ? '' : text.endsWith('\n') ? eol : eol + eol
  const splices = [{ at: text.length, out: '', in: lead + tableText(path, value, eol) }]
  const after = readToml(spliced(text, splices))
  // An inline table or a list of tables cannot be added to from below.
  if ('because' in after || !isSame(after.value, withValue(read.value, path, value))) {
    return unclear(`${path.slice(0, -1).join('.')} is written in a way that a table cannot be added to`)
  }
  return { kind: 'change', splices, remembered: { lead } }
}

export function takeFromToml(text: string, { path, value }: Entry, { lead = '' }: Remembered): Tried {
  const read = readToml(text)
  if ('because' in read) return unclear(read.because)
  const found = valueAt(read.value, path)
  if (found === undefined) return nothing
  if (!isStillOurs(found, value)) return theirs(`[${path.join('.')}] was changed since`)
  const ours = ['\n', '\r\n'].map((eol) => tableText(path, value, eol)).find((one) => text.includes(one))
  const at = ours === undefined ? -1 : text.indexOf(ours)
  if (ours === undefined || text.indexOf(ours, at + 1) !== -1 || (at > 0 && text[at - 1] !== '\n')) {
    return theirs(`[${path.join('.')}] was written anew since`)
  }
  const from = text.slice(0, at).endsWith(lead) ? at - lead.length : at
  const splices = [{ at: from, out: text.slice(from, at + ours.length), in: '' }]
  const after = readToml(spliced(text, splices))
  if ('because' in after || valueAt(after.value, path) !== undefined) {
    return theirs(`[${path.join('.')}] has other parts in this file`)
  }
  return { kind: 'change', splices, remembered: {} }
}

/** Our values are text, numbers and lists of text; TOML writes them as JSON does. */
export function tableText(path: readonly string[], value: JsonObject, eol: string): string {
  const lines = Object.entries(value).map(([name, one]) => {
    if (isObject(one)) throw new Error('A table within the table is not written here.')
    return `${name} = ${Array.isArray(one) ? `[${one.map((item) => JSON.stringify(item)).join(', ')}]` : JSON.stringify(one)}`
  })
  return [`[${path.join('.')}]`, ...lines, ''].join(eol)
}
