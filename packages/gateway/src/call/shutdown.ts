// The phases in which a replica shuts down, and the callbacks of the requests that wait for one of them.
//
// Owns: the phase that has been reached. Does not own: what a request does in a phase; each one registers a callback.
// Callbacks instead of abort signals, because a signal that lives as long as the process searches all its listeners
// for each new one.

import { errorCodes } from '../protocol/messages.ts'
import { type Failed, failed, type Outcome } from './model.ts'

/**
 * `draining`: requests that another replica can continue are ended. `final`: so are the requests that arrived since,
 * and those that were kept here during draining. `closed`: the calls that are still running are abandoned.
 */
export type ShutdownPhase = 'draining' | 'final' | 'closed'

const phases: readonly ShutdownPhase[] = ['draining', 'final', 'closed']

/** The result of a call that could not finish in this process. */
const stopped = failed(
  errorCodes.refused,
  'This gateway was stopped while the call was running. Whether the call had any effect is not known: check before you repeat it.',
)

export class Shutdown {
  readonly #waiting: Readonly<Record<ShutdownPhase, Set<() => void>>> = {
    draining: new Set(),
    final: new Set(),
    closed: new Set(),
  }
  #reached = -1

  has(phase: ShutdownPhase): boolean {
    return phases.indexOf(phase) <= this.#reached
  }

  /**
   * The phase until which a request that starts now may be held. One that arrives while draining has no other replica.
   */
  get next(): ShutdownPhase {
    return this.has('draining') ? 'final' : 'draining'
  }

  /** Calls back in this phase, or at once when it has been reached. Returns a function that removes the callback. */
  onPhase(phase: ShutdownPhase, callback: () => void): () => void {
    if (this.has(phase)) {
      callback()
      return () => undefined
    }
    // Wrapped, so that registering one function twice counts as two.
    const registered = () => callback()
    this.#waiting[phase].add(registered)
    return () => this.#waiting[phase].delete(registered)
  }

  /** Enters this phase and those before it. */
  enter(phase: ShutdownPhase): void {
    for (const [index, one] of phases.entries()) {
      if (index <= this.#reached || index > phases.indexOf(phase)) continue
      this.#reached = index
      const callbacks = [...this.#waiting[one]]
      this.#waiting[one].clear()
      for (const callback of callbacks) callback()
    }
  }

  /** The outcome to return: a failure that the shutdown caused is reported as such. */
  reported<Whole extends Outcome<unknown>>(
    outcome: Whole,
    { signal }: { readonly signal: AbortSignal },
  ): Whole | Failed {
    return outcome.kind === 'failed' && signal.aborted && this.has('closed') ? stopped : outcome
  }
}
