// `assent doctor`: reports what works with each client, what goes to the inbox instead, and what to change.

import type { Command } from 'commander'
import type { DoctorOptions } from './doctor-options.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { clientNames, unknownClient } from './init-options.ts'
import { type Terminal, toned } from './terminal.ts'

export function addDoctorCommand(program: Command, terminal: Terminal, end: (code: ExitCode) => void): void {
  program
    .command('doctor')
    .summary('what works with each client, and what to change')
    .argument('[client...]', `only these clients, found or not: ${clientNames.join(', ')}`)
    .option('--json', 'one JSON object on standard output at the end, for scripts')
    .option('--no-start', 'only read configurations; do not start servers')
    .option('--trust-project', 'also start a command from this repository that differs from the one init writes')
    .description(
      'Reports for each client used here whether Assent is set up, which questions the client shows, which ones go to the inbox instead, and how long it waits. Then it tests the setup: it starts the configured command as the client would, and sends requests in both generations of the protocol. All clients are checked at the same time, and each result is printed as soon as it is known; the command ends within 20 seconds. A started command gets your settings for proxies, certificates and the npm registry. No configuration is changed.\n\nThe exit code is 0 if at least one client is set up and no problem was found, otherwise 1.',
    )
    .action(async (names: readonly string[], options: DoctorOptions) => {
      const wrong = unknownClient(names)
      if (wrong !== undefined) {
        terminal.err(`${toned(terminal.isErrColoured, 'red', 'error')} ${wrong}`)
        return end(exitCodes.usage)
      }
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
