#!/usr/bin/env node
// The program itself: this process's arguments in, an exit code out.

import { runCommandLine } from './program.ts'
import { ownTerminal } from './terminal.ts'

process.exitCode = await runCommandLine(process.argv.slice(2), ownTerminal())
// Whatever may still be open after the command has ended, such as a connection that does not answer, is not waited for long.
setTimeout(() => process.exit(), 2_000).unref()
