// How long one question stays open: the earliest of the asker's timeout, the gateway's and the caller's.
//
// Pure. The rule is decision 0078: a timeout that somebody chose always counts. Defaults count where the answer has to arrive
// while something waits: a 2025 server inside its call, or a question that is shown in the client. A question in the store
// whose asker is one of ours and can be resumed stays open for a day unless somebody chose less.

import { type AskMeta, askLimits, readAskMeta } from '@assent/core'
import { relayLimits } from '../limits.ts'
import { type Call, heldId, type Wanted } from '../relay/exchange.ts'
import type { Resume } from '../relay/relay.ts'

export interface GatewayWait {
  /** `asks.wait`. */
  readonly askWaitMs: number
  /** The operator did not set it. */
  readonly isAskWaitDefault?: boolean
}

/** Where an answer has to arrive. */
export interface Waiting {
  /** What the asker sent with the question; undefined for servers that are not ours, whose timeout is unknown. */
  readonly asker: AskMeta | undefined
  /** Nothing waits in a process: the question is in the store, and the call goes on when its caller comes back. */
  readonly isResumable: boolean
  /** Since the question arrived. */
  readonly elapsedMs?: number
  /** How long a caller that cannot come back still waits. */
  readonly callerMs?: number
}

/** How long a person may still take. */
export function decideWithinMs(gateway: GatewayWait, { asker, isResumable, elapsedMs = 0, callerMs }: Waiting): number {
  const isOpenLonger = isResumable && asker?.waitMs !== undefined
  const ownMs = isOpenLonger && gateway.isAskWaitDefault === true ? relayLimits.resumableWaitMs : gateway.askWaitMs
  const askerMs = isOpenLonger && asker?.isDefault === true ? relayLimits.resumableWaitMs : asker?.waitMs
  const earliestMs = Math.min(ownMs, askerMs ?? ownMs) - elapsedMs
  const withinMs = isResumable ? earliestMs : Math.min(earliestMs, callerMs ?? earliestMs)
  return Math.max(0, Math.floor(withinMs))
}

/** The same for a question of this call, which is in the store from now on. */
export function storedWaitMs(
  gateway: GatewayWait,
  { leavesAfterMs }: Pick<Call, 'leavesAfterMs'>,
  wanted: Wanted,
  resume: Resume,
  nowMs: number,
): number {
  const callerMs = earliest(leavesAfterMs?.(), 'shared' in wanted ? wanted.shared?.leavesAfterMs?.() : undefined)
  const withinMs = decideWithinMs(gateway, {
    asker: askerOf(wanted),
    isResumable: heldId(resume.inner) === undefined && callerMs === undefined,
    elapsedMs: elapsedOf(resume, nowMs),
    ...(callerMs === undefined ? {} : { callerMs }),
  })
  return Math.max(withinMs, askLimits.decideMinMs)
}

/** The same for a question that a client shows, or that a server waits for inside its call. */
export function shownWaitMs(gateway: GatewayWait, wanted: Wanted, elapsedMs = 0): number {
  return decideWithinMs(gateway, { asker: askerOf(wanted), isResumable: false, elapsedMs })
}

/** The longest that any question is open: for what has to be kept as long as a state or handle can come back. */
export function longestWaitMs({ askWaitMs }: GatewayWait): number {
  return Math.max(askWaitMs, relayLimits.resumableWaitMs)
}

function earliest(...waits: readonly (number | undefined)[]): number | undefined {
  const known = waits.filter((ms) => ms !== undefined)
  return known.length === 0 ? undefined : Math.min(...known)
}

/** Undefined for a server whose own timeout is unknown. */
export function askerOf({ params }: Wanted): AskMeta | undefined {
  return readAskMeta(params)
}

function elapsedOf({ round }: Resume, nowMs: number): number {
  return round === undefined ? 0 : Math.max(0, nowMs - round.atMs)
}
