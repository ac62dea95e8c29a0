// A readable diff of a change: removed lines, added lines, and a few lines of context.
//
// Context lines may contain secrets of other programs, and a diff may be pasted elsewhere or read by an agent. So
// values that look like secrets are hidden.

import { structuredPatch } from 'diff'
import { initLimits } from '../limits.ts'

export interface DiffLine {
  readonly sign: ' ' | '+' | '-'
  readonly text: string
}

/** The changed lines with their context; a line `…` stands for the unchanged lines between two changes. */
export function diffOf(before: string, after: string): readonly DiffLine[] {
  const { hunks } = structuredPatch('', '', linesOf(before), linesOf(after), undefined, undefined, {
    context: initLimits.contextLines,
  })
  const changes = hunks.map(({ lines }) =>
    lines.map((line) => ({ sign: line[0] as DiffLine['sign'], text: line.slice(1) })),
  )
  const [removed, added, ...others] = changes.flat().filter(({ sign }) => sign !== ' ')
  const isOneLine = removed?.sign === '-' && added?.sign === '+' && others.length === 0
  if (isOneLine && added.text.length > longLineChars) return [{ sign: '+', text: middleOf(removed.text, added.text) }]
  return changes.flatMap((lines, index) => [
    ...(index === 0 ? [] : [{ sign: ' ', text: '…' } as const]),
    ...lines.map(({ sign, text }) => ({ sign, text: withoutSecrets(text) })),
  ])
}

const longLineChars = 200

/** The changed part of a line that is too long to show. */
function middleOf(before: string, after: string): string {
  let head = 0
  while (head < before.length && before[head] === after[head]) head++
  let tail = 0
  while (tail < before.length - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++
  return `… ${visible(after.slice(head, after.length - tail))} …`
}

const secretName = /(token|secret|passw|api[_-]?key|apikey|authorization|bearer|credential|private[_-]?key)/i

function withoutSecrets(line: string): string {
  const shown = visible(line)
  const named = secretName.exec(shown)
  if (named === null) return shown.length > longLineChars ? `${shown.slice(0, longLineChars)}…` : shown
  // Show the name for orientation; hide everything after it.
  const value = /["']?\s*[:=]\s*/.exec(shown.slice(named.index))
  if (value === null) return `${shown.slice(0, named.index)}…`
  return `${shown.slice(0, named.index + value.index + value[0].length)}…`
}

/** Escapes characters that would move the cursor or change the text direction. */
function visible(text: string): string {
  return text
    .replaceAll('\t', '  ')
    .replace(/[\p{Cc}\p{Cf}]/gu, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Line ends do not count as changes, nor does a missing one at the end. */
function linesOf(text: string): string {
  const lines = text.replaceAll('\r\n', '\n')
  return lines === '' || lines.endsWith('\n') ? lines : `${lines}\n`
}
