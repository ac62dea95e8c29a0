// The memory of open, held and past questions, each in a separate gateway.

import { whole } from '../store/figures.ts'
import { type Added, type Growth, weighGrowth, weighOpen } from './memory.ts'
import type { Processes } from './processes.ts'
import { startGatewayFor } from './ways.ts'
import type { Generation } from './words.ts'

export interface WeightSizes {
  readonly open: number
  readonly held: number
  readonly growthTrips: number
  readonly growthMs: number
}

export interface WeightBars {
  readonly openMostMb: number
  readonly heldMostMb: number
  readonly growthMostMb: number
}

export interface Weights {
  readonly open: Added
  readonly held: Added
  readonly growth: readonly Growth[]
}

/** One caller has at most this many calls held by one server; more of them need more callers. */
const heldPerPerson = 40
/** As is usual for servers: idle connections close soon, so the remaining ones are in use. */
const idleMs = '5000'

export async function weighAll(
  processes: Processes,
  { open, held, growthTrips, growthMs }: WeightSizes,
  say: (line: string) => void,
): Promise<Weights> {
  const weighOn = async (
    generation: Generation,
    count: number,
    what: string,
    people: number,
  ): Promise<{ added: Added; growth: Growth }> => {
    const server = await processes.serve('server', [generation, 'http', idleMs])
    const gateway = await startGatewayFor(processes, server, `weights-${generation}.sqlite`)
    const added = await weighOpen(gateway, count, people, generation === '2025-11-25')
    sayAdded(what, added, say)
    const growth = await weighGrowth(gateway, growthTrips, growthMs)
    const cut = growth.trips < growthTrips ? ` (of ${whole(growthTrips)}, because time ran out)` : ''
    say(
      `${whole(growth.trips)} round trips${cut} to a ${generation} server, clients of both revisions: ` +
        `heap ${mb(growth.heapBytes)} MB (twice the smaller growth of two halves) and RSS ${mb(growth.rssBytes)} MB`,
    )
    await gateway.end()
    await server.end()
    return { added, growth }
  }
  const newest = await weighOn('2026-07-28', open, 'open at once on 2026-07-28', 100)
  const heldCalls = 'calls of a 2025-11-25 server held for 2026-07-28 clients'
  const older = await weighOn('2025-11-25', held, heldCalls, Math.ceil(held / heldPerPerson))
  return { open: newest.added, held: older.added, growth: [newest.growth, older.growth] }
}

function sayAdded(what: string, { count, rssBytes, heapBytes, sockets }: Added, say: (line: string) => void): void {
  say(`${whole(count)} ${what}: RSS ${mb(rssBytes)} MB, heap ${mb(heapBytes)} MB, ${sockets} sockets`)
}

export function weightProblems({ open, held, growth }: Weights, bars: WeightBars): string[] {
  const problems: string[] = []
  if (megabytes(open.rssBytes) >= bars.openMostMb) problems.push(`open questions add ${mb(open.rssBytes)} MB`)
  if (open.sockets > 0) problems.push(`open questions keep ${open.sockets} sockets`)
  if (megabytes(held.rssBytes) >= bars.heldMostMb) problems.push(`held calls add ${mb(held.rssBytes)} MB`)
  if (growth.some(({ heapBytes }) => megabytes(heapBytes) >= bars.growthMostMb)) problems.push('the heap grows')
  return problems
}

/** `10,000 open +12 MB, 0 sockets; 2,000 held +95 MB; no growth in 100,000 trips`. */
export function weightFigure({ open, held, growth }: Weights, { growthMostMb }: WeightBars): string {
  const grown = Math.max(...growth.map(({ heapBytes }) => heapBytes))
  const trips = whole(growth.reduce((sum, one) => sum + one.trips, 0))
  const growing = `${megabytes(grown) < growthMostMb ? 'no growth' : `heap ${mb(grown)} MB`} in ${trips} trips`
  const sockets = Math.max(0, open.sockets)
  return (
    `${whole(open.count)} open ${mb(open.rssBytes)} MB, ${sockets} sockets; ` +
    `${whole(held.count)} held ${mb(held.rssBytes)} MB; ${growing}`
  )
}

function megabytes(bytes: number): number {
  return bytes / 1_000_000
}

function mb(bytes: number): string {
  const value = megabytes(bytes)
  return `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(Math.abs(value) < 10 ? 1 : 0)}`
}
