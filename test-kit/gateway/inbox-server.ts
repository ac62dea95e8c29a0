// An inbox on its own HTTP server and SQLite store: for development, pictures, and tests in a browser.
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createKeyRing, type KeyRing, type Person } from '@assent/core'
import { openSqlite, type Store } from '@assent/store'
import { type InboxOptions, inboxApp, linearPatterns, respondWith, WebFiles } from 'assent'
import { builtWebApp } from '../../scripts/inbox/web-app.ts'
import { listen } from '../listen.ts'

export interface InboxServer {
  readonly store: Store
  readonly url: string
  /** A link that signs this person in; it works once. */
  linkFor(person: Person): Promise<string>
  /** Stops listening; the store stays open. */
  stop(): Promise<void>
  /** Listens again at the same address. */
  start(): Promise<void>
  /** Errors in the background; expected to stay empty. */
  readonly errors: unknown[]
  close(): Promise<void>
}

export const tenant = 'acme'

/** The keys of every store that an inbox server opens. */
export const inboxServerKeys: KeyRing = createKeyRing([{ id: 'test', secret: new Uint8Array(32).fill(7) }])

const names: Readonly<Record<string, string>> = {
  ann: 'Ann Lee',
  ben: 'Ben Okafor',
  cleo: 'Cleo Marsh',
  'other-ann': 'Ann Lee',
}

/** As `assent` and `assent gateway` describe the agent and the configured servers. */
const describeAsker: NonNullable<InboxOptions['describe']> = ({ server }) =>
  server === 'agent' ? { name: 'Your agent', isAgent: true } : { origin: 'from your configuration' }

export async function startInboxServer(
  options: Partial<InboxOptions> & { readonly port?: number; readonly tls?: { cert: string; key: string } } = {},
): Promise<InboxServer> {
  const folder = await mkdtemp(join(tmpdir(), 'assent-inbox-'))
  const store =
    options.store ?? (await openSqlite(join(folder, 'assent.db'), { keys: inboxServerKeys, patterns: linearPatterns }))
  const errors: unknown[] = []
  const server = options.tls === undefined ? createServer() : createHttpsServer(options.tls)
  let listening = await listen(server, options.port)
  const { port } = listening
  const url = options.tls === undefined ? listening.origin : listening.origin.replace('http:', 'https:')
  const app = inboxApp({
    store,
    tenant,
    baseUrl: url,
    keys: inboxServerKeys,
    web: await WebFiles.read(await builtWebApp()),
    nameOf: (principal) => names[principal] ?? principal,
    describe: describeAsker,
    onError: (error) => errors.push(error),
    ...options,
  })
  server.on('request', (request, response) => {
    respondWith(app.fetch, request, response).catch((error: unknown) => {
      errors.push(error)
      response.destroy()
    })
  })
  return {
    store,
    url,
    errors,
    linkFor: async (person) => (await app.signInLink(person)) ?? '',
    stop: () => listening.close(),
    start: async () => {
      listening = await listen(server, port)
    },
    close: async () => {
      await listening.close()
      await store.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
