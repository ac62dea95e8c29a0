// Signal handlers of a long-running program: stop and reload.

import { constants } from 'node:os'

export interface Signals {
  /** Resolves at the first SIGTERM or SIGINT. A second one ends the process at once, with its exit code. */
  readonly stop: Promise<NodeJS.Signals>
  /** Removes the signal handlers. */
  remove(): void
}

export function handleSignals(onHangup: (() => void) | undefined): Signals {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>()
  let isStopping = false
  const stop = (signal: NodeJS.Signals) => {
    if (isStopping) process.exit(128 + constants.signals[signal])
    isStopping = true
    resolve(signal)
  }
  process.on('SIGTERM', stop).on('SIGINT', stop)
  if (onHangup !== undefined) process.on('SIGHUP', onHangup)
  return {
    stop: promise,
    remove: () => {
      process.off('SIGTERM', stop).off('SIGINT', stop)
      if (onHangup !== undefined) process.off('SIGHUP', onHangup)
    },
  }
}
