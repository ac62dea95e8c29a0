// Properties of JSON text before it is parsed: its depth, its number of parts, and whether member names contain
// escapes.
//
// The engine's parser has no limits: four megabytes of brackets keep it busy for half a second. This scan costs a
// fraction of parsing, allocates nothing, and stops at the first exceeded limit. It does not check whether the text is
// JSON.

import { protocolLimits } from '../limits.ts'

export interface Outline {
  /** Member names, in all objects together. */
  readonly names: number
  /** Whether one of them contains a backslash. */
  readonly hasEscapedNames: boolean
}

const quote = 0x22
const backslash = 0x5c

const [nothing, text, open, close, comma, colon] = [0, 1, 2, 3, 4, 5]
/** The meaning of each character outside strings; a table, because it is read for every character. */
const meanings = new Uint8Array(0x10000)
for (const [chars, meaning] of [
  ['"', text],
  ['[{', open],
  [']}', close],
  [',', comma],
  [':', colon],
] as const)
  for (const char of chars) meanings[char.charCodeAt(0)] = meaning

/** Undefined for text that is nested too deep, has too many parts, or cannot be JSON. */
export function outlineOf(json: string): Outline | undefined {
  const { messageDepth, messageParts, messageLooseChars } = protocolLimits
  const hasEscapes = json.includes('\\')
  let depth = 0
  let parts = 0
  let texts = 0
  let names = 0
  let isEscaped = false
  let hasEscapedNames = false
  let skipped = 0
  for (let at = 0; at < json.length; at++) {
    const meaning = meanings[json.charCodeAt(at)]
    if (meaning === nothing) {
      skipped += 1
      if (skipped > messageLooseChars) return undefined
      continue
    }
    if (meaning === text) {
      const end = json.indexOf('"', at + 1)
      isEscaped = hasEscapes && hasBackslash(json, at, end)
      at = isEscaped ? endOfText(json, at) : end
      texts += 1
      // Every string is a name or a value, so there are at most twice as many of them as parts.
      if (at < 0 || texts > 2 * parts + 2) return undefined
      continue
    }
    if (meaning === close) {
      depth -= 1
      continue
    }
    parts += 1
    if (meaning === open) depth += 1
    else if (meaning === colon) {
      names += 1
      // The string right before a colon is a name.
      if (isEscaped) hasEscapedNames = true
    }
    if (depth > messageDepth || parts > messageParts) return undefined
  }
  return { names, hasEscapedNames }
}

/** The end of the string that starts here: the next quote without a backslash before it. */
function endOfText(json: string, begin: number): number {
  for (let at = begin + 1; at < json.length; at++) {
    const unit = json.charCodeAt(at)
    if (unit === quote) return at
    if (unit === backslash) at += 1
  }
  return -1
}

function hasBackslash(json: string, begin: number, end: number): boolean {
  for (let at = begin + 1; at < end; at++) if (json.charCodeAt(at) === backslash) return true
  return false
}

/** Number of member names in the parsed value. Fewer than in the text means that there was a duplicate. */
export function namesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value)
  let names = members === value ? 0 : members.length
  for (const member of members) if (typeof member === 'object') names += namesIn(member)
  return names
}
