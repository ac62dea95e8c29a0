// The composition root: creates a gateway from its parts.

import type { Readable, Writable } from 'node:stream'
import type { AskCaller, KeyRing, PresenceSetting, Surface, WithdrawReason } from '@assent/core'
import { AssentError, compact } from '@assent/core'
import type { Store } from '@assent/store'
import { AuditTrail } from '../call/audit-trail.ts'
import { ClaimedRounds } from '../call/hold/claimed-rounds.ts'
import { DeferredCalls, type DeferredCallsSettings } from '../call/hold/deferred-calls.ts'
import { HeldCalls } from '../call/hold/held-calls.ts'
import { localPerson, onlyTenant } from '../call/local-person.ts'
import { toolOf } from '../call/model.ts'
import { ObservedRelay } from '../call/observed-relay.ts'
import { type PolicyDecider, PolicyGate } from '../call/policy/policy-gate.ts'
import { CallRecorder, type RecordSettings } from '../call/record/call-recorder.ts'
import { RecordWriter } from '../call/record/record-writer.ts'
import type { OnRefused } from '../call/relay.ts'
import type { InboxUrl } from '../call/route/ask-link.ts'
import type { Announces } from '../call/route/inbox-asks.ts'
import { Routing, type RoutingSettings } from '../call/route/routing.ts'
import { surfacesFor } from '../call/route/surfaces.ts'
import { WaitingAsks } from '../call/route/waiting-asks.ts'
import { type AskingOptions, OpenAskLimits, type SomeOpenLimits } from '../call/screen/open-limits.ts'
import { warmUp } from '../call/screen/screen-questions.ts'
import { Shutdown } from '../call/shutdown.ts'
import { noTelemetry, type Telemetry } from '../call/telemetry-port.ts'
import type { Serving } from '../clients/context.ts'
import { HttpEndpoint } from '../clients/http.ts'
import { serveStream } from '../clients/stdio.ts'
import { Cluster, type ClusterSettings } from '../cluster/cluster.ts'
import { Heartbeat, sweepDeadReplicas } from '../cluster/heartbeat.ts'
import type { ForwardedIn } from '../cluster/listener.ts'
import { newReplicaId } from '../cluster/replica-names.ts'
import type { Known } from '../http/host.ts'
import { listenAt } from '../http/listen.ts'
import {
  createHttpServer,
  endpointPath,
  type Fallback,
  type HttpRules,
  type Identify,
  type Page,
} from '../http/server.ts'
import type { SecretPages } from '../inbox/secrets/secret-pages.ts'
import { clusterLimits, relayLimits } from '../limits.ts'
import { StatedNetworks } from '../protocol/networks.ts'
import { own } from '../protocol/own.ts'
import { sleep } from '../protocol/sleep.ts'
import type { ServerConfig } from '../servers/open-upstream.ts'
import { Servers } from '../servers/servers.ts'
import type { GatewayCounts } from '../telemetry/metrics.ts'
import { startText } from './text/gateway.ts'

/** The settings that can change while the gateway runs. */
export interface Reloadable {
  /** By name. With several, tools and prompts are called `name__tool`. */
  readonly servers: Readonly<Record<string, ServerConfig>>
  /** Identifies the sender of a request; undefined refuses it. Without it, every sender is the local person. */
  readonly identify?: Identify
  /** Allowed Host names and Origins, in addition to loopback. */
  readonly known?: Known
  /** Networks of the proxies whose X-Forwarded-For names the caller, such as `10.0.0.0/8`. */
  readonly trustedProxies?: readonly string[]
  /** How long an ask stays open. */
  readonly askWaitMs?: number | undefined
  /** Whether servers may ask; true by default. */
  readonly asksEnabled?: boolean
  /** Where people are asked, in order of preference; by default only in the client. */
  readonly surfaces?: readonly Surface[]
  /** A client's answer that arrives sooner does not count as a person's. */
  readonly unseenAfterMs?: number
  /** How long the first surface may stay silent before the second one is used too; unlimited by default. */
  readonly silentAfterMs?: number | undefined
  /** Which decisions need a passkey, and so the inbox; none by default. */
  readonly presence?: PresenceSetting
  /** The address of the inbox, for messages to callers; a function if the address may change. */
  readonly inboxUrl?: InboxUrl
  /** Which calls need approval, and from whom. Without it, only servers ask. */
  readonly policies?: PolicyDecider | undefined
  /** Whether every call is recorded; by default only decisions are. */
  readonly record?: RecordSettings
}

export interface GatewayOptions extends Reloadable {
  /** The address for Streamable HTTP; port 0 picks a free port. */
  readonly listen: { readonly host: string; readonly port: number }
  readonly store: Store
  /** The tenant of this gateway, if several share a store. */
  readonly tenant?: string
  /** Seals the state that clients carry. All replicas need the same keys. */
  readonly keys: KeyRing
  /** How this gateway and others on the same store reach each other. Without it, it must be the only one. */
  readonly cluster?: ClusterSettings
  /** Whether sessions survive a lost connection, or the loss of their replica; true by default. */
  readonly resumes?: boolean
  /** How long a call of a client with a session waits for the inbox; by default the client's known timeout. */
  readonly patienceMs?: number
  /** Where the client works, for a process that serves only one. */
  readonly workplace?: () => Pick<AskCaller, 'folder' | 'branch'>
  /** How long one request waits for the inbox before its caller has to retry. */
  readonly holdMs?: number
  /** Limits of open questions; by default those of the process. */
  readonly openAsks?: SomeOpenLimits
  /** The pages where people enter secrets for servers that may ask for them. Needs an inbox. */
  readonly secretPages?: SecretPages
  /** Whether approvers of such an ask get messages about it. */
  readonly announces?: Announces
  /** Delays the warm-up for the first question, for a program whose first response must be fast. */
  readonly warmsUpLater?: boolean
  /** Further pages, by path. */
  readonly pages?: Readonly<Record<string, Page>>
  /** Handles every other path. */
  readonly fallback?: Fallback
  /** Called when the start waits for the lease of another gateway to end, because it may have crashed. */
  readonly onJoinWait?: () => void
  /** Receives errors of background work. */
  readonly onError?: (error: unknown) => void
  readonly onServerLog?: (server: string, line: string) => void
  /** Receives counts and durations. */
  readonly watch?: Telemetry
}

export interface Gateway {
  /** The MCP endpoint. */
  readonly url: string
  /** The id of this replica, new at each start. */
  readonly replica: string
  /** The origin for browsers; on loopback `localhost`, if both of its addresses are bound. */
  readonly origin: string
  /** Applies to new requests; requests in progress keep the settings they started with. */
  reload(changes: Reloadable): void
  /** Current counts of open and held work in this process. */
  standing(): GatewayCounts
  /** Corrects the number of open questions from the store. */
  recount(): Promise<void>
  /**
   * Refuses new work, hands over what another replica can continue, and resolves when the rest has finished or after
   * this time. `close` ends what is left.
   */
  drain(withinMs: number): Promise<void>
  close(): Promise<void>
}

const loopbackOnly: Known = { hosts: [], origins: [] }

export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const parts = assemble(options)
  const { watch = noTelemetry } = options
  const endpoint = new HttpEndpoint(parts.serving, endpointPath, options.onError ?? (() => undefined))
  const rules = rulesOf(options)
  const httpServer = createHttpServer({
    endpoint,
    rules,
    pages: options.pages ?? {},
    ...compact({ fallback: options.fallback }),
    onError: options.onError ?? (() => undefined),
    onRefused: (reason) => watch.refused(reason),
  })
  const { host } = options.listen
  const { shutdown } = parts.serving
  const handlers = {
    ...parts.serving.heldCalls.handlers,
    [endpointPath]: (forwarded: ForwardedIn) => endpoint.handleForwarded(forwarded),
  }
  const close = async () => {
    shutdown.enter('closed')
    httpServer.server.close()
    await endpoint.close()
    // Aborted requests get a response, and their asks are withdrawn, while the store is still open.
    const isAnswered = () => httpServer.inProgress + (parts.cluster?.inProgress ?? 0) === 0
    await waitUntil(isAnswered, performance.now() + clusterLimits.abortGraceMs)
    httpServer.server.closeAllConnections()
    parts.cluster?.close()
    await parts.close('owner-lost')
  }
  const start = async () => {
    await parts.cluster?.join(handlers, listenAt, {
      onRefused: (why) => watch.refused(`forward-${why}`),
      onWait: options.onJoinWait ?? (() => undefined),
    })
    return listenAt(httpServer.server, options.listen)
  }
  const { port, origin } = await start().catch(async (error: unknown) => {
    await close()
    throw error
  })
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}${endpointPath}`,
    origin,
    replica: parts.serving.replica,
    reload: (changes) => {
      parts.reload(changes)
      Object.assign(rules, rulesOf(changes))
    },
    standing: () => ({ ...parts.standing(), sessions: endpoint.sessions }),
    recount: parts.recount,
    drain: async (withinMs) => {
      const endsAt = performance.now() + withinMs
      const finalPhaseAt = endsAt - Math.min(clusterLimits.finalPhaseMs, withinMs / 2)
      const isDone = () => httpServer.inProgress + (parts.cluster?.inProgress ?? 0) + parts.running === 0
      httpServer.leave()
      endpoint.leave()
      // Without a shared store there is no other replica to hand over to, so skip this phase.
      if (options.store.isShared) shutdown.enter('draining')
      await waitUntil(isDone, finalPhaseAt)
      shutdown.enter('final')
      await waitUntil(isDone, endsAt)
      await parts.cluster?.leave()
    },
    close,
  }
}

/** The same gateway for one client over stdio, by default of this process. Resolves when the client disconnects. */
export async function serveStdio(
  options: Omit<GatewayOptions, 'listen' | 'identify'>,
  input: Readable = process.stdin,
  output: Writable = process.stdout,
): Promise<void> {
  const { serving, close } = assemble(options)
  await serveStream(serving, input, output)
  await close('caller-gone')
}

/** Resolves when the condition is true, or at the deadline. */
async function waitUntil(condition: () => boolean, until: number): Promise<void> {
  while (!condition() && performance.now() < until) await sleep(clusterLimits.drainLookMs)
}

function rulesOf({ identify = () => localPerson, known = loopbackOnly, trustedProxies = [] }: Reloadable): HttpRules {
  return { identify, known, proxies: new StatedNetworks(trustedProxies) }
}

interface Parts {
  readonly serving: Serving
  readonly cluster: Cluster | undefined
  /** The number of held calls and running rounds in this process. */
  readonly running: number
  standing(): Omit<GatewayCounts, 'sessions'>
  recount(): Promise<void>
  reload(changes: Reloadable): void
  /** @param reason recorded for the asks that only this process waits for, which are withdrawn */
  close(reason: WithdrawReason): Promise<void>
}

function assemble(options: Omit<GatewayOptions, 'listen'>): Parts {
  if (options.warmsUpLater === true) setTimeout(warmUp, relayLimits.warmUpLaterMs).unref()
  else warmUp()
  const { onError = () => undefined, watch = noTelemetry, secretPages } = options
  const nowMs = () => options.store.nowMs()
  const trail = new AuditTrail(options.store.audit, nowMs, onError)
  const servers = new Servers({
    watch,
    onServerLog: options.onServerLog ?? (() => undefined),
    onStray: (server, caller) => {
      watch.questionRefused({ server, why: 'no-call' })
      trail.refused({ ...caller, method: '', params: {} }, server, 'no-call')
    },
    onToolsChanged: (server) => gate.forgetDefinitions(server),
    ...(secretPages === undefined ? {} : { secretsOf: (server) => secretPages.environmentOf(server) }),
  })
  const replica = newReplicaId()
  const heartbeat = new Heartbeat(options.store, replica, onError)
  const shutdown = new Shutdown()
  // One shared object that is read at each question, so that a reload takes effect everywhere.
  const asks = askSettingsOf(options)
  servers.use(options.servers, asks.askWaitMs)
  secretPages?.use(options.servers)
  const { store, keys, cluster: settings, tenant = onlyTenant } = options
  const cluster =
    settings === undefined ? undefined : new Cluster({ settings, store, keys, tenant, heartbeat, onError })
  const others = settings?.listen === undefined ? undefined : cluster
  const asking = new OpenAskLimits(asks, watch, nowMs)
  const refused: OnRefused = (call, server, why) => {
    const tool = toolOf(call)
    watch.questionRefused({ server, why, ...compact({ tool }) })
    trail.refused(call, server, why)
  }
  const gate = new PolicyGate({
    store,
    policies: () => asks.policies,
    hasInbox: (server) => surfacesFor(asks, server).includes('inbox'),
    announces: (ask) => asks.announces?.(ask) === true,
    limits: () => asking.limits,
    onChanged: (server, tool, change) => watch.definitionChanged(server, tool, change),
    onDecided: (call, server, decided) => {
      watch.policyDecided(server, decided)
      if (decided.mode === 'enforce') call.entry?.decided(decided.effect, decided.policies)
      trail.policyDecided(call, server, decided)
    },
  })
  const writer = new RecordWriter(store.recordedCalls, (lost) => watch.callsUnrecorded(lost), onError)
  const recorder = new CallRecorder(writer, () => asks.record, nowMs)
  const relay = new ObservedRelay(
    watch,
    servers.names,
    async (name, call) =>
      recorder.over(await recorder.find(call, name, (server) => servers.find(server)), (inner) => gate.over(inner)),
    trail,
    asking,
    secretPages,
    refused,
    servers.naming,
  )
  const heldCalls = new HeldCalls(options.store, relay, asks, heartbeat, others, shutdown, onError)
  const claims = new ClaimedRounds(options.store, heartbeat, options.keys, asks, onError)
  const waiting = new WaitingAsks(options.store, heartbeat, onError)
  sweepDeadReplicas(heartbeat, options.store, (calls) => watch.callsLost(calls))
  const routing = new Routing(
    options.store,
    asks,
    asking,
    shutdown,
    claims,
    (call, server, key, how) => {
      watch[how](server)
      trail.unseen(call, server, key, how)
    },
    onError,
    recorder.joined.bind(recorder),
  )
  const deferredCalls = new DeferredCalls(options.store, options.keys, routing, heldCalls, asks, onError)
  return {
    cluster,
    serving: {
      store: options.store,
      replica,
      others,
      onLapse: (task) => heartbeat.onLapse(task),
      resumes: options.resumes ?? true,
      keepsState: servers.keepsState,
      relay,
      heldCalls,
      routing,
      deferredCalls,
      shutdown,
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
      return heldCalls.size + claims.size
    },
    standing: () => ({ openAsks: asking.size, heldCalls: heldCalls.size }),
    // If the store is unreachable the count stays unchanged; other metrics report that the store is down.
    recount: () => asking.recount((ids) => options.store.asks.stillOpen(tenant, ids)).catch(() => undefined),
    reload: (changes) => {
      Object.assign(asks, askSettingsOf({ ...options, ...changes }))
      servers.use(changes.servers, asks.askWaitMs)
      gate.forgetDefinitions()
      secretPages?.use(changes.servers)
    },
    close: async (reason) => {
      await claims.close()
      await waiting.close(reason).catch(onError)
      await heldCalls.close()
      await heartbeat.close().catch(onError)
      await servers.close()
      await writer.close()
      await trail.close()
    },
  }
}

interface AskSettings extends AskingOptions, RoutingSettings, DeferredCallsSettings {
  readonly record: RecordSettings
  readonly policies?: PolicyDecider | undefined
}

function askSettingsOf(options: Omit<GatewayOptions, 'listen'>): AskSettings {
  const { askWaitMs = relayLimits.askWaitMs, asksEnabled = true, surfaces = ['client'], presence = 'none' } = options
  const { unseenAfterMs = relayLimits.unseenAfterMs, silentAfterMs } = options
  const { openAsks, patienceMs, workplace, inboxUrl } = options
  const surfacesOf = (server: string) => own(options.servers, server)?.surfaces
  const all = [surfaces, ...Object.keys(options.servers).flatMap((server) => [surfacesOf(server) ?? surfaces])]
  if (presence !== 'none' && !all.every((some) => some.includes('inbox')))
    throw new AssentError('misconfigured', startText.presenceWithoutInbox)
  return {
    isEnabled: asksEnabled,
    allowsSecrets: (server) => own(options.servers, server)?.allowsSecretAnswers === true,
    isClientOnly: (server) => surfaces.includes('inbox') && surfacesOf(server)?.includes('inbox') === false,
    surfacesOf,
    askWaitMs,
    isAskWaitDefault: options.askWaitMs === undefined,
    surfaces,
    unseenAfterMs,
    presence,
    ...compact({ open: openAsks, patienceMs, workplace, inboxUrl }),
    // Present even if undefined, because a reload may remove the setting.
    silentAfterMs,
    policies: options.policies,
    record: options.record ?? { isOn: false, keepsArguments: false },
    announces: options.announces,
  }
}
