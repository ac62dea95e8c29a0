// The timeouts of one server: its own settings, with the general limits as defaults.

import { serverLimits } from '../limits.ts'

/** The setting `timeouts` of a server. */
export interface TimeoutSettings {
  readonly openMs?: number
  readonly replyMs?: number
  readonly silentMs?: number
}

export interface Timeouts {
  /** To find out its revision and open a session. */
  readonly openMs: number
  /** To answer a request in which it cannot ask a person. */
  readonly replyMs: number
  /** To send any message in a call in which it can ask a person. */
  readonly silentMs: number
}

/** Getters, because a reload changes the general limits. */
export function timeoutsOf({ openMs, replyMs, silentMs }: TimeoutSettings = {}): Timeouts {
  return {
    get openMs() {
      return openMs ?? serverLimits.openMs
    },
    get replyMs() {
      return replyMs ?? serverLimits.replyMs
    },
    get silentMs() {
      return silentMs ?? serverLimits.silentMs
    },
  }
}
