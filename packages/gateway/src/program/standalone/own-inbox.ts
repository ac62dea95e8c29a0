// The inbox in standalone mode, loaded on first use: the web app, and its sign-in link.

import { fileURLToPath } from 'node:url'
import { askView, type DisplayNames, type KeyRing, type PresenceSetting } from '@assent/core'
import type { Store } from '@assent/store'
import { localPerson, onlyTenant } from '../../call/local-person.ts'
import type { Config } from '../../config/settings.ts'
import { type InboxApp, inboxApp } from '../../inbox/inbox-app.ts'
import { inboxLimits } from '../../inbox/limits.ts'
import { respondWith } from '../../inbox/serve-node.ts'
import { linkWith, SignIn } from '../../inbox/sign-in.ts'
import type { OpenTab } from '../../inbox/sign-in-routes.ts'
import { WebFiles } from '../../inbox/web-files.ts'
import { sleep } from '../../protocol/sleep.ts'
import { signInText } from '../text/desktop.ts'
import { namingText } from '../text/gateway.ts'
import { AskNotifier, isWithin, type NotifierParts } from './ask-notifier.ts'
import { hasDesktop, runCommand } from './desktop.ts'
import { standaloneLimits } from './limits.ts'
import { openSignedIn } from './open-signed-in.ts'
import { describeOwnAsker } from './own-asker.ts'
import { PasskeyNotifier } from './passkey-notifier.ts'
import type { OpenedInbox } from './shared-inbox.ts'
import { notificationCommand, type SystemNotification } from './system-notification.ts'

const web = fileURLToPath(new URL('../../../web/', import.meta.url))

const naming: DisplayNames = {
  nameOf: (principal) => (principal === localPerson.principal ? namingText.you : principal),
  describe: describeOwnAsker,
}

export interface OwnInbox {
  readonly store: Store
  readonly origin: string
  readonly listenerKeys: readonly Uint8Array[]
  readonly keys: KeyRing
  readonly presence: PresenceSetting
  readonly desktop: Config['desktop']
  readonly variables: NodeJS.ProcessEnv
  /** Whether an agent uses this process. */
  readonly hasAgent: boolean
  /** Aborts when this process no longer serves the inbox. */
  readonly closing: AbortSignal
  readonly onError: (error: unknown) => void
}

export async function openOwnInbox(own: OwnInbox): Promise<OpenedInbox> {
  const { store, origin, listenerKeys, hasAgent, variables, closing, onError } = own
  const files = await WebFiles.read(web)
  const openTab = async (path: string) => {
    const link = await app.signInLink(localPerson, path)
    if (link === undefined) throw new Error(signInText.tooManyLinks)
    const file = await openSignedIn(link, variables)
    setTimeout(file.remove, standaloneLimits.signInMs).unref()
    closing.addEventListener('abort', file.remove, { once: true })
  }
  const app: InboxApp = inboxApp({
    store,
    tenant: onlyTenant,
    baseUrl: origin,
    keys: own.keys,
    listenerKeys,
    web: files,
    ownAgents: hasAgent ? 1 : 0,
    ...(hasDesktop(process.platform, variables) ? { openTab } : {}),
    ...naming,
    presence: () => own.presence,
    onError,
  })
  if (own.desktop.notify !== false || own.desktop.open !== false) notifyOfAsks(app, own, openTab)
  if (own.desktop.notify !== false) notifyOfPasskeys(own)
  return {
    respond: (request, response) => respondWith(app.fetch, request, response),
    get openPages() {
      return app.openPages
    },
  }
}

function notifyOfAsks(app: InboxApp, own: OwnInbox, openTab: OpenTab): void {
  const { store, origin, desktop, variables, closing, onError } = own
  const show: NotifierParts['show'] = (notification) => showOnDesktop(notification, variables)
  const notifier = new AskNotifier({
    inboxUrl: `${origin}/`,
    read: async (id) => {
      const ask = await store.asks.read(onlyTenant, id)
      return ask === undefined ? undefined : askView(ask, localPerson, naming)
    },
    ...(desktop.notify === false ? {} : { show }),
    ...(desktop.open === false || !hasDesktop(process.platform, variables) ? {} : { openTab }),
    hasOpenPage: () => app.openPages > 0,
    isQuiet: () => isWithin(desktop.quiet, new Date()),
    onError,
  })
  closing.addEventListener('abort', () => notifier.end(), { once: true })
  void keepFollowing(app, notifier, closing, onError)
}

/** Also in quiet hours: a passkey that the person did not add or remove is not a question that can wait. */
function notifyOfPasskeys({ store, origin, variables, closing, onError }: OwnInbox): void {
  const notifier = new PasskeyNotifier({
    notices: (sinceMs) => store.passkeys.noticesSince({ tenant: onlyTenant, ...localPerson }, sinceMs),
    nowMs: () => store.nowMs(),
    url: `${origin}/passkeys`,
    show: (notification) => showOnDesktop(notification, variables),
  })
  const timer = setInterval(() => void notifier.look().catch(onError), standaloneLimits.passkeyLookMs)
  timer.unref()
  closing.addEventListener('abort', () => clearInterval(timer), { once: true })
}

async function showOnDesktop(notification: SystemNotification, variables: NodeJS.ProcessEnv): Promise<void> {
  const command = notificationCommand(notification, process.platform, variables)
  if (command !== undefined) await runCommand(command, variables)
}

/** Follows the changes, again after a failure of the store, until `closing` aborts. */
async function keepFollowing(
  app: InboxApp,
  notifier: AskNotifier,
  closing: AbortSignal,
  onError: (error: unknown) => void,
): Promise<void> {
  while (!closing.aborted) {
    try {
      return await app.follow(localPerson, notifier, closing)
    } catch (error) {
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
