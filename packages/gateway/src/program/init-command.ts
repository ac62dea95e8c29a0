// `assent init`: sets up the clients that are used here, and undoes it.

import type { Command } from 'commander'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { clientNames, type InitOptions, unknownClient } from './init-options.ts'
import { type Terminal, toned } from './terminal.ts'

interface Given extends Omit<InitOptions, 'scope'> {
  readonly project?: true
  readonly client?: readonly string[]
}

export function addInitCommand(program: Command, terminal: Terminal, end: (code: ExitCode) => void): void {
  program
    .command('init')
    .summary('choose the clients that use Assent, and set them up')
    .argument('[client...]', `only these clients, found or not: ${clientNames.join(', ')}`)
    .option('--client <name...>', 'the same as an option; can be given several times')
    .option('--all', 'every client that is found')
    .option('--project', 'write the files of this project, for everybody who works on it, instead of your own')
    .option('--diff', 'show the full change of each file')
    .option('--dry-run', 'show the changes without writing them')
    .option('-y, --yes', 'write without confirmation')
    .option('--undo', 'undo what init wrote: for you or, with --project, in this project')
    .option('--no-rules', 'only the server, without rules, agent and the command /conductor')
    .description(
      'Finds the MCP clients that are used here and lets you choose. Then it shows which files change, and writes them after you confirm: the server (this program by its path; under npx, `npx -y assent@<this version>`), longer timeouts for clients that have such a setting, rules that tell the agent when to ask, and the command /conductor. For VS Code it adds the agent Conductor; one that exists is changed to use the tools of Assent.\n\nOnly your own configuration is written, unless you give --project. Without a terminal, name the clients or give --all, and add --yes.\n\nComments, order and formatting are preserved. If the configuration of a client cannot be parsed or written, nothing is written for that client, the reason and the text to paste are printed, and the exit code is 1. A file behind a link that leads out of your home folder (with --project, out of the project) is not changed. What was written is recorded, and --undo removes exactly that, also after other parts of a file have changed.',
    )
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
