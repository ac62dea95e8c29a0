// A process with gateways in it, one for each way in which something it needs shall fail; each with its inbox, and with a
// server written with the sdk on the same store.
//
// It knows nothing of what fails: links and clocks are the supervisor's. What its server does is told at that very moment.

import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createKeyRing } from '@assent/core'
import { createAssent } from '@assent/sdk'
import { openPostgres, type Store } from '@assent/store'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { type InboxApp, inboxApp, respondWith, startGateway } from 'assent'
import { z } from 'zod'
import type { Identify } from '../packages/gateway/src/door/door.ts'
import { identifyBy } from '../packages/gateway/src/identity/identify.ts'
import { identityLimits, upstreamLimits } from '../packages/gateway/src/limits.ts'
import { skewClock } from '../test/fleet/skewed-clock.ts'
import { believing, type ClosedBug, withClosedBug } from './closed-bugs.part.ts'
import { inboxUrl } from './closed-inbox.part.ts'
import { audience } from './closed-issuer.part.ts'
import { nowMs, type Span, watchStalls } from './closed-stalls.part.ts'
import { messageOf, ranText } from './fleet-servers.part.ts'

export interface Site {
  readonly name: string
  readonly database: string
  readonly schema: string
  readonly secret: string
  readonly askWaitMs: number
  /** How long a server may say nothing. */
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
/** Gateways that reach the database in the same way share a store, and with it its connections. */
const stores = new Map<string, Promise<Store>>()

watchStalls((stall) => tell({ stall }))
process.on('disconnect', () => process.exit())
process.on('message', (message: ToGateways) => {
  if ('open' in message) void open(message.open)
  if ('serve' in message) void serve(message.serve, message.servers)
  if ('skewMs' in message) {
    skewClock(message.skewMs)
    tell({ skewed: message.number })
  }
})

async function open(site: Site): Promise<void> {
  const { database, schema, wake, bug, secret } = site
  const keys = createKeyRing([{ id: 'proof', secret: Buffer.from(secret, 'base64') }])
  const key = `${database} ${wake}`
  const options = { keys, schema, connections: 2, pollMs: 1_000, ...(wake === undefined ? {} : { wake }) }
  const opening = stores.get(key) ?? openPostgres(database, options)
  stores.set(key, opening)
  const store = withClosedBug(await opening, bug)
  sites.set(site.name, { site, store })
  tell({ opened: site.name, sdk: await gatedServer(site, store) })
}

/** What stands behind a gate of the sdk: it is done after a kept yes and once, or not at all. */
async function gatedServer({ secret, askWaitMs }: Site, store: Store): Promise<string> {
  const keys = [{ id: 'proof', secret: Buffer.from(secret, 'base64') }]
  const { interactive } = createAssent({ name: 'sdk', keys, store, tenant: 'sdk', waitMs: askWaitMs, unseenAfterMs: 0 })
  const handler = createMcpHandler(
    () => {
      const server = new McpServer({ name: 'sdk', version: '1' })
      server.registerTool(
        'run',
        { inputSchema: z.object({ ticket: z.string() }) },
        interactive(
          async ({ ticket }, { gate }) => {
            const gated = await gate({ title: messageOf(ticket), arguments: { ticket } }, () => {
              // Not by `Date`, which may be a day off.
              tell({ effect: ticket, atMs: nowMs() })
              return ranText(ticket)
            })
            return gated.value
          },
          { name: 'run' },
        ),
      )
      return server
    },
    { legacy: 'reject' },
  )
  const server = createServer(toNodeHandler(handler) as RequestListener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
}

async function serve(name: string, servers: Readonly<Record<string, { url: string }>>): Promise<void> {
  const found = sites.get(name)
  if (found === undefined) throw new Error(`There is no gateway called ${name}.`)
  const { site, store } = found
  const { serverMs } = site
  if (serverMs !== undefined) Object.assign(upstreamLimits, { openMs: serverMs, replyMs: serverMs, silentMs: serverMs })
  identityLimits.lookAgainMs = 200
  let inbox: InboxApp | undefined
  const gateway = await startGateway({
    listen: { host: '127.0.0.1', port: 0 },
    servers,
    store,
    keys: createKeyRing([{ id: 'proof', secret: Buffer.from(site.secret, 'base64') }]),
    surfaces: ['client', 'inbox'],
    askWaitMs: site.askWaitMs,
    unseenAfterMs: 0,
    // Both shorter than a person may take: callers are sent away and come back, or are put off and fetch.
    holdMs: site.askWaitMs / 3,
    patienceMs: site.askWaitMs / 2,
    identify: identifyFor(site, store),
    beside: async (request, response) => {
      if (inbox !== undefined) return respondWith(inbox.fetch, request, response)
      response.writeHead(503).end()
    },
  })
  inbox = inboxApp({ store, tenant: 'default', baseUrl: inboxUrl })
  tell({ serving: name, url: gateway.url })
}

/** By tokens where there is an issuer; elsewhere a header says who is calling, as a trusted proxy would. */
function identifyFor({ issuer, bug }: Site, store: Store): Identify {
  if (issuer === undefined) return ({ headers }) => ({ principal: String(headers['x-person']), groups: [] })
  const settings = {
    issuer,
    audience,
    resource: undefined,
    scopes: [],
    algorithms: ['ES256'],
    clock_tolerance: 0,
    // Old soon and too old a little later, so that faults meet keys in every state.
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
  return bug === 'unverified' ? believing(identify) : identify
}

function tell(message: FromGateways): void {
  process.send?.(message)
}
