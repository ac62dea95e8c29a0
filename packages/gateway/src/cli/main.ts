#!/usr/bin/env node
// The program itself: this process's arguments in, an exit code out.

import { whyTooOld } from '../node-version.ts'
import { exitCodes } from './exit-codes.ts'
import { ownTerminal } from './terminal.ts'

const words = process.argv.slice(2)
const tooOld = whyTooOld(process.version)

// Only what is needed is loaded: a client that starts us waits for the first answer.
if (tooOld !== undefined) {
  ownTerminal().err(tooOld)
  process.exitCode = exitCodes.cannotRun
} else if (words.length === 0) {
  const { serveAlone } = await import('./serve-alone.ts')
  process.exitCode = await serveAlone(ownTerminal(), { byPerson: process.stdin.isTTY === true })
} else {
  const { runCommandLine } = await import('./program.ts')
  process.exitCode = await runCommandLine(words, ownTerminal())
}
// Whatever may still be open after the command has ended, such as a connection that does not answer, is not waited for long.
setTimeout(() => process.exit(), 2_000).unref()
