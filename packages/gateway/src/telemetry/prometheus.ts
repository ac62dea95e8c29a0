// Counters, gauges and histograms, and their Prometheus text format.
//
// https://prometheus.io/docs/instrumenting/exposition_formats/ Label values come only from our own code and
// configuration: values from callers would grow without limit.

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
    const key = labelText(labels)
    this.#values.set(key, (this.#values.get(key) ?? 0) + by)
  }

  lines(): string[] {
    return [...this.#values].map(([labels, value]) => `${this.name}${labels} ${value}`)
  }
}

/** Its values are read at scrape time. */
export class Gauge implements Metric {
  readonly type = 'gauge'
  readonly name: string
  readonly help: string
  readonly #read: () => Iterable<readonly [Labels, number]>

  constructor(name: string, help: string, read: () => Iterable<readonly [Labels, number]>) {
    this.name = name
    this.help = help
    this.#read = read
  }

  lines(): string[] {
    return [...this.#read()].map(([labels, value]) => `${this.name}${labelText(labels)} ${value}`)
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
    const key = labelText(labels)
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
        return `${this.name}_bucket${labelText({ ...labels, le: String(bound) })} ${below}`
      })
      return [
        ...bucketLines,
        `${this.name}_bucket${labelText({ ...labels, le: '+Inf' })} ${count}`,
        `${this.name}_sum${labelText(labels)} ${sum}`,
        `${this.name}_count${labelText(labels)} ${count}`,
      ]
    })
  }
}

export function prometheusText(metrics: readonly Metric[]): string {
  const text = metrics.map((metric) => {
    const { name, help, type } = metric
    return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...metric.lines()].join('\n')
  })
  return `${text.join('\n')}\n`
}

function labelText(labels: Labels): string {
  const parts = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`)
  return parts.length === 0 ? '' : `{${parts.join(',')}}`
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
