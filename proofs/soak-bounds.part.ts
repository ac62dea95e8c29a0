// Whether what was measured over time stays where it was: the judge of slopes. It knows nothing of gateways.
//
// The median of the last quarter of the load is held against that of the second (the first is warm-up), and so is the level
// after the load has stopped. Each measure has a share and a step by which it may lie higher.

export interface Sample {
  readonly atMs: number
  /** That had begun by then. */
  readonly calls: number
  readonly values: Readonly<Record<string, number>>
}

export interface Samples {
  readonly load: readonly Sample[]
  /** When all calls have ended. */
  readonly after: readonly Sample[]
  /** The steps are so much longer where the time is too short for everything to reach its level. */
  readonly slack: number
}

interface Tolerance {
  readonly share: number
  readonly step: number
}

const megabyte = 1_048_576

/** By the beginning of the measure's name. */
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
  // What follows the load may be higher where the load was: a busy machine does not always let it be even.
  const more = Math.max(1, callsPerMs(last) / callsPerMs(second)) || 1
  return Object.keys(load[0]?.values ?? {}).map((name) => {
    const level = medianOf(second, name) * (isBytes(name) ? 1 : more)
    const { share, step } = toleranceOf(name)
    const most = level * (1 + share) + step * slack
    return { name, second: medianOf(second, name), last: medianOf(last, name), after: medianOf(after, name), most }
  })
}

/** What was not measured did not stay where it was. */
export function climbing(slopes: readonly Slope[]): Slope[] {
  return slopes.filter(({ last, after, most }) => !(last <= most && after <= most))
}

export function words({ name, second, last, after, most }: Slope): string {
  const shown = (value: number) => (isBytes(name) ? `${(value / megabyte).toFixed(1)} MB` : value.toFixed(0))
  return `${name}: ${shown(second)}, then ${shown(last)}, after the load ${shown(after)} (at most ${shown(most)})`
}

/** Into a copy of the samples one climb is put at a time: from the middle on, to twice of what is allowed. Returns those that were not found. */
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
