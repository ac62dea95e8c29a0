// How long one question takes on each route, measured in turns so that changes in the machine's load affect all equally.

import { setTimeout as sleep } from 'node:timers/promises'
import { median, quantile } from '../store/figures.ts'
import type { Line } from './client.ts'
import type { Generation } from './words.ts'

export interface Way {
  readonly name: string
  readonly generation: Generation
  /** For a peer: our equivalent route. If a peer cannot handle the load, the run continues without it. */
  readonly rival?: string
  open(): Promise<Line>
}

export interface Opened {
  readonly way: Way
  readonly lines: readonly Line[]
}

export interface Turns {
  readonly turns: number
  readonly tripsPerTurn: number
  /** Warm-up before the first turn, until frequently used code is optimized. */
  readonly warmTrips: number
  readonly warmMs: number
  /** The time limit of a turn: a slow route does not delay the others. */
  readonly turnMs: number
  /** The average pause between two calls; by default none. */
  readonly pauseMs?: number
}

export interface Timing {
  readonly way: Way
  readonly medianMs: number
  readonly p99Ms: number
  readonly perSecond: number
  /** Including the warm-up. */
  readonly trips: number
}

const patienceMs = 15_000

type LeftOut = (way: Way, error: unknown) => void

export async function openWays(ways: readonly Way[], sessions: number, leftOut: LeftOut): Promise<Opened[]> {
  const opened: Opened[] = []
  for (const way of ways) {
    try {
      const opening = Array.from({ length: sessions }, () => way.open())
      opened.push({ way, lines: await withTimeoutForPeers(way, Promise.all(opening)) })
    } catch (error) {
      if (way.rival === undefined) throw error
      leftOut(way, error)
    }
  }
  return opened
}

export function closeWays(opened: readonly Opened[]): void {
  for (const { lines } of opened) for (const line of lines) line.close()
}

/** @param random from 0 up to 1, for the order within each turn and the pauses */
export async function timings(
  opened: readonly Opened[],
  turns: Turns,
  random: () => number,
  leftOut: LeftOut,
): Promise<Timing[]> {
  let taken = opened.map((one) => ({ ...one, sample: [] as number[], trips: 0, busyMs: 0 }))
  const warming = { tripsPerTurn: turns.warmTrips, turnMs: turns.warmMs }
  for (let turn = 0; turn <= turns.turns; turn++) {
    for (const one of shuffled(taken, random)) {
      const startedAt = performance.now()
      try {
        const sample = await withTimeoutForPeers(one.way, takeTurn(one.lines, turn === 0 ? warming : turns, random))
        one.trips += sample.length
        if (turn === 0) continue
        one.sample.push(...sample)
        one.busyMs += performance.now() - startedAt
      } catch (error) {
        if (one.way.rival === undefined) throw error
        leftOut(one.way, error)
        taken = taken.filter((other) => other !== one)
      }
    }
  }
  return taken.map(({ way, sample, trips, busyMs }) => ({
    way,
    medianMs: median(sample),
    p99Ms: quantile(sample, 0.99),
    perSecond: (1_000 * sample.length) / busyMs,
    trips,
  }))
}

/** A peer may lose a call, so it has a timeout; our gateway has none, so that a lost call is noticed. */
async function withTimeoutForPeers<T>({ rival }: Way, work: Promise<T>): Promise<T> {
  if (rival === undefined) return work
  const waiting = new AbortController()
  const tooLong = sleep(patienceMs, undefined, { signal: waiting.signal }).then(() => {
    throw new Error(`no answer within ${patienceMs} ms`)
  })
  tooLong.catch(() => undefined)
  work.catch(() => undefined)
  try {
    return await Promise.race([work, tooLong])
  } finally {
    waiting.abort()
  }
}

/** Each line makes trips one after the other, until all together have made enough. */
export async function takeTurn(
  lines: readonly Line[],
  { tripsPerTurn, turnMs, pauseMs = 0 }: Pick<Turns, 'tripsPerTurn' | 'turnMs' | 'pauseMs'>,
  random: () => number,
): Promise<number[]> {
  const endsAt = performance.now() + turnMs
  const sample: number[] = []
  let begun = 0
  const travel = async (line: Line) => {
    while (begun < tripsPerTurn && (begun === 0 || performance.now() < endsAt)) {
      begun += 1
      if (pauseMs > 0) await sleep(2 * pauseMs * random())
      sample.push(await line.trip())
    }
  }
  await Promise.all(lines.map(travel))
  return sample
}

function shuffled<T>(list: readonly T[], random: () => number): T[] {
  return list
    .map((item) => ({ item, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item)
}

/** A small generator (mulberry32), so that a seed reproduces a run. */
export function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
