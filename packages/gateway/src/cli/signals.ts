// The signals of a program that runs for long: stop, and read the configuration again.

export interface Signals {
  /** Resolves at the first SIGTERM or SIGINT. A second one ends the process at once. */
  readonly stop: Promise<NodeJS.Signals>
  /** From now on nothing is heard any more. */
  forget(): void
}

const interrupted = 130

export function hearSignals(onHangup: (() => void) | undefined): Signals {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>()
  let isStopping = false
  const stop = (signal: NodeJS.Signals) => {
    if (isStopping) process.exit(interrupted)
    isStopping = true
    resolve(signal)
  }
  process.on('SIGTERM', stop).on('SIGINT', stop)
  if (onHangup !== undefined) process.on('SIGHUP', onHangup)
  return {
    stop: promise,
    forget: () => {
      process.off('SIGTERM', stop).off('SIGINT', stop)
      if (onHangup !== undefined) process.off('SIGHUP', onHangup)
    },
  }
}
