// One replica of the cluster bench: the gateway and its inbox, embedded as a user would do it, on a shared database.
//
// `replica.ts <settings as JSON>`. A header names the caller, as set by a trusted proxy.

import { createKeyRing } from '@assent/core'
import { openPostgres } from '@assent/store'
import { inboxApp, respondWith, startGateway } from 'assent'
import { profiler } from '../relay/profile.ts'
import { weigh } from '../relay/weigh.ts'
import { personHeader } from '../relay/words.ts'
import { inboxUrl } from './person.ts'

export interface ReplicaSettings {
  readonly database: string
  readonly schema: string
  /** The NATS address; without it PostgreSQL notifies. */
  readonly wake?: string
  readonly secret: string
  readonly server: string
  /** How long a request waits for the inbox before its caller gets a state. */
  readonly holdMs: number
  /** How long a client may leave a question unanswered before the inbox is asked too. */
  readonly silentAfterMs?: number
}

export type ReplicaCommand = 'weigh' | 'cpu' | 'profile' | 'profiled' | { readonly invite: string }

const settings = JSON.parse(process.argv[2] ?? '') as ReplicaSettings
const { database, schema, wake, secret, server, holdMs, silentAfterMs } = settings
const keys = createKeyRing([{ id: 'bench', secret: Buffer.from(secret, 'base64') }])
const store = await openPostgres(database, { keys, schema, ...(wake === undefined ? {} : { wake }) })
const gateway = await startGateway({
  listen: { host: '127.0.0.1', port: 0 },
  cluster: { listen: { host: '127.0.0.1', port: 0 } },
  servers: { bench: { url: server } },
  store,
  keys,
  surfaces: ['client', 'inbox'],
  askWaitMs: 60 * 60_000,
  // The bench accepts faster than a person can read.
  unseenAfterMs: 0,
  holdMs,
  silentAfterMs,
  openAsks: { perCaller: 100_000, total: 1_000_000 },
  identify: ({ headers }) => ({ principal: String(headers[personHeader] ?? 'nobody'), groups: [] }),
  fallback: (request, response) => respondWith(inbox.fetch, request, response),
  onError: (error) => console.error(error),
})
const inbox = inboxApp({ store, tenant: 'default', baseUrl: inboxUrl, keys })
const profile = profiler()

// Ends when the bench is interrupted.
process.on('disconnect', () => process.exit())
process.on('message', async (command: ReplicaCommand) => process.send?.(await runCommand(command)))
process.send?.({ url: gateway.url })

async function runCommand(command: ReplicaCommand): Promise<object> {
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
