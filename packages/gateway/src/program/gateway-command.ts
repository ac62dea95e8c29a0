// `assent gateway`: one endpoint for many MCP servers.

import type { Command } from 'commander'
import { loadConfig } from '../config/load.ts'
import { problemText } from '../config/problem.ts'
import { safeLine } from '../inbox/terminal/safe-json.ts'
import { gatewayConfigOption, loadOrExplain } from './config-file.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { type Terminal, toned } from './terminal.ts'
import { gatewayHelp as help } from './text/help.ts'

export function addGatewayCommand(program: Command, terminal: Terminal, end: (code: ExitCode) => void): void {
  program
    .command('gateway')
    .summary(help.summary)
    .option(...gatewayConfigOption)
    .option('--stdio', help.stdio)
    .description(help.description)
    .addHelpText('after', help.after)
    .action(async ({ config: given, stdio }: { config?: string; stdio?: true }) => {
      const found = loadOrExplain(given, terminal)
      if (found === undefined) return end(exitCodes.problem)
      const { file, config: first, warnings } = found
      for (const warning of warnings) terminal.err(help.warning(safeLine(problemText(file, warning))))
      const load = () => loadConfig(file, terminal.variables)
      try {
        // Loaded here so that `--help` starts quickly.
        const { runGateway } = await import('./run-gateway.ts')
        await runGateway({ file, load, first, isStdio: stdio === true, terminal })
        end(exitCodes.ok)
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error)
        terminal.err(`${toned(terminal.isErrColoured, 'red', 'error')} ${reason}`)
        end(exitCodes.cannotRun)
      }
    })
}
