// `assent doctor`: reports what works with each client, what goes to the inbox instead, and what to change.

import { Argument, type Command } from 'commander'
import type { DoctorOptions } from './doctor-options.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { clientNames } from './init-options.ts'
import { type Terminal, toned } from './terminal.ts'

export function addDoctorCommand(program: Command, terminal: Terminal, end: (code: ExitCode) => void): void {
  program
    .command('doctor')
    .summary('what works with each client, and what to change')
    .addArgument(new Argument('[client...]', 'only these clients, detected or not').choices(clientNames))
    .option('--json', 'one JSON object on standard output, for scripts')
    .option('--no-start', 'only read configurations; do not start servers')
    .option('--trust-project', 'also start a command from this repository that differs from the one init writes')
    .description(
      'Reports for each client used here whether Assent is set up, which questions the client shows, which ones go to the inbox instead, and how long it waits. Then it tests the setup: it starts the configured command as the client would, and sends requests in both generations of the protocol. Nothing is changed.\n\nThe exit code is 0 if at least one client is set up and no problem was found, otherwise 1.',
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
