// `assent gateway`: the front door for many servers.

import type { Command } from 'commander'
import { loadConfig } from '../config/load.ts'
import { tell } from '../config/problem.ts'
import { gatewayConfigOption, loadOrExplain } from './config-file.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { type Terminal, toned } from './terminal.ts'

export function addGatewayCommand(program: Command, terminal: Terminal, end: (code: ExitCode) => void): void {
  program
    .command('gateway')
    .summary('the front door for your MCP servers')
    .option(...gatewayConfigOption)
    .option('--stdio', 'serve one client on standard input and output instead of listening')
    .description(
      'Stands in front of the MCP servers of a configuration: their questions reach the person who called, in every revision of the protocol, and what happened is on record.\n\nThe log goes to standard error, one JSON object per line. SIGHUP reads the configuration again (one with a mistake, or with another issuer that cannot be reached, is refused, and the old one stays); SIGTERM lets what runs come to its end, then stops.',
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
      for (const warning of warnings) terminal.err(`warning ${tell(file, warning)}`)
      const load = () => loadConfig(file, terminal.variables)
      try {
        // Only now: whoever asks for help need not wait until everything that a gateway needs is read.
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
