// Notices transactions of PostgreSQL that have written and stay open: their entries are missing in the log until they end, and
// every search for new entries reads again everything since they began.
//
// The snapshots that the sequencer reads show it: the oldest running transaction is the same one for a long time.

import { storeLimits } from '../limits.ts'

export class LongTransactions {
  readonly #onLong: (transaction: string) => void
  #observedMs = 0
  #oldest: { readonly transaction: string; readonly sinceMs: number; isReported: boolean } | undefined

  constructor(onLong: (transaction: string) => void) {
    this.#onLong = onLong
  }

  /** @param snapshot as PostgreSQL writes it; a position of SQLite is ignored */
  observe(snapshot: string, nowMs: number): void {
    this.#observedMs = nowMs
    const [transaction = '', next] = snapshot.split(':')
    if (next === undefined || next === transaction) {
      this.#oldest = undefined
      return
    }
    if (this.#oldest?.transaction !== transaction) {
      this.#oldest = { transaction, sinceMs: nowMs, isReported: false }
      return
    }
    if (this.#oldest.isReported || nowMs - this.#oldest.sinceMs < storeLimits.longTransactionMs) return
    this.#oldest.isReported = true
    this.#onLong(transaction)
  }

  /** 0 if nothing was observed lately: only the process that extends a log reads snapshots. */
  oldestMs(nowMs: number): number {
    const isStale = nowMs - this.#observedMs > storeLimits.longTransactionMs
    return isStale || this.#oldest === undefined ? 0 : nowMs - this.#oldest.sinceMs
  }
}
