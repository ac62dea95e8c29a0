// Reads a configuration file, with the files and variables it refers to.

import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { CedarFile } from '@assent/policy'
import { type ConfigRead, readConfig } from './read-config.ts'
import type { CedarRead, Surroundings } from './references.ts'
import type { Config } from './settings.ts'

export type Loaded = ConfigRead | { readonly ok: false; readonly unreadable: string }

export function loadConfig(path: string, variables: NodeJS.ProcessEnv): Loaded {
  const text = readText(path)
  if (!text.ok) return { ok: false, unreadable: text.reason }
  const folder = dirname(resolve(path))
  const read = readConfig(text.text, {
    variables,
    readFile: (name) => readText(resolve(folder, name)),
    readCedar: (name) => readCedar(name, folder),
  })
  return read.ok ? { ...read, config: withPathsFrom(folder, read.config) } : read
}

/** Resolves relative paths against the configuration's folder, not the working directory. */
function withPathsFrom(folder: string, config: Config): Config {
  const { store, servers } = config
  return {
    ...config,
    store: store.engine === 'sqlite' && store.path !== '' ? { ...store, path: resolve(folder, store.path) } : store,
    servers: Object.fromEntries(
      Object.entries(servers).map(([name, server]) => [
        name,
        server.cwd === undefined ? server : { ...server, cwd: resolve(folder, server.cwd) },
      ]),
    ),
  }
}

/** The Cedar policies in a file, or in the `*.cedar` files of a folder in the order of their names. */
function readCedar(name: string, folder: string): CedarRead {
  const path = resolve(folder, name)
  const names = namesIn(path)
  const files: CedarFile[] = []
  for (const one of names ?? ['']) {
    const text = readText(join(path, one))
    if (!text.ok) return text
    files.push({ file: join(name, one), text: text.text })
  }
  return { ok: true, files }
}

/** Undefined for what is not a folder. */
function namesIn(path: string): string[] | undefined {
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) return undefined
  return readdirSync(path)
    .filter((name) => name.endsWith('.cedar'))
    .sort()
}

function readText(path: string): ReturnType<Surroundings['readFile']> {
  try {
    return { ok: true, text: readFileSync(path, 'utf8') }
  } catch (error) {
    return { ok: false, reason: reasons[(error as NodeJS.ErrnoException).code ?? ''] ?? 'it cannot be opened' }
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'the file does not exist',
  EACCES: 'this user has no permission to read it',
  EISDIR: 'it is a folder',
}
