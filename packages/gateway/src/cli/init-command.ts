// `assent init`: sets up the clients that are used here, and takes it back.

import { Argument, type Command, Option } from 'commander'
import type { Scope } from '../init/clients.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { type Terminal, toned } from './terminal.ts'

export interface InitOptions {
  readonly scope?: Scope
  readonly dryRun?: true
  readonly yes?: true
  readonly undo?: true
  /** False with --no-habit. */
  readonly habit: boolean
}

/** The names are said here too, so that the help need not read the table of clients. */
export const clientNames = [
  'vscode',
  'claude-code',
  'cursor',
  'codex',
  'gemini-cli',
  'goose',
  'zed',
  'opencode',
] as const

export function addInitCommand(program: Command, terminal: Terminal, end: (code: ExitCode) => void): void {
  program
    .command('init')
    .summary('set up the clients used here')
    .addArgument(new Argument('[client...]', 'only these, found or not').choices(clientNames))
    .addOption(
      new Option(
        '--scope <where>',
        'project: in this repository; user: for you, everywhere (default: project inside a git repository, else user)',
      ).choices(['project', 'user']),
    )
    .option('--dry-run', 'show what would be written, and write nothing')
    .option('-y, --yes', 'write without asking, for scripts')
    .option('--undo', 'take back what init wrote here')
    .option('--no-habit', 'only the server, without the agent and the rules that make agents use it')
    .description(
      'Finds the MCP clients that are used on this machine and in this repository, shows the exact change to the configuration of each, and writes it when you say so: the server (this program by its path; under npx, `npx -y assent@<this version>`), longer time limits where a client has one, and the habit of asking at checkpoints (for VS Code, an agent called Conductor).\n\nComments, order and formatting stay as they are. What is not understood is not touched: you are told what to paste. A file that a link leads out of the repository (with --scope user, out of your home folder) is not touched either. What was written is remembered, and --undo takes back exactly that, also after other parts of a file have changed.',
    )
    .action(async (names: readonly string[], options: InitOptions) => {
      try {
        // Only now: whoever starts the server need not wait until this is read.
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
