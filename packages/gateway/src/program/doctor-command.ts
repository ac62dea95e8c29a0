// `assent doctor`: reports what works with each client, what goes to the inbox instead, and what to change.

import type { Command } from 'commander'
import type { DoctorOptions } from './doctor-options.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { clientNames, unknownClient } from './init-options.ts'
import { type Terminal, toned } from './terminal.ts'
import { doctorText } from './text/doctor.ts'
import { initText } from './text/init.ts'

const { help } = doctorText

export function addDoctorCommand(program: Command, terminal: Terminal, end: (code: ExitCode) => void): void {
  program
    .command('doctor')
    .summary(help.summary)
    .argument('[client...]', initText.help.clients(clientNames))
    .option('--json', help.json)
    .option('--no-start', help.noStart)
    .option('--trust-project', help.trustProject)
    .description(help.description)
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
