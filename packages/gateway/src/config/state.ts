// What a gateway keeps: its store, and the keys that seal the state it gives away.
//
// Where nothing is configured, both are in a folder that only this user can read.

import { randomBytes } from 'node:crypto'
import { closeSync, linkSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { AssentError, createKeyRing, type KeyRing, type RingKey, type SealKey } from '@assent/core'
import { openPostgres, openSqlite, type PostgresStoreOptions, type Store, type StoreOptions } from '@assent/store'
import { homeFolder } from '@assent/tools/home'
import { linearPatterns } from '../relay/patterns.ts'
import type { Config } from './settings.ts'
import { sealSecret } from './special-kinds.ts'

export interface State {
  readonly store: Store
  readonly keys: KeysInForce
  /** What the ring is made of, to make further keys from. */
  readonly sealKeys: readonly SealKey[]
}

/** The ring of the configuration in force. Everything that seals and opens has this one, so a reload reaches all of it. */
export class KeysInForce implements KeyRing {
  #ring: KeyRing

  constructor(ring: KeyRing) {
    this.#ring = ring
  }

  get sealing(): RingKey {
    return this.#ring.sealing
  }

  find(id: string): RingKey | undefined {
    return this.#ring.find(id)
  }

  use(ring: KeyRing): void {
    this.#ring = ring
  }
}

export async function openState(
  config: Config,
  variables: NodeJS.ProcessEnv,
  watched: Pick<StoreOptions, 'onTrouble' | 'onUnverified' | 'onStep'>,
): Promise<State> {
  const place = storePlace(config.store, variables)
  makeRoomFor(place)
  const sealKeys = sealKeysOf(config, place)
  const keys = new KeysInForce(createKeyRing(sealKeys))
  return { keys, sealKeys, store: await openAt(place, { ...watched, keys, ...wakeOf(config) }) }
}

/** The keys of another configuration of the same store. */
export function sealKeysFor(config: Config, variables: NodeJS.ProcessEnv): readonly SealKey[] {
  return sealKeysOf(config, storePlace(config.store, variables))
}

/** The keys of the configuration, or the key in a file beside the database, made if there is none yet. */
function sealKeysOf(config: Pick<Config, 'keys'>, place: Config['store']): readonly SealKey[] {
  const given = Object.entries(config.keys).map(([id, secret]) => ({ id, secret }))
  return place.engine === 'postgres' || given.length > 0 ? given : [localKey(place.path)]
}

/** The ring of a SQLite store whose configuration names no keys. */
export function localKeyRing(path: string): KeyRing {
  return createKeyRing([localKey(path)])
}

function localKey(path: string): SealKey {
  return { id: 'local', secret: keptKey(`${path}.key`) }
}

/** Where the store is, with the default where nothing is configured. */
export function storePlace(store: Config['store'], variables: NodeJS.ProcessEnv): Config['store'] {
  return store.engine === 'sqlite' && store.path === ''
    ? { ...store, path: join(homeFolder(variables), 'assent.db') }
    : store
}

/** The folder and the file of a SQLite database, readable by this user alone; its journal gets the same rights. */
function makeRoomFor(place: Config['store']): void {
  if (place.engine === 'postgres') return
  mkdirSync(dirname(place.path), { recursive: true, mode: 0o700 })
  closeSync(openSync(place.path, 'a', 0o600))
}

function wakeOf({ wake }: Pick<Config, 'wake'>): Pick<PostgresStoreOptions, 'wake'> {
  return wake === undefined ? {} : { wake }
}

function openAt(place: Config['store'], given: PostgresStoreOptions): Promise<Store> {
  const options = { ...given, patterns: linearPatterns }
  return place.engine === 'postgres' ? openPostgres(place.url, options) : openSqlite(place.path, options)
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
