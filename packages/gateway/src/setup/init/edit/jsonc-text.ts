// Finds positions in JSON with comments, and formats a value for insertion.

import type { JsonValue } from '@assent/core'
import { createScanner, type Node, stripComments } from 'jsonc-parser'

/** Formats a value with this indentation: objects on several lines, arrays on one line. */
export function written(value: JsonValue, at: { indent: string; unit: string; eol: string }): string {
  if (Array.isArray(value)) return `[${value.map((item) => written(item, at)).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = Object.entries(value)
  if (entries.length === 0) return '{}'
  const inner = { ...at, indent: at.indent + at.unit }
  const lines = entries.map(
    ([name, one]) => `${inner.indent}${JSON.stringify(name)}: ${written(one as JsonValue, inner)}`,
  )
  return `{${at.eol}${lines.join(`,${at.eol}`)}${at.eol}${at.indent}}`
}

export function onOneLine(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(onOneLine).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return `{${Object.entries(value)
    .map(([name, one]) => `${JSON.stringify(name)}: ${onOneLine(one as JsonValue)}`)
    .join(', ')}}`
}

/** The offset of the comma after a value, if there is one; comments may come between. */
export function commaAfter(text: string, offset: number): number | undefined {
  const scanner = createScanner(text, true)
  scanner.setPosition(offset)
  scanner.scan()
  const at = scanner.getTokenOffset()
  return text[at] === ',' ? at : undefined
}

/** The offset after the comments on the rest of this line, which belong to the value before them. */
export function afterCommentsOfLine(text: string, offset: number): number {
  const scanner = createScanner(text, false)
  scanner.setPosition(offset)
  let end = offset
  for (;;) {
    scanner.scan()
    const token = text.slice(scanner.getTokenOffset(), scanner.getTokenOffset() + scanner.getTokenLength())
    if (/^[ \t]+$/.test(token)) continue
    if (!token.startsWith('//') && !token.startsWith('/*')) return end
    end = scanner.getTokenOffset() + token.length
  }
}

export function unitOf(text: string, root: Node): string {
  const indent = ownIndent(text, root) ?? ''
  return indent === '' ? '  ' : indent
}

/** The indentation of the last entry that starts a line. */
export function ownIndent(text: string, holder: Node): string | undefined {
  const last = holder.children?.findLast(({ offset }) => text.slice(lineStart(text, offset), offset).trim() === '')
  return last === undefined ? undefined : indentOfLine(text, last.offset)
}

export function indentOfLine(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(lineStart(text, offset), offset))?.[0] ?? ''
}

function lineStart(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1
}

export function hasComment(text: string, { offset, length }: Node): boolean {
  return stripComments(text.slice(offset, offset + length)).length !== length
}
