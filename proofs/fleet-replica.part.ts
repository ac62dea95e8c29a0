// One replica: the gateway and its inbox as anyone would embed them, on a database that others share.
//
// A header says who is calling, as a trusted proxy would. The supervisor arms the points at which it dies.

import { flushCompileCache } from 'node:module'
import { setTimeout as sleep } from 'node:timers/promises'
import { createKeyRing, type KeyRing } from '@assent/core'
import { openPostgres, openSqlite, type Store } from '@assent/store'
import { type Gateway, type InboxApp, inboxApp, respondWith, startGateway } from 'assent'
import { downstreamLimits } from '../packages/gateway/src/limits.ts'
import { leak } from './fleet-leak.part.ts'
import { type Bug, KillPoints, withBug } from './fleet-points.part.ts'
import { collectGarbage } from './schema-watch.part.ts'

export interface ReplicaSettings {
  readonly url: string
  readonly schema: string
  readonly wake?: string
  readonly bug?: Bug
  readonly port: number
  readonly secret: string
  readonly servers: Readonly<Record<string, { url: string }>>
  /** In place of the secret: the first seals, all open. */
  readonly keys?: readonly Key[]
  /** How long it says that it is not ready before it leaves, and how long it then has for what is under way. */
  readonly noticeMs?: number
  readonly drainMs?: number
  /** How often it tidies up; never unless told. */
  readonly sweepEveryMs?: number
  readonly sessionIdleMs?: number
  /** Keeps what it should let go of, to see whether the proof finds that. */
  readonly isLeaky?: boolean
}

export interface Key {
  readonly id: string
  readonly secret: string
}

/** What a process weighs after it has collected its garbage, and what it holds. */
export interface Weight {
  readonly heapBytes: number
  readonly rssBytes: number
  readonly timers: number
  readonly sockets: number
  readonly sessions: number
  readonly parkedCalls: number
  readonly openAsks: number
  readonly waits: number
}

export type ToReplica =
  | { readonly go: ReplicaSettings }
  | { readonly arm: readonly string[] }
  | { readonly invite: string; readonly number: number }
  | { readonly keys: readonly Key[] }
  | { readonly weigh: number }

/** The reply to a question by its number. */
export interface Numbered {
  readonly number: number
  readonly link?: string | undefined
  readonly weight?: Weight | undefined
}

export type FromReplica = { readonly loaded: true } | { readonly url: string } | Numbered

/** People take less: who is still waited for then is worth a word. */
const drainIsLongMs = 8_000

const points = new KillPoints()
let inbox: InboxApp | undefined
let ring: KeyRing | undefined
let weigh: () => Weight | undefined = () => undefined

/** What a process that is not restarted goes by, so that its keys can rotate too. */
const currentRing: KeyRing = {
  get sealing() {
    return (ring as KeyRing).sealing
  },
  find: (id) => ring?.find(id),
}

const rehearsed = rehearse()

process.on('disconnect', () => process.exit())
process.on('message', (message: ToReplica) => {
  if ('go' in message) void rehearsed.then(() => begin(message.go))
  if ('arm' in message) points.arm(message.arm)
  if ('invite' in message) {
    void invite(message.invite).then((link) => tell({ number: message.number, link }))
  }
  if ('keys' in message) ring = ringOf(message.keys)
  if ('weigh' in message) tell({ number: message.weigh, weight: weigh() })
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
  const keys = createKeyRing([{ id: 'rehearsal', secret: new Uint8Array(32) }])
  const store = await openSqlite(':memory:', { keys })
  const gateway = await startGateway({ listen: { host: '127.0.0.1', port: 0 }, servers: {}, store, keys })
  await gateway.close()
  await store.close()
}

async function begin(settings: ReplicaSettings): Promise<void> {
  const { url, schema, wake, bug, port, secret, servers, keys = [{ id: 'proof', secret }], sweepEveryMs } = settings
  if (settings.sessionIdleMs !== undefined) downstreamLimits.sessionIdleMs = settings.sessionIdleMs
  ring = ringOf(keys)
  const condition = { isLeaving: false }
  const options = { keys: currentRing, schema, connections: 6, pollMs: 1_000, ...(wake === undefined ? {} : { wake }) }
  const opened = points.wrap(await openPostgres(url, options))
  const store = bug === undefined ? opened : withBug(opened, bug)
  const gateway = await startGateway({
    listen: { host: '127.0.0.1', port },
    servers,
    store,
    keys: currentRing,
    surfaces: ['client', 'inbox'],
    askWaitMs: 120_000,
    unseenAfterMs: 0,
    holdMs: 2_000,
    // Shorter than many people take, so that calls are put off and fetched later.
    patienceMs: 150,
    openAsks: { perCaller: 10_000, total: 100_000 },
    pages: { '/readyz': () => ({ status: condition.isLeaving ? 503 : 200, type: 'text/plain', body: '' }) },
    identify: (request) => {
      if (settings.isLeaky === true) leak(request)
      return { principal: String(request.headers['x-person']), groups: [] }
    },
    beside: async (request, response) => {
      if (inbox !== undefined) return respondWith(inbox.fetch, request, response)
      response.writeHead(503).end()
    },
  })
  inbox = inboxApp({ store, tenant: 'default', baseUrl: new URL(gateway.url).origin })
  weigh = () => weightOf(gateway, store)
  const sweeping = setInterval(() => void store.sweep().catch(() => undefined), sweepEveryMs ?? 2 ** 31 - 1)
  process.once('SIGTERM', async () => {
    condition.isLeaving = true
    await sleep(settings.noticeMs ?? 0)
    inbox?.endStreams()
    const startedAt = performance.now()
    await gateway.drain(settings.drainMs ?? 0)
    const tookMs = performance.now() - startedAt
    if (tookMs > drainIsLongMs) console.error(`the drain took ${tookMs.toFixed(0)} ms`, gateway.standing(), held())
    await gateway.close()
    clearInterval(sweeping)
    await store.close()
    // Whatever is still open keeps the process, and is found by that.
    process.removeAllListeners('disconnect')
    process.disconnect()
  })
  tell({ url: gateway.url })
}

function ringOf(keys: readonly Key[]): KeyRing {
  return createKeyRing(keys.map(({ id, secret }) => ({ id, secret: Buffer.from(secret, 'base64') })))
}

function held(): string {
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
  // Refused while too many are unused, or the database is away: the person comes again.
  return inbox?.signInLink({ principal, groups: [] }).catch(() => undefined)
}

function tell(message: FromReplica): void {
  process.send?.(message)
}
