// Options of an ask: timeout, risk, reason, surface, and the default if no person can be asked.
//
// Invariant: only a harmless or notable question may have a default. Approvals, links, secrets and destructive questions have
// none; the types forbid it, and so does a check at run time.

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
  /** Shown to the person: why this is asked. */
  readonly reason?: string
  /** The only surface on which this may be asked. */
  readonly surface?: Surface
  /**
   * Internal: the paragraph of the question that Assent's own tools checked. Our gateway accepts it from the tools in its
   * own process; from any other server it stays part of the question.
   */
  readonly checked?: string
}

/** For questions without a default: approvals, links, secrets. */
export interface AskOptions extends BaseAskOptions {
  readonly risk?: Risk
  readonly default?: never
}

/** For harmless questions: `default` is the answer if no person can be asked. */
export type AskOptionsWithDefault<Value> =
  | (BaseAskOptions & { readonly risk?: 'harmless' | 'notable'; readonly default?: Value })
  | (BaseAskOptions & { readonly risk: 'destructive'; readonly default?: never })

export interface ResolvedAskOptions<Value = unknown> {
  readonly waitMs?: number
  readonly isDefaultWait?: boolean
  readonly risk: Risk
  readonly reason?: string
  readonly surface?: Surface
  readonly fallback?: { readonly value: Value }
}

export function resolveAskOptions<Value>(
  options: AskOptions | AskOptionsWithDefault<Value>,
): ResolvedAskOptions<Value> {
  const { waitMs, isDefaultWait, risk = 'harmless', reason, surface } = options
  if (waitMs !== undefined) checkWait(waitMs)
  if (options.default !== undefined && risk === 'destructive') {
    throw new AssentError(
      'misconfigured',
      'A destructive question has no default: if no person can be asked, the answer is no.',
    )
  }
  return {
    risk,
    ...compact({ waitMs }),
    ...(isDefaultWait === true ? { isDefaultWait } : {}),
    ...compact({ reason, surface }),
    ...(options.default === undefined ? {} : { fallback: { value: options.default as Value } }),
  }
}

/** For approvals and secrets: a default that was passed in spite of the types is refused. */
export function refuseDefault(options: object): void {
  if ('default' in options && options.default !== undefined) {
    throw new AssentError('misconfigured', 'An approval, a link or a secret has no default.')
  }
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
