// Counters, gauges and histograms, and the text in which Prometheus reads them.
//
// https://prometheus.io/docs/instrumenting/exposition_formats/ Labels are names of ours alone: a label whose values came
// from callers would grow without end.

type Labels = Readonly<Record<string, string>>

export interface Metric {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  lines(): string[]
}

export class Counter implements Metric {
  readonly type = 'counter'
  readonly name: string
  readonly help: string
  readonly #values = new Map<string, number>()

  constructor(name: string, help: string) {
    this.name = name
    this.help = help
  }

  add(labels: Labels = {}, by = 1): void {
    const key = written(labels)
    this.#values.set(key, (this.#values.get(key) ?? 0) + by)
  }

  lines(): string[] {
    return [...this.#values].map(([labels, value]) => `${this.name}${labels} ${value}`)
  }
}

/** Its values are looked up when somebody asks. */
export class Gauge implements Metric {
  readonly type = 'gauge'
  readonly name: string
  readonly help: string
  readonly #look: () => Iterable<readonly [Labels, number]>

  constructor(name: string, help: string, look: () => Iterable<readonly [Labels, number]>) {
    this.name = name
    this.help = help
    this.#look = look
  }

  lines(): string[] {
    return [...this.#look()].map(([labels, value]) => `${this.name}${written(labels)} ${value}`)
  }
}

interface Observed {
  readonly labels: Labels
  readonly buckets: number[]
  count: number
  sum: number
}

export class Histogram implements Metric {
  readonly type = 'histogram'
  readonly name: string
  readonly help: string
  readonly #bounds: readonly number[]
  readonly #observed = new Map<string, Observed>()

  constructor(name: string, help: string, bounds: readonly number[]) {
    this.name = name
    this.help = help
    this.#bounds = bounds
  }

  observe(labels: Labels, value: number): void {
    const key = written(labels)
    let observed = this.#observed.get(key)
    if (observed === undefined) {
      observed = { labels, buckets: this.#bounds.map(() => 0), count: 0, sum: 0 }
      this.#observed.set(key, observed)
    }
    const at = this.#bounds.findIndex((bound) => value <= bound)
    if (at >= 0) observed.buckets[at] = (observed.buckets[at] ?? 0) + 1
    observed.count += 1
    observed.sum += value
  }

  lines(): string[] {
    return [...this.#observed.values()].flatMap(({ labels, buckets, count, sum }) => {
      let below = 0
      const bucketLines = this.#bounds.map((bound, index) => {
        below += buckets[index] ?? 0
        return `${this.name}_bucket${written({ ...labels, le: String(bound) })} ${below}`
      })
      return [
        ...bucketLines,
        `${this.name}_bucket${written({ ...labels, le: '+Inf' })} ${count}`,
        `${this.name}_sum${written(labels)} ${sum}`,
        `${this.name}_count${written(labels)} ${count}`,
      ]
    })
  }
}

export function exposition(metrics: readonly Metric[]): string {
  const text = metrics.map((metric) => {
    const { name, help, type } = metric
    return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...metric.lines()].join('\n')
  })
  return `${text.join('\n')}\n`
}

function written(labels: Labels): string {
  const parts = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`)
  return parts.length === 0 ? '' : `{${parts.join(',')}}`
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
