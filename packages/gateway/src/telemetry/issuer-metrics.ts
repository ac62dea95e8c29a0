// Metrics of the issuer's keys: whether they can be fetched, and how old the cached ones are.

import { Counter, Gauge, type Metric } from './prometheus.ts'

/** The keys of the configured issuer. */
export interface ReadKeys {
  /** Number of successful and failed fetches. */
  readonly reads: { readonly ok: number; readonly failed: number }
  /** Time since the last fetch; undefined before the first. */
  readonly ageMs: number | undefined
}

export class IssuerMetrics {
  #keys: () => ReadKeys | undefined = () => undefined

  /** @param keys returns undefined without an issuer; a reload may change them */
  lookAt(keys: () => ReadKeys | undefined): void {
    this.#keys = keys
  }

  metrics(): Metric[] {
    const keys = this.#keys()
    if (keys === undefined) return []
    const reads = new Counter('assent_issuer_key_reads_total', "Attempts to read the issuer's keys.")
    reads.add({ result: 'ok' }, keys.reads.ok)
    reads.add({ result: 'failed' }, keys.reads.failed)
    const { ageMs } = keys
    const age = new Gauge('assent_issuer_keys_age_seconds', "Time since the issuer's keys were last read.", () =>
      ageMs === undefined ? [] : [[{}, ageMs / 1_000]],
    )
    return [reads, age]
  }
}
