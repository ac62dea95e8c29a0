// Options of an ask: timeout, risk, reason, surface, and the fallback if no person can be asked.
//
// Invariant: only a harmless or notable question may have a fallback. Approvals, links, secrets and destructive questions have
// none, and a confirmation falls back to yes only where the author also wrote that it is harmless. The types forbid it, and
// so does a check at run time.

import { AssentError, askLimits, compact, type Surface } from '@assent/core'
import { sdkLimits } from '../limits.ts'

export type Risk = 'harmless' | 'notable' | 'destructive'

interface BaseAskOptions {
  /** How long a person may take, in milliseconds. */
  readonly waitMs?: number
  /**
   * `waitMs` is only a default: a gateway of Assent may keep the question open longer where the caller can come back for
   * the answer.
   */
  readonly isDefaultWait?: boolean
  /**
   * Shown to the person: why this is asked. With another reason it is another question, so it has to be the same in every
   * round.
   */
  readonly reason?: string
  /** The only surface on which this may be asked. */
  readonly surface?: Surface
  /**
   * Internal: the paragraph of the question that Assent's own tools checked. Our gateway accepts it from the tools in its
   * own process; from any other server it stays part of the question.
   */
  readonly checked?: string
}

/** For questions without a fallback: approvals, links, secrets. */
export interface AskOptions extends BaseAskOptions {
  readonly risk?: Risk
  readonly fallback?: never
}

/** For harmless questions: `fallback` is the answer if no person can be asked. It is never shown; see `suggest` for that. */
export type AskOptionsWithFallback<Value> = Validation<Value> &
  (
    | (BaseAskOptions & { readonly risk?: 'harmless' | 'notable'; readonly fallback?: Value })
    | (BaseAskOptions & { readonly risk: 'destructive'; readonly fallback?: never })
  )

/** A confirmation is a yes without a person only if its author also set `risk: 'harmless'`. */
export type ConfirmOptions = Validation<boolean> &
  (
    | (BaseAskOptions & { readonly risk: 'harmless'; readonly fallback?: boolean })
    | (BaseAskOptions & { readonly risk?: 'notable'; readonly fallback?: false })
    | (BaseAskOptions & { readonly risk: 'destructive'; readonly fallback?: never })
  )

export interface Validation<Value> {
  /**
   * Checks an answer that fits the question: returns the reason why it is not accepted, or nothing. The person is then asked
   * again with the reason, at most twice. It runs again whenever the handler does, so it must give the same result for the
   * same answer. If it throws, that is a mistake in the tool and not an invalid answer: the ask rejects with `misconfigured`.
   */
  readonly validate?: (value: Value) => Rejection | Promise<Rejection>
}

/** A text is the reason; `false` refuses without one. */
type Rejection = string | boolean | undefined

export interface ResolvedAskOptions<Value = unknown> {
  readonly waitMs?: number
  readonly isDefaultWait?: boolean
  readonly risk: Risk
  readonly reason?: string
  readonly surface?: Surface
  readonly fallback?: { readonly value: Value }
}

export function resolveAskOptions<Value>(
  options: AskOptions | AskOptionsWithFallback<Value>,
): ResolvedAskOptions<Value> {
  const { waitMs, isDefaultWait, risk = 'harmless', reason, surface, fallback } = options
  if (waitMs !== undefined) checkWait(waitMs)
  refuseRenamed(options)
  if (fallback !== undefined && risk === 'destructive') {
    throw new AssentError(
      'misconfigured',
      'A destructive question has no fallback: if no person can be asked, the answer is no.',
    )
  }
  return {
    risk,
    ...compact({ waitMs }),
    ...(isDefaultWait === true ? { isDefaultWait } : {}),
    ...compact({ reason, surface }),
    ...(fallback === undefined ? {} : { fallback: { value: fallback as Value } }),
  }
}

/** For approvals and secrets: a fallback that was passed in spite of the types is refused. */
export function refuseFallback(options: object): void {
  if ('fallback' in options && options.fallback !== undefined) {
    throw new AssentError('misconfigured', 'An approval, a link or a secret has no fallback.')
  }
}

/** For confirmations: nothing is agreed to without a person unless the author wrote that it is harmless. */
export function refuseSilentYes({ fallback, risk }: ConfirmOptions): void {
  if (fallback !== true || risk === 'harmless') return
  throw new AssentError(
    'misconfigured',
    "A confirmation falls back to yes only with risk: 'harmless'. Set it too, or remove `fallback: true`.",
  )
}

/** An author who writes `default` may mean either of two things, so none is assumed. */
function refuseRenamed(options: object): void {
  if (!('default' in options) || options.default === undefined) return
  throw new AssentError(
    'misconfigured',
    'An ask has no `default`. Use `suggest` for what the form shows, and `fallback` for the answer if no person can be asked.',
  )
}

export function checkWait(waitMs: number): number {
  if (Number.isSafeInteger(waitMs) && waitMs >= askLimits.decideMinMs && waitMs <= askLimits.decideMaxMs) return waitMs
  throw new AssentError('misconfigured', 'A person may be given from one second to ninety days, in whole milliseconds.')
}

export function waitOf({ waitMs }: ResolvedAskOptions, otherwiseMs: number = sdkLimits.waitMs): number {
  return waitMs ?? otherwiseMs
}

/** Whether the timeout is a default: set neither by the ask nor by the server's settings. */
export function hasDefaultWait({ waitMs, isDefaultWait }: ResolvedAskOptions, isDefault: boolean): boolean {
  return waitMs === undefined ? isDefault : isDefaultWait === true
}

/** The reason why it may not be asked on this surface, or undefined. */
export function wrongSurfaceReason({ surface }: ResolvedAskOptions, here: Surface): string | undefined {
  if (surface === undefined || surface === here) return undefined
  return `it may only be asked on the surface "${surface}", and this is "${here}".`
}
