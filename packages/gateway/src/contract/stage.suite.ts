// A store in a folder of its own, gateways on it, and everything put away when the test is over.

import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createKeyRing } from '@assent/core'
import { openSqlite, type Store, type StoreOptions } from '@assent/store'
import { onTestFinished } from 'vitest'
import { type Gateway, type GatewayOptions, startGateway } from '../index.ts'
import { linearPatterns } from '../relay/patterns.ts'

export const personHeader = 'x-person'
export const nobody = 'nobody'

export interface Stage {
  readonly store: Store
  /** Of its database. */
  readonly path: string
  /** A gateway on the stage's store, with the stage's keys: a second one is another replica. */
  gateway(servers: GatewayOptions['servers'], options?: Partial<GatewayOptions>): Promise<Gateway>
}

export async function aStage(options: Partial<StoreOptions> = {}): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'assent-gateway-'))
  const keys = createKeyRing([{ id: 'test', secret: randomBytes(32) }])
  const path = join(folder, 'assent.db')
  const store = await openSqlite(path, { keys, patterns: linearPatterns, ...options })
  putAwayLater(async () => {
    await store.close()
    await rm(folder, { recursive: true })
  })
  return {
    store,
    path,
    gateway: async (servers, changes = {}) => {
      const gateway = await startGateway({
        listen: { host: '127.0.0.1', port: 0 },
        servers,
        store,
        keys,
        identify: ({ headers }) => {
          const principal = String(headers[personHeader] ?? 'ann')
          return principal === nobody ? undefined : { principal, groups: [] }
        },
        ...changes,
      })
      const close = onlyOnce(() => gateway.close())
      putAwayLater(close)
      return { ...gateway, close }
    },
  }
}

/** What was opened last is put away first. */
export function putAwayLater(close: () => Promise<void> | void): void {
  onTestFinished(async () => {
    await close()
  })
}

function onlyOnce(run: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined
  return () => {
    done ??= run()
    return done
  }
}

/** Looks again and again until it is so, because what it waits for happens elsewhere. */
export async function until<T>(look: () => Promise<T | undefined> | T | undefined, withinMs = 5_000): Promise<T> {
  const end = Date.now() + withinMs
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    if (Date.now() > end) throw new Error('It did not come to pass in time.')
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
