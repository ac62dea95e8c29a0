// How the store's bench turns durations into figures and figures into words.

/** The value below which this share of the sample lies; 0.5 is the median. */
export function quantile(sample: readonly number[], share: number): number {
  if (sample.length === 0) throw new RangeError('There is no figure without a measurement.')
  const sorted = [...sample].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] as number
}

export function median(sample: readonly number[]): number {
  return quantile(sample, 0.5)
}

/** `3,412`, as people write it. */
export function whole(value: number): string {
  return Math.round(value).toLocaleString('en')
}

export function seconds(sinceMs: number): string {
  return `${((performance.now() - sinceMs) / 1_000).toFixed(1)} s`
}

export function say(line: string): void {
  console.log(`store: ${line}`)
}
