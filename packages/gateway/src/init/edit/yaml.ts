// One entry put into, or taken out of, a map in a YAML file.
//
// The text is read with positions; the lines of our entry are put after the last one of the map, and nothing else is
// written anew. Nothing is written that does not read back as the old content and our entry.

import type { JsonObject, JsonValue } from '@assent/core'
import { type Document, isMap, isScalar, LineCounter, type Pair, parseDocument, type YAMLMap } from 'yaml'
import { type Entry, nothing, type Remembered, type Tried, theirs, unclear } from './change.ts'
import { lineEndOf, type Splice, spliced } from './splice.ts'
import { isSame, isStillOurs, valueAt, withValue } from './values.ts'

interface Read {
  readonly document: Document
  readonly value: unknown
  columnOf(offset: number): number
}

export function readYaml(text: string): Read | { readonly because: string } {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const first = document.errors[0]
  if (first !== undefined) return { because: `line ${lines.linePos(first.pos[0]).line} is not valid YAML` }
  try {
    const value = document.toJS({ maxAliasCount: 100 }) ?? {}
    return { document, value, columnOf: (offset) => lines.linePos(offset).col - 1 }
  } catch {
    return { because: 'its aliases stand for too much' }
  }
}

/** The path has two names: a map at the top, and our entry in it. */
export function putIntoYaml(text: string, { path, value }: Entry): Tried {
  const read = readYaml(text)
  if ('because' in read) return unclear(read.because)
  const found = valueAt(read.value, path)
  if (found !== undefined) return isSame(found, value) ? nothing : theirs(`${path.join('.')} is set to something else`)
  const made = insertion(text, read, path, value)
  if (made === undefined) return unclear(`${path[0]} is not a map with one entry per line`)
  const after = readYaml(spliced(text, made.splices))
  if ('because' in after || !isSame(after.value, withValue(read.value, path, value))) {
    return unclear('the entry cannot be put in without changing something else')
  }
  return { kind: 'change', ...made }
}

export function takeFromYaml(text: string, { path, value }: Entry, remembered: Remembered): Tried {
  const read = readYaml(text)
  if ('because' in read) return unclear(read.because)
  const found = valueAt(read.value, path)
  if (found === undefined) return nothing
  if (!isStillOurs(found, value)) return theirs(`${path.join('.')} was changed since`)
  const [outer = '', inner = ''] = path
  const holder = pairIn(read.document.contents, outer)
  const map = holder?.value
  const ours = pairIn(map, inner)
  if (!isMap(map) || map.flow === true || ours === undefined) return theirs(`${path.join('.')} was written anew since`)
  const splice =
    map.items.length === 1 ? lastOne(text, { holder: holder ?? ours, ours }, remembered) : linesOf(text, ours)
  // Nothing of ours has this sign in it.
  if (splice.out.includes('#')) return theirs(`${path.join('.')} was changed since`)
  const splices = [splice]
  const after = readYaml(spliced(text, splices))
  if ('because' in after || valueAt(after.value, path) !== undefined) return unclear('it cannot be taken out cleanly')
  return { kind: 'change', splices, remembered: {} }
}

function insertion(
  text: string,
  { document, columnOf }: Read,
  path: readonly string[],
  value: JsonObject,
): { splices: Splice[]; remembered: Remembered } | undefined {
  const [outer = '', inner = ''] = path
  const eol = lineEndOf(text)
  const { contents } = document
  const isEmpty = contents === null || (isScalar(contents) && contents.value === null)
  if (!isEmpty && (!isMap(contents) || contents.flow === true)) return undefined
  const pair = pairIn(contents, outer)
  if (pair === undefined) {
    const lead = text === '' || text.endsWith('\n') ? '' : eol
    const lines = [`${outer}:`, ...entryLines(inner, value, '  ', '  '), ''].join(eol)
    return { splices: [{ at: text.length, out: '', in: lead + lines }], remembered: { existing: 0, lead } }
  }
  const map = pair.value
  if (isMap(map) && map.flow !== true && map.items.length > 0) {
    const at = afterLastLine(text, map)
    const column = columnOf(startOf(map.items[0]) ?? 0)
    const lines = entryLines(inner, value, ' '.repeat(column), '  ')
    return { splices: [{ at, out: '', in: eol + lines.join(eol) }], remembered: { existing: 1 } }
  }
  const emptyMap = isMap(map) && map.items.length === 0 ? '{}' : undefined
  if (emptyMap === undefined && !(map === null || (isScalar(map) && map.value === null))) return undefined
  const key = isScalar(pair.key) ? pair.key.range?.[1] : undefined
  if (key === undefined) return undefined
  const lineEnd = endOfLine(text, key)
  const interior = text.slice(key + 1, lineEnd)
  // Only `key:` or `key: {}`; a comment or an anchor behind it stays where it is, so then it is a person's to do.
  if (interior.trim() !== (emptyMap ?? '')) return undefined
  const lines = entryLines(inner, value, '  ', '  ').join(eol)
  return {
    splices: [{ at: key + 1, out: interior, in: eol + lines }],
    remembered: { existing: 1, interior },
  }
}

export function entryLines(name: string, value: JsonObject, indent: string, unit: string): string[] {
  return [
    `${indent}${name}:`,
    ...Object.entries(value).flatMap(([key, one]) => valueLines(key, one as JsonValue, indent + unit)),
  ]
}

/** Text is written in double quotes, where YAML reads it as JSON does. */
function valueLines(name: string, value: JsonValue, indent: string): string[] {
  if (!Array.isArray(value)) return [`${indent}${name}: ${JSON.stringify(value)}`]
  if (value.length === 0) return [`${indent}${name}: []`]
  return [`${indent}${name}:`, ...value.map((item) => `${indent}  - ${JSON.stringify(item)}`)]
}

function pairIn(map: unknown, name: string): Pair | undefined {
  return isMap(map) ? (map.items as Pair[]).find(({ key }) => isScalar(key) && key.value === name) : undefined
}

function startOf(pair: Pair | undefined): number | undefined {
  const key = pair?.key
  return isScalar(key) ? key.range?.[0] : undefined
}

/** Where the line after the last one with content of this map begins, or the end of the text. */
function afterLastLine(text: string, map: YAMLMap): number {
  const end = map.range?.[1] ?? text.length
  const content = text.slice(0, end).trimEnd().length
  return endOfLine(text, content)
}

function endOfLine(text: string, offset: number): number {
  const at = text.indexOf('\n', offset)
  if (at === -1) return text.length
  return text[at - 1] === '\r' ? at - 1 : at
}

/** The map holds nothing else: what we made goes too, and what was there before us comes back. */
function lastOne(
  text: string,
  { holder, ours }: { holder: Pair; ours: Pair },
  { existing = 1, interior, lead = '' }: Remembered,
): Splice {
  if (existing === 0) {
    const lines = linesOf(text, holder)
    const from = text.slice(0, lines.at).endsWith(lead) ? lines.at - lead.length : lines.at
    return { at: from, out: text.slice(from, lines.at + lines.out.length), in: '' }
  }
  const lines = linesOf(text, ours)
  if (interior === undefined) return lines
  // Back to what stood behind the colon, on the line above ours.
  const at = text.slice(0, lines.at).replace(/\r?\n$/, '').length
  return {
    at,
    out: text.slice(at, at + (text.slice(at, lines.at) + lines.out).replace(/\r?\n$/, '').length),
    in: interior,
  }
}

/** All lines of one entry, with their ends; at the end of a text without one, with the line end before them. */
function linesOf(text: string, pair: Pair): Splice {
  const start = text.lastIndexOf('\n', (startOf(pair) ?? 0) - 1) + 1
  const value = pair.value as { range?: readonly [number, number, number] | null } | null
  const content = text.slice(0, value?.range?.[1] ?? startOf(pair) ?? 0).trimEnd().length
  const lineEnd = endOfLine(text, content)
  if (lineEnd === text.length) {
    const at = text.slice(0, start).replace(/\r?\n$/, '').length
    return { at, out: text.slice(at), in: '' }
  }
  const end = text.startsWith('\r\n', lineEnd) ? lineEnd + 2 : lineEnd + 1
  return { at: start, out: text.slice(start, end), in: '' }
}
