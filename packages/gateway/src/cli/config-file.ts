// Which configuration a command uses: the file it is given, or assent.yaml in the folder where it is started.

import { existsSync } from 'node:fs'
import { type Loaded, loadConfig } from '../config/load.ts'
import type { Config } from '../config/settings.ts'
import { sayFindings } from './findings.ts'
import { type Terminal, toned } from './terminal.ts'

export const usualFile = 'assent.yaml'

export const gatewayConfigOption = [
  '-c, --config <file>',
  `the configuration, YAML or JSON (default: ${usualFile} in this folder)`,
] as const

export interface FoundConfig {
  readonly file: string
  readonly config: Config
  readonly warnings: Extract<Loaded, { ok: true }>['warnings']
}

/** Undefined, after saying why on standard error, when there is none that can be used. */
export function loadOrExplain(given: string | undefined, terminal: Terminal): FoundConfig | undefined {
  const file = given ?? usualFile
  if (given === undefined && !existsSync(file)) {
    terminal.err(`${toned(terminal.isErrColoured, 'red', 'error')} ${noFile()}`)
    return undefined
  }
  const loaded = loadConfig(file, terminal.variables)
  if (loaded.ok) return { file, config: loaded.config, warnings: loaded.warnings }
  sayFindings(file, loaded, terminal)
  return undefined
}

function noFile(): string {
  return `There is no ${usualFile} in ${process.cwd()}. Name another file with --config, or write one:
  servers:
    files: { command: npx, args: [-y, "@modelcontextprotocol/server-filesystem", .] }`
}
