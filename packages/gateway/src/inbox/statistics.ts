// Counts how asks ended and how long people took, for the charts.

import {
  type AnswerName,
  compact,
  type NamedOutcome,
  namedOutcomes,
  type StatisticsView,
  type ToolStatistics,
  verdicts,
} from '@assent/core'
import type { AskStatistics, EndedAsk } from '@assent/store'

const secondMs = 1_000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs
/** Upper bounds of the waiting-time buckets; the last bucket has none. */
const waitSteps = [10 * secondMs, minuteMs, 5 * minuteMs, 15 * minuteMs, hourMs, 24 * hourMs]

export function drawFigures({ ended, complete }: AskStatistics, sinceMs: number, nowMs: number): StatisticsView {
  const waits = ended.filter(isAnswered).map(({ tookMs }) => tookMs)
  const median = medianOf(waits)
  return {
    nowMs,
    sinceMs,
    counted: ended.length,
    complete,
    outcomes: namedOutcomes.map((outcome) => ({
      outcome,
      count: ended.filter((one) => one.outcome === outcome).length,
    })),
    yes: ended.filter(({ outcome }) => groupOf(outcome) === 'yes').length,
    no: ended.filter(({ outcome }) => groupOf(outcome) === 'no').length,
    waits: countSteps(waits),
    ...compact({ medianMs: median }),
    tools: byTool(ended),
  }
}

/** Expired and withdrawn asks are left out of answer times. */
function isAnswered({ outcome }: EndedAsk): boolean {
  return isAnswer(outcome)
}

function isAnswer(outcome: NamedOutcome): outcome is AnswerName {
  return Object.hasOwn(verdicts, outcome)
}

function groupOf(outcome: NamedOutcome): 'yes' | 'no' | 'answered' | 'unanswered' {
  if (!isAnswer(outcome) || outcome === 'dismissed') return 'unanswered'
  const verdict = verdicts[outcome]
  return verdict === 'neutral' ? 'answered' : verdict
}

function countSteps(waits: readonly number[]): StatisticsView['waits'] {
  const counts = waitSteps.map((underMs, index) => {
    const fromMs = waitSteps[index - 1] ?? 0
    return { underMs, count: waits.filter((ms) => ms < underMs && ms >= fromMs).length }
  })
  const longest = waitSteps.at(-1) ?? 0
  return [...counts, { count: waits.filter((ms) => ms >= longest).length }]
}

function medianOf(values: readonly number[]): number | undefined {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)]
}

function byTool(ended: readonly EndedAsk[]): ToolStatistics[] {
  const tools = new Map<string, { -readonly [N in keyof ToolStatistics]: ToolStatistics[N] }>()
  for (const { server, tool, outcome } of ended) {
    const key = JSON.stringify([server, tool])
    let figures = tools.get(key)
    if (figures === undefined) {
      figures = { server, ...compact({ tool }), yes: 0, no: 0, answered: 0, unanswered: 0 }
      tools.set(key, figures)
    }
    figures[groupOf(outcome)]++
  }
  const total = ({ yes, no, answered, unanswered }: ToolStatistics) => yes + no + answered + unanswered
  return [...tools.values()].sort((a, b) => total(b) - total(a))
}
