// What a gateway keeps: its store, and the keys that seal the state it gives away.
//
// Where nothing is configured, both are in a folder that only this user can read.

import { randomBytes } from 'node:crypto'
import { closeSync, linkSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { AssentError, createKeyRing, type KeyRing } from '@assent/core'
import { openPostgres, openSqlite, type Store } from '@assent/store'
import type { Config } from './settings.ts'
import { sealSecret } from './special-kinds.ts'

export interface State {
  readonly store: Store
  readonly keys: KeyRing
}

export async function openState(
  { store, keys, wake }: Config,
  variables: NodeJS.ProcessEnv,
  onTrouble: (error: unknown) => void,
): Promise<State> {
  const given = Object.entries(keys).map(([id, secret]) => ({ id, secret }))
  if (store.engine === 'postgres') {
    return {
      keys: createKeyRing(given),
      store: await openPostgres(store.url, { onTrouble, ...(wake === undefined ? {} : { wake }) }),
    }
  }
  const path = store.path === '' ? defaultPath(variables) : store.path
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  // Made here, because nobody else shall read it; its journal gets the same rights.
  closeSync(openSync(path, 'a', 0o600))
  const ring = given.length > 0 ? given : [{ id: 'local', secret: keptKey(`${path}.key`) }]
  return { keys: createKeyRing(ring), store: await openSqlite(path, { onTrouble }) }
}

function defaultPath({ XDG_STATE_HOME: state }: NodeJS.ProcessEnv): string {
  return join(state === undefined || state === '' ? join(homedir(), '.local', 'state') : state, 'assent', 'assent.db')
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
