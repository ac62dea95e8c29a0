// A process with several gateways, one for each failure of a dependency; each has an inbox and a server written with the
// SDK on the same store.
//
// The supervisor controls links and clocks; this process does not know what fails. It reports each effect immediately.

import { createKeyRing } from '@assent/core'
import { createAssent } from '@assent/sdk'
import { openPostgres, type Store } from '@assent/store'
import { McpServer } from '@modelcontextprotocol/server'
import { type InboxApp, inboxApp, respondWith, startGateway } from 'assent'
import { z } from 'zod'
import { identifyBy } from '../../packages/gateway/src/http/identity/identify.ts'
import type { Identify } from '../../packages/gateway/src/http/server.ts'
import { identityLimits, serverLimits, setLimits } from '../../packages/gateway/src/limits.ts'
import { skewClock } from '../../test/cluster/skewed-clock.ts'
import { listen } from '../../test-kit/listen.ts'
import { serveRequests } from '../../test-kit/mcp/serve-2026-07-28.ts'
import { retried } from '../../test-kit/retried.ts'
import { messageOf, ranText } from '../cluster/servers.ts'
import { acceptUnverifiedTokens, type ClosedBug, withClosedBug } from './bugs.ts'
import { inboxUrl } from './inbox.ts'
import { audience } from './issuer.ts'
import { nowMs, type Span, watchStalls } from './stalls.ts'

export interface Site {
  readonly name: string
  readonly database: string
  readonly schema: string
  readonly secret: string
  readonly askWaitMs: number
  /** How long a server may take before its call times out. */
  readonly serverMs?: number
  readonly wake?: string
  readonly issuer?: string
  readonly bug?: ClosedBug
}

export type ToGateways =
  | { readonly open: Site }
  | { readonly serve: string; readonly servers: Readonly<Record<string, { url: string }>> }
  | { readonly skewMs: number; readonly number: number }

export type FromGateways =
  | { readonly opened: string; readonly sdk: string }
  | { readonly serving: string; readonly url: string }
  | { readonly skewed: number }
  | { readonly effect: string; readonly atMs: number }
  | { readonly stall: Span }

const sites = new Map<string, { readonly site: Site; readonly store: Store }>()
/** Gateways with the same route to the database share a store and its connections. */
const stores = new Map<string, Promise<Store>>()

watchStalls((stall) => send({ stall }))
process.on('disconnect', () => process.exit())
process.on('message', (message: ToGateways) => {
  if ('open' in message) void open(message.open)
  if ('serve' in message) void serve(message.serve, message.servers)
  if ('skewMs' in message) {
    skewClock(message.skewMs)
    send({ skewed: message.number })
  }
})

async function open(site: Site): Promise<void> {
  const { database, schema, wake, bug, secret } = site
  const keys = createKeyRing([{ id: 'proof', secret: Buffer.from(secret, 'base64') }])
  const key = `${database} ${wake}`
  const options = { keys, schema, connections: 2, pollMs: 1_000, ...(wake === undefined ? {} : { wake }) }
  // Many stores are opened at once, and opening is not what fails here.
  const opening = stores.get(key) ?? retried(() => openPostgres(database, options))
  stores.set(key, opening)
  const store = withClosedBug(await opening, bug)
  sites.set(site.name, { site, store })
  send({ opened: site.name, sdk: await gatedServer(site, store) })
}

/** A server with a gate of the SDK: its effect happens at most once, and only after a stored yes. */
async function gatedServer({ secret, askWaitMs }: Site, store: Store): Promise<string> {
  const keys = [{ id: 'proof', secret: Buffer.from(secret, 'base64') }]
  const { interactive } = createAssent({ name: 'sdk', keys, store, tenant: 'sdk', waitMs: askWaitMs, unseenAfterMs: 0 })
  const listener = serveRequests(() => {
    const server = new McpServer({ name: 'sdk', version: '1' })
    server.registerTool(
      'run',
      { inputSchema: z.object({ ticket: z.string() }) },
      interactive(
        async ({ ticket }, { gate }) => {
          const gated = await gate({ title: messageOf(ticket), arguments: { ticket } }, () => {
            // Not `Date`, which may be a day off.
            send({ effect: ticket, atMs: nowMs() })
            return ranText(ticket)
          })
          return gated.value
        },
        { name: 'run' },
      ),
    )
    return server
  })
  return (await listen(listener)).url
}

async function serve(name: string, servers: Readonly<Record<string, { url: string }>>): Promise<void> {
  const found = sites.get(name)
  if (found === undefined) throw new Error(`There is no gateway called ${name}.`)
  const { site, store } = found
  const { serverMs } = site
  if (serverMs !== undefined) setLimits(serverLimits, { openMs: serverMs, replyMs: serverMs, silentMs: serverMs })
  setLimits(identityLimits, { lookAgainMs: 200 })
  let inbox: InboxApp | undefined
  const keys = createKeyRing([{ id: 'proof', secret: Buffer.from(site.secret, 'base64') }])
  const gateway = await startGateway({
    listen: { host: '127.0.0.1', port: 0 },
    cluster: { listen: { host: '127.0.0.1', port: 0 } },
    servers,
    store,
    keys,
    surfaces: ['client', 'inbox'],
    askWaitMs: site.askWaitMs,
    unseenAfterMs: 0,
    // Both shorter than a person may take: callers retry, or their call is deferred and they fetch the result.
    holdMs: site.askWaitMs / 3,
    patienceMs: site.askWaitMs / 2,
    identify: identifyFor(site, store),
    fallback: async (request, response) => {
      if (inbox !== undefined) return respondWith(inbox.fetch, request, response)
      response.writeHead(503).end()
    },
  })
  inbox = inboxApp({ store, tenant: 'default', baseUrl: inboxUrl, keys })
  send({ serving: name, url: gateway.url })
}

/** With tokens if there is an issuer; otherwise with a header, as set by a trusted proxy. */
function identifyFor({ issuer, bug }: Site, store: Store): Identify {
  if (issuer === undefined) return ({ headers }) => ({ principal: String(headers['x-person']), groups: [] })
  const settings = {
    issuer,
    audience,
    resource: undefined,
    scopes: [],
    algorithms: ['ES256'],
    clock_tolerance: 0,
    // Keys become stale and expire quickly, so that faults occur with keys in every state.
    keys_fresh: 1_000,
    keys_kept: 2_000,
    groups_claim: undefined,
    subject_claim: 'sub',
  } as unknown as Parameters<typeof identifyBy>[0]
  const identify = identifyBy(
    settings,
    () => undefined,
    () => store.nowMs(),
  )
  return bug === 'accept-unverified-tokens' ? acceptUnverifiedTokens(identify) : identify
}

function send(message: FromGateways): void {
  process.send?.(message)
}
