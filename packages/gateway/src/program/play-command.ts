// `assent play`: runs one server's tools in the browser, where its questions are answered too.

import type { Command } from 'commander'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import type { PlaySettings } from './play-settings.ts'
import { type Terminal, toned } from './terminal.ts'
import { playHelp as help } from './text/help.ts'

export function addPlayCommand(program: Command, terminal: Terminal, end: (code: ExitCode) => void): void {
  program
    // Options after the server's command belong to that command.
    .enablePositionalOptions()
    .command('play')
    .passThroughOptions()
    .argument('<command|url>', help.target)
    .argument('[args...]', help.targetArgs)
    .option('--port <port>', help.port, '0')
    .option('-e, --env <NAME=value>', help.env, (one, all: string[]) => [...all, one], [])
    .summary(help.summary)
    .description(help.description)
    .addHelpText('after', help.after)
    .action(async (target: string, args: readonly string[], settings: PlaySettings) => {
      try {
        const { play } = await import('./play.ts')
        await play([target, ...args], settings, terminal)
        end(exitCodes.ok)
      } catch (error) {
        const { safeLines } = await import('../inbox/terminal/safe-json.ts')
        const reason = error instanceof Error ? error.message : String(error)
        terminal.err(`${toned(terminal.isErrColoured, 'red', 'error')} ${safeLines(reason)}`)
        end(exitCodes.cannotRun)
      }
    })
}
