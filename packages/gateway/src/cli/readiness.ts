// Whether new work should be sent to this gateway: it can read its store, its store confirms writes, and the keys of its
// issuer were read.
//
// Owns: the write that checks the store. At most one is under way, and a new one is sent only when the last confirmed one
// is older than a few seconds, however often anyone asks.

import type { Store } from '@assent/store'
import { programLimits } from '../limits.ts'
import { reasonOf } from '../relay/exchange.ts'

/** Why not, in words of ours alone: anyone may read them. */
export interface NotReady {
  readonly status: 'draining' | 'store unreachable' | 'store not writable' | 'issuer keys not read'
  readonly reason: string
}

export interface ReadinessOptions {
  readonly store: Pick<Store, 'calls' | 'replicas'>
  /** Whether this process was told to stop. */
  readonly isDraining: () => boolean
  /** Whether the keys of the issuer in force were read at least once; true without one. */
  readonly areIssuerKeysRead: () => boolean
  /** Called when the result changes, with what the store said. */
  readonly onChange: (found: NotReady | undefined, error: unknown) => void
  readonly now?: () => number
}

const unreachable: NotReady = { status: 'store unreachable', reason: 'The store cannot be reached.' }
const readOnly: NotReady = { status: 'store not writable', reason: 'The store is read-only.' }
const refuses: NotReady = { status: 'store not writable', reason: 'The store refuses writes.' }
const hangs: NotReady = { status: 'store not writable', reason: 'The store does not confirm writes in time.' }
const noKeys: NotReady = { status: 'issuer keys not read', reason: 'The keys of the issuer have not been read yet.' }
const draining: NotReady = { status: 'draining', reason: 'This gateway was told to stop.' }

export class Readiness {
  readonly #options: ReadinessOptions
  readonly #now: () => number
  #looked: { readonly atMs: number; readonly found: Promise<NotReady | undefined> } | undefined
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
    if (this.#looked === undefined || this.#now() - this.#looked.atMs > programLimits.readyLookMs)
      this.#looked = { atMs: this.#now(), found: this.#find() }
    return this.#looked.found
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
    // Any read will do; there is no such call, so nothing comes back.
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
    // One that has been under way for long is not waited for again by everyone who asks.
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
