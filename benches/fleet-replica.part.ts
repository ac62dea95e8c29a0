// One replica of the fleet's bench: the gateway and its inbox as anyone would embed them, on a database that others share.
//
// `fleet-replica.part.ts <settings as JSON>`. A header says who is calling, as a trusted proxy would.

import { createKeyRing } from '@assent/core'
import { openPostgres } from '@assent/store'
import { inboxApp, respondWith, startGateway } from 'assent'
import { inboxUrl } from './fleet-person.part.ts'
import { profiler } from './relay-profile.part.ts'
import { weigh } from './relay-weigh.part.ts'
import { personHeader } from './relay-words.part.ts'

export interface ReplicaSettings {
  readonly database: string
  readonly schema: string
  /** Where NATS is, or should be; without it PostgreSQL wakes. */
  readonly wake?: string
  readonly secret: string
  readonly server: string
  /** How long a request waits for the inbox before its caller is told to come back. */
  readonly holdMs: number
  /** How long a client that was asked may say nothing before the inbox is asked too. */
  readonly silentAfterMs?: number
}

export type ReplicaCommand = 'weigh' | 'cpu' | 'profile' | 'profiled' | { readonly invite: string }

const settings = JSON.parse(process.argv[2] ?? '') as ReplicaSettings
const { database, schema, wake, secret, server, holdMs, silentAfterMs } = settings
const keys = createKeyRing([{ id: 'bench', secret: Buffer.from(secret, 'base64') }])
const store = await openPostgres(database, { keys, schema, ...(wake === undefined ? {} : { wake }) })
const gateway = await startGateway({
  listen: { host: '127.0.0.1', port: 0 },
  servers: { bench: { url: server } },
  store,
  keys,
  surfaces: ['client', 'inbox'],
  askWaitMs: 60 * 60_000,
  // The bench answers faster than a person can read, and says yes.
  unseenAfterMs: 0,
  holdMs,
  silentAfterMs,
  openAsks: { perCaller: 100_000, total: 1_000_000 },
  identify: ({ headers }) => ({ principal: String(headers[personHeader] ?? 'nobody'), groups: [] }),
  beside: (request, response) => respondWith(inbox.fetch, request, response),
  onTrouble: (error) => console.error(error),
})
const inbox = inboxApp({ store, tenant: 'default', baseUrl: inboxUrl })
const profile = profiler()

// Nothing is left behind when the bench is interrupted.
process.on('disconnect', () => process.exit())
process.on('message', async (command: ReplicaCommand) => process.send?.(await obey(command)))
process.send?.({ url: gateway.url })

async function obey(command: ReplicaCommand): Promise<object> {
  switch (command) {
    case 'weigh':
      return weigh()
    case 'cpu':
      return { cpuUs: process.cpuUsage().user + process.cpuUsage().system }
    case 'profile':
      await profile.start()
      return {}
    case 'profiled':
      return { lines: await profile.stop() }
    default:
      return { link: await inbox.signInLink({ principal: command.invite, groups: [] }) }
  }
}
