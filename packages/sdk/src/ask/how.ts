// How a question is put: how long a person may take, what is at stake, and what counts when nobody can be asked.
//
// The one rule: only a harmless question may have a default. An approval, a secret and whatever is marked destructive
// have none, in the types and again when the program runs.

import { AssentError, askLimits, type Surface } from '@assent/core'
import { sdkLimits } from '../limits.ts'

export type Risk = 'harmless' | 'notable' | 'destructive'

interface Always {
  /** How long a person may take, in milliseconds. */
  readonly waitMs?: number
  /**
   * `waitMs` is only a default: a gateway of Assent may keep the question open longer where the caller can come back for
   * the answer.
   */
  readonly isDefaultWait?: boolean
  /** Shown to the person: why this is asked. */
  readonly reason?: string
  /** The only place where this may be put. */
  readonly surface?: Surface
  /**
   * Internal: the paragraph of the question that Assent's own tools checked. Our gateway accepts it from the tools in its
   * own process; from any other server it stays part of the question.
   */
  readonly checked?: string
}

/** For what has no default: approvals, links, secrets. */
export interface Plain extends Always {
  readonly risk?: Risk
  readonly default?: never
}

/** For harmless questions: `default` counts when nobody can be asked. */
export type Harmless<Value> =
  | (Always & { readonly risk?: 'harmless' | 'notable'; readonly default?: Value })
  | (Always & { readonly risk: 'destructive'; readonly default?: never })

export interface How<Value = unknown> {
  readonly waitMs?: number
  readonly isDefaultWait?: boolean
  readonly risk: Risk
  readonly reason?: string
  readonly surface?: Surface
  readonly fallback?: { readonly value: Value }
}

export function howOf<Value>(settings: Plain | Harmless<Value>): How<Value> {
  const { waitMs, isDefaultWait, risk = 'harmless', reason, surface } = settings
  if (waitMs !== undefined) checkWait(waitMs)
  if (settings.default !== undefined && risk === 'destructive') {
    throw new AssentError(
      'misconfigured',
      'A destructive question has no default: when nobody can be asked, it is a no.',
    )
  }
  return {
    risk,
    ...(waitMs === undefined ? {} : { waitMs }),
    ...(isDefaultWait === true ? { isDefaultWait } : {}),
    ...(reason === undefined ? {} : { reason }),
    ...(surface === undefined ? {} : { surface }),
    ...(settings.default === undefined ? {} : { fallback: { value: settings.default as Value } }),
  }
}

/** Approvals and secrets, whatever was passed past the type checker. */
export function withoutDefault(settings: object): void {
  if ('default' in settings && settings.default !== undefined) {
    throw new AssentError('misconfigured', 'An approval, a link or a secret has no default.')
  }
}

export function checkWait(waitMs: number): number {
  if (Number.isSafeInteger(waitMs) && waitMs >= askLimits.decideMinMs && waitMs <= askLimits.decideMaxMs) return waitMs
  throw new AssentError('misconfigured', 'A person may be given from one second to ninety days, in whole milliseconds.')
}

export function waitOf({ waitMs }: How, otherwiseMs: number = sdkLimits.waitMs): number {
  return waitMs ?? otherwiseMs
}

/** Whether nobody chose how long a person may take: neither the ask nor the server's settings say. */
export function hasDefaultWait({ waitMs, isDefaultWait }: How, isDefault: boolean): boolean {
  return waitMs === undefined ? isDefault : isDefaultWait === true
}

/** Why it may not be put here, in words; nothing when it may. */
export function elsewhere({ surface }: How, here: Surface): string | undefined {
  if (surface === undefined || surface === here) return undefined
  return `it may only be asked on the surface "${surface}", and this is "${here}".`
}
