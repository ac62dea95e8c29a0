// The score of the hostile proof: tries, crashes, mistakes and durations.
import { inspect } from 'node:util'
import { collectGarbage, Durations, isUntouched, prototypes, timed } from '../schema/watch.ts'

const shownFailures = 12

/** How long one message may block the event loop. */
export const stallMs = 50

export class Score {
  tried = 0
  crashes = 0
  hangs = 0
  /** Bad input was accepted or shown, or valid input was refused. */
  wrong = 0
  readonly own: Durations = new Durations()
  readonly clock: Durations = new Durations()
  slowestKind = ''
  readonly kinds: Map<string, number> = new Map()
  readonly #prototypes = prototypes()
  #shown = 0
  mostBytes = 0

  /** Runs one case and measures it. Undefined if it threw, which is a fault. */
  handle<R>(kind: string, input: unknown, work: () => R): R | undefined {
    this.count(kind)
    const attempt = () => timed(() => outcomeOf(work))
    const first = attempt()
    let { ownMs } = first
    // A stall that does not occur again was caused by the machine or by garbage of the proof itself.
    for (let again = 0; again < 3 && ownMs > stallMs / 2; again++) ownMs = Math.min(ownMs, attempt().ownMs)
    this.#took(kind, ownMs, first.clockMs)
    const { result } = first
    if ('value' in result) return result.value
    this.crash(kind, input, result.error)
    return undefined
  }

  count(kind: string): void {
    this.tried += 1
    this.kinds.set(kind, (this.kinds.get(kind) ?? 0) + 1)
    if (this.tried % 50_000 === 0) this.look()
  }

  crash(kind: string, input: unknown, error: unknown): void {
    this.crashes += 1
    this.#show(`crash on ${kind}`, input, error)
  }

  hang(kind: string, input: unknown): void {
    this.hangs += 1
    this.#show(`hang on ${kind}`, input)
  }

  mistake(what: string, input: unknown, ...more: unknown[]): void {
    this.wrong += 1
    this.#show(what, input, ...more)
  }

  /** Checks the retained memory and the prototypes. Garbage of the proof itself does not count. */
  look(): void {
    collectGarbage()
    const { heapUsed, external } = process.memoryUsage()
    this.mostBytes = Math.max(this.mostBytes, heapUsed + external)
    if (!isUntouched(this.#prototypes)) this.mistake('a prototype was changed', '')
  }

  #took(kind: string, ownMs: number, clockMs: number): void {
    if (ownMs > this.own.slowestMs) this.slowestKind = kind
    this.own.add(ownMs)
    this.clock.add(clockMs)
  }

  #show(what: string, input: unknown, ...more: unknown[]): void {
    this.#shown += 1
    if (this.#shown > shownFailures) return
    const text = typeof input === 'string' ? input : inspect(input, { depth: 6 })
    console.log(`${what}:`, text.slice(0, 600), ...more)
  }
}

function outcomeOf<R>(work: () => R): { readonly value: R } | { readonly error: unknown } {
  try {
    return { value: work() }
  } catch (error) {
    return { error }
  }
}

/** Undefined if it did not end in time. */
export async function within<T>(ms: number, work: Promise<T>): Promise<{ readonly value: T } | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms)
  })
  try {
    return await Promise.race([work.then((value) => ({ value })), late])
  } finally {
    clearTimeout(timer)
  }
}
