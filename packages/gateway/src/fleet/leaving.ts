// How a process leaves: the moments at which whoever waits in it is told so, in their order.
//
// It decides nothing: whoever waits for a moment knows what can go on elsewhere then, and what cannot. Callbacks in place of
// abort signals, because a signal that lives as long as the process looks through all its listeners for each new one.

import { failed, type Outcome } from '../relay/exchange.ts'
import { errorCodes } from '../wire/messages.ts'

/**
 * `hand-over`: whoever can go on elsewhere is told to. `last-call`: so is whoever came since, and whoever was better left
 * where they are. `over`: what is still here is given up.
 */
export type Moment = 'hand-over' | 'last-call' | 'over'

const moments: readonly Moment[] = ['hand-over', 'last-call', 'over']

/** What a caller hears whose call could not come to its end here. */
const stopped = failed(
  errorCodes.refused,
  'This gateway was stopped while the call was under way. Whether the call did anything is not known: look before you make it again.',
)

export class Leaving {
  readonly #waiting: Readonly<Record<Moment, Set<() => void>>> = {
    'hand-over': new Set(),
    'last-call': new Set(),
    over: new Set(),
  }
  #reached = -1

  has(moment: Moment): boolean {
    return moments.indexOf(moment) <= this.#reached
  }

  /** The moment until which a request that begins now may be held. Who comes after the hand-over found nobody else. */
  get next(): Moment {
    return this.has('hand-over') ? 'last-call' : 'hand-over'
  }

  /** Calls back at this moment, or at once when it has passed. Returns how to forget it. */
  at(moment: Moment, tell: () => void): () => void {
    if (this.has(moment)) {
      tell()
      return () => undefined
    }
    // Two who wait with one function are still two.
    const told = () => tell()
    this.#waiting[moment].add(told)
    return () => this.#waiting[moment].delete(told)
  }

  /** This moment has come, and with it those before it. */
  comes(moment: Moment): void {
    for (const [index, one] of moments.entries()) {
      if (index <= this.#reached || index > moments.indexOf(moment)) continue
      this.#reached = index
      const all = [...this.#waiting[one]]
      this.#waiting[one].clear()
      for (const tell of all) tell()
    }
  }

  /** What became of a call, as its caller hears it: what was broken off because the process ends is told as that. */
  told(outcome: Outcome, { signal }: { readonly signal: AbortSignal }): Outcome {
    return outcome.kind === 'failed' && signal.aborted && this.has('over') ? stopped : outcome
  }
}
