// `assent init`: sets up the clients that are used here, and undoes it.

import { Argument, type Command, Option } from 'commander'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { clientNames, type InitOptions } from './init-options.ts'
import { type Terminal, toned } from './terminal.ts'

export function addInitCommand(program: Command, terminal: Terminal, end: (code: ExitCode) => void): void {
  program
    .command('init')
    .summary('set up the clients used here')
    .addArgument(new Argument('[client...]', 'only these clients, detected or not').choices(clientNames))
    .addOption(
      new Option(
        '--scope <where>',
        'project: in this repository; user: for you, everywhere (default: project inside a git repository, else user)',
      ).choices(['project', 'user']),
    )
    .option('--dry-run', 'show the changes without writing them')
    .option('-y, --yes', 'write without confirmation, for scripts')
    .option('--undo', 'undo what init wrote here')
    .option('--no-habit', 'only the server, without the agent and the rules that make agents use it')
    .description(
      'Finds the MCP clients that are used on this machine and in this repository, shows the exact change to the configuration of each, and writes it after you confirm: the server (this program by its path; under npx, `npx -y assent@<this version>`), longer timeouts for clients that have such a setting, and instructions to ask at checkpoints (for VS Code, an agent called Conductor).\n\nComments, order and formatting are preserved. A file that cannot be parsed is not changed; the text to paste is printed instead. A file behind a link that leads out of the repository (with --scope user, out of your home folder) is not changed either. What was written is recorded, and --undo removes exactly that, also after other parts of a file have changed.',
    )
    .action(async (names: readonly string[], options: InitOptions) => {
      try {
        // Loaded here so that other commands start quickly.
        const { runInit } = await import('./run-init.ts')
        end(await runInit(names, options, terminal))
      } catch (error) {
        terminal.err(
          `${toned(terminal.isErrColoured, 'red', 'error')} ${error instanceof Error ? error.message : error}`,
        )
        end(exitCodes.cannotRun)
      }
    })
}
