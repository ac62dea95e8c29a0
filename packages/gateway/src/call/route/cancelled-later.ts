// Delays the cancellation of a call whose answers are being sent, so that it cannot overtake them.
//
// Over HTTP, cancelling a request closes its connection, and a server that has not read the answers yet would never get
// them. They are recorded as given, so the server gets them first and the cancellation afterwards.

import { relayLimits } from '../../limits.ts'

export interface LaterSignal {
  readonly signal: AbortSignal
  /** The server has replied. */
  end(): void
}

export function cancelledLater(signal: AbortSignal): LaterSignal {
  const ending = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const begin = () => {
    timer = setTimeout(() => ending.abort(signal.reason), relayLimits.cancelAfterAnswerMs)
  }
  signal.addEventListener('abort', begin, { once: true })
  if (signal.aborted) begin()
  return {
    signal: ending.signal,
    end: () => {
      signal.removeEventListener('abort', begin)
      clearTimeout(timer)
    },
  }
}
