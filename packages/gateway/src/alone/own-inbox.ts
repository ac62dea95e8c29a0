// The inbox of one person's machine, loaded when it is first needed: the web app, and the link that signs them in.

import { fileURLToPath } from 'node:url'
import type { Naming } from '@assent/core'
import type { Store } from '@assent/store'
import type { Beside } from '../door/door.ts'
import { inboxApp } from '../inbox/inbox-app.ts'
import { respondWith } from '../inbox/serve-node.ts'
import { linkWith, SignIn } from '../inbox/sign-in.ts'
import { WebFiles } from '../inbox/web-files.ts'
import { inboxLimits } from '../limits.ts'
import { localPerson, onlyTenant } from '../local-person.ts'
import { ownServer } from './own-tools.ts'

const web = fileURLToPath(new URL('../../web/', import.meta.url))

const naming: Naming = {
  nameOf: (principal) => (principal === localPerson.principal ? 'You' : principal),
  describe: ({ server }) =>
    server === ownServer ? { name: 'Your agent', origin: 'through the tools of Assent on this machine' } : {},
}

export async function openOwnInbox(
  store: Store,
  origin: string,
  listenerKeys: readonly Uint8Array[],
  onTrouble: (error: unknown) => void,
): Promise<Beside> {
  const files = await WebFiles.read(web)
  const app = inboxApp({ store, tenant: onlyTenant, baseUrl: origin, listenerKeys, web: files, ...naming, onTrouble })
  return (request, response) => respondWith(app.fetch, request, response)
}

/** A link that signs the person at this machine in, once, at this process; nothing while too many are unused. */
export async function ownLink(store: Store, url: string, listener: string): Promise<string | undefined> {
  const signIn = new SignIn({ store, tenant: onlyTenant, sessionMs: inboxLimits.sessionMs })
  const code = await signIn.invite(localPerson, listener)
  return code === undefined ? undefined : linkWith(code, new URL(url))
}
