// `assent config`: check a configuration, print its schema, make a key.

import { randomBytes } from 'node:crypto'
import type { Command } from 'commander'
import { configSchema } from '../config/json-schema.ts'
import { type Loaded, loadConfig } from '../config/load.ts'
import { type Problem, tell } from '../config/problem.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { type Terminal, toned } from './terminal.ts'

const defaultFile = 'assent.yaml'

export function addConfigCommands(program: Command, terminal: Terminal, end: (code: ExitCode) => void): void {
  const config = program.command('config').summary('check a configuration, print its schema, make a key')
  config.description('Work on the configuration of the gateway.')

  config
    .command('check')
    .argument('[file]', 'the configuration, YAML or JSON', defaultFile)
    .option('--json', 'one JSON object on standard output, for scripts')
    .summary('explain every mistake in a configuration')
    .description(
      'Reads a configuration as the gateway would, with its references and the ASSENT_… variables, and explains every mistake with its line, its column and what to write instead. Nothing is started, and no secret is shown.\n\nEnds with 0 when there is nothing to mend, 1 when there is.',
    )
    .action((file: string, { json }: { json?: true }) => {
      const loaded = loadConfig(file, terminal.variables)
      if (json === true) terminal.out(JSON.stringify(report(file, loaded)))
      else sayFindings(file, loaded, terminal)
      end(loaded.ok ? exitCodes.ok : exitCodes.problem)
    })

  config
    .command('schema')
    .summary('print the JSON Schema, for editors')
    .description(
      'Prints the JSON Schema of the configuration. Editors that are given it complete and check while you type.',
    )
    .action(() => terminal.out(JSON.stringify(configSchema(), null, 2)))

  config
    .command('key')
    .summary('make a key for `keys`')
    .description(
      `Prints a new random key for the setting keys. Keep it where secrets are kept, and refer to it: keys: { k1: "\${file:/etc/assent/k1.key}" }`,
    )
    .action(() => terminal.out(randomBytes(32).toString('base64')))
}

/** Tells, on standard error, what keeps a configuration from being used. */
export function sayFindings(file: string, loaded: Loaded, terminal: Terminal): void {
  const { err, isErrColoured } = terminal
  if ('unreadable' in loaded) {
    err(`${toned(isErrColoured, 'red', 'error')} ${file}: ${loaded.unreadable}.`)
    return
  }
  for (const warning of loaded.warnings) err(`${toned(isErrColoured, 'yellow', 'warning')} ${tell(file, warning)}`)
  if (loaded.ok) {
    terminal.out(
      `${toned(terminal.isOutColoured, 'green', 'ok')} ${file}: ${countOf(loaded.config.servers)}, nothing to mend.`,
    )
    return
  }
  for (const problem of loaded.problems) err(`${toned(isErrColoured, 'red', 'error')} ${tell(file, problem)}`)
  err(`${loaded.problems.length} to mend in ${file}.`)
}

function countOf(servers: object): string {
  const names = Object.keys(servers)
  return names.length === 1 ? `the server ${names[0]}` : `${names.length} servers (${names.join(', ')})`
}

function report(file: string, loaded: Loaded): object {
  if ('unreadable' in loaded)
    return { ok: false, file, problems: [{ path: '', words: loaded.unreadable }], warnings: [] }
  const problems = loaded.ok ? [] : loaded.problems
  return { ok: loaded.ok, file, problems: problems.map(flat), warnings: loaded.warnings.map(flat) }
}

function flat({ place, ...rest }: Problem): object {
  return place.kind === 'file' ? { ...rest, line: place.line, column: place.column } : { ...rest, variable: place.name }
}
