// `assent try`: a sample question, from the agent's call to the person's answer.

import type { Command } from 'commander'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { type Terminal, toned } from './terminal.ts'
import { tryText as help } from './text/inbox.ts'

export function addTryCommand(program: Command, terminal: Terminal, end: (code: ExitCode) => void): void {
  program
    .command('try')
    .summary(help.summary)
    .description(help.description)
    .action(async () => {
      try {
        const { runTry } = await import('./run-try.ts')
        end(await runTry(terminal))
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error)
        terminal.err(`${toned(terminal.isErrColoured, 'red', 'error')} ${reason}`)
        end(exitCodes.cannotRun)
      }
    })
}
