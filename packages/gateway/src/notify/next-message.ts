// Which message about an ask is sent now, and which one is due next. Pure: time and randomness are arguments.
//
// I1  A message that has been overtaken is not sent: once an ask has ended, only its end is reported.
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
export function stepFor(due: DueMessage, ask: Ask | undefined, nowMs: number): MessageStep {
  if (ask === undefined) return { do: 'remove' }
  const { stage, attempts, done } = due
  if (ask.state.kind !== 'open') {
    if (stage === 'ended') return { do: 'send', kind: 'ended', attempts, done }
    return stage === 'raised' && attempts === 1
      ? { do: 'remove' }
      : { do: 'send', kind: 'ended', attempts: 1, done: [] }
  }
  if (stage === 'raised' || stage === 'expiring') return { do: 'send', kind: stage, attempts, done }
  // Claimed at the deadline, and not recorded as expired yet.
  return { do: 'wait', next: waiting(ask, nowMs) }
}

/** After every recipient got this message, or no further attempt is made; undefined if it was the last one. */
export function nextAfter(kind: MessageKind, ask: Ask, nowMs: number, remindBeforeMs: number): NextMessage | undefined {
  if (kind === 'ended') return undefined
  const remindAtMs = ask.decideByMs - remindBeforeMs
  const halfTimeMs = (ask.raisedAtMs + ask.decideByMs) / 2
  const isReminded = kind === 'raised' && remindBeforeMs > 0 && remindAtMs > Math.max(nowMs, halfTimeMs)
  return isReminded ? { stage: 'expiring', dueAtMs: remindAtMs, attempts: 0, done: [] } : waiting(ask, nowMs)
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
