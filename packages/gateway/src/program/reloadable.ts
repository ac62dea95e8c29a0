// Maps a configuration to the gateway's reloadable settings, and lists the settings that need a restart.

import { compact } from '@assent/core'
import type { NamingRules } from '../call/naming.ts'
import type { PolicyDecider } from '../call/policy/policy-gate.ts'
import type { ServerSettings } from '../config/server-settings.ts'
import type { Config, restartSettings } from '../config/settings.ts'
import type { Known } from '../http/host.ts'
import { identifyBy } from '../http/identity/identify.ts'
import type { IssuerKeys } from '../http/identity/issuer-keys.ts'
import { expectedOrigin } from '../http/listen.ts'
import { isLoopback } from '../protocol/loopback.ts'
import type { ServerConfig, ServerRules } from '../servers/open-upstream.ts'
import type { Reloadable } from './gateway.ts'
import { startText } from './text/gateway.ts'

/** Runtime values in addition to the configuration. */
export interface InForce {
  /** Keys of the issuer; without them they are fetched when the first token arrives. */
  readonly issuerKeys?: IssuerKeys | undefined
  /** The opened policies of the configuration. */
  readonly policies?: PolicyDecider | undefined
  /** The origin of the inbox, once known: the system may choose the port. */
  readonly origin?: () => string | undefined
}

export function reloadableOf(
  config: Config,
  nowMs: () => number,
  onError: (error: unknown) => void,
  { issuerKeys, policies, origin = () => undefined }: InForce = {},
): Reloadable {
  // A policy that is not enforced must not seem to be.
  if (config.policies !== undefined && policies === undefined) throw new Error('The policies were not opened.')
  const { identity, asks, inbox, listen } = config
  const changes = {
    servers: serversOf(config),
    known: knownOf(config),
    trustedProxies: config.trusted_proxies,
    askWaitMs: asks.wait,
    asksEnabled: asks.enabled,
    surfaces: asks.surfaces,
    unseenAfterMs: asks.unseen_after,
    silentAfterMs: asks.silent_after,
    presence: inbox.presence,
    policies,
    record: { isOn: config.record === 'calls', keepsArguments: config.record_arguments },
    inboxUrl: () => inbox.url?.href ?? `${origin() ?? expectedOrigin(listen)}/`,
  }
  if (identity === undefined) return changes
  return { ...changes, identify: identifyBy(identity, onError, nowMs, issuerKeys) }
}

/** The gateway's server settings, by name. */
export function serversOf({ servers }: Pick<Config, 'servers'>): Record<string, ServerConfig> {
  return Object.fromEntries(Object.entries(servers).map(([name, one]) => [name, serverOf(one)]))
}

/** The changed settings that take effect only after a restart. */
export function needRestart(before: Config, after: Config): string[] {
  const fixed: Readonly<Record<(typeof restartSettings)[number] | 'asks.surfaces', (config: Config) => unknown>> = {
    listen: ({ listen }) => listen,
    store: ({ store }) => store,
    wake: ({ wake }) => wake,
    'cluster.listen': ({ cluster }) => cluster.listen,
    'cluster.address': ({ cluster }) => cluster.address?.href,
    'cluster.private_networks': ({ cluster }) => cluster.private_networks,
    'cluster.tls.cert': ({ cluster }) => cluster.tls.cert,
    'cluster.tls.key': ({ cluster }) => cluster.tls.key,
    'cluster.tls.ca': ({ cluster }) => cluster.tls.ca,
    'sessions.resume': ({ sessions }) => sessions.resume,
    'asks.surfaces': hasInbox,
    'inbox.url': ({ inbox }) => inbox.url?.href,
    'metrics.listen': ({ metrics }) => metrics.listen,
    'limits.connections': ({ limits }) => limits.connections,
    'limits.request_within': ({ limits }) => limits.request_within,
  }
  const names = Object.entries(fixed).filter(([, of]) => JSON.stringify(of(before)) !== JSON.stringify(of(after)))
  return [...names.map(([name]) => name), ...(changesSignIn(before, after) ? ['identity', 'inbox'] : [])]
}

/** The new configuration, with the old values of the settings that need a restart. */
export function inForceAfter(before: Config, after: Config): Config {
  const surfaces = hasInbox(before) === hasInbox(after) ? after.asks.surfaces : before.asks.surfaces
  const signIn = changesSignIn(before, after)
    ? { identity: before.identity, inbox: before.inbox }
    : { inbox: { ...after.inbox, url: before.inbox.url } }
  return {
    ...after,
    listen: before.listen,
    store: before.store,
    wake: before.wake,
    cluster: before.cluster,
    sessions: before.sessions,
    asks: { ...after.asks, surfaces },
    metrics: { ...after.metrics, listen: before.metrics.listen },
    ...signIn,
  }
}

/** Why this configuration must not be applied without a restart; undefined if it may be. */
export function reloadProblem(before: Config, after: Config): string | undefined {
  const { host } = before.listen
  if (before.identity === undefined || after.identity !== undefined || isLoopback(host)) return undefined
  return startText.identityRemoved(host)
}

/** Whether sign-in with accounts is switched on or off. With an inbox that needs a restart, for agents too. */
function changesSignIn(before: Config, after: Config): boolean {
  return hasInbox(before) && (before.identity === undefined) !== (after.identity === undefined)
}

function hasInbox({ asks }: Config): boolean {
  return asks.surfaces.includes('inbox')
}

function serverOf(settings: ServerSettings): ServerConfig {
  const { url, headers, command, args, env, cwd, processes, secrets } = settings
  const { allowed, token } = secrets
  const common = {
    ...(allowed ? { secrets: token === undefined ? {} : { token } } : {}),
    ...(settings.allow_secret_answers ? { allowsSecretAnswers: true as const } : {}),
    ...(settings.isolation === 'call' ? { isolation: settings.isolation } : {}),
    ...rulesOf(settings),
    ...timeoutsIn(settings),
    ...(settings.forward_headers.length === 0 ? {} : { forwardHeaders: settings.forward_headers }),
  }
  if (url !== undefined) return { url: url.href, headers, ...common }
  const processLimit = processes === undefined ? {} : { processes }
  const started = { command: command ?? '', args, env, ...processLimit, ...common }
  return cwd === undefined ? started : { ...started, cwd }
}

/** Omits default values, so that a file that writes a default explicitly changes nothing. */
function rulesOf({ tools, prefix, surfaces }: ServerSettings): NamingRules & Pick<ServerRules, 'surfaces'> {
  const hasRules = tools.allow.join() !== '*' || tools.deny.length > 0 || Object.keys(tools.rename).length > 0
  return {
    ...(hasRules ? { tools } : {}),
    ...compact({ prefix }),
    ...(surfaces.length === 0 ? {} : { surfaces }),
  }
}

function timeoutsIn({ timeouts: { start, reply, silent } }: ServerSettings): Pick<ServerRules, 'timeouts'> {
  const given = {
    ...compact({ openMs: start, replyMs: reply, silentMs: silent }),
  }
  return Object.keys(given).length === 0 ? {} : { timeouts: given }
}

/** Allowed Host names and Origins of requests. */
export function knownOf({ hosts, origins, listen, identity, inbox }: Config): Known {
  const address = identity === undefined ? undefined : (identity.resource?.href ?? identity.audience)
  const ofResource = address !== undefined && URL.canParse(address) ? [new URL(address).hostname] : []
  const ofInbox = inbox.url === undefined ? [] : [inbox.url.hostname]
  const isWildcard = ['0.0.0.0', '::'].includes(listen.host)
  const own =
    isWildcard || isLoopback(listen.host) ? [] : [listen.host.includes(':') ? `[${listen.host}]` : listen.host]
  return {
    hosts: [...hosts, ...ofResource, ...own, ...ofInbox].map((host) => host.toLowerCase()),
    origins: origins.map(({ origin }) => origin),
  }
}
