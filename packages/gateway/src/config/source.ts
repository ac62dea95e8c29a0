// A configuration as it stands in its file: values with the places where they were written.
//
// YAML and JSON are read by the same reader, JSON being YAML. Anchors, aliases and tags are refused: they let a few lines
// stand for millions, and make what one reads differ from what is meant.

import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, visit } from 'yaml'
import { programLimits } from '../limits.ts'
import type { Scalar } from './kinds.ts'
import type { Place, Problem } from './problem.ts'

export type Written =
  | { readonly kind: 'scalar'; readonly value: Scalar; readonly place: Place }
  | { readonly kind: 'nothing'; readonly place: Place }
  | { readonly kind: 'list'; readonly items: readonly Written[]; readonly place: Place }
  | { readonly kind: 'map'; readonly entries: readonly Entry[]; readonly place: Place }

export interface Entry {
  readonly name: string
  readonly at: Place
  readonly value: Written
}

export type SourceRead =
  | { readonly ok: true; readonly written: Written }
  | { readonly ok: false; readonly problems: readonly Problem[] }

// In our own words: the reader's may repeat a piece of the file.
const syntaxWords: Readonly<Record<string, string>> = {
  ALIAS_PROPS: 'Anchors and aliases are not used here: write the value again.',
  BAD_INDENT: 'The indentation does not fit the lines around it.',
  BLOCK_AS_IMPLICIT_KEY: 'This line holds two settings, or a value that needs quotes.',
  DUPLICATE_KEY: 'This name is given twice; only one of them could count.',
  MISSING_CHAR: 'A closing quote, bracket, brace or comma is missing.',
  MULTILINE_IMPLICIT_KEY: 'A colon is missing, or a value that spans lines needs quotes.',
  MULTIPLE_DOCS: 'The file holds more than one document (---); only one could count.',
  TAB_AS_INDENT: 'Lines are indented with spaces, not with tabs.',
  UNEXPECTED_TOKEN: 'This does not belong here.',
}

export function readSource(text: string): SourceRead {
  if (Buffer.byteLength(text) > programLimits.configBytes) {
    return { ok: false, problems: [atStart(`The file is larger than ${programLimits.configBytes} bytes.`)] }
  }
  const lines = new LineCounter()
  const options = { prettyErrors: false, version: '1.2', merge: false, keepSourceTokens: true } as const
  const document = parseDocument(text, { ...options, lineCounter: lines })
  const placeOf = (offset: number): Place => {
    const { line, col } = lines.linePos(offset)
    return { kind: 'file', line: Math.max(line, 1), column: Math.max(col, 1) }
  }
  const unclosed = unclosedIn(document, placeOf)
  // What follows an open brace is read as if it were inside it, so nothing else is certain.
  if (unclosed.length > 0) return { ok: false, problems: unclosed }
  const problems = document.errors.map(({ code, pos }) =>
    problemAt(placeOf(pos[0]), syntaxWords[code] ?? 'This is not valid YAML.'),
  )
  problems.push(...unwelcome(document, placeOf))
  if (problems.length > 0) return { ok: false, problems }
  return { ok: true, written: writtenOf(document.contents as Node | null, placeOf) }
}

const closing: Readonly<Record<string, string>> = { '{': '}', '[': ']' }

/** Braces and brackets that are opened and never closed. */
function unclosedIn(document: Document, placeOf: (offset: number) => Place): Problem[] {
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

function unwelcome(document: Document, placeOf: (offset: number) => Place): Problem[] {
  const found: Problem[] = []
  visit(document, {
    Node: (_key, node) => {
      const place = placeOf(node.range?.[0] ?? 0)
      if (isAlias(node) || node.anchor !== undefined) {
        found.push(problemAt(place, 'Anchors and aliases are not used here: write the value again.'))
      } else if (node.tag !== undefined) found.push(problemAt(place, 'Tags (!) are not used here: leave it out.'))
    },
  })
  return found
}

function writtenOf(node: Node | null, placeOf: (offset: number) => Place): Written {
  const place = placeOf(node?.range?.[0] ?? 0)
  if (isMap<Node, Node | null>(node)) {
    const entries = node.items.map(({ key, value }): Entry => {
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

function problemAt(place: Place, words: string): Problem {
  return { path: '', words, place }
}

function atStart(words: string): Problem {
  return problemAt({ kind: 'file', line: 1, column: 1 }, words)
}
