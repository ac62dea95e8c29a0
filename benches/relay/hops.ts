// What each route adds to the direct one, from the timings of one run; as text, and compared with the limits.

import type { Goal } from '../../scripts/measurement.ts'
import { whole } from '../store/figures.ts'
import type { Timing } from './latency.ts'
import { type Generation, generations } from './words.ts'

export interface Hop {
  readonly generation: Generation
  readonly proxyAddsMs: number
  readonly gatewayAddsMs: number
  readonly ratio: number
  /** Peers that took no longer than the gateway on the same route. */
  readonly ahead: readonly string[]
}

export interface HopBars {
  readonly ratioMost: number
  readonly addsMostMs: number
}

export function hops(timings: readonly Timing[]): Hop[] {
  return generations.map((generation) => {
    const ours = timings.filter(({ way }) => way.generation === generation)
    const medianOf = (name: string) => ours.find(({ way }) => way.name === name)?.medianMs ?? Number.NaN
    const proxyAddsMs = medianOf('bare proxy') - medianOf('direct')
    const gatewayAddsMs = medianOf('gateway') - medianOf('direct')
    const ahead = ours.filter(({ way, medianMs }) => way.rival !== undefined && medianMs <= medianOf(way.rival))
    return {
      generation,
      proxyAddsMs,
      gatewayAddsMs,
      ratio: gatewayAddsMs / proxyAddsMs,
      ahead: ahead.map(({ way }) => way.name),
    }
  })
}

export function hopGoals(when: string, list: readonly Hop[], { ratioMost }: HopBars): Goal[] {
  return list.map(({ generation, ratio }) => {
    const what = `what the gateway adds, times a bare proxy, ${generation}, ${when}`
    return { what, value: ratio, unit: '', most: ratioMost }
  })
}

/** Descriptions of missed limits. */
export function hopProblems(when: string, list: readonly Hop[], { ratioMost, addsMostMs }: HopBars): string[] {
  return list.flatMap(({ generation, ratio, gatewayAddsMs, ahead }) => {
    const problems: string[] = []
    const adds = `${generation}, ${when}: the gateway adds`
    if (!(ratio <= ratioMost)) problems.push(`${adds} ×${ratio.toFixed(1)} of a bare proxy, not ≤ ${ratioMost}`)
    if (!(gatewayAddsMs < addsMostMs)) problems.push(`${adds} ${signed(gatewayAddsMs)} ms, not under ${addsMostMs}`)
    if (ahead.length > 0) problems.push(`${generation}, ${when}: ${ahead.join(' and ')} took no longer`)
    return problems
  })
}

/** `2025 +0.21 ms (proxy +0.14, ×1.5)`. */
export function hopFigure({ generation, proxyAddsMs, gatewayAddsMs, ratio }: Hop): string {
  const year = generation.slice(0, 4)
  return `${year} ${signed(gatewayAddsMs)} ms (proxy ${signed(proxyAddsMs)}, ×${ratio.toFixed(1)})`
}

export function sayTimings(title: string, timings: readonly Timing[], say: (line: string) => void): void {
  say(`${title}:`)
  for (const generation of generations) {
    const ours = timings.filter(({ way }) => way.generation === generation)
    const direct = ours.find(({ way }) => way.name === 'direct')?.medianMs ?? 0
    for (const { way, medianMs, p99Ms, perSecond } of ours) {
      const adds = way.name === 'direct' ? '' : `, adds ${signed(medianMs - direct)} ms`
      const figures = `median ${medianMs.toFixed(2)} ms, p99 ${p99Ms.toFixed(1)} ms, ${whole(perSecond)}/s${adds}`
      say(`  ${generation} ${way.name.padEnd(21)} ${figures}`)
    }
  }
}

function signed(ms: number): string {
  return `${ms < 0 ? '−' : '+'}${Math.abs(ms).toFixed(2)}`
}
