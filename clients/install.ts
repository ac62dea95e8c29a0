// Where the clients are installed, and installing them: outside the repository, because they need almost a gigabyte.

import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { run } from '../scripts/build/run.ts'
import type { Client } from './catalog.ts'

/** Set by `ASSENT_CLIENTS_DIR`. */
export function clientsFolder(variables: NodeJS.ProcessEnv): string {
  const { ASSENT_CLIENTS_DIR: own, XDG_CACHE_HOME: cache } = variables
  return own || join(cache || join(homedir(), '.cache'), 'assent-clients')
}

export function scriptOf(client: Client, folder: string): string {
  return join(modulesOf(client, folder), client.script)
}

/** Whether exactly the version of the table is installed. */
export function isInstalled(client: Client, folder: string): boolean {
  const manifest = join(modulesOf(client, folder), client.package, 'package.json')
  return (
    existsSync(manifest) &&
    JSON.parse(readFileSync(manifest, 'utf8')).version === client.version &&
    existsSync(scriptOf(client, folder))
  )
}

export function install(client: Client, folder: string): void {
  const prefix = prefixOf(client, folder)
  mkdirSync(prefix, { recursive: true })
  const wanted = `${client.package}@${client.version}`
  // Its scripts are not run: each package works without them.
  run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', prefix, wanted], prefix)
}

/** One folder per version, so that checkouts with different versions do not replace each other's. */
function prefixOf({ id, version }: Client, folder: string): string {
  return join(folder, `${id}-${version}`)
}

function modulesOf(client: Client, folder: string): string {
  return join(prefixOf(client, folder), 'node_modules')
}
