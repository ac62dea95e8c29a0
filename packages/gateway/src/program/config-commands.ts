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

export function addConfigCommands(program: Command, terminal: Terminal, end: (code: ExitCode) => void): void {
  const config = program.command('config').summary('check a configuration, print its schema, create a key')
  config.description('Checks a configuration, prints its schema, and creates keys.')

  config
    .command('check')
    .argument('[file]', 'the configuration, YAML or JSON', usualFile)
    .option('--live', 'also check the store, the issuer and every server')
    .option('--json', 'one JSON object on standard output, for scripts')
    .summary('list all mistakes in a configuration')
    .description(
      'Reads a configuration as the gateway would, with its references and the ASSENT_… variables, and reports every mistake with its line, its column and a correction. Nothing is started, and no secret is printed.\n\nWith --live it also connects to the store (which migrations it has, whether it confirms a write), reads the metadata and the keys of the issuer, and starts or reaches every server, as `assent servers` does. Nothing is migrated, and what was started is stopped.',
    )
    .addHelpText(
      'after',
      `
Exit codes:
  0  no problems
  1  a problem was found`,
    )
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
    .summary('print the JSON Schema, for editors')
    .description(
      'Prints the JSON Schema of the configuration, with which editors complete and check it while you type.',
    )
    .action(() => terminal.out(JSON.stringify(configSchema(), null, 2)))

  config
    .command('key')
    .summary('create a key for `keys`')
    .description(
      `Prints a new random key for the setting keys. Store it with your other secrets and refer to it: keys: { k1: "\${file:/etc/assent/k1.key}" }`,
    )
    .action(() => terminal.out(randomBytes(32).toString('base64')))
}
