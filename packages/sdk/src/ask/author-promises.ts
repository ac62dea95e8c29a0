// Every promise that a handler gets: from `ask`, `step`, `gate`, `ask.secret` and `ask.all`.
//
// Owns: whether the handler awaited each of them, and the line on which it asked.
// I1  A rejection of such a promise, or of one derived from it, never ends the process.
// I2  The stack of an error that the SDK creates includes the line of the handler.
// I3  A rejection that the handler never observed is reported when the handler has ended.

import { AssentError, isAssentError } from '@assent/core'

/** `approval` is an ask whose yes authorises the code after it; a step may be left to run by itself. */
export type PromiseKind = 'ask' | 'approval' | 'step'

export interface HandedOut {
  kind: PromiseKind
  /** Names the ask or step in errors. */
  label: string
}

function ignore(): undefined {
  return undefined
}

/**
 * Records that something waits for it. `await`, `return`, `Promise.all` and every other promise that takes this one over call
 * `then` with both functions. An author who writes `.then(…)` or `.catch(…)` passes one function and gets another promise, which
 * then has to be awaited instead.
 */
class AuthorPromise<Value> extends Promise<Value> {
  /** Something was attached to it, so its rejection is not lost. */
  isObserved = false
  #isTakenOver = false
  readonly #derived: AuthorPromise<unknown>[] = []

  get isAwaited(): boolean {
    return this.#isTakenOver || this.#derived.some((promise) => promise.isAwaited)
  }

  takeOver(): void {
    this.isObserved = true
    this.#isTakenOver = true
  }

  // biome-ignore lint/suspicious/noThenProperty: a promise has it; overridden to notice that it is awaited
  override then<Fulfilled = Value, Rejected = never>(
    onFulfilled?: ((value: Value) => Fulfilled | PromiseLike<Fulfilled>) | null,
    onRejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Fulfilled | Rejected> {
    const derived = handled(super.then(onFulfilled, onRejected))
    this.isObserved = true
    if (typeof onFulfilled === 'function' && typeof onRejected === 'function') this.#isTakenOver = true
    else this.#derive(derived)
    return derived
  }

  /** Calls `then` with both functions, and is no more awaited by that than with one. */
  override finally(onFinally?: (() => void) | null | undefined): Promise<Value> {
    const wasTakenOver = this.#isTakenOver
    const derived = super.finally(onFinally)
    this.#isTakenOver = wasTakenOver
    this.#derive(derived)
    return derived
  }

  #derive(derived: Promise<unknown>): void {
    if (derived instanceof AuthorPromise) this.#derived.push(derived)
  }
}

/** Marks the promise as handled without observing it. */
function handled<Value>(promise: Promise<Value>): Promise<Value> {
  Promise.prototype.then.call(promise, undefined, ignore)
  return promise
}

interface Entry extends HandedOut {
  promise: AuthorPromise<unknown> | undefined
  rejection: { readonly error: unknown } | undefined
}

export class AuthorPromises {
  readonly #entries: Entry[] = []
  readonly #onError: (error: unknown) => void
  #isOver = false

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError
  }

  /** Starts the work and returns its promise, guarded. The work may set kind and label before its first await. */
  guard<Value>(handedOut: HandedOut, work: (entry: HandedOut) => Promise<Value>): Promise<Value> {
    const site: { stack?: string } = {}
    Error.captureStackTrace(site, this.guard)
    const entry: Entry = { ...handedOut, promise: undefined, rejection: undefined }
    this.#entries.push(entry)
    const promise = new AuthorPromise<Value>((resolve, reject) => {
      work(entry).then(resolve, (error: unknown) => {
        entry.rejection = { error }
        reject(withCallSite(error, site))
        // A step that was left to run by itself. An ask that ends after the handler was withdrawn by us.
        if (this.#isOver && entry.kind === 'step') this.#report(entry)
      })
    })
    entry.promise = promise
    return handled(promise)
  }

  /** Something else takes over this promise and passes its result on. */
  observe(promise: Promise<unknown>): void {
    if (promise instanceof AuthorPromise) promise.takeOver()
  }

  /** Throws if an approval was requested and nothing waits for it: the code after it must not run. */
  async checkApprovals(): Promise<void> {
    if (this.#unawaited('approval') === undefined) return
    // `Promise.all` observes its members only after all of them were started.
    await new Promise((resolve) => setImmediate(resolve))
    const approval = this.#unawaited('approval')
    if (approval !== undefined) throw notAwaited(approval.label)
  }

  /** The error for a handler that returned without having awaited one of its asks. */
  unawaitedAsk(): AssentError | undefined {
    const ask = this.#unawaited('approval') ?? this.#unawaited('ask')
    return ask === undefined ? undefined : notAwaited(ask.label)
  }

  /** The handler has ended: reports the rejections that it did not observe. */
  end(): void {
    this.#isOver = true
    for (const entry of this.#entries) this.#report(entry)
  }

  #report({ promise, rejection }: Entry): void {
    if (rejection !== undefined && promise?.isObserved === false) this.#onError(rejection.error)
  }

  #unawaited(kind: PromiseKind): Entry | undefined {
    return this.#entries.find((entry) => entry.kind === kind && entry.promise?.isAwaited === false)
  }
}

function notAwaited(label: string): AssentError {
  return new AssentError(
    'misconfigured',
    `The ask "${label}" was not awaited, so its answer could not count. Write \`await\` before it.`,
  )
}

const extended = new WeakSet<object>()

/** Asynchronous code inside the SDK cuts the stack at the handler, so the handler's frames are added again. */
function withCallSite(error: unknown, { stack }: { readonly stack?: string }): unknown {
  if (!isAssentError(error) || extended.has(error) || stack === undefined) return error
  extended.add(error)
  const frames = stack.slice(stack.indexOf('\n') + 1)
  if (!Object.isFrozen(error)) error.stack = `${error.stack}\n${frames}`
  return error
}
