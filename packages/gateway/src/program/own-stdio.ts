// Standard input and output of this process as the connection of one client.

import { PassThrough } from 'node:stream'
import { type GatewayOptions, serveStdio } from './gateway.ts'
import { handleSignals } from './signals.ts'

/** Resolves when the client has disconnected, or a signal has stopped the program. */
export async function serveOwnStdio(options: Omit<GatewayOptions, 'listen'>): Promise<void> {
  const input = new PassThrough()
  process.stdin.pipe(input)
  const signals = handleSignals(undefined)
  void signals.stop.then(() => {
    process.stdin.destroy()
    input.end()
  })
  try {
    await serveStdio(options, input, process.stdout)
  } finally {
    signals.remove()
  }
}
