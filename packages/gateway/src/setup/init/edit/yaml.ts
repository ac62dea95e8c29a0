// Inserts one entry into a map in a YAML file, or removes it.
//
// The text is parsed with positions; the lines of our entry are inserted after the last line of the map, and no other
// line is rewritten. An edit is used only if the result parses to the old content plus our entry.

import type { JsonObject, JsonValue } from '@assent/core'
import { type Document, isMap, isScalar, LineCounter, type Pair, parseDocument, type YAMLMap } from 'yaml'
import { editText } from '../text/files.ts'
import { type EntryChange, nothing, type Remembered, type Tried, theirs, unclear } from './change.ts'
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
  if (first !== undefined) return { because: editText.invalid('YAML', lines.linePos(first.pos[0]).line) }
  try {
    const value = document.toJS({ maxAliasCount: 100 }) ?? {}
    return { document, value, columnOf: (offset) => lines.linePos(offset).col - 1 }
  } catch {
    return { because: editText.tooManyAliases }
  }
}

/** The path has two levels: a top-level map, and our entry in it. */
export function putIntoYaml(text: string, { path, value }: EntryChange): Tried {
  const read = readYaml(text)
  if ('because' in read) return unclear(read.because)
  const found = valueAt(read.value, path)
  if (found !== undefined) return isSame(found, value) ? nothing : theirs(editText.setOtherwise(path.join('.')))
  const made = insertion(text, read, path, value)
  if (made === undefined) return unclear(editText.notAMap(path[0]))
  const after = readYaml(spliced(text, made.splices))
  if ('because' in after || !isSame(after.value, withValue(read.value, path, value))) {
    return unclear(editText.cannotAdd)
  }
  return { kind: 'change', ...made }
}

export function takeFromYaml(text: string, { path, value }: EntryChange, remembered: Remembered): Tried {
  const read = readYaml(text)
  if ('because' in read) return unclear(read.because)
  const found = valueAt(read.value, path)
  if (found === undefined) return nothing
  if (!isStillOurs(found, value)) return theirs(editText.changed(path.join('.')))
  const [outer = '', inner = ''] = path
  const holder = pairIn(read.document.contents, outer)
  const map = holder?.value
  const ours = pairIn(map, inner)
  if (!isMap(map) || map.flow === true || ours === undefined) return theirs(editText.rewritten(path.join('.')))
  const splice =
    map.items.length === 1
      ? removalOfOnlyEntry(text, { holder: holder ?? ours, ours }, remembered)
      : linesOf(text, ours)
  // Our entry contains no `#`, so a comment was added.
  if (splice.out.includes('#')) return theirs(editText.changed(path.join('.')))
  const splices = [splice]
  const after = readYaml(spliced(text, splices))
  if ('because' in after || valueAt(after.value, path) !== undefined) return unclear(editText.cannotRemove)
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
  // Only `key:` or `key: {}`. With a comment or an anchor after it, the file is left for the person to edit.
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

/** Strings are written in double quotes, which YAML reads as JSON does. */
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

/** The start of the line after the map's last line with content, or the end of the text. */
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

/** Our entry is the only one in the map: also removes the map if init created it, else restores its old content. */
function removalOfOnlyEntry(
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
  // Restores the text after the colon, on the line above our entry.
  const at = text.slice(0, lines.at).replace(/\r?\n$/, '').length
  return {
    at,
    out: text.slice(at, at + (text.slice(at, lines.at) + lines.out).replace(/\r?\n$/, '').length),
    in: interior,
  }
}

/** All lines of one entry with their line endings; if the last line has none, with the line ending before the entry. */
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
