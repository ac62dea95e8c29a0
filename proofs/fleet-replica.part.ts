// One replica: the gateway and its inbox as anyone would embed them, on a database that others share.
//
// A header says who is calling, as a trusted proxy would. The supervisor arms the points at which it dies.

import { flushCompileCache } from 'node:module'
import { createKeyRing } from '@assent/core'
import { openPostgres, openSqlite } from '@assent/store'
import { type InboxApp, inboxApp, respondWith, startGateway } from 'assent'
import { type Bug, KillPoints, withBug } from './fleet-points.part.ts'

export interface ReplicaSettings {
  readonly url: string
  readonly schema: string
  readonly wake?: string
  readonly bug?: Bug
  readonly port: number
  readonly secret: string
  readonly servers: Readonly<Record<string, { url: string }>>
}

export type ToReplica =
  | { readonly go: ReplicaSettings }
  | { readonly arm: readonly string[] }
  | { readonly invite: string; readonly number: number }

export type FromReplica =
  | { readonly loaded: true }
  | { readonly url: string }
  | { readonly number: number; readonly link: string | undefined }

const points = new KillPoints()
let inbox: InboxApp | undefined

const rehearsed = rehearse()

process.on('disconnect', () => process.exit())
process.on('message', (message: ToReplica) => {
  if ('go' in message) void rehearsed.then(() => begin(message.go))
  if ('arm' in message) points.arm(message.arm)
  if ('invite' in message) {
    void invite(message.invite).then((link) => tell({ number: message.number, link }))
  }
})
await rehearsed
// Now, because this process will be killed before it can leave anything behind for the next one.
flushCompileCache()
tell({ loaded: true })

/**
 * A spare goes through one start by itself, so that what is measured after a kill is what hangs on the database and not
 * how long two shared cores take to compile a program.
 */
async function rehearse(): Promise<void> {
  const store = await openSqlite(':memory:')
  const keys = createKeyRing([{ id: 'rehearsal', secret: new Uint8Array(32) }])
  const gateway = await startGateway({ listen: { host: '127.0.0.1', port: 0 }, servers: {}, store, keys })
  await gateway.close()
  await store.close()
}

async function begin({ url, schema, wake, bug, port, secret, servers }: ReplicaSettings): Promise<void> {
  const options = { schema, connections: 6, pollMs: 1_000, ...(wake === undefined ? {} : { wake }) }
  const opened = points.wrap(await openPostgres(url, options))
  const store = bug === undefined ? opened : withBug(opened, bug)
  const gateway = await startGateway({
    listen: { host: '127.0.0.1', port },
    servers,
    store,
    keys: createKeyRing([{ id: 'proof', secret: Buffer.from(secret, 'base64') }]),
    surfaces: ['client', 'inbox'],
    askWaitMs: 120_000,
    unseenAfterMs: 0,
    holdMs: 2_000,
    // Shorter than many people take, so that calls are put off and fetched later.
    patienceMs: 150,
    openAsks: { perCaller: 10_000, total: 100_000 },
    identify: ({ headers }) => ({ principal: String(headers['x-person']), groups: [] }),
    beside: async (request, response) => {
      if (inbox !== undefined) return respondWith(inbox.fetch, request, response)
      response.writeHead(503).end()
    },
  })
  inbox = inboxApp({ store, tenant: 'default', baseUrl: new URL(gateway.url).origin })
  tell({ url: gateway.url })
}

async function invite(principal: string): Promise<string | undefined> {
  // Refused while too many are unused, or the database is away: the person comes again.
  return inbox?.signInLink({ principal, groups: [] }).catch(() => undefined)
}

function tell(message: FromReplica): void {
  process.send?.(message)
}
