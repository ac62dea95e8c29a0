// `assent init`: sets up the clients that are used here, and undoes it.

import type { Command } from 'commander'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { clientNames, type InitOptions, unknownClient } from './init-options.ts'
import { type Terminal, toned } from './terminal.ts'
import { initText } from './text/init.ts'

const { help } = initText

interface Given extends Omit<InitOptions, 'scope'> {
  readonly project?: true
  readonly client?: readonly string[]
}

export function addInitCommand(program: Command, terminal: Terminal, end: (code: ExitCode) => void): void {
  program
    .command('init')
    .summary(help.summary)
    .argument('[client...]', help.clients(clientNames))
    .option('--client <name...>', help.client)
    .option('--all', help.all)
    .option('--project', help.project)
    .option('--diff', help.diff)
    .option('--dry-run', help.dryRun)
    .option('-y, --yes', help.yes)
    .option('--undo', help.undo)
    .option('--no-rules', help.noRules)
    .description(help.description)
    .action(async (names: readonly string[], { project, client = [], ...options }: Given) => {
      const chosen = [...names, ...client]
      const wrong = unknownClient(chosen)
      if (wrong !== undefined) {
        terminal.err(`${toned(terminal.isErrColoured, 'red', 'error')} ${wrong}`)
        return end(exitCodes.usage)
      }
      try {
        // Loaded here so that other commands start quickly.
        const { runInit } = await import('./run-init.ts')
        const scope = project === true ? 'project' : 'user'
        end(await runInit(chosen, { ...options, scope }, terminal))
      } catch (error) {
        terminal.err(
          `${toned(terminal.isErrColoured, 'red', 'error')} ${error instanceof Error ? error.message : error}`,
        )
        end(exitCodes.cannotRun)
      }
    })
}
