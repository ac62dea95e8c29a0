// A simulated day of a hundred million people: how many asks per second, and how many of them are open, by minute of UTC.
//
// People are distributed over time zones like the world's population and work by day; answer times are lognormal. The rest
// is random, from a seed.

import { assumed } from './assumed.ts'

export interface Minute {
  readonly asksPerSecond: number
  readonly open: number
  /** Inbox pages that are open: in proportion to the asks. */
  readonly pages: number
}

const minutes = 24 * 60
/** Approximate shares of people by hours ahead of UTC. */
const zones: readonly (readonly [hoursAhead: number, share: number])[] = [
  [-8, 0.04],
  [-5, 0.1],
  [-3, 0.06],
  [0, 0.08],
  [1, 0.16],
  [3, 0.1],
  [5.5, 0.2],
  [8, 0.2],
  [9, 0.06],
]

export function simulateDay(meanPerSecond: number, random: () => number): Minute[] {
  const rates = ratesOfDay().map((rate) => rate * meanPerSecond * (1 + 0.05 * gauss(random)))
  const stillOpen = openAfterMinutes()
  const busiest = Math.max(...rates)
  return rates.map((asksPerSecond, now) => {
    let open = 0
    for (let ago = 0; ago < stillOpen.length; ago++) {
      open += (rates[(now - ago + minutes) % minutes] ?? 0) * 60 * (stillOpen[ago] ?? 0)
    }
    return { asksPerSecond, open, pages: (assumed.people * assumed.watchingShare * asksPerSecond) / busiest }
  })
}

/** The rate relative to the daily mean, by minute of UTC. */
function ratesOfDay(): number[] {
  const raw = Array.from({ length: minutes }, (_, minute) =>
    zones.reduce((sum, [ahead, share]) => sum + share * activity((minute / 60 + ahead + 24) % 24), 0),
  )
  const mean = raw.reduce((sum, rate) => sum + rate, 0) / minutes
  return raw.map((rate) => rate / mean)
}

/** The activity at a local hour: low at night, highest between nine and six. */
function activity(hour: number): number {
  const working = 1 / (1 + Math.exp(-(hour - 8.5) * 2)) - 1 / (1 + Math.exp(-(hour - 18) * 1.5))
  return 0.08 + working
}

/** The share of asks that are still open, by minutes. */
function openAfterMinutes(): number[] {
  const shares: number[] = []
  for (let minute = 0; minute < 12 * 60; minute++) {
    const seconds = Math.max(1, (minute + 0.5) * 60)
    const share = 1 - normal(Math.log(seconds / assumed.answerMedianSeconds) / assumed.answerSigma)
    if (share < 1e-4) break
    shares.push(share)
  }
  return shares
}

function gauss(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}

/** The standard normal distribution, to four digits (Abramowitz and Stegun, 26.2.17). */
function normal(x: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(x))
  const tail = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
  const density = Math.exp(-(x * x) / 2) / Math.sqrt(2 * Math.PI)
  return x > 0 ? 1 - density * tail : density * tail
}
