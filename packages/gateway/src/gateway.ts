// The composition root: one gateway made of its parts.

import type { Readable, Writable } from 'node:stream'
import type { KeyRing, Surface, WithdrawReason } from '@assent/core'
import type { Store } from '@assent/store'
import { type Beside, createDoor, endpointPath, type Identify, type Page } from './door/door.ts'
import type { Known } from './door/host.ts'
import { listenAt } from './door/listen.ts'
import type { Serving } from './downstream/context.ts'
import { HttpEndpoint } from './downstream/http.ts'
import { serveStream } from './downstream/stdio.ts'
import { EndedRounds } from './fleet/ended-rounds.ts'
import { Heartbeat, sweepDeadReplicas } from './fleet/heartbeat.ts'
import { Leaving } from './fleet/leaving.ts'
import { Mailbox } from './fleet/mailbox.ts'
import { fleetLimits, relayLimits } from './limits.ts'
import { localPerson, onlyTenant } from './local-person.ts'
import { Asking, type AskingOptions, type SomeOpenLimits } from './relay/asking.ts'
import { AuditTrail } from './relay/audit-trail.ts'
import { ClaimedRounds } from './relay/claimed-rounds.ts'
import { toolOf } from './relay/exchange.ts'
import { warmUp } from './relay/judge-wanted.ts'
import { Parking } from './relay/parking.ts'
import type { OnRefused } from './relay/relay.ts'
import type { SecretPages } from './secrets/secret-pages.ts'
import { Servers } from './servers/servers.ts'
import { Deferral, type DeferralSettings } from './surfaces/deferral.ts'
import { Routing, type RoutingSettings } from './surfaces/routing.ts'
import { WaitingAsks } from './surfaces/waiting-asks.ts'
import type { ServerConfig } from './upstream/open-upstream.ts'
import type { Standing } from './watch/figures.ts'
import { nobodyWatches, type Watch } from './watch/watch.ts'
import { WatchedRelay } from './watch/watched-relay.ts'

/** What can be changed while it runs. */
export interface Reloadable {
  /** By name. With several, tools and prompts are called `name__tool`. */
  readonly servers: Readonly<Record<string, ServerConfig>>
  /** Who sends this request; undefined refuses it. Without it everyone is the one local person. */
  readonly identify?: Identify
  /** Names and pages beside loopback's own that requests may come under and from. */
  readonly known?: Known
  /** How long a person may take. */
  readonly askWaitMs?: number | undefined
  /** Whether servers may ask at all; they may unless told otherwise. */
  readonly asksEnabled?: boolean
  /** Where people are asked, the first choice first. Without it in the client alone. */
  readonly surfaces?: readonly Surface[]
  /** An answer of a client that arrives sooner is not a person's. */
  readonly unseenAfterMs?: number
  /** How long the first of the surfaces may say nothing before the other one is asked as well; endless unless told. */
  readonly silentAfterMs?: number | undefined
  /** Where people find the inbox, for the words that callers are given; asked each time where it may move. */
  readonly inboxUrl?: string | (() => string | undefined)
}

export interface GatewayOptions extends Reloadable {
  /** Where clients connect over Streamable HTTP; port 0 picks one. */
  readonly listen: { readonly host: string; readonly port: number }
  readonly store: Store
  /** Whose gateway it is, where several share a store. */
  readonly tenant?: string
  /** For the state that travels with clients. All replicas have the same. */
  readonly keys: KeyRing
  /** How long a call of a sessionful client is held for the inbox; unless set, as long as the client is known to wait. */
  readonly patienceMs?: number
  /** How long one request waits for the inbox before its caller is told to come back. */
  readonly holdMs?: number
  /** Questions open at once; the limits of the process unless given. */
  readonly openAsks?: SomeOpenLimits
  /** Where people hand secrets over to servers that may ask for them. It needs an inbox. */
  readonly secretPages?: SecretPages
  /** For a program that must answer at once: what makes the first question fast is done when there is time. */
  readonly warmsUpLater?: boolean
  /** Served beside the endpoint, by path. */
  readonly pages?: Readonly<Record<string, Page>>
  /** Answers at every other path. */
  readonly beside?: Beside
  /** Told about trouble in the background, and what servers write to their logs. */
  readonly onTrouble?: (error: unknown) => void
  readonly onServerLog?: (server: string, line: string) => void
  /** Told what to count, and how long it took. */
  readonly watch?: Watch
}

export interface Gateway {
  /** The MCP endpoint. */
  readonly url: string
  /** The address for browsers; on loopback by the name `localhost`, where both of its addresses are bound. */
  readonly origin: string
  /** For what begins from now on; what is under way comes to its end as it began. */
  reload(changes: Reloadable): void
  /** What is open and held in this process at this moment. */
  standing(): Standing
  /** Corrects the number of open questions by what the store says. */
  recount(): Promise<void>
  /**
   * Begins nothing new, hands over what can go on at another process, and resolves when the rest has come to its end, or
   * after this long. What is still here then ends with `close`.
   */
  drain(withinMs: number): Promise<void>
  close(): Promise<void>
}

const nowhereElse: Known = { hosts: [], origins: [] }

export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const parts = assemble(options)
  const { watch = nobodyWatches } = options
  const endpoint = new HttpEndpoint(parts.serving, options.onTrouble ?? (() => undefined))
  const rules = rulesOf(options)
  const door = createDoor({
    endpoint,
    rules,
    pages: options.pages ?? {},
    ...(options.beside === undefined ? {} : { beside: options.beside }),
    onTrouble: options.onTrouble ?? (() => undefined),
    onRefused: (reason) => watch.refused(reason),
  })
  const { host } = options.listen
  const { port, origin } = await listenAt(door.server, options.listen)
  const { leaving } = parts.serving
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}${endpointPath}`,
    origin,
    reload: (changes) => {
      parts.reload(changes)
      Object.assign(rules, rulesOf(changes))
    },
    standing: () => ({ ...parts.standing(), sessions: endpoint.sessions }),
    recount: parts.recount,
    drain: async (withinMs) => {
      const endsAt = performance.now() + withinMs
      const lastCallAt = endsAt - Math.min(fleetLimits.lastCallMs, withinMs / 2)
      const isDone = () => door.underWay + parts.running === 0
      door.leave()
      endpoint.leave()
      // Where nobody else has the store there is nowhere to go before the time is up.
      if (options.store.isShared) leaving.comes('hand-over')
      await cameTrue(isDone, lastCallAt)
      leaving.comes('last-call')
      await cameTrue(isDone, endsAt)
    },
    close: async () => {
      leaving.comes('over')
      door.server.close()
      await endpoint.close()
      // What was broken off is told so, and what it asked is taken back, while the store is still there.
      await cameTrue(() => door.underWay === 0, performance.now() + fleetLimits.lastWordsMs)
      door.server.closeAllConnections()
      await parts.close('owner-lost')
    },
  }
}

/** The same gateway for one client on this process's standard input and output unless others are given. Ends when the client does. */
export async function serveStdio(
  options: Omit<GatewayOptions, 'listen' | 'identify'>,
  input: Readable = process.stdin,
  output: Writable = process.stdout,
): Promise<void> {
  const { serving, close } = assemble(options)
  await serveStream(serving, input, output)
  await close('caller-gone')
}

/** Resolves when it is so, or when the time is up. */
async function cameTrue(isSo: () => boolean, until: number): Promise<void> {
  while (!isSo() && performance.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, fleetLimits.drainLookMs))
  }
}

function rulesOf({ identify = () => localPerson, known = nowhereElse }: Reloadable): {
  identify: Identify
  known: Known
} {
  return { identify, known }
}

interface Parts {
  readonly serving: Serving
  /** Calls that are held here, and rounds that run here. */
  readonly running: number
  standing(): Omit<Standing, 'sessions'>
  recount(): Promise<void>
  reload(changes: Reloadable): void
  /** @param reason why asks are withdrawn that nothing but this process waits for */
  close(reason: WithdrawReason): Promise<void>
}

function assemble(options: Omit<GatewayOptions, 'listen'>): Parts {
  if (options.warmsUpLater === true) setTimeout(warmUp, relayLimits.warmUpLaterMs).unref()
  else warmUp()
  const { onTrouble = () => undefined, watch = nobodyWatches, secretPages } = options
  const nowMs = () => options.store.nowMs()
  const trail = new AuditTrail(options.store.audit, nowMs, onTrouble)
  const servers = new Servers({
    watch,
    onServerLog: options.onServerLog ?? (() => undefined),
    onStray: (server, caller) => {
      watch.questionRefused({ server, why: 'no-call' })
      trail.refused({ ...caller, method: '', params: {} }, server, 'no-call')
    },
    ...(secretPages === undefined ? {} : { secretsOf: (server) => secretPages.environmentOf(server) }),
  })
  const mailbox = new Mailbox(options.store, options.keys, onTrouble)
  const leaving = new Leaving()
  // One object for all that read it at each question, so that a reload reaches them.
  const asks = askSettingsOf(options)
  servers.use(options.servers, asks.askWaitMs)
  secretPages?.use(options.servers)
  const tenant = options.tenant ?? onlyTenant
  const rounds = new EndedRounds(mailbox, tenant, options.store.isShared, onTrouble)
  const asking = new Asking(asks, watch, nowMs, rounds)
  rounds.hear((round) => asking.endedElsewhere(round))
  const refused: OnRefused = (call, server, why) => {
    const tool = toolOf(call)
    watch.questionRefused({ server, why, ...(tool === undefined ? {} : { tool }) })
    trail.refused(call, server, why)
  }
  const relay = new WatchedRelay(
    watch,
    servers.names,
    servers.find,
    trail,
    asking,
    secretPages,
    refused,
    servers.naming,
  )
  const parking = new Parking(options.store, relay, asks, mailbox, leaving, onTrouble)
  const heartbeat = new Heartbeat(options.store, mailbox.replica, onTrouble)
  const claims = new ClaimedRounds(options.store, heartbeat, options.keys, asks, onTrouble)
  const waiting = new WaitingAsks(options.store, heartbeat, onTrouble)
  sweepDeadReplicas(heartbeat, options.store, (calls) => watch.callsLost(calls))
  const routing = new Routing(
    options.store,
    asks,
    asking,
    leaving,
    claims,
    (call, server, key, how) => {
      watch[how](server)
      trail.unseen(call, server, key, how)
    },
    onTrouble,
  )
  const deferral = new Deferral(options.store, options.keys, routing, parking, asks, onTrouble)
  return {
    serving: {
      store: options.store,
      mailbox,
      relay,
      parking,
      routing,
      deferral,
      leaving,
      waiting,
      keys: options.keys,
      tenant,
      forwardedHeaders: () => servers.forwardedHeaders,
      holdMs: options.holdMs ?? relayLimits.holdMs,
      get askWaitMs() {
        return asks.askWaitMs
      },
    },
    get running() {
      return parking.size + claims.size
    },
    standing: () => ({ openAsks: asking.size, parkedCalls: parking.size }),
    // While the store is away the count stays as it was; that the store is away is counted elsewhere.
    recount: () => asking.recount((ids) => options.store.asks.stillOpen(tenant, ids)).catch(() => undefined),
    reload: (changes) => {
      Object.assign(asks, askSettingsOf({ ...options, ...changes }))
      servers.use(changes.servers, asks.askWaitMs)
      secretPages?.use(changes.servers)
    },
    close: async (reason) => {
      await claims.close()
      await waiting.close(reason).catch(onTrouble)
      await parking.close()
      await heartbeat.close().catch(onTrouble)
      rounds.close()
      await mailbox.close()
      await servers.close()
      await trail.close()
    },
  }
}

function own<V>(map: Readonly<Record<string, V>>, name: string): V | undefined {
  return Object.hasOwn(map, name) ? map[name] : undefined
}

type AskSettings = AskingOptions & RoutingSettings & DeferralSettings

function askSettingsOf(options: Omit<GatewayOptions, 'listen'>): AskSettings {
  const { askWaitMs = relayLimits.askWaitMs, asksEnabled = true, surfaces = ['client'] } = options
  const { openAsks, patienceMs, inboxUrl, silentAfterMs, unseenAfterMs = relayLimits.unseenAfterMs } = options
  const surfacesOf = (server: string) => own(options.servers, server)?.surfaces
  return {
    isEnabled: asksEnabled,
    allowsSecrets: (server) => own(options.servers, server)?.allowsSecretAnswers === true,
    isClientOnly: (server) => surfaces.includes('inbox') && surfacesOf(server)?.includes('inbox') === false,
    surfacesOf,
    askWaitMs,
    isAskWaitDefault: options.askWaitMs === undefined,
    surfaces,
    unseenAfterMs,
    ...(openAsks === undefined ? {} : { open: openAsks }),
    ...(patienceMs === undefined ? {} : { patienceMs }),
    ...(inboxUrl === undefined ? {} : { inboxUrl }),
    // Named even where it is not set, because a reload may take it away.
    silentAfterMs,
  }
}
