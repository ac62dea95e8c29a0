// Checks whether measurements stay level over time. It does not depend on gateway code.
//
// Compares the median of the last quarter of the load, and the level after the load, with the median of the second quarter
// (the first is warm-up). Each measure has a relative and an absolute tolerance.

export interface Sample {
  readonly atMs: number
  /** The number of calls started by then. */
  readonly calls: number
  readonly values: Readonly<Record<string, number>>
}

export interface Samples {
  readonly load: readonly Sample[]
  /** After all calls have ended. */
  readonly after: readonly Sample[]
  /** A factor for the absolute tolerances in short runs, in which not everything reaches its level. */
  readonly slack: number
}

interface Tolerance {
  readonly share: number
  readonly step: number
}

const megabyte = 1_048_576

/** By the prefix of the measure's name. */
const tolerances: readonly (readonly [name: string, Tolerance])[] = [
  ['heap', { share: 0.05, step: 2 * megabyte }],
  ['memory', { share: 0.15, step: 32 * megabyte }],
  ['open files', { share: 0.25, step: 12 }],
  ['sockets', { share: 0.25, step: 12 }],
  ['timers', { share: 0.25, step: 24 }],
  ['rows', { share: 0.25, step: 50 }],
  ['database connections', { share: 0, step: 4 }],
  ['', { share: 0.25, step: 50 }],
]

export interface Slope {
  readonly name: string
  readonly second: number
  readonly last: number
  readonly after: number
  readonly most: number
}

export function slopesOf({ load, after, slack }: Samples): Slope[] {
  const quarter = load.length / 4
  const second = load.slice(Math.floor(quarter), Math.floor(2 * quarter))
  const last = load.slice(Math.floor(3 * quarter))
  // Measures that follow the load may rise with it: on a busy machine the load is not even.
  const more = Math.max(1, callsPerMs(last) / callsPerMs(second)) || 1
  return Object.keys(load[0]?.values ?? {}).map((name) => {
    const level = medianOf(second, name) * (isBytes(name) ? 1 : more)
    const { share, step } = toleranceOf(name)
    const most = level * (1 + share) + step * slack
    return { name, second: medianOf(second, name), last: medianOf(last, name), after: medianOf(after, name), most }
  })
}

/** A missing measurement is a failure. */
export function climbing(slopes: readonly Slope[]): Slope[] {
  return slopes.filter(({ last, after, most }) => !(last <= most && after <= most))
}

export function words({ name, second, last, after, most }: Slope): string {
  const shown = (value: number) => (isBytes(name) ? `${(value / megabyte).toFixed(1)} MB` : value.toFixed(0))
  return `${name}: ${shown(second)}, then ${shown(last)}, after the load ${shown(after)} (at most ${shown(most)})`
}

/** Plants one rise at a time in a copy of the samples, to twice the allowed level. Returns those that were not found. */
export function climbsMissed(samples: Samples): { readonly planted: number; readonly missed: readonly string[] } {
  const slopes = slopesOf(samples)
  const missed = slopes.filter((slope) => {
    const total = 2 * (slope.most - slope.last) + 1
    const half = samples.load.length / 2
    const climbed = samples.load.map((sample, at) => plus(sample, slope.name, total * Math.max(0, at / half - 1)))
    return !climbing(slopesOf({ ...samples, load: climbed })).some(({ name }) => name === slope.name)
  })
  return { planted: slopes.length, missed: missed.map(({ name }) => `${name} climb`) }
}

function plus({ values, ...sample }: Sample, name: string, more: number): Sample {
  return { ...sample, values: { ...values, [name]: (values[name] ?? 0) + more } }
}

function toleranceOf(measure: string): Tolerance {
  return tolerances.find(([name]) => measure.startsWith(name))?.[1] ?? { share: 0, step: 0 }
}

function isBytes(name: string): boolean {
  return name.startsWith('heap') || name.startsWith('memory')
}

function callsPerMs(samples: readonly Sample[]): number {
  const [first, last] = [samples[0], samples.at(-1)]
  return first === undefined || last === undefined ? 0 : (last.calls - first.calls) / (last.atMs - first.atMs)
}

function medianOf(samples: readonly Sample[], name: string): number {
  const values = samples.map((sample) => sample.values[name] ?? Number.NaN).toSorted((a, b) => a - b)
  return values[Math.floor(values.length / 2)] ?? Number.NaN
}
