// The inbox as the program serves it: beside the endpoint, or by itself when the client speaks on standard input.
//
// Everyone on a personal machine is the one local person, so the inbox signs that person in with a link that works once.
// Where people are known by an issuer, they sign in there.

import { fileURLToPath } from 'node:url'
import type { KeyRing, Naming, SealKey } from '@assent/core'
import type { Store } from '@assent/store'
import type { Config } from '../config/settings.ts'
import type { Beside } from '../door/door.ts'
import { expectedOrigin, isTaken, listenAt } from '../door/listen.ts'
import { plainServer } from '../door/plain-server.ts'
import type { IssuerKeys } from '../identity/issuer-keys.ts'
import { type InboxApp, type InboxOptions, inboxApp } from '../inbox/inbox-app.ts'
import { askListener, listenerKey } from '../inbox/listener-proof.ts'
import { respondWith } from '../inbox/serve-node.ts'
import { WebFiles } from '../inbox/web-files.ts'
import { aloneLimits } from '../limits.ts'
import { localPerson, onlyTenant } from '../local-person.ts'
import { SecretPages } from '../secrets/secret-pages.ts'
import type { Log } from '../watch/log.ts'
import type { Terminal } from './terminal.ts'

const web = fileURLToPath(new URL('../../web/', import.meta.url))

export interface ServedInbox {
  readonly secretPages: SecretPages
  readonly respond: Beside
  /** Where it is served, once that is known. */
  readonly origin: string | undefined
  /** Opens it, now that its address is known, and tells the person at this terminal how to get in, if there is one. */
  openAt(origin: string, terminal: Terminal): Promise<void>
  /** Whether another process of the same installation serves it there. */
  isServedAt(origin: string): Promise<boolean>
  /** Another process of the same installation serves it there. */
  leaveTo(origin: string): void
  /** Puts another configuration in force: who signs people in, for how long, what servers are called. */
  reload(config: Config, sealKeys: readonly SealKey[]): void
  /** Sends away the pages that follow changes, before the program stops. */
  endStreams(): void
}

export interface InboxParts {
  readonly store: Store
  readonly keys: KeyRing
  readonly sealKeys: readonly SealKey[]
  /** Of the issuer in force. */
  readonly issuerKeys: () => IssuerKeys | undefined
  readonly log: Log
}

/** Undefined when people are not asked there. */
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
      ...(config.inbox.session === undefined ? {} : { sessionMs: config.inbox.session }),
      web: files,
      nameOf: (principal) => namingOf(config).nameOf(principal),
      describe: (asker) => namingOf(config).describe(asker),
      onTrouble: log.trouble,
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
    openAt: async (origin, { isErrColoured, err }) => {
      openedAt = origin
      secretPages.openAt(config.inbox.url?.href ?? origin, originHere(origin))
      app = appAt(origin)
      // Only to a terminal: in a log the link would be there for whoever reads the log first.
      const link = isErrColoured && config.identity === undefined ? await app.signInLink(localPerson) : undefined
      if (link !== undefined) err(`Answer questions at ${link} (the link works once).`)
    },
    isServedAt: async (origin) => {
      const signal = AbortSignal.timeout(aloneLimits.inboxReplyMs)
      return (await askListener(config.inbox.url ?? new URL(origin), listenerKeys, signal)) !== undefined
    },
    leaveTo: (origin) => {
      openedAt = origin
      // Its pages are where this one's servers open theirs: the store and its keys are the same.
      secretPages.openAt(config.inbox.url?.href ?? origin, origin)
    },
    reload: (next, nextKeys) => {
      const before = [loginOf(config).login, config.inbox.session]
      config = next
      listenerKeys.splice(0, listenerKeys.length, ...nextKeys.map(({ secret }) => listenerKey(secret)))
      const { login } = loginOf(config)
      // Without accounts a session belongs to this very app, and nothing about signing in can have changed.
      if (app === undefined || openedAt === undefined || login === undefined) return
      if (JSON.stringify(before) === JSON.stringify([login, config.inbox.session])) return
      const old = app
      app = appAt(openedAt)
      // Pages that follow changes come back, and are asked who they are again.
      old.endStreams()
    },
    endStreams: () => app?.endStreams(),
  }
}

/** Where a program on this machine finds what listens there: no program can connect to "every address". */
function originHere(origin: string): string {
  const url = new URL(origin)
  if (url.hostname === '0.0.0.0') url.hostname = '127.0.0.1'
  if (url.hostname === '[::]') url.hostname = '[::1]'
  return url.origin
}

/** How people sign in with accounts; empty where they do not. */
export function loginOf({ asks, identity, inbox }: Config, keys?: IssuerKeys): Pick<InboxOptions, 'login'> {
  if (identity === undefined || inbox.client_id === undefined || !asks.surfaces.includes('inbox')) return {}
  const secret = inbox.client_secret === undefined ? {} : { clientSecret: inbox.client_secret }
  const shared = keys === undefined ? {} : { keys }
  return { login: { identity, clientId: inbox.client_id, scopes: inbox.scopes, ...secret, ...shared } }
}

/** What the configuration says about names, for every place where people answer. */
export function namingOf({ servers, identity }: Pick<Config, 'servers' | 'identity'>): Naming {
  return {
    nameOf: (principal) => nameOf(principal, identity?.issuer),
    describe: ({ server }) => (Object.hasOwn(servers, server) ? { origin: 'from your configuration' } : {}),
  }
}

/** Where no name is known of them: by their subject, since all are of one issuer. */
function nameOf(principal: string, issuer: string | undefined): string {
  if (principal === localPerson.principal) return 'You'
  return issuer !== undefined && principal.startsWith(`${issuer}#`) ? principal.slice(issuer.length + 1) : principal
}

/** Serves the inbox alone. Returns how to stop it. */
export async function serveInboxAlone(
  inbox: ServedInbox,
  config: Config,
  { log, terminal }: { log: Log; terminal: Terminal },
): Promise<() => void> {
  const { listen } = config
  const server = plainServer(() => inbox.respond, log.trouble)
  try {
    const { origin } = await listenAt(server, listen)
    await inbox.openAt(origin, terminal)
  } catch (error) {
    if (!isTaken(error)) throw error
    const origin = expectedOrigin(listen)
    // Of several windows on one machine the first serves the inbox, and it shows the questions of all.
    if (!(await inbox.isServedAt(origin))) {
      log.warn(
        { url: origin },
        'Another program has the port of the inbox, and it is not this Assent: there is no inbox.',
      )
      return () => undefined
    }
    inbox.leaveTo(origin)
    log.info({ url: origin }, 'Another process on the same store serves the inbox.')
    return () => undefined
  }
  return () => {
    server.close()
    server.closeAllConnections()
  }
}
