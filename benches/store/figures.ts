// Statistics and formatting of the store bench.

import { cpus } from 'node:os'

/** The quantile of a sample; 0.5 is the median. */
export function quantile(sample: readonly number[], share: number): number {
  if (sample.length === 0) throw new RangeError('The sample is empty.')
  const sorted = [...sample].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] as number
}

export function median(sample: readonly number[]): number {
  return quantile(sample, 0.5)
}

/** `3,412`: a whole number with separators. */
export function whole(value: number): string {
  return Math.round(value).toLocaleString('en')
}

export function seconds(sinceMs: number): string {
  return `${((performance.now() - sinceMs) / 1_000).toFixed(1)} s`
}

export function say(line: string): void {
  console.log(`store: ${line}`)
}

/** Processor time of all processes on all cores since the machine started. */
export function machineCpuUs(): number {
  const busyMs = cpus().map(({ times }) => times.user + times.nice + times.sys + times.irq)
  return busyMs.reduce((sum, ms) => sum + ms, 0) * 1_000
}
