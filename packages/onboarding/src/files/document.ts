// One instruction file as text: its lines with their own endings, so that what is not changed stays byte for byte.

import { unreadText } from '../text/findings.ts'
import { type FrontMatter, readFrontMatter } from './front-matter.ts'

export interface TextDocument {
  readonly hasBom: boolean
  /** What most lines end with. */
  readonly eol: '\n' | '\r\n'
  readonly isMixed: boolean
  /** Without endings. */
  readonly lines: readonly string[]
  /** With endings; joined they are the text without its BOM. */
  readonly rawLines: readonly string[]
  readonly frontMatter: FrontMatter
}

const bom = Buffer.from([0xef, 0xbb, 0xbf])

export type DocumentRead =
  | { readonly ok: true; readonly document: TextDocument }
  | { readonly ok: false; readonly line: number; readonly why: string }

export function readDocument(bytes: Buffer): DocumentRead {
  const hasBom = bytes.subarray(0, 3).equals(bom)
  const body = hasBom ? bytes.subarray(3) : bytes
  const nul = body.indexOf(0)
  if (nul >= 0) return { ok: false, line: lineOf(body, nul), why: unreadText.zeroByte }
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)
  } catch {
    return { ok: false, line: lineOf(body, firstInvalid(body)), why: unreadText.notUtf8 }
  }
  return { ok: true, document: documentOf(text, hasBom) }
}

export function documentOf(text: string, hasBom = false): TextDocument {
  const rawLines = text.match(/[^\n]*\n|[^\n]+$/g) ?? []
  const crlf = rawLines.filter((line) => line.endsWith('\r\n')).length
  const lf = rawLines.filter((line) => line.endsWith('\n')).length - crlf
  const lines = rawLines.map((line) => line.replace(/\r?\n$/, ''))
  return {
    hasBom,
    eol: crlf > lf ? '\r\n' : '\n',
    isMixed: crlf > 0 && lf > 0,
    lines,
    rawLines,
    frontMatter: readFrontMatter(lines),
  }
}

export function bytesOf(text: string, hasBom: boolean): Buffer {
  const body = Buffer.from(text, 'utf8')
  return hasBom ? Buffer.concat([bom, body]) : body
}

function lineOf(bytes: Buffer, end: number): number {
  let line = 1
  for (let index = 0; index < end; index++) if (bytes[index] === 10) line++
  return line
}

/** The place where decoding stops: the longest prefix that is valid, found by halving. */
function firstInvalid(bytes: Buffer): number {
  const isValidUpTo = (end: number) => {
    try {
      new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, end), { stream: true })
      return true
    } catch {
      return false
    }
  }
  let low = 0
  let high = bytes.length
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (isValidUpTo(middle)) low = middle
    else high = middle - 1
  }
  return low
}
