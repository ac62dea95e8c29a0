// `assent run`: runs one tool here, from a file or from any server, and asks its questions in this terminal.

import type { Command } from 'commander'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import type { RunToolSettings } from './run-tool-settings.ts'
import { type Terminal, toned } from './terminal.ts'
import { runHelp as help } from './text/help.ts'

export function addRunCommand(program: Command, terminal: Terminal, end: (code: ExitCode) => void): void {
  program
    // Options after the server's command belong to that command.
    .enablePositionalOptions()
    .command('run')
    .passThroughOptions()
    .option('--tool <name>', help.tool)
    .option('--args <json>', help.args)
    .option('-e, --env <NAME=value>', help.env, (one, all: string[]) => [...all, one], [])
    .argument('<file|command|url>', help.target)
    .argument('[args...]', help.targetArgs)
    .summary(help.summary)
    .description(help.description)
    .addHelpText('after', help.after)
    .action(async (target: string, args: readonly string[], settings: RunToolSettings) => {
      try {
        const { runTool } = await import('./run-tool.ts')
        end(await runTool([target, ...args], settings, terminal))
      } catch (error) {
        const { safeLines } = await import('../inbox/terminal/safe-json.ts')
        const reason = error instanceof Error ? error.message : String(error)
        terminal.err(`${toned(terminal.isErrColoured, 'red', 'error')} ${safeLines(reason)}`)
        end(exitCodes.cannotRun)
      }
    })
}
