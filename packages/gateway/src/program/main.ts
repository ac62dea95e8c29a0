#!/usr/bin/env node
// The entry point: runs this process's arguments and sets the exit code.

import { whyTooOld } from '../setup/node-version.ts'
import { exitCodes } from './exit-codes.ts'
import { ownTerminal } from './terminal.ts'

const args = process.argv.slice(2)
const tooOld = whyTooOld(process.version)

// Load only what is needed: the client that starts this program waits for its first response.
if (tooOld !== undefined) {
  ownTerminal().err(tooOld)
  process.exitCode = exitCodes.cannotRun
} else if (args.length === 0) {
  const { keepCompiledCode } = await import('./compiled-code.ts')
  keepCompiledCode(process.env)
  const { serveStandalone } = await import('./standalone/serve-standalone.ts')
  process.exitCode = await serveStandalone(ownTerminal(), process.stdin.isTTY === true ? 'person' : 'client')
} else {
  const { runCommandLine } = await import('./program.ts')
  process.exitCode = await runCommandLine(args, ownTerminal())
}
// Exit soon after the command has ended, even if something is still open, such as an unresponsive connection.
setTimeout(() => process.exit(), 2_000).unref()
