// Implements `assent gateway`: starts a gateway from its configuration and stops it.
//
// Resources are opened in order and closed in reverse order. A reload changes nothing unless the whole new
// configuration is valid.

import { resolve } from 'node:path'
import { type Ask, compact } from '@assent/core'
import type { Store } from '@assent/store'
import { onlyTenant } from '../call/local-person.ts'
import { reasonOf } from '../call/model.ts'
import type { Telemetry } from '../call/telemetry-port.ts'
import type { ClusterSettings } from '../cluster/cluster.ts'
import { addressText } from '../config/kinds.ts'
import type { Loaded } from '../config/load.ts'
import { redactor, secretsOf } from '../config/redact.ts'
import { periodsOf } from '../config/retention-settings.ts'
import type { Config } from '../config/settings.ts'
import { resourceOf } from '../http/identity/identify.ts'
import type { Page } from '../http/server.ts'
import { programLimits } from '../limits.ts'
import { type NotificationSettings, startNotifications } from '../notify/start-notifications.ts'
import { sleep } from '../protocol/sleep.ts'
import { ownVersion } from '../protocol/version.ts'
import { createLog, type Log } from '../telemetry/log.ts'
import { logTelemetry } from '../telemetry/log-telemetry.ts'
import { Metrics } from '../telemetry/metrics.ts'
import { applyLimits } from './apply-limits.ts'
import { exitCodes } from './exit-codes.ts'
import { type GatewayOptions, startGateway } from './gateway.ts'
import { openInbox, type ServedInbox, serveStandaloneInbox } from './inbox.ts'
import { IssuerInForce } from './issuer-in-force.ts'
import { fromHereAlone, metricsPage, openMetricsListener } from './metrics-listener.ts'
import { serveOwnStdio } from './own-stdio.ts'
import { type Condition, healthPages, identityPages } from './pages.ts'
import { policiesInForce } from './policies-in-force.ts'
import { Readiness } from './readiness.ts'
import { type ReloadableState, Reloads } from './reload.ts'
import { knownOf, reloadableOf } from './reloadable.ts'
import { handleSignals } from './signals.ts'
import { type KeysInForce, openState } from './state.ts'
import type { Terminal } from './terminal.ts'
import { gatewayLog, gatewayTerminalText, startText } from './text/gateway.ts'

export interface Running {
  readonly file: string
  readonly first: Config
  /** Reads the configuration again. */
  readonly load: () => Loaded
  readonly isStdio: boolean
  readonly terminal: Terminal
}

export async function runGateway({ file, first, load, isStdio, terminal }: Running): Promise<void> {
  const live: ReloadableState = { config: first, redact: redactor(secretsOf(first)) }
  const log = createLog({ level: first.log.level, redact: () => live.redact })
  // An uncaught exception ends the process, but is logged with secrets redacted instead of printed as a stack trace.
  process.once('uncaughtException', (error) => {
    log.exception(error)
    process.exit(exitCodes.cannotRun)
  })
  if (isStdio && first.identity !== undefined && first.asks.surfaces.includes('inbox')) {
    throw new Error(startText.stdioWithIdentity)
  }
  log.info({ file: resolve(file) }, gatewayLog.configurationRead)
  const policies = await policiesInForce(first)
  applyLimits(first)
  const figures = new Metrics(ownVersion())
  const { store, keys, sealKeys } = await openState(first, terminal.variables, {
    onError: log.exception,
    onStep: (step) => figures.store.step(step),
    onIntegrated: (integrated) => figures.store.integrated(integrated),
    onLongTransaction: (transaction) => log.warn({ transaction }, gatewayLog.longTransaction),
    onUnverified: ({ tenant, askId, problem, message }) => {
      figures.unverified(problem.what, problem.reason)
      log.error({ tenant, ask: askId, ...problem }, message)
    },
  })
  figures.store.lookAt(store)
  logNotificationTransport(store, log)
  const watch = logTelemetry(figures, log)
  const sweep = async () => {
    await store.sweep()
    await store.recordedCalls.deleteOlderThan(onlyTenant, periodsOf(live.config.retention).callsMs)
  }
  const sequencer = store.startSequencer([onlyTenant], log.exception)
  const sweeping = setInterval(() => void sweep().catch(log.exception), programLimits.sweepEveryMs)
  await store.passkeys.recordSetting(onlyTenant, first.inbox.presence)
  const issuer = new IssuerInForce(first, log, policies?.excludesRequester)
  figures.issuer.lookAt(() => issuer.keys)
  try {
    const issuerKeys = () => issuer.keys
    const inbox = await openInbox(first, { store, keys, sealKeys, issuerKeys, log })
    const pages = inbox === undefined ? {} : { secretPages: inbox.secretPages }
    const inForce = { issuerKeys: issuer.keys, policies, origin: () => inbox?.origin }
    const parts = {
      ...reloadableOf(first, () => store.nowMs(), log.exception, inForce),
      ...reporting(watch, log, live),
      ...pages,
      store,
      keys,
    }
    const notifications = startNotifications({
      store,
      tenant: onlyTenant,
      settings: notificationsOf(first),
      inboxUrl: parts.inboxUrl ?? (() => undefined),
      log,
      metrics: figures.notify,
    })
    const onReloaded = (config: Config) => notifications.reload(notificationsOf(config))
    try {
      const announcing = { ...parts, announces: (ask: Pick<Ask, 'approvalRule'>) => notifications.reaches(ask) }
      if (isStdio) await serveOverStdio(announcing, inbox, first, { log, terminal })
      else {
        const reading = { file, load }
        await serveOverHttp({
          parts: announcing,
          inbox,
          issuer,
          keys,
          figures,
          live,
          store,
          log,
          terminal,
          reading,
          onReloaded,
        })
      }
    } finally {
      await notifications.close()
    }
  } finally {
    issuer.close()
    clearInterval(sweeping)
    await sequencer.stop()
    await store.close()
  }
  log.info({}, gatewayLog.stopped)
}

function notificationsOf({ notify, identity, groups }: Config): NotificationSettings {
  return { notify, issuer: identity?.issuer, groups }
}

/** Logs the notification transport, which the configuration alone does not show. */
function logNotificationTransport({ notifications: { transport }, isPooled }: Store, log: Log): void {
  const fields = { notifications: transport, pooled: isPooled }
  if (transport === 'poll') {
    log.warn(fields, gatewayLog.polling)
  } else log.info(fields, gatewayLog.storeOpen)
}

function reporting(
  watch: Telemetry,
  log: Log,
  live: ReloadableState,
): Pick<GatewayOptions, 'onError' | 'onServerLog' | 'watch'> {
  return {
    onError: log.exception,
    onServerLog: (server, line) => {
      if (live.config.log.servers) log.info({ server, line }, gatewayLog.serverLine)
    },
    watch,
  }
}

async function serveOverStdio(
  parts: Omit<GatewayOptions, 'listen'>,
  inbox: ServedInbox | undefined,
  config: Config,
  outputs: { log: Log; terminal: Terminal },
): Promise<void> {
  const stopInbox = inbox === undefined ? undefined : await serveStandaloneInbox(inbox, config, outputs)
  await serveOwnStdio(parts)
  stopInbox?.()
}

interface Serving {
  readonly parts: Omit<GatewayOptions, 'listen'>
  readonly figures: Metrics
  readonly inbox: ServedInbox | undefined
  readonly issuer: IssuerInForce
  readonly keys: KeysInForce
  readonly live: ReloadableState
  readonly store: Store
  readonly log: Log
  readonly terminal: Terminal
  readonly reading: Pick<Running, 'file' | 'load'>
  readonly onReloaded: (config: Config) => void
}

async function serveOverHttp(serving: Serving): Promise<void> {
  const { parts, inbox, issuer, keys, figures, live, store, log, terminal, reading } = serving
  const condition: Condition = { resource: undefined }
  let isDraining = false
  const updateResource = ({ identity }: Config) => {
    condition.resource = identity === undefined ? undefined : resourceOf(identity)
  }
  updateResource(live.config)
  const { listen, servers, metrics } = live.config
  const health = healthPages(
    new Readiness({
      store,
      isDraining: () => isDraining,
      areIssuerKeysRead: () => issuer.areKeysRead,
      onChange: (found, error) => {
        if (found === undefined) log.info({}, gatewayLog.ready)
        else log.warn(error === undefined ? {} : { reason: reasonOf(error) }, gatewayLog.notReady(found.reason))
      },
    }),
  )
  const pages = { ...health, ...identityPages(condition), ...metricsPages(figures, live.config) }
  const fallback = inbox === undefined ? {} : { fallback: inbox.respond }
  const shared = {
    cluster: clusterOf(live.config),
    resumes: live.config.sessions.resume,
    onJoinWait: () => log.info({}, gatewayLog.waitingForLease),
  }
  const gateway = await startGateway({ ...parts, ...fallback, ...shared, listen, pages }).catch((error: unknown) => {
    throw explained(error, addressText(listen))
  })
  figures.lookAt(gateway.standing, gateway.recount)
  const own = metrics.listen
  const closeMetrics =
    own === undefined || !metrics.enabled
      ? () => undefined
      : await openMetricsListener(own, { ...health, '/metrics': metricsPage(figures) }, () =>
          knownOf(live.config),
        ).catch(async (error: unknown) => {
          await gateway.close()
          throw explained(error, addressText(own))
        })
  // Handle signals before the address is logged.
  const reloads = new Reloads({
    ...reading,
    gateway,
    inbox,
    issuer,
    keys,
    live,
    variables: terminal.variables,
    nowMs: () => store.nowMs(),
    log,
    onReloaded: (config) => {
      updateResource(config)
      serving.onReloaded(config)
      figures.keepOnly(Object.keys(config.servers))
    },
  })
  const signals = handleSignals(() => reloads.request())
  void issuer.begin()
  log.info({ url: gateway.url, servers: Object.keys(servers).join(' ') }, gatewayLog.listening)
  if (terminal.isOutTerminal === true) terminal.out(gatewayTerminalText.running(gateway.url))
  await inbox?.openAt(gateway.origin, terminal)
  const signal = await signals.stop
  isDraining = true
  reloads.close()
  const noticeMs = noticeOf(signal, store)
  log.info({ signal, withinMs: programLimits.drainMs, noticeMs }, gatewayLog.draining)
  // Without a pause, no request is served between the two: who has read that this gateway drains is refused from then on.
  if (noticeMs > 0) await sleep(noticeMs)
  inbox?.endStreams()
  await gateway.drain(programLimits.drainMs - noticeMs)
  closeMetrics()
  await gateway.close()
  signals.remove()
}

function clusterOf({ cluster }: Config): ClusterSettings {
  const { listen, address, private_networks: privateNetworks, tls } = cluster
  const { cert, key, ca } = tls
  const hasTls = cert !== undefined && key !== undefined
  return compact({
    listen,
    address: address?.origin,
    privateNetworks,
    tls: hasTls ? compact({ cert, key, ca }) : undefined,
  })
}

/**
 * How long requests are still served after readiness is off, so that a load balancer notices before any is refused.
 * Zero if no other gateway shares the store, or if a person stops the program at the terminal.
 */
function noticeOf(signal: NodeJS.Signals, { isShared }: Store): number {
  const { drainMs, drainNoticeMs } = programLimits
  return signal === 'SIGTERM' && isShared ? Math.min(drainNoticeMs, drainMs / 2) : 0
}

/** Without a separate address, metrics are served at the endpoint's address, for this machine only. */
function metricsPages(figures: Metrics, { metrics }: Config): Record<string, Page> {
  return metrics.enabled && metrics.listen === undefined ? { '/metrics': fromHereAlone(metricsPage(figures)) } : {}
}

function explained(error: unknown, place: string): Error {
  const code = (error as NodeJS.ErrnoException).code
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: startText.taken(place),
    EADDRNOTAVAIL: startText.notOurAddress(place),
    EACCES: startText.notAllowed(place),
    ENOTFOUND: startText.unknownHost(place),
  }
  const reason = reasons[code ?? '']
  return reason === undefined && error instanceof Error
    ? error
    : new Error(reason ?? startText.cannotListen(place), { cause: error })
}
