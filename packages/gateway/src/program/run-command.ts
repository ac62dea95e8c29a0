// `assent run`: runs one tool here, from a file or from any server, and asks its questions in this terminal.

import type { Command } from 'commander'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import type { RunToolSettings } from './run-tool-settings.ts'
import { type Terminal, toned } from './terminal.ts'

export function addRunCommand(program: Command, terminal: Terminal, end: (code: ExitCode) => void): void {
  program
    // Options after the server's command belong to that command.
    .enablePositionalOptions()
    .command('run')
    .passThroughOptions()
    .option('--tool <name>', 'the tool to run; needed where there are several')
    .option('--args <json>', 'its arguments, as a JSON object')
    .option(
      '-e, --env <NAME=value>',
      'a variable for the server; may be repeated',
      (one, all: string[]) => [...all, one],
      [],
    )
    .argument('<file|command|url>', 'a file that exports tools, the program that is a server, or the address of one')
    .argument('[args...]', 'the arguments of the program')
    .summary('run one tool here, and answer its questions in this terminal')
    .description(
      'Runs one tool and prints its result. Its questions are asked in this terminal.\n\nA file exports its tools: handlers made with @assent/sdk, functions that ask, generators that yield their asks, or a class whose methods are such generators. A server may have any revision; the answers are used only for this run and are not stored.',
    )
    .addHelpText(
      'after',
      `
Examples:
  assent run tool.ts
  assent run --tool deploy --args '{"env":"test"}' node server.ts
  assent run --tool search https://mcp.example.com/mcp`,
    )
    .action(async (target: string, args: readonly string[], settings: RunToolSettings) => {
      try {
        const { runTool } = await import('./run-tool.ts')
        end(await runTool([target, ...args], settings, terminal))
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error)
        terminal.err(`${toned(terminal.isErrColoured, 'red', 'error')} ${reason}`)
        end(exitCodes.cannotRun)
      }
    })
}
