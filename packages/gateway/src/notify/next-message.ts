// Which message about an ask is sent now, and which one is due next. Pure: time and randomness are arguments.
//
// I1  A message that has been overtaken is not sent: once an ask has ended, only its end is reported, and an announcement
//     that keeps failing for one recipient does not delay the reminder of all.
// I2  If an ask ends before the first attempt to announce it, no message is sent.

import type { Ask } from '@assent/core'
import type { DueMessage, NextMessage } from '@assent/store'
import type { MessageKind } from './ask-message.ts'
import { notifyLimits } from './limits.ts'

export type MessageStep =
  | {
      readonly do: 'send'
      readonly kind: MessageKind
      /** Attempts of this message, this one included, and recipients that need none. */
      readonly attempts: number
      readonly done: readonly string[]
    }
  | { readonly do: 'wait'; readonly next: NextMessage }
  | { readonly do: 'remove' }

/** What to do with a claimed message. */
export function stepFor(due: DueMessage, ask: Ask | undefined, nowMs: number, remindBeforeMs: number): MessageStep {
  if (ask === undefined) return { do: 'remove' }
  const { stage, attempts, done } = due
  if (ask.state.kind !== 'open') {
    if (stage === 'ended') return { do: 'send', kind: 'ended', attempts, done }
    return stage === 'raised' && attempts === 1
      ? { do: 'remove' }
      : { do: 'send', kind: 'ended', attempts: 1, done: [] }
  }
  if (stage === 'raised' && attempts > 1 && nowMs >= remindAtMs(ask, remindBeforeMs))
    return { do: 'send', kind: 'expiring', attempts: 1, done: [] }
  if (stage === 'raised' || stage === 'expiring') return { do: 'send', kind: stage, attempts, done }
  // Claimed at the deadline, and not recorded as expired yet.
  return { do: 'wait', next: waiting(ask, nowMs) }
}

/** After every recipient got this message, or no further attempt is made; undefined if it was the last one. */
export function nextAfter(kind: MessageKind, ask: Ask, nowMs: number, remindBeforeMs: number): NextMessage | undefined {
  if (kind === 'ended') return undefined
  const dueAtMs = remindAtMs(ask, remindBeforeMs)
  const isReminded = kind === 'raised' && dueAtMs > nowMs && dueAtMs < ask.decideByMs
  return isReminded ? { stage: 'expiring', dueAtMs, attempts: 0, done: [] } : waiting(ask, nowMs)
}

/** When a failed message is tried again: not after the reminder, which overtakes the announcement. */
export function retryAtMs(kind: MessageKind, ask: Ask, nowMs: number, pauseMs: number, remindBeforeMs: number): number {
  const dueAtMs = nowMs + pauseMs
  const overtakenAtMs = remindAtMs(ask, remindBeforeMs)
  return kind === 'raised' && overtakenAtMs > nowMs ? Math.min(dueAtMs, overtakenAtMs) : dueAtMs
}

/** When the reminder is due. Without a reminder, or if it would be in the first half of the time: at the deadline. */
function remindAtMs({ raisedAtMs, decideByMs }: Ask, remindBeforeMs: number): number {
  const atMs = decideByMs - remindBeforeMs
  return atMs > (raisedAtMs + decideByMs) / 2 ? atMs : decideByMs
}

function waiting({ decideByMs }: Ask, nowMs: number): NextMessage {
  return { stage: 'waiting', dueAtMs: Math.max(decideByMs, nowMs + notifyLimits.pollMs), attempts: 0, done: [] }
}

/**
 * The pause before the next attempt; undefined if there is none. A fifth of it is random, so that messages that failed
 * together are not all sent together again.
 *
 * @param attempts so far
 * @param requestedMs the pause that a receiver requested
 */
export function retryPauseMs(attempts: number, random: () => number, requestedMs = 0): number | undefined {
  const pauseMs = notifyLimits.retryMs[attempts - 1]
  if (pauseMs === undefined) return undefined
  const spreadMs = Math.round(pauseMs * (0.9 + 0.2 * random()))
  return Math.max(spreadMs, Math.min(requestedMs, notifyLimits.retryAfterMostMs))
}
