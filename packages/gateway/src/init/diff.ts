// A change as a person reads it: the lines that go, the lines that come, and a few around them.
//
// Lines around a change belong to others and may hold their secrets; a diff is easily pasted, or read by an agent. So
// what looks like a secret there is not shown.

import { initLimits } from '../limits.ts'

export interface DiffLine {
  readonly sign: ' ' | '+' | '-'
  readonly text: string
}

export interface Diff {
  /** The first line shown, counted from 1. */
  readonly line: number
  readonly lines: readonly DiffLine[]
}

export function diffOf(before: string, after: string): Diff {
  const old = linesOf(before)
  const now = linesOf(after)
  let head = 0
  while (head < old.length && head < now.length && old[head] === now[head]) head++
  let tail = 0
  while (tail < old.length - head && tail < now.length - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++
  const [gone = '', come = ''] = [old[head], now[head]]
  if (old.length === now.length && tail === old.length - head - 1 && come.length > longLineChars) {
    return { line: head + 1, lines: [{ sign: '+', text: middleOf(gone, come) }] }
  }
  const { contextLines } = initLimits
  const from = Math.max(0, head - contextLines)
  const around = (lines: readonly string[]) => lines.map((text) => ({ sign: ' ', text: withoutSecrets(text) }) as const)
  return {
    line: from + 1,
    lines: [
      ...around(old.slice(from, head)),
      ...old.slice(head, old.length - tail).map((text) => ({ sign: '-', text: withoutSecrets(text) }) as const),
      ...now.slice(head, now.length - tail).map((text) => ({ sign: '+', text: withoutSecrets(text) }) as const),
      ...around(old.slice(old.length - tail, old.length - tail + contextLines)),
    ],
  }
}

const longLineChars = 200

/** Of a line too long to show, what is new in it. */
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
  // The name stays, so that one sees where one is; everything after it does not.
  const value = /["']?\s*[:=]\s*/.exec(shown.slice(named.index))
  if (value === null) return `${shown.slice(0, named.index)}…`
  return `${shown.slice(0, named.index + value.index + value[0].length)}…`
}

/** What would move the cursor or turn the line round is shown as what it is. */
function visible(text: string): string {
  return text
    .replaceAll('\t', '  ')
    .replace(/[\p{Cc}\p{Cf}]/gu, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

function linesOf(text: string): string[] {
  const lines = text.replaceAll('\r\n', '\n').split('\n')
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines
}
