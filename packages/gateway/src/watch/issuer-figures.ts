// The figures of the issuer's keys: whether they can be read, and how old those in use are.

import { Counter, Gauge, type Metric } from './exposition.ts'

/** The keys of the issuer in force. */
export interface ReadKeys {
  /** How often they were read, and how often that failed. */
  readonly reads: { readonly ok: number; readonly failed: number }
  /** Since they were last read; undefined before that. */
  readonly ageMs: number | undefined
}

export class IssuerFigures {
  #keys: () => ReadKeys | undefined = () => undefined

  /** @param keys undefined without an issuer; a reload may change them */
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
    const age = new Gauge('assent_issuer_keys_age_seconds', "Since the issuer's keys were last read.", () =>
      ageMs === undefined ? [] : [[{}, ageMs / 1_000]],
    )
    return [reads, age]
  }
}
