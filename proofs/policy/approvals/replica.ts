// One replica in its own process, which the proof kills: a gateway and an inbox on PostgreSQL.

import { createKeyRing, type JsonObject } from '@assent/core'
import { type InboxApp, inboxApp, startGateway } from '../../../packages/gateway/src/index.ts'
import { policyLimits, setLimits } from '../../../packages/gateway/src/limits.ts'
import { openPostgres } from '../../../packages/store/src/index.ts'
import { personHeader } from '../../../test-kit/person-header.ts'
import { opened } from './generate.ts'
import { inboxOrigin, voteRequest } from './inbox-request.ts'
import type { PlainPolicies } from './rules.ts'

export interface ReplicaStart {
  readonly url: string
  readonly schema: string
  readonly secret: string
  readonly server: string
  readonly policies: PlainPolicies
  readonly clusterPort: number
}

export interface ReplicaVote {
  readonly number: number
  readonly ask: string
  readonly token: string
  readonly decisionId: string
  readonly answer: JsonObject
}

export type ToReplica = { readonly start: ReplicaStart } | { readonly vote: ReplicaVote }
export type FromReplica = { readonly gateway: string } | { readonly number: number; readonly result: string }

let inbox: InboxApp | undefined

process.on('disconnect', () => process.exit())
process.on('message', (message: ToReplica) => {
  if ('start' in message) void begin(message.start)
  else void vote(message.vote)
})

async function begin({ url, schema, secret, server, policies, clusterPort }: ReplicaStart): Promise<void> {
  setLimits(policyLimits, { listAgainMs: 0 })
  const keys = createKeyRing([{ id: 'proof', secret: Buffer.from(secret, 'base64') }])
  const store = await openPostgres(url, { keys, schema, connections: 4, pollMs: 500 })
  const gateway = await startGateway({
    listen: { host: '127.0.0.1', port: 0 },
    cluster: { listen: { host: '127.0.0.1', port: clusterPort } },
    servers: { deploy: { url: server } },
    store,
    keys,
    identify: ({ headers }) => ({ principal: String(headers[personHeader]), groups: [] }),
    surfaces: ['client', 'inbox'],
    holdMs: 300,
    openAsks: { perCaller: 100_000, total: 100_000 },
    policies: await opened(policies),
  })
  inbox = inboxApp({ store, tenant: 'default', baseUrl: inboxOrigin, keys })
  send({ gateway: gateway.url })
}

async function vote({ number, ...given }: ReplicaVote): Promise<void> {
  const response = await inbox?.fetch(voteRequest(given))
  const said = (await response?.json()) as { result?: string; code?: string }
  send({ number, result: said.result ?? said.code ?? '' })
}

function send(message: FromReplica): void {
  process.send?.(message)
}
