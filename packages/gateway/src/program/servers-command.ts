// `assent servers`: reports whether each configured server works, and if not, why.

import type { Command } from 'commander'
import { gatewayConfigOption, loadOrExplain } from './config-file.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import type { Terminal } from './terminal.ts'
import { serversHelp as help, jsonHelp } from './text/help.ts'

export function addServersCommand(program: Command, terminal: Terminal, end: (code: ExitCode) => void): void {
  program
    .command('servers')
    .summary(help.summary)
    .option(...gatewayConfigOption)
    .option('--json', jsonHelp)
    .description(help.description)
    .addHelpText('after', help.after)
    .action(async ({ config: given, json }: { config?: string; json?: true }) => {
      const found = loadOrExplain(given, terminal)
      if (found === undefined) return end(exitCodes.problem)
      const { runServers } = await import('./run-servers.ts')
      end(await runServers(found, json === true, terminal))
    })
}
