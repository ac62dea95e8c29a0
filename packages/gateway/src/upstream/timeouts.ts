// How long one server may take: its own settings where it has some, else the limits of all servers.

import { upstreamLimits } from '../limits.ts'

/** The setting `timeouts` of a server. */
export interface TimeoutSettings {
  readonly openMs?: number
  readonly replyMs?: number
  readonly silentMs?: number
}

export interface Timeouts {
  /** To learn which revision it speaks, and to open a session. */
  readonly openMs: number
  /** To answer a request in which it cannot ask a person. */
  readonly replyMs: number
  /** To give any sign of life in a call in which it can. */
  readonly silentMs: number
}

/** Read anew each time: a reload changes the limits of all servers. */
export function timeoutsOf({ openMs, replyMs, silentMs }: TimeoutSettings = {}): Timeouts {
  return {
    get openMs() {
      return openMs ?? upstreamLimits.openMs
    },
    get replyMs() {
      return replyMs ?? upstreamLimits.replyMs
    },
    get silentMs() {
      return silentMs ?? upstreamLimits.silentMs
    },
  }
}
