// Opens a gateway's state: its store, and the keys that seal the state that clients carry.
//
// By default both are in a folder that only this user can read.

import { randomBytes } from 'node:crypto'
import { closeSync, linkSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { AssentError, createKeyRing, type KeyRing, type RingKey, type SealKey } from '@assent/core'
import { openPostgres, openSqlite, type PostgresStoreOptions, type Store, type StoreOptions } from '@assent/store'
import { homeFolder } from '@assent/tools/home'
import { linearPatterns } from '../call/screen/patterns.ts'
import type { Config } from '../config/settings.ts'
import { sealSecret } from '../config/special-kinds.ts'
import { startText } from './text/gateway.ts'

export interface State {
  readonly store: Store
  readonly keys: KeysInForce
  /** The keys of the ring, to derive further keys from. */
  readonly sealKeys: readonly SealKey[]
}

/** The key ring in force. Every user of the keys shares this object, so a reload takes effect everywhere. */
export class KeysInForce implements KeyRing {
  #ring: KeyRing

  constructor(ring: KeyRing) {
    this.#ring = ring
  }

  get sealing(): RingKey {
    return this.#ring.sealing
  }

  get all(): readonly RingKey[] {
    return this.#ring.all
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
  handlers: Pick<StoreOptions, 'onError' | 'onUnverified' | 'onStep' | 'onIntegrated' | 'onLongTransaction'>,
): Promise<State> {
  const place = storePlace(config.store, variables)
  createDatabaseFile(place)
  const sealKeys = sealKeysOf(config, place)
  const keys = new KeysInForce(createKeyRing(sealKeys))
  return { keys, sealKeys, store: await openAt(place, { ...handlers, keys, ...wakeOf(config) }) }
}

/** The keys of a new configuration for the same store. */
export function sealKeysFor(config: Config, variables: NodeJS.ProcessEnv): readonly SealKey[] {
  return sealKeysOf(config, storePlace(config.store, variables))
}

/** The configured keys, else the key in a file next to the database, created if it does not exist. */
function sealKeysOf(config: Pick<Config, 'keys'>, place: Config['store']): readonly SealKey[] {
  const given = Object.entries(config.keys).map(([id, secret]) => ({ id, secret }))
  return place.engine === 'postgres' || given.length > 0 ? given : [localKey(place.path)]
}

/** The ring of a SQLite store whose configuration names no keys. */
export function localKeyRing(path: string): KeyRing {
  return createKeyRing([localKey(path)])
}

function localKey(path: string): SealKey {
  return { id: 'local', secret: readOrCreateKey(`${path}.key`) }
}

/** The location of the store, by default in the user's state folder. */
export function storePlace(store: Config['store'], variables: NodeJS.ProcessEnv): Config['store'] {
  return store.engine === 'sqlite' && store.path === ''
    ? { ...store, path: join(homeFolder(variables), 'assent.db') }
    : store
}

/** Creates the folder and file of a SQLite database for this user only; its journal gets the same mode. */
function createDatabaseFile(place: Config['store']): void {
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

/** The key in this file, created if it does not exist. Two processes that start at once get the same key. */
function readOrCreateKey(path: string): Uint8Array {
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600, flag: 'w' })
  try {
    // Unlike a rename, a hard link never replaces an existing file.
    linkSync(draft, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft)
  }
  const read = sealSecret.read(readFileSync(path, 'utf8'))
  if (read.ok) return read.value
  throw new AssentError('misconfigured', startText.invalidKey(path, read.problem))
}
