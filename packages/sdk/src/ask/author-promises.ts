// Every promise that a handler gets: from `ask`, `step`, `gate`, `ask.secret` and `ask.all`.
//
// Owns: whether the handler awaited each of them, and the line on which it asked.
// I1  A rejection of such a promise, or of one derived from it, never ends the process.
// I2  The stack of an error that the SDK creates includes the line of the handler.
// I3  A rejection that the handler never observed is reported when the handler has ended.
// I4  A promise that `ask.withComment` or `ask.all` passes on is awaited only if theirs is.

import { AssentError, isAssentError } from '@assent/core'

/**
 * `approval` is an ask whose yes authorises the code after it. It becomes `work` for a gate that was answered with a yes, because
 * its work may have run. A step may be left to run by itself.
 */
export type PromiseKind = 'ask' | 'approval' | 'work' | 'step'

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
  /** Something was attached to it, so its rejection is not lost: at most that of the promise derived from it. */
  isObserved = false
  /** Called when this promise, or one derived from it, was rejected. */
  onRejected: ((promise: AuthorPromise<unknown>, error: unknown) => void) | undefined
  #isTakenOver = false
  readonly #derived: AuthorPromise<unknown>[] = []

  get isAwaited(): boolean {
    return this.#isTakenOver || this.#derived.some((promise) => promise.isAwaited)
  }

  /** Another promise gets its result: what waits for that one waits for this one. */
  passOnTo(other: Promise<unknown>): void {
    this.isObserved = true
    this.#derive(other)
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
    if (derived instanceof AuthorPromise) derived.reportTo(this.onRejected)
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

  reportTo(onRejected: AuthorPromise<unknown>['onRejected']): void {
    this.onRejected = onRejected
    if (onRejected !== undefined)
      Promise.prototype.then.call(this, undefined, (error: unknown) => onRejected(this, error))
  }

  #derive(derived: Promise<unknown>): void {
    if (derived instanceof AuthorPromise) this.#derived.push(derived)
  }
}

/** The result of a promise, without counting as something that waits for it. */
export function resultOf<Value>(promise: Promise<Value> | Value): Promise<Value> | Value {
  if (!(promise instanceof AuthorPromise)) return promise
  return new Promise((resolve, reject) => {
    Promise.prototype.then.call(promise, (value) => resolve(value as Value), reject)
  })
}

/** Marks the promise as handled without observing it. */
function handled<Value>(promise: Promise<Value>): Promise<Value> {
  Promise.prototype.then.call(promise, undefined, ignore)
  return promise
}

interface Entry extends HandedOut {
  promise: AuthorPromise<unknown> | undefined
  /** `isOurs` for an ask that we withdrew, because the handler had ended. */
  rejection: { readonly error: unknown; readonly isOurs: boolean } | undefined
}

interface Rejection {
  readonly entry: Entry
  readonly promise: AuthorPromise<unknown>
  readonly error: unknown
}

export class AuthorPromises {
  readonly #entries: Entry[] = []
  readonly #rejections: Rejection[] = []
  /** One error may reject several promises derived from one. */
  readonly #reported = new Set<unknown>()
  readonly #onError: (error: unknown) => void
  #isOver = false

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError
  }

  /** Starts the work and returns its promise, guarded. The work may set kind and label before its first await. */
  guard<Value>(handedOut: HandedOut, work: (entry: HandedOut) => Promise<Value>): Promise<Value> {
    const site = callSite(this.guard)
    const entry: Entry = { ...handedOut, promise: undefined, rejection: undefined }
    this.#entries.push(entry)
    const promise = new AuthorPromise<Value>((resolve, reject) => {
      work(entry).then(resolve, (error: unknown) => {
        entry.rejection = { error, isOurs: this.#isOver && entry.kind !== 'step' }
        reject(withCallSite(error, site))
      })
    })
    entry.promise = promise
    promise.reportTo((rejected, error) => this.#rejected({ entry, promise: rejected, error }))
    return handled(promise)
  }

  #rejected(rejection: Rejection): void {
    if (this.#isOver) this.#report(rejection)
    else this.#rejections.push(rejection)
  }

  /** Guards a promise that passes on the results of others that the handler got. */
  guardAround<Value>(label: string, inner: readonly unknown[], work: () => Promise<Value>): Promise<Value> {
    const outer = this.guard({ kind: 'ask', label }, work)
    for (const promise of inner) if (promise instanceof AuthorPromise) promise.passOnTo(outer)
    return outer
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
    const gate = this.#unawaited('work')
    if (gate !== undefined) return workNotAwaited(gate.label)
    const ask = this.#unawaited('approval') ?? this.#unawaited('ask')
    return ask === undefined ? undefined : notAwaited(ask.label)
  }

  /** The handler has ended: reports the rejections that it did not observe. */
  end(): void {
    this.#isOver = true
    for (const rejection of this.#rejections) this.#report(rejection)
  }

  #report({ entry, promise, error }: Rejection): void {
    if (promise.isObserved || this.#reported.has(error)) return
    // An error of the author's own function in `then` is another one, whatever happened to the ask or step.
    const own = entry.rejection
    if (own !== undefined && own.error === error && (own.isOurs || entry.promise?.isAwaited === true)) return
    this.#reported.add(error)
    this.#onError(error)
  }

  #unawaited(kind: PromiseKind): Entry | undefined {
    return this.#entries.find((entry) => entry.kind === kind && entry.promise?.isAwaited === false)
  }
}

/** The SDK's own frames between the handler and `guard`, the line of the handler, and what called it. */
const callSiteFrames = 6

/** Few frames, because every ask of every round captures them and most are never read. */
function callSite(below: (...given: never[]) => unknown): { readonly stack?: string } {
  const site: { stack?: string } = {}
  const { stackTraceLimit } = Error
  // An author who sets a lower limit wants fewer frames. Node can freeze its built-in objects.
  const isLowered = stackTraceLimit > callSiteFrames && !Object.isFrozen(Error)
  if (isLowered) Error.stackTraceLimit = callSiteFrames
  Error.captureStackTrace(site, below)
  if (isLowered) Error.stackTraceLimit = stackTraceLimit
  return site
}

function notAwaited(label: string): AssentError {
  return new AssentError(
    'misconfigured',
    `The ask "${label}" was not awaited, so its answer could not count. Write \`await\` before it.`,
  )
}

function workNotAwaited(label: string): AssentError {
  return new AssentError(
    'misconfigured',
    `The gate "${label}" was approved and its work may have run, but it was not awaited, so its result is lost. Write \`await\` before it.`,
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
