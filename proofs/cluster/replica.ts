// One replica: the gateway and its inbox, embedded as a user would do it, on a shared database.
//
// A header names the caller, as set by a trusted proxy. The supervisor sets the points at which the process dies.

import { flushCompileCache } from 'node:module'
import { setTimeout as sleep } from 'node:timers/promises'
import { createKeyRing, type KeyRing } from '@assent/core'
import { openPostgres, openSqlite, type Store } from '@assent/store'
import { type Gateway, type InboxApp, inboxApp, respondWith, startGateway } from 'assent'
import { clientLimits, setLimits } from '../../packages/gateway/src/limits.ts'
import { collectGarbage } from '../schema/watch.ts'
import { leak } from './leak.ts'
import { type Bug, KillPoints, withBug } from './points.ts'

export interface ReplicaSettings {
  readonly url: string
  readonly schema: string
  readonly wake?: string
  readonly bug?: Bug
  readonly port: number
  /** The port of the cluster listener, and the address where others reach it: a restarted replica takes over both. */
  readonly clusterPort: number
  readonly clusterAddress: string
  readonly secret: string
  readonly servers: Readonly<Record<string, { url: string }>>
  /** Used instead of `secret`: the first key seals, all keys open. */
  readonly keys?: readonly Key[]
  /** How long it reports "not ready" before it drains, and how long it drains. */
  readonly noticeMs?: number
  readonly drainMs?: number
  /** The interval of the cleanup; by default never. */
  readonly sweepEveryMs?: number
  readonly sessionIdleMs?: number
  /** Leaks memory, to check that the proof finds it. */
  readonly isLeaky?: boolean
}

export interface Key {
  readonly id: string
  readonly secret: string
}

/** The memory of a process after garbage collection, and its open resources. */
export interface Weight {
  readonly heapBytes: number
  readonly rssBytes: number
  readonly timers: number
  readonly sockets: number
  readonly sessions: number
  readonly heldCalls: number
  readonly openAsks: number
  readonly waits: number
}

export type ToReplica =
  | { readonly go: ReplicaSettings }
  | { readonly arm: readonly string[] }
  | { readonly invite: string; readonly number: number }
  | { readonly keys: readonly Key[] }
  | { readonly weigh: number }

/** The reply to a request, by its number. */
export interface Numbered {
  readonly number: number
  readonly link?: string | undefined
  readonly weight?: Weight | undefined
}

export type FromReplica = { readonly loaded: true } | { readonly url: string } | Numbered

/** Longer than people take: a longer wait is reported. */
const drainIsLongMs = 8_000
const shutdownIsLongMs = 30_000

const points = new KillPoints()
let inbox: InboxApp | undefined
let ring: KeyRing | undefined
let weigh: () => Weight | undefined = () => undefined

/** The keys of a process that is not restarted, so that they can rotate too. */
const currentRing: KeyRing = {
  get sealing() {
    return (ring as KeyRing).sealing
  },
  get all() {
    return (ring as KeyRing).all
  },
  find: (id) => ring?.find(id),
}

const rehearsed = warmUp()

process.on('disconnect', () => process.exit())
process.on('message', (message: ToReplica) => {
  if ('go' in message) void rehearsed.then(() => begin(message.go))
  if ('arm' in message) points.arm(message.arm)
  if ('invite' in message) {
    void invite(message.invite).then((link) => send({ number: message.number, link }))
  }
  if ('keys' in message) ring = ringOf(message.keys)
  if ('weigh' in message) send({ number: message.weigh, weight: weigh() })
})
await rehearsed
// Flush the compile cache now, because this process will be killed.
flushCompileCache()
send({ loaded: true })

/**
 * A spare process performs one start in advance, so that the time measured after a kill depends on the database and not on
 * compiling the program on two shared cores.
 */
async function warmUp(): Promise<void> {
  const keys = createKeyRing([{ id: 'warm-up', secret: new Uint8Array(32) }])
  const store = await openSqlite(':memory:', { keys })
  const gateway = await startGateway({ listen: { host: '127.0.0.1', port: 0 }, servers: {}, store, keys })
  await gateway.close()
  await store.close()
}

async function begin(settings: ReplicaSettings): Promise<void> {
  const {
    url,
    schema,
    wake,
    bug,
    port,
    clusterPort,
    clusterAddress,
    secret,
    servers,
    keys = [{ id: 'proof', secret }],
    sweepEveryMs,
  } = settings
  if (settings.sessionIdleMs !== undefined) setLimits(clientLimits, { sessionIdleMs: settings.sessionIdleMs })
  ring = ringOf(keys)
  const condition = { isLeaving: false }
  const options = { keys: currentRing, schema, connections: 6, pollMs: 1_000, ...(wake === undefined ? {} : { wake }) }
  const opened = points.wrap(await openPostgres(url, options))
  const store = bug === undefined ? opened : withBug(opened, bug)
  const gateway = await startGateway({
    listen: { host: '127.0.0.1', port },
    cluster: { listen: { host: '127.0.0.1', port: clusterPort }, address: clusterAddress },
    servers,
    store,
    keys: currentRing,
    surfaces: ['client', 'inbox'],
    askWaitMs: 120_000,
    unseenAfterMs: 0,
    holdMs: 2_000,
    // Shorter than many people take, so that calls are deferred and fetched later.
    patienceMs: 150,
    openAsks: { perCaller: 10_000, total: 100_000 },
    pages: { '/readyz': () => ({ status: condition.isLeaving ? 503 : 200, type: 'text/plain', body: '' }) },
    identify: (request) => {
      if (settings.isLeaky === true) leak(request)
      return { principal: String(request.headers['x-person']), groups: [] }
    },
    fallback: async (request, response) => {
      if (inbox !== undefined) return respondWith(inbox.fetch, request, response)
      response.writeHead(503).end()
    },
  })
  inbox = inboxApp({ store, tenant: 'default', baseUrl: new URL(gateway.url).origin, keys: currentRing })
  weigh = () => weightOf(gateway, store)
  const sweeping = setInterval(() => void store.sweep().catch(() => undefined), sweepEveryMs ?? 2 ** 31 - 1)
  process.once('SIGTERM', async () => {
    let step = 'drain'
    // The supervisor kills a replica that does not end; by then it has said why.
    setTimeout(
      () => console.error(`the shutdown hangs at: ${step}`, gateway.standing(), activeResources()),
      (settings.noticeMs ?? 0) + (settings.drainMs ?? 0) + shutdownIsLongMs,
    ).unref()
    condition.isLeaving = true
    await sleep(settings.noticeMs ?? 0)
    inbox?.endStreams()
    const startedAt = performance.now()
    await gateway.drain(settings.drainMs ?? 0)
    const tookMs = performance.now() - startedAt
    if (tookMs > drainIsLongMs)
      console.error(`the drain took ${tookMs.toFixed(0)} ms`, gateway.standing(), activeResources())
    step = 'close of the gateway'
    await gateway.close()
    clearInterval(sweeping)
    step = 'close of the store'
    await store.close()
    step = 'open resources'
    // Without the channel the process ends unless a resource was left open: then the supervisor sees it hang.
    process.removeAllListeners('disconnect')
    process.disconnect()
  })
  send({ url: gateway.url })
}

function ringOf(keys: readonly Key[]): KeyRing {
  return createKeyRing(keys.map(({ id, secret }) => ({ id, secret: Buffer.from(secret, 'base64') })))
}

function activeResources(): string {
  return process.getActiveResourcesInfo().join(' ')
}

function weightOf(gateway: Gateway, store: Store): Weight {
  collectGarbage()
  const { heapUsed, rss } = process.memoryUsage()
  const resources = process.getActiveResourcesInfo()
  const count = (kind: RegExp) => resources.filter((one) => kind.test(one)).length
  return {
    heapBytes: heapUsed,
    rssBytes: rss,
    timers: count(/^Timeout$/),
    sockets: count(/^TCP/),
    ...gateway.standing(),
    waits: store.waiting,
  }
}

async function invite(principal: string): Promise<string | undefined> {
  // Refused while too many links are unused or the database is down: the person tries again.
  return inbox?.signInLink({ principal, groups: [] }).catch(() => undefined)
}

function send(message: FromReplica): void {
  process.send?.(message)
}
