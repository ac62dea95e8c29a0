// `assent play`: runs one server's tools in the browser, where its questions are answered too.

import type { Command } from 'commander'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import type { PlaySettings } from './play-settings.ts'
import { type Terminal, toned } from './terminal.ts'

export function addPlayCommand(program: Command, terminal: Terminal, end: (code: ExitCode) => void): void {
  program
    // Options after the server's command belong to that command.
    .enablePositionalOptions()
    .command('play')
    .passThroughOptions()
    .argument('<command|url>', 'the program that is the server, or the address of one')
    .argument('[args...]', 'its arguments')
    .option('--port <port>', 'the port of the page, on this machine only; 0 picks a free one', '0')
    .option(
      '-e, --env <NAME=value>',
      'a variable for the program; may be repeated',
      (one, all: string[]) => [...all, one],
      [],
    )
    .summary('the playground: run the tools of one server in the browser')
    .description(
      'Connects to one MCP server of either generation and opens a page on this machine where its tools can be run: their arguments as a form, their progress, their questions and their results.\n\nOnly this server can be used from the page. Asks are stored in a temporary folder that is deleted at exit.',
    )
    .addHelpText(
      'after',
      `
Examples:
  assent play node server.ts
  assent play -e DEBUG=1 npx -y @acme/deploy-mcp
  assent play https://mcp.example.com/mcp`,
    )
    .action(async (target: string, args: readonly string[], settings: PlaySettings) => {
      try {
        const { play } = await import('./play.ts')
        await play([target, ...args], settings, terminal)
        end(exitCodes.ok)
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error)
        terminal.err(`${toned(terminal.isErrColoured, 'red', 'error')} ${reason}`)
        end(exitCodes.cannotRun)
      }
    })
}
