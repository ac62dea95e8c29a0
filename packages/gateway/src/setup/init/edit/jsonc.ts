// Inserts one entry into a JSON file with comments, or removes it.
//
// The text is parsed with VS Code's jsonc-parser, which returns positions. The edit is made here, because that
// library's `modify` inserts a new entry before the comment that belongs to the entry above. An edit is used only if
// the result parses to the old content plus our entry.

import type { JsonObject } from '@assent/core'
import { findNodeAtLocation, getNodeValue, type Node, type ParseError, parseTree } from 'jsonc-parser'
import { editText } from '../text/files.ts'
import { type EntryChange, nothing, type Remembered, type Tried, theirs, unclear } from './change.ts'
import {
  afterCommentsOfLine,
  commaAfter,
  hasComment,
  indentOfLine,
  onOneLine,
  ownIndent,
  unitOf,
  written,
} from './jsonc-text.ts'
import { lineAt, lineEndOf, type Splice, spliced } from './splice.ts'
import { isSame, isStillOurs, nested, valueAt, withValue } from './values.ts'

type Read = { readonly root: Node; readonly value: unknown } | { readonly because: string }

export function readJsonc(text: string): Read {
  const errors: ParseError[] = []
  const root = parseTree(text, errors, { allowTrailingComma: true })
  const first = errors[0]
  if (first !== undefined) return { because: editText.invalid('JSON', lineAt(text, first.offset)) }
  if (root?.type !== 'object') return { because: editText.notAnObject }
  const twice = firstDuplicate(root)
  if (twice !== undefined) return { because: editText.duplicate(twice) }
  return { root, value: getNodeValue(root) }
}

export function putIntoJsonc(text: string, { path, value, fresh = {} }: EntryChange): Tried {
  if (text.trim() === '') {
    const whole = { ...fresh, ...nested(path, value) }
    const eol = lineEndOf(text)
    return {
      kind: 'change',
      splices: [{ at: 0, out: text, in: `${written(whole, { indent: '', unit: '  ', eol })}${eol}` }],
      remembered: { existing: 0 },
    }
  }
  const read = readJsonc(text)
  if ('because' in read) return unclear(read.because)
  const found = valueAt(read.value, path)
  if (found !== undefined) return isSame(found, value) ? nothing : theirs(editText.setOtherwise(path.join('.')))
  const holder = deepest(read.root, path)
  if (holder === undefined) return unclear(editText.notAnObjectAt(path.slice(0, -1).join('.')))
  const { node, depth } = holder
  const made = insertion(text, node, path[depth] ?? '', nested(path.slice(depth + 1), value), unitOf(text, read.root))
  const remembered = { ...made.remembered, existing: depth }
  return checked(text, { kind: 'change', splices: made.splices, remembered }, withValue(read.value, path, value))
}

export function takeFromJsonc(
  text: string,
  { path, value }: EntryChange,
  { existing = path.length, interior }: Remembered,
): Tried {
  const read = readJsonc(text)
  if ('because' in read) return unclear(read.because)
  const found = valueAt(read.value, path)
  if (found === undefined) return nothing
  const node = findNodeAtLocation(read.root, [...path])
  if (!isStillOurs(found, value) || node === undefined || hasComment(text, node)) {
    return theirs(editText.changed(path.join('.')))
  }
  // From our entry outwards: also remove the objects created for it, unless they contain something else.
  let taken = removal(text, read.root, path, existing === path.length - 1 ? interior : undefined)
  for (let depth = path.length - 1; depth > existing; depth--) {
    const rest = readJsonc(spliced(text, taken))
    if ('because' in rest || Object.keys(valueAt(rest.value, path.slice(0, depth)) ?? { a: 1 }).length > 0) break
    if (hasComments(spliced(text, taken), rest.root, path.slice(0, depth))) break
    taken = removal(text, read.root, path.slice(0, depth), depth - 1 === existing ? interior : undefined)
  }
  return { kind: 'change', splices: taken, remembered: {} }
}

function insertion(
  text: string,
  holder: Node,
  name: string,
  value: JsonObject,
  unit: string,
): { splices: Splice[]; remembered: Remembered } {
  const eol = lineEndOf(text)
  const open = holder.offset
  const close = open + holder.length - 1
  const last = holder.children?.at(-1)
  if (last === undefined) {
    const interior = text.slice(open + 1, close)
    const around = indentOfLine(text, open)
    const property = `${JSON.stringify(name)}: ${written(value, { indent: around + unit, unit, eol })}`
    const lines = `${eol}${around}${unit}${property}`
    if (interior.trim() === '') {
      return { splices: [{ at: open + 1, out: interior, in: `${lines}${eol}${around}` }], remembered: { interior } }
    }
    // The object contains only comments: insert after them.
    const at = open + 1 + interior.trimEnd().length
    const isClosedByLine = text.slice(at, close).includes('\n')
    return { splices: [{ at, out: '', in: isClosedByLine ? lines : `${lines}${eol}${around}` }], remembered: {} }
  }
  const end = last.offset + last.length
  const comma = commaAfter(text, end)
  if (!text.slice(open, close).includes('\n')) {
    const property = `${JSON.stringify(name)}: ${onOneLine(value)}`
    const splice =
      comma === undefined ? { at: end, out: '', in: `, ${property}` } : { at: comma + 1, out: '', in: ` ${property},` }
    return { splices: [splice], remembered: {} }
  }
  const indent = ownIndent(text, holder) ?? indentOfLine(text, open) + unit
  const line = `${eol}${indent}${JSON.stringify(name)}: ${written(value, { indent, unit, eol })}`
  const lineEnd = afterCommentsOfLine(text, comma === undefined ? end : comma + 1)
  if (comma !== undefined) return { splices: [{ at: lineEnd, out: '', in: `${line},` }], remembered: {} }
  if (lineEnd === end) return { splices: [{ at: end, out: '', in: `,${line}` }], remembered: {} }
  return {
    splices: [
      { at: end, out: '', in: ',' },
      { at: lineEnd, out: '', in: line },
    ],
    remembered: {},
  }
}

function removal(text: string, root: Node, path: readonly string[], interior: string | undefined): Splice[] {
  const holder = deepest(root, path)?.node
  const properties = holder?.children ?? []
  const index = properties.findIndex(({ children }) => children?.[0]?.value === path.at(-1))
  const ours = properties[index]
  if (holder === undefined || ours === undefined) return []
  const end = ours.offset + ours.length
  const before = text.slice(0, ours.offset).trimEnd().length
  const comma = commaAfter(text, end)
  if (properties.length === 1) {
    const open = holder.offset + 1
    const inside = text.slice(open, holder.offset + holder.length - 1)
    const rest = text.slice(open, before) + text.slice(comma === undefined ? end : comma + 1, open + inside.length)
    if (interior !== undefined && rest.trim() === '') return [{ at: open, out: inside, in: interior }]
  }
  const out = { at: before, out: text.slice(before, end), in: '' }
  if (comma !== undefined) return [out, { at: comma, out: ',', in: '' }]
  const previous = properties[index - 1]
  const previousComma = previous === undefined ? undefined : commaAfter(text, previous.offset + previous.length)
  if (previousComma === undefined) return [out]
  // Adjacent splices are merged into one.
  if (previousComma + 1 === before) return [{ at: previousComma, out: `,${out.out}`, in: '' }]
  return [{ at: previousComma, out: ',', in: '' }, out]
}

function checked(text: string, tried: Tried & { kind: 'change' }, expected: unknown): Tried {
  const read = readJsonc(spliced(text, tried.splices))
  if (!('because' in read) && isSame(read.value, expected)) return tried
  return unclear(editText.cannotAdd)
}

/** The innermost object on the path that exists; undefined if a value on the path is not an object. */
function deepest(root: Node, path: readonly string[]): { node: Node; depth: number } | undefined {
  let node = root
  for (let depth = 0; depth < path.length - 1; depth++) {
    const next = node.children?.find(({ children }) => children?.[0]?.value === path[depth])?.children?.[1]
    if (next === undefined) return { node, depth }
    if (next.type !== 'object') return undefined
    node = next
  }
  return { node, depth: path.length - 1 }
}

function firstDuplicate(node: Node): string | undefined {
  if (node.type === 'object') {
    const names = (node.children ?? []).map(({ children }) => String(children?.[0]?.value))
    const twice = names.find((name, at) => names.indexOf(name) !== at)
    if (twice !== undefined) return twice
  }
  for (const child of node.children ?? []) {
    const twice = firstDuplicate(child)
    if (twice !== undefined) return twice
  }
  return undefined
}

function hasComments(text: string, root: Node, path: readonly string[]): boolean {
  const node = path.length === 0 ? root : deepest(root, [...path, ''])?.node
  if (node === undefined) return false
  return text.slice(node.offset + 1, node.offset + node.length - 1).trim() !== ''
}
