// Checks the consistency of a tenant's audit log for the proof of one ask: from its first entry to its signed
// checkpoint, and against all asks and grants.
//
// Reading a whole log is expensive, so one result is shared for `chainFreshMs`, and logs longer than `chainEntries` are
// left to `assent audit verify`, which can also compare the log with checkpoints that were kept elsewhere.

import { type ChainView, compact } from '@assent/core'
import type { RecordCheck, Store } from '@assent/store'
import { inboxLimits } from './limits.ts'

export class ChainCheck {
  readonly #audit: Store['audit']
  readonly #record: Pick<RecordCheck, 'compare'>
  readonly #tenant: string
  readonly #now: () => number
  #checking: Promise<ChainView> | undefined
  #last: ChainView | undefined

  constructor({ audit, record }: Pick<Store, 'audit' | 'record'>, tenant: string, now: () => number) {
    this.#audit = audit
    this.#record = record
    this.#tenant = tenant
    this.#now = now
  }

  /** The result of a recent check that covers at least this entry. */
  async upTo(seq: number): Promise<ChainView> {
    const isFresh = this.#last !== undefined && this.#now() - this.#last.checkedAtMs < inboxLimits.chainFreshMs
    if (isFresh && this.#last !== undefined && reaches(this.#last, seq)) return this.#last
    this.#checking ??= this.#check().finally(() => {
      this.#checking = undefined
    })
    this.#last = await this.#checking
    return this.#last
  }

  async #check(): Promise<ChainView> {
    const checkedAtMs = this.#now()
    const { size } = await this.#audit.integrate(this.#tenant)
    if (size > inboxLimits.chainEntries) return { kind: 'too-long', checkedAtMs }
    const verdict = await this.#audit.verify(this.#tenant)
    if (!verdict.ok) {
      const { problem, seq } = verdict
      return { kind: 'broken', problem, checkedAtMs, ...compact({ seq }) }
    }
    const { problems, asks, grants } = await this.#record.compare(this.#tenant)
    const [first] = problems
    if (first !== undefined) return { kind: 'mismatch', problem: first.problem, checkedAtMs }
    return {
      kind: 'whole',
      lastSeq: verdict.lastSeq,
      lastHash: verdict.lastHash,
      asks,
      grants,
      checkedAtMs,
    }
  }
}

/** A check that started before an entry was written does not cover it. */
function reaches(chain: ChainView, seq: number): boolean {
  return chain.kind !== 'whole' || chain.lastSeq >= seq
}
