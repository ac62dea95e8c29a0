// The inbox in standalone mode, loaded on first use: the web app, and its sign-in link.

import { fileURLToPath } from 'node:url'
import { askView, type DisplayNames } from '@assent/core'
import type { Store } from '@assent/store'
import { localPerson, onlyTenant } from '../../call/local-person.ts'
import type { Config } from '../../config/settings.ts'
import type { Fallback } from '../../http/server.ts'
import { type InboxApp, inboxApp } from '../../inbox/inbox-app.ts'
import { inboxLimits } from '../../inbox/limits.ts'
import { respondWith } from '../../inbox/serve-node.ts'
import { linkWith, SignIn } from '../../inbox/sign-in.ts'
import { WebFiles } from '../../inbox/web-files.ts'
import { sleep } from '../../protocol/sleep.ts'
import { AskNotifier, isWithin } from './ask-notifier.ts'
import { ownServer } from './builtin-tools.ts'
import { notificationCommand, runCommand } from './system-notification.ts'

const web = fileURLToPath(new URL('../../../web/', import.meta.url))

const naming: DisplayNames = {
  nameOf: (principal) => (principal === localPerson.principal ? 'You' : principal),
  describe: ({ server }) => (server === ownServer ? { name: 'Your agent', isAgent: true } : {}),
}

export interface OwnInbox {
  readonly store: Store
  readonly origin: string
  readonly listenerKeys: readonly Uint8Array[]
  readonly desktop: Config['desktop']
  readonly variables: NodeJS.ProcessEnv
  /** Aborts when this process no longer serves the inbox. */
  readonly closing: AbortSignal
  readonly onError: (error: unknown) => void
}

export async function openOwnInbox(own: OwnInbox): Promise<Fallback> {
  const { store, origin, listenerKeys, onError } = own
  const files = await WebFiles.read(web)
  const app = inboxApp({ store, tenant: onlyTenant, baseUrl: origin, listenerKeys, web: files, ...naming, onError })
  if (own.desktop.notify !== false) notifyOfAsks(app, own)
  return (request, response) => respondWith(app.fetch, request, response)
}

function notifyOfAsks(app: InboxApp, { store, origin, desktop, variables, closing, onError }: OwnInbox): void {
  const notifier = new AskNotifier({
    inboxUrl: `${origin}/`,
    read: async (id) => {
      const ask = await store.asks.read(onlyTenant, id)
      return ask === undefined ? undefined : askView(ask, localPerson, naming)
    },
    show: async (notification) => {
      const command = notificationCommand(notification, process.platform, variables)
      if (command !== undefined) await runCommand(command, variables)
    },
    isQuiet: () => isWithin(desktop.quiet, new Date()),
    onError,
  })
  closing.addEventListener('abort', () => notifier.end(), { once: true })
  void keepFollowing(app, notifier, closing, onError)
}

/** Follows the changes, again after a failure of the store, until `closing` aborts. */
async function keepFollowing(
  app: InboxApp,
  notifier: AskNotifier,
  closing: AbortSignal,
  onError: (error: unknown) => void,
): Promise<void> {
  while (!closing.aborted) {
    const attempt = new AbortController()
    try {
      return await app.follow(localPerson, notifier, AbortSignal.any([closing, attempt.signal]))
    } catch (error) {
      attempt.abort()
      onError(error)
      await sleep(inboxLimits.retryMs, closing)
    }
  }
}

/** A single-use sign-in link for the local person, valid at this listener; undefined if too many are unused. */
export async function ownLink(store: Store, url: string, listener: string): Promise<string | undefined> {
  const signIn = new SignIn({ store, tenant: onlyTenant, sessionMs: inboxLimits.sessionMs })
  const code = await signIn.invite(localPerson, listener)
  return code === undefined ? undefined : linkWith(code, new URL(url))
}
