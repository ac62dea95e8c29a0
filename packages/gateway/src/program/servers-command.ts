// `assent servers`: reports whether each configured server works, and if not, why.

import type { Command } from 'commander'
import { gatewayConfigOption, loadOrExplain } from './config-file.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import type { Terminal } from './terminal.ts'

export function addServersCommand(program: Command, terminal: Terminal, end: (code: ExitCode) => void): void {
  program
    .command('servers')
    .summary('connect to every configured server; report its revision and tools, or why it fails')
    .option(...gatewayConfigOption)
    .option('--json', 'one JSON object on standard output, for scripts')
    .description(
      'Connects to every server of a configuration as the gateway does, all at once, and prints for each its protocol revision, its transport, how many tools it has and how long it took to start; or why it cannot be used: the program was not found, its exit code and what it printed last, an HTTP status, a certificate. A server gets limits.server_open_within to start. Afterwards everything that was started is stopped. A running gateway is not affected.',
    )
    .addHelpText(
      'after',
      `
Exit codes:
  0  every server can be used
  1  at least one cannot, or the configuration has a mistake
  2  the command line is invalid`,
    )
    .action(async ({ config: given, json }: { config?: string; json?: true }) => {
      const found = loadOrExplain(given, terminal)
      if (found === undefined) return end(exitCodes.problem)
      const { runServers } = await import('./run-servers.ts')
      end(await runServers(found, json === true, terminal))
    })
}
