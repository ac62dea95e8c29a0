// A short name for a question, for errors and journals: its first line, cut at a word.

import { oneLine, type Question } from '@assent/core'
import { sdkLimits } from '../limits.ts'
import { oncePer } from '../once-per.ts'
import type { Description } from './describe.ts'

export function askLabel({ question }: Pick<Description, 'question'>): string {
  return labelOf(question)
}

const labelOf = oncePer((question: Question) => {
  const text = question.kind === 'approval' ? question.title : question.message
  return oneLine(cutAtWord(firstLine(text), sdkLimits.labelChars), 'web')
})

function firstLine(text: string): string {
  const [line = ''] = text.trim().split(/[\r\n\u2028\u2029]/, 1)
  return line.replace(/\s+/g, ' ').trim()
}

function cutAtWord(line: string, maxChars: number): string {
  if (line.length <= maxChars) return line
  const kept = line.slice(0, maxChars)
  const lastSpace = kept.lastIndexOf(' ')
  // A text without spaces is cut inside its word. The cut may split a surrogate pair, whose first half is dropped.
  const cut = lastSpace > maxChars / 2 ? kept.slice(0, lastSpace) : kept.slice(0, -1)
  return `${cut.replace(/[\s,.;:(\u2013\u2014-]+$/u, '').replace(/[\uD800-\uDBFF]$/, '')}…`
}
