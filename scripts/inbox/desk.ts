// An inbox on a server of its own, with a store in a folder of its own: for development, pictures, and tests in a browser.
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createKeyRing, type KeyRing, type Person } from '@assent/core'
import { openSqlite, type Store } from '@assent/store'
import { type InboxOptions, inboxApp, respondWith, WebFiles } from 'assent'
import { linearPatterns } from '../../packages/gateway/src/relay/patterns.ts'
import { builtWebApp } from './web-app.ts'

export interface Desk {
  readonly store: Store
  readonly url: string
  /** Signs this person in, once. */
  linkFor(person: Person): Promise<string>
  /** What went wrong in the background; empty when all is well. */
  readonly troubles: unknown[]
  close(): Promise<void>
}

export const tenant = 'acme'

/** For every store that a desk opens. */
export const deskKeys: KeyRing = createKeyRing([{ id: 'desk', secret: new Uint8Array(32).fill(7) }])

const names: Readonly<Record<string, string>> = { ann: 'Ann Lee', ben: 'Ben Okafor', cleo: 'Cleo Marsh' }

/** What an operator would have configured. */
const described: Readonly<Record<string, ReturnType<NonNullable<InboxOptions['describe']>>>> = {
  deploy: { origin: 'configured by your team', touches: 'the production cluster', undo: 'impossible' },
  registry: { origin: 'configured by your team' },
  studio: { origin: 'configured by you' },
  github: { origin: 'configured by your team', undo: 'possible' },
}

export async function aDesk(options: Partial<InboxOptions> & { readonly port?: number } = {}): Promise<Desk> {
  const folder = await mkdtemp(join(tmpdir(), 'assent-desk-'))
  const store =
    options.store ?? (await openSqlite(join(folder, 'assent.db'), { keys: deskKeys, patterns: linearPatterns }))
  const troubles: unknown[] = []
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const app = inboxApp({
    store,
    tenant,
    baseUrl: url,
    web: await WebFiles.read(await builtWebApp()),
    nameOf: (principal) => names[principal] ?? principal,
    describe: ({ server }) => described[server] ?? {},
    onTrouble: (error) => troubles.push(error),
    ...options,
  })
  server.on('request', (request, response) => {
    respondWith(app.fetch, request, response).catch((error: unknown) => {
      troubles.push(error)
      response.destroy()
    })
  })
  return {
    store,
    url,
    troubles,
    linkFor: async (person) => (await app.signInLink(person)) ?? '',
    close: async () => {
      server.close()
      server.closeAllConnections()
      await store.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
