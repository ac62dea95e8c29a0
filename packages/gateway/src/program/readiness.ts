// Readiness of this gateway: its store can be read, its store confirms writes, and the keys of its issuer were read.
//
// Owns: the write that checks the store. At most one is in progress, and a new one is sent only if the last confirmed
// one is older than a few seconds, however often readiness is requested.

import type { Store } from '@assent/store'
import { reasonOf } from '../call/model.ts'
import { programLimits } from '../limits.ts'
import { readinessText } from './text/gateway.ts'

/** The reason, as a fixed text: the page is public, so it contains no error text from elsewhere. */
export type NotReady = (typeof readinessText)[keyof typeof readinessText]

export interface ReadinessOptions {
  readonly store: Pick<Store, 'calls' | 'replicas'>
  /** Whether this process is shutting down. */
  readonly isDraining: () => boolean
  /** Whether the keys of the issuer in force were read at least once; true without an issuer. */
  readonly areIssuerKeysRead: () => boolean
  /** Called when the result changes, with the error of the store. */
  readonly onChange: (found: NotReady | undefined, error: unknown) => void
  readonly now?: () => number
}

const { unreachable, readOnly, refuses, hangs, noKeys, draining } = readinessText

export class Readiness {
  readonly #options: ReadinessOptions
  readonly #now: () => number
  #lastCheck: { readonly atMs: number; readonly found: Promise<NotReady | undefined> } | undefined
  #writing: { readonly sinceMs: number; readonly done: Promise<void> } | undefined
  #confirmedMs = Number.NEGATIVE_INFINITY
  #writeError: unknown
  #last = 'ready'

  constructor(options: ReadinessOptions) {
    this.#options = options
    this.#now = options.now ?? (() => performance.now())
  }

  /** Undefined when it is ready. */
  async look(): Promise<NotReady | undefined> {
    if (this.#options.isDraining()) return draining
    if (this.#lastCheck === undefined || this.#now() - this.#lastCheck.atMs > programLimits.readyLookMs)
      this.#lastCheck = { atMs: this.#now(), found: this.#find() }
    return this.#lastCheck.found
  }

  async #find(): Promise<NotReady | undefined> {
    const found = (await this.#readProblem()) ?? (await this.#writeProblem()) ?? this.#issuerProblem()
    const now = found?.reason ?? 'ready'
    if (now !== this.#last) this.#options.onChange(found, this.#writeError)
    this.#last = now
    return found
  }

  #issuerProblem(): NotReady | undefined {
    return this.#options.areIssuerKeysRead() ? undefined : noKeys
  }

  async #readProblem(): Promise<NotReady | undefined> {
    // Any read works as a check; this call does not exist, so the result is empty.
    const read = this.#options.store.calls.read('default', 'none', 'none').then(
      () => undefined,
      () => unreachable,
    )
    return inTime(read, programLimits.readyWithinMs, unreachable)
  }

  async #writeProblem(): Promise<NotReady | undefined> {
    if (this.#now() - this.#confirmedMs < programLimits.readyWriteMs) return undefined
    this.#writing ??= { sinceMs: this.#now(), done: this.#write() }
    const { sinceMs, done } = this.#writing
    // A write that already hangs is not waited for again by every later check.
    const leftMs = Math.max(0, sinceMs + programLimits.readyWithinMs - this.#now())
    return inTime(
      done.then(() => (this.#writeError === undefined ? undefined : writeProblemOf(this.#writeError))),
      leftMs,
      hangs,
    )
  }

  async #write(): Promise<void> {
    try {
      await this.#options.store.replicas.confirmWrite()
      this.#confirmedMs = this.#now()
      this.#writeError = undefined
    } catch (error) {
      this.#writeError = error
    } finally {
      this.#writing = undefined
    }
  }
}

function writeProblemOf(error: unknown): NotReady {
  return /read-?only/i.test(reasonOf(error)) ? readOnly : refuses
}

async function inTime<Value>(work: Promise<Value>, withinMs: number, late: Value): Promise<Value> {
  const { promise, resolve } = Promise.withResolvers<Value>()
  const timer = setTimeout(() => resolve(late), withinMs)
  timer.unref()
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}
