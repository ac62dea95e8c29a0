// How long one question stays open: the earliest of the asker's timeout, the gateway's and the caller's.
//
// Pure. The rule is decision 0023: a timeout that the operator or the author chose always applies. Defaults apply where
// the answer has to arrive while a process waits: a 2025 server inside its call, or a question that is shown in the
// client. A stored question from a server that sends our ask metadata, in a call that can be resumed, stays open for a
// day unless a shorter time was set.

import { type AskMeta, askLimits, readAskMeta } from '@assent/core'
import { relayLimits } from '../../limits.ts'
import { openForMs, type RelayState } from '../call-state.ts'
import { type Call, heldId, type InputRequest } from '../model.ts'

export interface GatewayWait {
  /** `asks.wait`. */
  readonly askWaitMs: number
  /** True when the operator did not set `asks.wait`. */
  readonly isAskWaitDefault?: boolean
}

/** Where an answer has to arrive. */
export interface Waiting {
  /** The timeout that the asker sent with the question; undefined without ask metadata. */
  readonly asker: AskMeta | undefined
  /** The question is in the store and no process waits for it: the caller's next request resumes the call. */
  readonly isResumable: boolean
  /** Time since the question arrived. */
  readonly elapsedMs?: number
  /** How long a caller that cannot send another request still waits. */
  readonly callerMs?: number
}

/** The time that a person has left to answer. */
export function decideWithinMs(gateway: GatewayWait, { asker, isResumable, elapsedMs = 0, callerMs }: Waiting): number {
  const isOpenLonger = isResumable && asker?.waitMs !== undefined
  const ownMs = isOpenLonger && gateway.isAskWaitDefault === true ? relayLimits.resumableWaitMs : gateway.askWaitMs
  const askerMs = isOpenLonger && asker?.isDefault === true ? relayLimits.resumableWaitMs : asker?.waitMs
  const earliestMs = Math.min(ownMs, askerMs ?? ownMs) - elapsedMs
  const withinMs = isResumable ? earliestMs : Math.min(earliestMs, callerMs ?? earliestMs)
  return Math.max(0, Math.floor(withinMs))
}

/** The time left for a question of this call that is stored now. */
export function storedWaitMs(
  gateway: GatewayWait,
  { leavesAfterMs }: Pick<Call, 'leavesAfterMs'>,
  wanted: InputRequest,
  state: RelayState,
  nowMs: number,
): number {
  const callerMs = earliest(leavesAfterMs?.(), 'shared' in wanted ? wanted.shared?.leavesAfterMs?.() : undefined)
  const withinMs = decideWithinMs(gateway, {
    asker: askerOf(wanted),
    isResumable: heldId(state.inner) === undefined && callerMs === undefined,
    elapsedMs: openForMs(state, nowMs),
    ...(callerMs === undefined ? {} : { callerMs }),
  })
  return Math.max(withinMs, askLimits.decideMinMs)
}

/** The time left for a question that a client shows, or that a server waits for inside its call. */
export function shownWaitMs(gateway: GatewayWait, wanted: InputRequest, elapsedMs = 0): number {
  return decideWithinMs(gateway, { asker: askerOf(wanted), isResumable: false, elapsedMs })
}

/**
 * The longest time that any question is open. Data that a returning state or handle needs is kept at least this long.
 */
export function longestWaitMs({ askWaitMs }: GatewayWait): number {
  return Math.max(askWaitMs, relayLimits.resumableWaitMs)
}

function earliest(...waits: readonly (number | undefined)[]): number | undefined {
  const known = waits.filter((ms) => ms !== undefined)
  return known.length === 0 ? undefined : Math.min(...known)
}

/** Undefined for a server that does not send its timeout. */
export function askerOf({ params }: InputRequest): AskMeta | undefined {
  return readAskMeta(params)
}
