// `assent config`: checks a configuration, prints its schema, creates a key.

import { randomBytes } from 'node:crypto'
import type { Command } from 'commander'
import { configSchema } from '../config/json-schema.ts'
import { loadConfig } from '../config/load.ts'
import { safeJson } from '../inbox/terminal/safe-json.ts'
import { usualFile } from './config-file.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { printFindings, report } from './findings.ts'
import type { Terminal } from './terminal.ts'
import { configHelp as help, jsonHelp } from './text/help.ts'

export function addConfigCommands(program: Command, terminal: Terminal, end: (code: ExitCode) => void): void {
  const config = program.command('config').summary(help.summary)
  config.description(help.description)

  config
    .command('check')
    .argument('[file]', help.check.file, usualFile)
    .option('--live', help.check.live)
    .option('--json', jsonHelp)
    .summary(help.check.summary)
    .description(help.check.description)
    .addHelpText('after', help.check.after)
    .action(async (file: string, { json, live }: { json?: true; live?: true }) => {
      const loaded = loadConfig(file, terminal.variables)
      if (live !== true || !loaded.ok) {
        if (json === true) terminal.out(JSON.stringify(report(file, loaded)))
        else printFindings(file, loaded, terminal)
        return end(loaded.ok ? exitCodes.ok : exitCodes.problem)
      }
      const { checkLive, liveLines } = await import('./live-check.ts')
      if (json !== true) printFindings(file, loaded, terminal)
      const found = await checkLive(loaded.config, terminal.variables)
      if (json === true) terminal.out(safeJson({ ...report(file, loaded), ok: found.ok, live: found }))
      else for (const line of liveLines(found, terminal)) terminal.out(line)
      end(found.ok ? exitCodes.ok : exitCodes.problem)
    })

  config
    .command('schema')
    .summary(help.schema.summary)
    .description(help.schema.description)
    .action(() => terminal.out(JSON.stringify(configSchema(), null, 2)))

  config
    .command('key')
    .summary(help.key.summary)
    .description(help.key.description)
    .action(() => terminal.out(randomBytes(32).toString('base64')))
}
