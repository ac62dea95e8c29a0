// `assent doctor`: what works with each client, what goes to the inbox instead, what to change.

import { Argument, type Command } from 'commander'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { clientNames } from './init-command.ts'
import { type Terminal, toned } from './terminal.ts'

export interface DoctorOptions {
  readonly json?: true
  /** False with --no-start. */
  readonly start: boolean
  readonly trustProject?: true
}

export function addDoctorCommand(program: Command, terminal: Terminal, end: (code: ExitCode) => void): void {
  program
    .command('doctor')
    .summary('what works with each client, and what to change')
    .addArgument(new Argument('[client...]', 'only these, found or not').choices(clientNames))
    .option('--json', 'one JSON object on standard output, for scripts')
    .option('--no-start', 'only read configurations; start no server')
    .option('--trust-project', 'also start a command of this repository that is not the one init writes')
    .description(
      'Says for each client used here whether Assent is set up, what it shows of a question, what people are asked in the inbox instead, and how long it waits; and tries it: the configured command is started as the client would, and spoken to in both generations of the protocol. Nothing is changed.\n\nEnds with 0 when at least one client is set up and nothing is wrong, 1 when there is something to mend.',
    )
    .action(async (names: readonly string[], options: DoctorOptions) => {
      try {
        const { runDoctor } = await import('./run-doctor.ts')
        end(await runDoctor(names, options, terminal))
      } catch (error) {
        terminal.err(
          `${toned(terminal.isErrColoured, 'red', 'error')} ${error instanceof Error ? error.message : error}`,
        )
        end(exitCodes.cannotRun)
      }
    })
}
