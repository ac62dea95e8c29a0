// `assent try`: a sample question, from the agent's call to the person's answer.

import type { Command } from 'commander'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { type Terminal, toned } from './terminal.ts'

export function addTryCommand(program: Command, terminal: Terminal, end: (code: ExitCode) => void): void {
  program
    .command('try')
    .summary('see a sample question in your browser, and the answer arriving')
    .description(
      'Plays an agent that asks you a question: it starts Assent as a client does, calls one of its tools and waits. Your inbox opens in the browser; once you have answered, you see what the agent gets. Then you can choose the clients that use Assent.\n\nThe question is a real one in your own inbox, and it stays in your history. Nothing else happens, whatever you answer. Ctrl+C withdraws it.',
    )
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
