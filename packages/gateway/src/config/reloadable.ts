// What of a configuration can change while the gateway runs, in the gateway's own words; and what cannot.

import type { Known } from '../door/host.ts'
import { expectedOrigin } from '../door/listen.ts'
import type { Reloadable } from '../gateway.ts'
import { identifyBy } from '../identity/identify.ts'
import type { IssuerKeys } from '../identity/issuer-keys.ts'
import type { NamingRules } from '../relay/naming.ts'
import type { ServerConfig, ServerRules } from '../upstream/open-upstream.ts'
import { isLoopback } from './kinds.ts'
import type { Config, ServerSettings } from './settings.ts'

/** What is in force beside the configuration itself. */
export interface InForce {
  /** Of the issuer; without them it is asked when the first token comes. */
  readonly issuerKeys?: IssuerKeys | undefined
  /** Where the inbox is reached, once that is known: the port may be chosen by the system. */
  readonly origin?: () => string | undefined
}

export function reloadableOf(
  config: Config,
  nowMs: () => number,
  onTrouble: (error: unknown) => void,
  { issuerKeys, origin = () => undefined }: InForce = {},
): Reloadable {
  const { identity, asks, inbox, listen } = config
  const changes = {
    servers: serversOf(config),
    known: knownOf(config),
    askWaitMs: asks.wait,
    asksEnabled: asks.enabled,
    surfaces: asks.surfaces,
    unseenAfterMs: asks.unseen_after,
    silentAfterMs: asks.silent_after,
    inboxUrl: () => inbox.url?.href ?? `${origin() ?? expectedOrigin(listen)}/`,
  }
  if (identity === undefined) return changes
  return { ...changes, identify: identifyBy(identity, onTrouble, nowMs, issuerKeys) }
}

/** By name, as the gateway takes them. */
export function serversOf({ servers }: Pick<Config, 'servers'>): Record<string, ServerConfig> {
  return Object.fromEntries(Object.entries(servers).map(([name, one]) => [name, serverOf(one)]))
}

/** The settings that differ and stay as they were until a restart. */
export function needRestart(before: Config, after: Config): string[] {
  const fixed: Readonly<Record<string, (config: Config) => unknown>> = {
    listen: ({ listen }) => listen,
    store: ({ store }) => store,
    wake: ({ wake }) => wake,
    'asks.surfaces': hasInbox,
    'inbox.url': ({ inbox }) => inbox.url?.href,
    'metrics.listen': ({ metrics }) => metrics.listen,
    'limits.connections': ({ limits }) => limits.connections,
    'limits.request_within': ({ limits }) => limits.request_within,
  }
  const names = Object.entries(fixed).filter(([, of]) => JSON.stringify(of(before)) !== JSON.stringify(of(after)))
  return [...names.map(([name]) => name), ...(changesWayIn(before, after) ? ['identity', 'inbox'] : [])]
}

/** The new configuration, with what waits for a restart as it was. */
export function inForceAfter(before: Config, after: Config): Config {
  const surfaces = hasInbox(before) === hasInbox(after) ? after.asks.surfaces : before.asks.surfaces
  const wayIn = changesWayIn(before, after)
    ? { identity: before.identity, inbox: before.inbox }
    : { inbox: { ...after.inbox, url: before.inbox.url } }
  return {
    ...after,
    listen: before.listen,
    store: before.store,
    wake: before.wake,
    asks: { ...after.asks, surfaces },
    metrics: { ...after.metrics, listen: before.metrics.listen },
    ...wayIn,
  }
}

/** Why this configuration must not be put in force without a restart; undefined when it may. */
export function reloadProblem(before: Config, after: Config): string | undefined {
  const { host } = before.listen
  if (before.identity === undefined || after.identity !== undefined || isLoopback(host)) return undefined
  return `identity is removed, and this gateway still listens on ${host}: everybody who reaches it would be let in. Restart it instead.`
}

/** With an inbox: people begin, or stop, to sign in with accounts. Agents and the inbox change together, at a restart. */
function changesWayIn(before: Config, after: Config): boolean {
  return hasInbox(before) && (before.identity === undefined) !== (after.identity === undefined)
}

function hasInbox({ asks }: Config): boolean {
  return asks.surfaces.includes('inbox')
}

function serverOf(settings: ServerSettings): ServerConfig {
  const { url, headers, command, args, env, cwd, processes, secrets } = settings
  const { allowed, token } = secrets
  const pages = {
    ...(allowed ? { secrets: token === undefined ? {} : { token } } : {}),
    ...(settings.allow_secret_answers ? { allowsSecretAnswers: true as const } : {}),
    ...(settings.isolation === 'call' ? { isolation: settings.isolation } : {}),
    ...rulesOf(settings),
    ...timeoutsIn(settings),
    ...(settings.forward_headers.length === 0 ? {} : { forwardHeaders: settings.forward_headers }),
  }
  if (url !== undefined) return { url: url.href, headers, ...pages }
  const most = processes === undefined ? {} : { processes }
  const started = { command: command ?? '', args, env, ...most, ...pages }
  return cwd === undefined ? started : { ...started, cwd }
}

/** Without what is as it is anyway, so that a file that spells a default out changes nothing. */
function rulesOf({ tools, prefix, surfaces }: ServerSettings): NamingRules & Pick<ServerRules, 'surfaces'> {
  const hasRules = tools.allow.join() !== '*' || tools.deny.length > 0 || Object.keys(tools.rename).length > 0
  return {
    ...(hasRules ? { tools } : {}),
    ...(prefix === undefined ? {} : { prefix }),
    ...(surfaces.length === 0 ? {} : { surfaces }),
  }
}

function timeoutsIn({ timeouts: { start, reply, silent } }: ServerSettings): Pick<ServerRules, 'timeouts'> {
  const given = {
    ...(start === undefined ? {} : { openMs: start }),
    ...(reply === undefined ? {} : { replyMs: reply }),
    ...(silent === undefined ? {} : { silentMs: silent }),
  }
  return Object.keys(given).length === 0 ? {} : { timeouts: given }
}

/** Names that requests may come under, and pages they may come from. */
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
