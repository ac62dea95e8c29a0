// Writes recorded calls to the store: some at once, the others in groups.
//
// Owns: the calls that are not written yet, with a limit on their number and size.
// I1  `commit` returns true only if the call is stored. Calls that are committed at the same time share one statement.
// I2  `later` never waits. Its calls are written within about 200 ms while the store works; a crash before that loses them.
// I3  While the store is unavailable, calls of `later` stay in memory up to the limit. Beyond it new ones are counted as
//     lost, and none that is waiting is dropped.
// I4  Drafts keep the arguments of their calls; together with the waiting calls they stay within the limit on the size.
// I5  A call that the store refuses for another reason does not hold up the others: its group is counted as lost.

import { isAssentError } from '@assent/core'
import type { RecordedCall, RecordedCalls } from '@assent/store'
import { relayLimits } from '../../limits.ts'

interface Commit {
  readonly call: RecordedCall
  readonly done: (isStored: boolean) => void
}

export class RecordWriter {
  readonly #store: Pick<RecordedCalls, 'write'>
  readonly #onLost: (count: number) => void
  readonly #onError: (error: unknown) => void
  #commits: Commit[] = []
  #isCommitting = false
  /** Drawn up when the group is written: computing digests delays no caller. */
  #drafts: (() => RecordedCall)[] = []
  #heldChars = 0
  #waiting: RecordedCall[] = []
  #waitingChars = 0
  #lost = 0
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> | undefined
  #isClosed = false

  /** @param onLost called with the number of calls that will not be in the record */
  constructor(store: Pick<RecordedCalls, 'write'>, onLost: (count: number) => void, onError: (error: unknown) => void) {
    this.#store = store
    this.#onLost = onLost
    this.#onError = onError
  }

  /** Stores the call now. False if that failed; it may be stored all the same. */
  commit(call: RecordedCall): Promise<boolean> {
    if (this.#commits.length >= relayLimits.recordCommits) return Promise.resolve(false)
    return new Promise((done) => {
      this.#commits.push({ call, done })
      if (!this.#isCommitting) void this.#commitAll()
    })
  }

  /**
   * Stores the call soon.
   * @param heldChars the characters that the draft keeps in memory until it is drawn up
   */
  later(draft: () => RecordedCall, heldChars = 0): void {
    if (this.#drafts.length + this.#waiting.length >= relayLimits.recordRows) {
      this.#lost++
      this.#schedule()
      return
    }
    this.#drafts.push(draft)
    this.#heldChars += heldChars
    // A row is much smaller than the arguments that its draft keeps.
    if (this.#waitingChars + this.#heldChars > relayLimits.recordChars) this.#drawUp()
    this.#schedule()
  }

  /** Writes what is waiting, once. What the store does not take is counted as lost. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.#writing
    await this.#writeWaiting()
    this.#lost += this.#waiting.length
    this.#waiting = []
    this.#reportLost()
  }

  async #commitAll(): Promise<void> {
    this.#isCommitting = true
    while (this.#commits.length > 0) {
      const group = this.#commits.splice(0, relayLimits.recordGroup)
      const isStored = await this.#store.write(group.map(({ call }) => call)).then(
        () => true,
        (error: unknown) => {
          this.#onError(error)
          return false
        },
      )
      for (const { done } of group) done(isStored)
    }
    this.#isCommitting = false
  }

  #schedule(afterMs: number = relayLimits.recordEveryMs): void {
    if (this.#isClosed || this.#writing !== undefined) return
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#writing = this.#writeWaiting().finally(() => {
        this.#writing = undefined
        const isBehind = this.#waiting.length > 0
        if (isBehind || this.#drafts.length > 0 || this.#lost > 0)
          this.#schedule(isBehind ? relayLimits.recordRetryMs : undefined)
      })
    }, afterMs)
  }

  async #writeWaiting(): Promise<void> {
    this.#drawUp()
    this.#reportLost()
    while (this.#waiting.length > 0) {
      const group = this.#waiting.slice(0, relayLimits.recordGroup)
      try {
        await this.#store.write(group)
      } catch (error) {
        this.#onError(error)
        if (isAssentError(error, 'store_unavailable')) return
        this.#lost += group.length
      }
      this.#waiting.splice(0, group.length)
      for (const call of group) this.#waitingChars -= charsOf(call)
      this.#drawUp()
    }
    this.#reportLost()
  }

  #drawUp(): void {
    const drafts = this.#drafts
    this.#drafts = []
    this.#heldChars = 0
    for (const draft of drafts) {
      const call = draft()
      const chars = charsOf(call)
      if (this.#waitingChars + chars > relayLimits.recordChars) {
        this.#lost++
        continue
      }
      this.#waiting.push(call)
      this.#waitingChars += chars
    }
  }

  #reportLost(): void {
    if (this.#lost === 0) return
    this.#onLost(this.#lost)
    this.#lost = 0
  }
}

/** The parts whose size a caller chooses. */
function charsOf({ target, arguments: args = '', client = '', groups, hidden = [] }: RecordedCall): number {
  const listed = [...groups, ...hidden].reduce((sum, { length }) => sum + length, 0)
  return target.length + args.length + client.length + listed
}
