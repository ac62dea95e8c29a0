// The inbox of the gateway program: on the gateway's HTTP server, or on a separate server with --stdio.
//
// Without identity there is one local person, who signs in with a single-use link. With identity, people sign in at the
// issuer.

import { fileURLToPath } from 'node:url'
import type { DisplayNames, KeyRing, SealKey } from '@assent/core'
import { compact } from '@assent/core'
import type { Store } from '@assent/store'
import { localPerson, onlyTenant } from '../call/local-person.ts'
import type { Config } from '../config/settings.ts'
import type { IssuerKeys } from '../http/identity/issuer-keys.ts'
import { expectedOrigin, isTaken, listenAt } from '../http/listen.ts'
import { plainServer } from '../http/plain-server.ts'
import type { Fallback } from '../http/server.ts'
import { type InboxApp, type InboxOptions, inboxApp } from '../inbox/inbox-app.ts'
import { askListener, listenerKey } from '../inbox/listener-proof.ts'
import { SecretPages } from '../inbox/secrets/secret-pages.ts'
import { respondWith } from '../inbox/serve-node.ts'
import { WebFiles } from '../inbox/web-files.ts'
import type { Log } from '../telemetry/log.ts'
import { standaloneLimits } from './standalone/limits.ts'
import type { Terminal } from './terminal.ts'
import { gatewayLog, gatewayTerminalText, namingText } from './text/gateway.ts'

const web = fileURLToPath(new URL('../../web/', import.meta.url))

export interface ServedInbox {
  readonly secretPages: SecretPages
  readonly respond: Fallback
  /** Its origin, once known. */
  readonly origin: string | undefined
  /** Opens the inbox at its origin, and prints a sign-in link if there is a person at this terminal. */
  openAt(origin: string, terminal: Terminal): Promise<void>
  /** Whether another process of the same installation serves it there. */
  isServedAt(origin: string): Promise<boolean>
  /** Uses the inbox that another process of the same installation serves at this origin. */
  leaveTo(origin: string): void
  /** Applies another configuration: sign-in, session length, display names of servers. */
  reload(config: Config, sealKeys: readonly SealKey[]): void
  /** Closes the event streams of open pages, before the program stops. */
  endStreams(): void
}

export interface InboxParts {
  readonly store: Store
  readonly keys: KeyRing
  readonly sealKeys: readonly SealKey[]
  /** The keys of the issuer in force. */
  readonly issuerKeys: () => IssuerKeys | undefined
  readonly log: Log
}

/** Undefined if the inbox is not one of the configured surfaces. */
export async function openInbox(
  first: Config,
  { store, keys, sealKeys, issuerKeys, log }: InboxParts,
): Promise<ServedInbox | undefined> {
  if (!first.asks.surfaces.includes('inbox')) return undefined
  const files = await WebFiles.read(web)
  const secretPages = new SecretPages({ store, tenant: onlyTenant, keys })
  const listenerKeys = sealKeys.map(({ secret }) => listenerKey(secret))
  let config = first
  let openedAt: string | undefined
  let app: InboxApp | undefined
  const appAt = (origin: string) =>
    inboxApp({
      store,
      tenant: onlyTenant,
      secretPages,
      listenerKeys,
      baseUrl: config.inbox.url?.href ?? origin,
      ...loginOf(config, issuerKeys()),
      ...compact({ sessionMs: config.inbox.session }),
      web: files,
      nameOf: (principal) => namingOf(config).nameOf(principal),
      describe: (asker) => namingOf(config).describe(asker),
      undoMs: () => config.inbox.undo,
      presence: () => config.inbox.presence,
      keys,
      onError: log.exception,
    })
  return {
    secretPages,
    get origin() {
      return openedAt
    },
    respond: async (request, response) => {
      if (app !== undefined) return respondWith(app.fetch, request, response)
      response.writeHead(503).end()
    },
    openAt: async (origin, { isErrTerminal, err }) => {
      openedAt = origin
      secretPages.openAt(config.inbox.url?.href ?? origin, originHere(origin))
      app = appAt(origin)
      // Only to a terminal: in a log, anyone who can read the log could use the link.
      const link =
        isErrTerminal === true && config.identity === undefined ? await app.signInLink(localPerson) : undefined
      if (link !== undefined) err(gatewayTerminalText.answerAt(link))
    },
    isServedAt: async (origin) => {
      const signal = AbortSignal.timeout(standaloneLimits.inboxReplyMs)
      return (await askListener(config.inbox.url ?? new URL(origin), listenerKeys, signal)) !== undefined
    },
    leaveTo: (origin) => {
      openedAt = origin
      // The other process can serve this one's secret pages: store and keys are the same.
      secretPages.openAt(config.inbox.url?.href ?? origin, origin)
    },
    reload: (next, nextKeys) => {
      const before = [loginOf(config).login, config.inbox.session]
      config = next
      store.passkeys.recordSetting(onlyTenant, config.inbox.presence).catch(log.exception)
      listenerKeys.splice(0, listenerKeys.length, ...nextKeys.map(({ secret }) => listenerKey(secret)))
      const { login } = loginOf(config)
      // Without accounts, sessions belong to this app instance, and the sign-in settings cannot have changed.
      if (app === undefined || openedAt === undefined || login === undefined) return
      if (JSON.stringify(before) === JSON.stringify([login, config.inbox.session])) return
      const old = app
      app = appAt(openedAt)
      // Pages with an event stream reconnect and are authenticated again.
      old.endStreams()
    },
    endStreams: () => app?.endStreams(),
  }
}

/** The origin to use from this machine: a program cannot connect to a wildcard address. */
function originHere(origin: string): string {
  const url = new URL(origin)
  if (url.hostname === '0.0.0.0') url.hostname = '127.0.0.1'
  if (url.hostname === '[::]') url.hostname = '[::1]'
  return url.origin
}

/** The sign-in settings for accounts; empty without accounts. */
export function loginOf({ asks, identity, inbox }: Config, keys?: IssuerKeys): Pick<InboxOptions, 'login'> {
  if (identity === undefined || inbox.client_id === undefined || !asks.surfaces.includes('inbox')) return {}
  const secret = inbox.client_secret === undefined ? {} : { clientSecret: inbox.client_secret }
  const shared = keys === undefined ? {} : { keys }
  return { login: { identity, clientId: inbox.client_id, scopes: inbox.scopes, ...secret, ...shared } }
}

/** The configured display names, for every surface. */
export function namingOf({ servers, identity, inbox }: Pick<Config, 'servers' | 'identity' | 'inbox'>): DisplayNames {
  return {
    nameOf: (principal) => nameOf(principal, identity?.issuer),
    describe: ({ server }) => (Object.hasOwn(servers, server) ? { origin: namingText.fromConfiguration } : {}),
    undoMs: () => inbox.undo,
    presence: () => inbox.presence,
  }
}

/** Without a known name: the subject, since everyone has the same issuer. */
function nameOf(principal: string, issuer: string | undefined): string {
  if (principal === localPerson.principal) return namingText.you
  return issuer !== undefined && principal.startsWith(`${issuer}#`) ? principal.slice(issuer.length + 1) : principal
}

/** Serves only the inbox. Returns a function that stops it. */
export async function serveStandaloneInbox(
  inbox: ServedInbox,
  config: Config,
  { log, terminal }: { log: Log; terminal: Terminal },
): Promise<() => void> {
  const { listen } = config
  const server = plainServer(() => inbox.respond, log.exception)
  try {
    const { origin } = await listenAt(server, listen)
    await inbox.openAt(origin, terminal)
  } catch (error) {
    if (!isTaken(error)) throw error
    const origin = expectedOrigin(listen)
    // Of several processes on one machine, the first serves the inbox for all of them.
    if (!(await inbox.isServedAt(origin))) {
      log.warn({ url: origin }, gatewayLog.inboxPortTaken)
      return () => undefined
    }
    inbox.leaveTo(origin)
    log.info({ url: origin }, gatewayLog.inboxElsewhere)
    return () => undefined
  }
  return () => {
    server.close()
    server.closeAllConnections()
  }
}
