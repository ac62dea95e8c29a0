// What a gateway keeps: its store, and the keys that seal the state it gives away.
//
// Where nothing is configured, both are in a folder that only this user can read.

import { randomBytes } from 'node:crypto'
import { closeSync, linkSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { AssentError, createKeyRing, type KeyRing, type SealKey } from '@assent/core'
import { openPostgres, openSqlite, type Store } from '@assent/store'
import { homeFolder } from './home.ts'
import type { Config } from './settings.ts'
import { sealSecret } from './special-kinds.ts'

export interface State {
  readonly store: Store
  readonly keys: KeyRing
  /** What the ring is made of, to make further keys from. */
  readonly sealKeys: readonly SealKey[]
}

export async function openState(
  config: Config,
  variables: NodeJS.ProcessEnv,
  onTrouble: (error: unknown) => void,
): Promise<State> {
  const given = Object.entries(config.keys).map(([id, secret]) => ({ id, secret }))
  const place = storePlace(config.store, variables)
  const store = await openStore({ ...config, store: place }, onTrouble)
  const isGiven = place.engine === 'postgres' || given.length > 0
  const sealKeys = isGiven ? given : [{ id: 'local', secret: keptKey(`${place.path}.key`) }]
  return { keys: createKeyRing(sealKeys), sealKeys, store }
}

/** Where the store is, with the default where nothing is configured. */
export function storePlace(store: Config['store'], variables: NodeJS.ProcessEnv): Config['store'] {
  return store.engine === 'sqlite' && store.path === ''
    ? { ...store, path: join(homeFolder(variables), 'assent.db') }
    : store
}

/** The store alone, for whoever seals nothing; its place is known already. */
export async function openStore(
  { store: place, wake }: Pick<Config, 'store' | 'wake'>,
  onTrouble: (error: unknown) => void,
): Promise<Store> {
  if (place.engine === 'postgres')
    return openPostgres(place.url, { onTrouble, ...(wake === undefined ? {} : { wake }) })
  mkdirSync(dirname(place.path), { recursive: true, mode: 0o700 })
  // Made here, because nobody else shall read it; its journal gets the same rights.
  closeSync(openSync(place.path, 'a', 0o600))
  return openSqlite(place.path, { onTrouble })
}

/** The key in this file; made, if there is none yet. Two processes that start at once end with the same key. */
function keptKey(path: string): Uint8Array {
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600, flag: 'w' })
  try {
    // Unlike a rename, a link never replaces what is there.
    linkSync(draft, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft)
  }
  const read = sealSecret.read(readFileSync(path, 'utf8'))
  if (read.ok) return read.value
  throw new AssentError('misconfigured', `The key in ${path} ${read.problem}. Remove the file to have a new one made.`)
}
