// Counts how asks ended and how long people took, for the charts.

import type { AskOutcome, FiguresView, ToolFigures } from '@assent/core'
import type { EndedAsk, Figures } from '@assent/store'

const secondMs = 1_000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs
/** The steps in which people speak of waiting; the last is everything longer. */
const waitSteps = [10 * secondMs, minuteMs, 5 * minuteMs, 15 * minuteMs, hourMs, 24 * hourMs]

const order: readonly AskOutcome[] = [
  'accepted',
  'declined',
  'cancelled',
  'expired',
  'withdrawn',
  'unseen',
  'undeliverable',
]

export function drawFigures({ ended, complete }: Figures, sinceMs: number, nowMs: number): FiguresView {
  const waits = ended.filter(isAnswered).map(({ tookMs }) => tookMs)
  const median = medianOf(waits)
  return {
    nowMs,
    sinceMs,
    counted: ended.length,
    complete,
    outcomes: order.map((outcome) => ({ outcome, count: ended.filter((one) => one.outcome === outcome).length })),
    waits: countSteps(waits),
    ...(median === undefined ? {} : { medianMs: median }),
    tools: byTool(ended),
  }
}

/** Silence and withdrawals say nothing of how long a person takes. */
function isAnswered({ outcome }: EndedAsk): boolean {
  return outcome === 'accepted' || outcome === 'declined' || outcome === 'cancelled'
}

function countSteps(waits: readonly number[]): FiguresView['waits'] {
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

function byTool(ended: readonly EndedAsk[]): ToolFigures[] {
  const tools = new Map<string, { server: string; tool?: string; approved: number; declined: number; other: number }>()
  for (const { server, tool, outcome } of ended) {
    const key = JSON.stringify([server, tool])
    let figures = tools.get(key)
    if (figures === undefined) {
      figures = { server, ...(tool === undefined ? {} : { tool }), approved: 0, declined: 0, other: 0 }
      tools.set(key, figures)
    }
    if (outcome === 'accepted') figures.approved++
    else if (outcome === 'declined') figures.declined++
    else figures.other++
  }
  const total = (one: ToolFigures) => one.approved + one.declined + one.other
  return [...tools.values()].sort((a, b) => total(b) - total(a))
}
