// An action drawn from its own bytes: each argument on a line of its own.
//
// Two different actions must not look alike. Text is unquoted if it can only be text, and in quotes if it could be read
// as a number, a JSON literal or nothing; cut text is marked as cut.

import {
  type Action,
  canonicalJson,
  isPlainObject,
  type JsonObject,
  type JsonValue,
  oneLine,
  visibleText,
} from '@assent/core'
import { terminalLimits } from './limits.ts'

export interface ActionLines {
  readonly lines: readonly string[]
  /** Something is missing from the lines. */
  readonly cut: boolean
}

const nameMaxChars = 60
const nameColumns = 24
const indentStep = '  '

export function actionLines({ arguments: args }: Pick<Action, 'arguments'>): ActionLines {
  const names = Object.keys(args)
  if (names.length === 0) return { lines: ['no arguments'], cut: false }
  const lines = linesOf(args, '')
  const cut = JSON.stringify(args).length > terminalLimits.argumentChars && isCut(args)
  if (lines.length <= terminalLimits.actionLines) return { lines, cut }
  const left = lines.length - terminalLimits.actionLines
  return { lines: [...lines.slice(0, terminalLimits.actionLines), `⟨${left} more lines⟩`], cut: true }
}

/** The whole action as canonical JSON, from which the digest is computed. */
export function wholeAction(action: JsonValue | Action): readonly string[] {
  return [oneLine(canonicalJson(action), 'terminal', { maxChars: Number.POSITIVE_INFINITY })]
}

export function shortDigest(digest: string): string {
  const hex = digest.replace(/^sha256:/, '')
  return `${hex.slice(0, 8)}…${hex.slice(-8)}`
}

function linesOf(value: JsonObject, indent: string): string[] {
  const entries = Object.entries(value).map(
    ([name, part]) => [oneLine(name, 'terminal', { maxChars: nameMaxChars }), part] as const,
  )
  const width = Math.min(Math.max(...entries.map(([name]) => name.length)), nameColumns)
  return entries.flatMap(([name, part]) => linesFor(name.padEnd(width), part, indent))
}

function linesFor(name: string, value: JsonValue, indent: string): string[] {
  if (isPlainObject(value) && Object.keys(value).length > 0) {
    return [`${indent}${name}`, ...linesOf(value as JsonObject, indent + indentStep)]
  }
  if (Array.isArray(value) && value.length > 0) {
    return [`${indent}${name}`, ...value.flatMap((item) => linesFor('-', item, indent + indentStep))]
  }
  const [first = '', ...more] = scalar(value)
  return [`${indent}${name}  ${first}`, ...more.map((line) => `${indent}${indentStep}${line}`)]
}

function scalar(value: JsonValue): string[] {
  if (typeof value !== 'string') return [JSON.stringify(value)]
  if (!readsAsText(value))
    return [oneLine(JSON.stringify(value), 'terminal', { maxChars: terminalLimits.argumentChars })]
  const lines = visibleText(value, 'terminal', { maxChars: terminalLimits.argumentChars }).split('\n')
  if (lines.length === 1) return lines
  const kept = lines.slice(0, terminalLimits.argumentLines)
  const left = lines.length - kept.length
  return ['', ...kept.map((line) => `┊ ${line}`), ...(left > 0 ? [`⟨${left} more lines⟩`] : [])]
}

function readsAsText(text: string): boolean {
  if (text === '' || text.trim() !== text || /^["[{\-\d.+]/.test(text)) return false
  return !['true', 'false', 'null'].includes(text)
}

function isCut(value: JsonValue): boolean {
  if (typeof value === 'string') {
    return value.length > terminalLimits.argumentChars || value.split('\n').length > terminalLimits.argumentLines
  }
  if (Array.isArray(value)) return value.some(isCut)
  return (
    isPlainObject(value) &&
    Object.entries(value).some(([name, part]) => name.length > nameMaxChars || isCut(part as JsonValue))
  )
}
