// What of a configuration can change while the gateway runs, in the gateway's own words; and what cannot.

import type { Known } from '../door/host.ts'
import { expectedOrigin } from '../door/listen.ts'
import type { Reloadable } from '../gateway.ts'
import { identifyBy } from '../identity/identify.ts'
import type { ServerConfig } from '../upstream/open-upstream.ts'
import { isLoopback } from './kinds.ts'
import type { Config, ServerSettings } from './settings.ts'

export function reloadableOf(config: Config, nowMs: () => number, onTrouble: (error: unknown) => void): Reloadable {
  const { identity, asks } = config
  const changes = {
    servers: Object.fromEntries(Object.entries(config.servers).map(([name, one]) => [name, serverOf(one)])),
    known: knownOf(config),
    askWaitMs: asks.wait,
    asksEnabled: asks.enabled,
    surfaces: asks.surfaces,
    unseenAfterMs: asks.unseen_after,
    silentAfterMs: asks.silent_after,
    inboxUrl: inboxAddress(config),
  }
  return identity === undefined ? changes : { ...changes, identify: identifyBy(identity, onTrouble, nowMs) }
}

/** Where people reach the inbox. */
function inboxAddress({ inbox, listen }: Config): string {
  return inbox.url?.href ?? `${expectedOrigin(listen)}/`
}

/** The settings that differ and stay as they were until a restart. */
export function needRestart(before: Config, after: Config): string[] {
  const fixed: Readonly<Record<string, (config: Config) => unknown>> = {
    listen: ({ listen }) => listen,
    store: ({ store }) => store,
    wake: ({ wake }) => wake,
    'asks.surfaces': ({ asks }) => asks.surfaces.includes('inbox'),
    'inbox.url': ({ inbox }) => inbox.url?.href,
    'inbox.client_id': ({ inbox }) => inbox.client_id,
    'inbox.client_secret': ({ inbox }) => inbox.client_secret,
    'inbox.scopes': ({ inbox }) => inbox.scopes,
    'inbox.session': ({ inbox }) => inbox.session,
    'identity, for signing in at the inbox': ({ identity, asks }) =>
      asks.surfaces.includes('inbox') ? identity : undefined,
    keys: ({ keys }) => Object.entries(keys).map(([id, secret]) => [id, Buffer.from(secret).toString('base64')]),
    'metrics.listen': ({ metrics }) => metrics.listen,
    'limits.connections': ({ limits }) => limits.connections,
    'limits.request_within': ({ limits }) => limits.request_within,
  }
  const names = Object.entries(fixed).filter(([, of]) => JSON.stringify(of(before)) !== JSON.stringify(of(after)))
  return names.map(([name]) => name)
}

function serverOf(settings: ServerSettings): ServerConfig {
  const { url, headers, command, args, env, cwd, processes, secrets } = settings
  const { allowed, token } = secrets
  const pages = {
    ...(allowed ? { secrets: token === undefined ? {} : { token } } : {}),
    ...(settings.allow_secret_answers ? { allowsSecretAnswers: true as const } : {}),
    ...(settings.isolation === 'call' ? { isolation: settings.isolation } : {}),
  }
  if (url !== undefined) return { url: url.href, headers, ...pages }
  const most = processes === undefined ? {} : { processes }
  const started = { command: command ?? '', args, env, ...most, ...pages }
  return cwd === undefined ? started : { ...started, cwd }
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
