// `assent gateway`: one endpoint for many MCP servers.

import type { Command } from 'commander'
import { loadConfig } from '../config/load.ts'
import { problemText } from '../config/problem.ts'
import { gatewayConfigOption, loadOrExplain } from './config-file.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { type Terminal, toned } from './terminal.ts'

export function addGatewayCommand(program: Command, terminal: Terminal, end: (code: ExitCode) => void): void {
  program
    .command('gateway')
    .summary('one endpoint for your MCP servers')
    .option(...gatewayConfigOption)
    .option('--stdio', 'serve one client over standard input and output instead of HTTP')
    .description(
      'Serves the MCP servers of a configuration at one endpoint. Their questions reach the person who called, in every revision of the protocol, and every decision is recorded.\n\nThe log is written to standard error, one JSON object per line. SIGHUP reloads the configuration; if it is invalid, or its new issuer cannot be reached, the old one stays in force. SIGTERM drains running work, then stops.',
    )
    .addHelpText(
      'after',
      `
The smallest configuration, in assent.yaml:
  servers:
    files: { command: npx, args: [-y, "@modelcontextprotocol/server-filesystem", .] }

Then point a client at http://127.0.0.1:7420/mcp, or have it start:
  assent gateway --config /path/to/assent.yaml --stdio`,
    )
    .action(async ({ config: given, stdio }: { config?: string; stdio?: true }) => {
      const found = loadOrExplain(given, terminal)
      if (found === undefined) return end(exitCodes.problem)
      const { file, config: first, warnings } = found
      for (const warning of warnings) terminal.err(`warning ${problemText(file, warning)}`)
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
