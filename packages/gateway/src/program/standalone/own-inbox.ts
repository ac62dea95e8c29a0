// The inbox in standalone mode, loaded on first use: the web app, and its sign-in link.

import { fileURLToPath } from 'node:url'
import type { DisplayNames } from '@assent/core'
import type { Store } from '@assent/store'
import { localPerson, onlyTenant } from '../../call/local-person.ts'
import type { Fallback } from '../../http/server.ts'
import { inboxApp } from '../../inbox/inbox-app.ts'
import { inboxLimits } from '../../inbox/limits.ts'
import { respondWith } from '../../inbox/serve-node.ts'
import { linkWith, SignIn } from '../../inbox/sign-in.ts'
import { WebFiles } from '../../inbox/web-files.ts'
import { ownServer } from './builtin-tools.ts'

const web = fileURLToPath(new URL('../../../web/', import.meta.url))

const naming: DisplayNames = {
  nameOf: (principal) => (principal === localPerson.principal ? 'You' : principal),
  describe: ({ server }) => (server === ownServer ? { name: 'Your agent', isAgent: true } : {}),
}

export async function openOwnInbox(
  store: Store,
  origin: string,
  listenerKeys: readonly Uint8Array[],
  onError: (error: unknown) => void,
): Promise<Fallback> {
  const files = await WebFiles.read(web)
  const app = inboxApp({ store, tenant: onlyTenant, baseUrl: origin, listenerKeys, web: files, ...naming, onError })
  return (request, response) => respondWith(app.fetch, request, response)
}

/** A single-use sign-in link for the local person, valid at this listener; undefined if too many are unused. */
export async function ownLink(store: Store, url: string, listener: string): Promise<string | undefined> {
  const signIn = new SignIn({ store, tenant: onlyTenant, sessionMs: inboxLimits.sessionMs })
  const code = await signIn.invite(localPerson, listener)
  return code === undefined ? undefined : linkWith(code, new URL(url))
}
