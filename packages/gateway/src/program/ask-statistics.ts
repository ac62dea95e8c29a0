// The statistics of asks as text, for `assent asks stats`.

import type { AnswerStatistics, StatisticsView } from '@assent/core'
import { showDuration } from '../config/units.ts'
import { safeLine } from '../inbox/terminal/safe-json.ts'
import { asksText } from './text/asks.ts'

const { stats: text } = asksText
const dayMs = 24 * 60 * 60 * 1_000
const secondMs = 1_000

export function statisticsLines(view: StatisticsView): string {
  const { counted, yes, no, medianMs, complete, policies, tools, people } = view
  if (counted === 0) return text.none(String(Math.round((view.nowMs - view.sinceMs) / dayMs)))
  const lines = [
    text.total(counted, yes, no, tookText(medianMs)),
    ...section(text.headings.policies, policies, ({ policy }) => policy),
    ...section(text.headings.tools, tools, ({ server, tool }) => (tool === undefined ? server : `${server}/${tool}`)),
    ...section(text.headings.people, people, ({ name }) => name),
    ...(complete ? [] : [text.cut]),
  ]
  return lines.map(safeLine).join('\n')
}

function section<Part extends AnswerStatistics & { readonly isRubberStamp?: true }>(
  heading: string,
  parts: readonly Part[],
  nameOf: (part: Part) => string,
): string[] {
  if (parts.length === 0) return []
  const lines = parts.flatMap((part) => {
    const { yes, no, answered, unanswered, medianMs, isRubberStamp } = part
    const line = text.line(nameOf(part), yes, yes + no + answered + unanswered, tookText(medianMs))
    return isRubberStamp === true ? [line, text.rubberStamp] : [line]
  })
  return [heading, ...lines]
}

/** In whole seconds: a person's answer is not more exact. */
function tookText(medianMs: number | undefined): string {
  return medianMs === undefined ? '' : text.took(showDuration(Math.max(1, Math.ceil(medianMs / secondMs)) * secondMs))
}
