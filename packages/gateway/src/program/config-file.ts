// Finds the configuration of a command: the given file, or assent.yaml in the working directory.

import { existsSync } from 'node:fs'
import { type Loaded, loadConfig } from '../config/load.ts'
import { readConfig } from '../config/read-config.ts'
import type { Config } from '../config/settings.ts'
import { printFindings } from './findings.ts'
import { type Terminal, toned } from './terminal.ts'
import { configText } from './text/configuration.ts'

export const usualFile = 'assent.yaml'

export const gatewayConfigOption = ['-c, --config <file>', configText.gatewayOption(usualFile)] as const

/** For commands of an operator that only need the store. */
export const storeConfigOption = ['-c, --config <file>', configText.storeOption(usualFile)] as const

/** For commands of the person at this machine. */
export const personalConfigOption = ['-c, --config <file>', configText.personalOption] as const

/**
 * For commands of the person at this machine: the given configuration, else their own store. A file in the working directory may
 * come from a cloned repository, and a configuration can name a database, an address and variables of the environment. So it is
 * used only if the person names it.
 */
export function loadPersonalConfig(given: string | undefined, terminal: Pick<Terminal, 'variables' | 'err'>): Loaded {
  if (given !== undefined) return loadConfig(given, terminal.variables)
  mentionUnusedFile(terminal)
  return ownStoreConfig(terminal.variables)
}

/** Says which inbox is meant where the working directory has a configuration. */
export function mentionUnusedFile({ err }: Pick<Terminal, 'err'>): void {
  if (existsSync(usualFile)) err(configText.unusedFile(usualFile))
}

/** The given configuration, else assent.yaml in this folder, else the store of this user. */
export function loadStoreConfig(given: string | undefined, { variables }: Pick<Terminal, 'variables'>): Loaded {
  return given !== undefined || existsSync(usualFile)
    ? loadConfig(given ?? usualFile, variables)
    : ownStoreConfig(variables)
}

function ownStoreConfig(variables: NodeJS.ProcessEnv): Loaded {
  // Only the ASSENT_… variables and defaults matter. A valid configuration needs a server; this one is never started.
  const readFile = () => ({ ok: false, reason: configText.noFileToRead }) as const
  const smallest = { servers: { none: { command: 'none' } }, asks: { surfaces: ['client', 'inbox'] } }
  const read = readConfig(JSON.stringify(smallest), { variables, readFile })
  return read.ok ? { ...read, config: { ...read.config, servers: {} } } : read
}

/** Where the store is, as text. */
export function storeInWords(store: Config['store']): string {
  if (store.engine === 'sqlite') return store.path
  const { host, pathname } = new URL(store.url)
  return configText.postgres(host, pathname)
}

export interface FoundConfig {
  readonly file: string
  readonly config: Config
  readonly warnings: Extract<Loaded, { ok: true }>['warnings']
}

/** Undefined if there is no valid configuration; the reason is printed on standard error. */
export function loadOrExplain(given: string | undefined, terminal: Terminal): FoundConfig | undefined {
  const file = given ?? usualFile
  if (given === undefined && !existsSync(file)) {
    terminal.err(`${toned(terminal.isErrColoured, 'red', 'error')} ${configText.noFile(file, process.cwd())}`)
    return undefined
  }
  const loaded = loadConfig(file, terminal.variables)
  if (loaded.ok) return { file, config: loaded.config, warnings: loaded.warnings }
  printFindings(file, loaded, terminal)
  return undefined
}
