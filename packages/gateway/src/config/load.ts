// Reads a configuration file, with the files and variables it refers to.

import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { type ConfigRead, readConfig } from './read-config.ts'
import type { Surroundings } from './references.ts'
import type { Config } from './settings.ts'

export type Loaded = ConfigRead | { readonly ok: false; readonly unreadable: string }

export function loadConfig(path: string, variables: NodeJS.ProcessEnv): Loaded {
  const text = readText(path)
  if (!text.ok) return { ok: false, unreadable: text.reason }
  const folder = dirname(resolve(path))
  const read = readConfig(text.text, { variables, readFile: (name) => readText(resolve(folder, name)) })
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
