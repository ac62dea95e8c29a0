// Counts how asks ended and how long people took, for the charts.

import {
  type AnswerName,
  type AnswerStatistics,
  compact,
  type NamedOutcome,
  namedOutcomes,
  type PersonStatistics,
  type PolicyStatistics,
  type StatisticsView,
  type ToolStatistics,
  type TrendStatistics,
  verdicts,
} from '@assent/core'
import type { AskStatistics, EndedAsk } from '@assent/store'

const secondMs = 1_000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
/** Intervals of a longer period; of a shorter one there is one for each day. */
const trendSteps = 10
/** Upper bounds of the waiting-time buckets; the last bucket has none. */
const waitSteps = [10 * secondMs, minuteMs, 5 * minuteMs, 15 * minuteMs, hourMs, 24 * hourMs]

/** An approval within this time cannot have been read; and how many such asks make a policy a rubber stamp. */
const rubberStamp = { withinMs: 2 * secondMs, asks: 5 }
/** People and policies that are listed, and agents and projects. */
const listedMost = 50
const callersMost = 200

/**
 * @param nameOf the name of a principal
 * @param zoneMs how far the reader's clock is ahead of UTC
 */
export function statisticsView(
  { ended, complete }: AskStatistics,
  sinceMs: number,
  nowMs: number,
  nameOf: (principal: string) => string,
  zoneMs = 0,
): StatisticsView {
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
    policies: byPolicy(ended),
    people: byPerson(ended, nameOf),
    agents: callers(ended, 'client'),
    projects: callers(ended, 'folder'),
    trend: byTime(ended, sinceMs, nowMs, zoneMs),
  }
}

/** Everyone whose answer ended one of these asks. */
export function decidersIn({ ended }: AskStatistics): string[] {
  return grouped(ended, ({ decidedBy }) => (decidedBy === undefined ? [] : [decidedBy]))
    .slice(0, listedMost)
    .map(([principal]) => principal)
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
  return grouped(ended, ({ server, tool }) => [JSON.stringify([server, tool])]).map(([, asks]) => {
    const { server = '', tool } = asks[0] ?? {}
    return { server, ...compact({ tool }), ...answersOf(asks) }
  })
}

function byPolicy(ended: readonly EndedAsk[]): PolicyStatistics[] {
  const policies = grouped(ended, ({ policies: names = [] }) => names).slice(0, listedMost)
  return policies.map(([policy, asks]) => ({
    policy,
    ...answersOf(asks),
    ...(isRubberStamp(asks) ? { isRubberStamp: true as const } : {}),
  }))
}

function byPerson(ended: readonly EndedAsk[], nameOf: (principal: string) => string): PersonStatistics[] {
  const people = grouped(ended, ({ decidedBy }) => (decidedBy === undefined ? [] : [decidedBy])).slice(0, listedMost)
  return people.map(([principal, asks]) => ({ name: nameOf(principal), ...answersOf(asks) }))
}

function callers(ended: readonly EndedAsk[], member: 'client' | 'folder'): string[] {
  const names = grouped(ended, ({ caller }) => (caller?.[member] === undefined ? [] : [caller[member]]))
  return names.slice(0, callersMost).map(([name]) => name)
}

/** In intervals of whole days, oldest first. The last one ends with the reader's day, and the first one includes all before it. */
function byTime(ended: readonly EndedAsk[], sinceMs: number, nowMs: number, zoneMs: number): TrendStatistics[] {
  const days = Math.max(1, Math.round((nowMs - sinceMs) / dayMs))
  const count = Math.min(days, trendSteps)
  const stepMs = Math.ceil(days / count) * dayMs
  const endMs = (Math.floor((nowMs + zoneMs) / dayMs) + 1) * dayMs - zoneMs
  return Array.from({ length: count }, (_, at) => {
    const untilMs = endMs - (count - 1 - at) * stepMs
    const fromMs = at === 0 ? sinceMs : untilMs - stepMs
    const inside = ended.filter(({ raisedAtMs }) => raisedAtMs >= fromMs && raisedAtMs < untilMs)
    return { fromMs, untilMs, ...answersOf(inside) }
  })
}

function isRubberStamp(asks: readonly EndedAsk[]): boolean {
  const answered = asks.filter(isAnswered)
  const isFastYes = ({ outcome, tookMs }: EndedAsk) => groupOf(outcome) === 'yes' && tookMs <= rubberStamp.withinMs
  return answered.length >= rubberStamp.asks && answered.every(isFastYes)
}

function answersOf(asks: readonly EndedAsk[]): AnswerStatistics {
  const counts = { yes: 0, no: 0, answered: 0, unanswered: 0 }
  for (const { outcome } of asks) counts[groupOf(outcome)]++
  return { ...counts, ...compact({ medianMs: medianOf(asks.filter(isAnswered).map(({ tookMs }) => tookMs)) }) }
}

/** The asks of each key, most first. An ask may have several keys. */
function grouped(
  ended: readonly EndedAsk[],
  keysOf: (ask: EndedAsk) => readonly string[],
): (readonly [string, readonly EndedAsk[]])[] {
  const groups = new Map<string, EndedAsk[]>()
  for (const ask of ended) {
    for (const key of keysOf(ask)) {
      const group = groups.get(key)
      if (group === undefined) groups.set(key, [ask])
      else group.push(ask)
    }
  }
  return [...groups].sort(([, a], [, b]) => b.length - a.length)
}
