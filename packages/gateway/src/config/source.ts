// The parsed configuration file: values with their locations.
//
// YAML and JSON use the same parser, because JSON is YAML. Anchors, aliases and tags are refused: a few lines could
// expand to millions of values, and the file would be harder to read.

import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, visit } from 'yaml'
import { programLimits } from '../limits.ts'
import type { Scalar } from './kinds.ts'
import type { ConfigLocation, Problem } from './problem.ts'

export type ConfigNode =
  | { readonly kind: 'scalar'; readonly value: Scalar; readonly place: ConfigLocation }
  | { readonly kind: 'nothing'; readonly place: ConfigLocation }
  | { readonly kind: 'list'; readonly items: readonly ConfigNode[]; readonly place: ConfigLocation }
  | { readonly kind: 'map'; readonly entries: readonly ConfigEntry[]; readonly place: ConfigLocation }

export interface ConfigEntry {
  readonly name: string
  readonly at: ConfigLocation
  readonly value: ConfigNode
}

export type SourceRead =
  | { readonly ok: true; readonly written: ConfigNode }
  | { readonly ok: false; readonly problems: readonly Problem[] }

// Our own messages: those of the parser may contain a part of the file.
const syntaxWords: Readonly<Record<string, string>> = {
  ALIAS_PROPS: 'Anchors and aliases are not supported: repeat the value.',
  BAD_INDENT: 'The indentation does not match the lines around it.',
  BLOCK_AS_IMPLICIT_KEY: 'This line has two settings, or a value that needs quotes.',
  DUPLICATE_KEY: 'Duplicate name.',
  MISSING_CHAR: 'A closing quote, bracket, brace or comma is missing.',
  MULTILINE_IMPLICIT_KEY: 'A colon is missing, or a value that spans lines needs quotes.',
  MULTIPLE_DOCS: 'The file has more than one document (---).',
  TAB_AS_INDENT: 'Indent with spaces, not with tabs.',
  UNEXPECTED_TOKEN: 'Unexpected text.',
}

export function readSource(text: string): SourceRead {
  if (Buffer.byteLength(text) > programLimits.configBytes) {
    return { ok: false, problems: [atStart(`The file is larger than ${programLimits.configBytes} bytes.`)] }
  }
  const lines = new LineCounter()
  const options = { prettyErrors: false, version: '1.2', merge: false, keepSourceTokens: true } as const
  const document = parseDocument(text, { ...options, lineCounter: lines })
  const placeOf = (offset: number): ConfigLocation => {
    const { line, col } = lines.linePos(offset)
    return { kind: 'file', line: Math.max(line, 1), column: Math.max(col, 1) }
  }
  const unclosed = unclosedIn(document, placeOf)
  // Everything after an unclosed brace is parsed as its content, so other errors are not reliable.
  if (unclosed.length > 0) return { ok: false, problems: unclosed }
  const problems = document.errors.map(({ code, pos }) =>
    problemAt(placeOf(pos[0]), syntaxWords[code] ?? 'This is not valid YAML.'),
  )
  problems.push(...unsupported(document, placeOf))
  if (problems.length > 0) return { ok: false, problems }
  return { ok: true, written: writtenOf(document.contents as Node | null, placeOf) }
}

const closing: Readonly<Record<string, string>> = { '{': '}', '[': ']' }

/** Braces and brackets that are never closed. */
function unclosedIn(document: Document, placeOf: (offset: number) => ConfigLocation): Problem[] {
  const found: Problem[] = []
  visit(document, {
    Collection: (_key, { srcToken }) => {
      if (srcToken?.type !== 'flow-collection') return
      const { start, end } = srcToken
      const wanted = closing[start.source] ?? ''
      if (end.some(({ source }) => source === wanted)) return
      found.push(problemAt(placeOf(start.offset), `This ${start.source} is never closed: a ${wanted} is missing.`))
    },
  })
  return found
}

function unsupported(document: Document, placeOf: (offset: number) => ConfigLocation): Problem[] {
  const found: Problem[] = []
  visit(document, {
    Node: (_key, node) => {
      const place = placeOf(node.range?.[0] ?? 0)
      if (isAlias(node) || node.anchor !== undefined) {
        found.push(problemAt(place, 'Anchors and aliases are not supported: repeat the value.'))
      } else if (node.tag !== undefined) found.push(problemAt(place, 'Tags (!) are not supported: remove it.'))
    },
  })
  return found
}

function writtenOf(node: Node | null, placeOf: (offset: number) => ConfigLocation): ConfigNode {
  const place = placeOf(node?.range?.[0] ?? 0)
  if (isMap<Node, Node | null>(node)) {
    const entries = node.items.map(({ key, value }): ConfigEntry => {
      const at = placeOf(key.range?.[0] ?? 0)
      const written = value === null ? ({ kind: 'nothing', place: at } as const) : writtenOf(value, placeOf)
      return { name: isScalar(key) ? String(key.value) : '', at, value: written }
    })
    return { kind: 'map', entries, place }
  }
  if (isSeq<Node | null>(node))
    return { kind: 'list', items: node.items.map((item) => writtenOf(item, placeOf)), place }
  const value = isScalar(node) ? node.value : null
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
    return { kind: 'scalar', value, place }
  }
  return { kind: 'nothing', place }
}

function problemAt(place: ConfigLocation, words: string): Problem {
  return { path: '', words, place }
}

function atStart(words: string): Problem {
  return problemAt({ kind: 'file', line: 1, column: 1 }, words)
}
