// An inbox where people sign in at a real provider, reached without a socket; and people at browsers without a screen.
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createKeyRing } from '@assent/core'
import { openSqlite, type Store } from '@assent/store'
import { type InboxApp, type InboxOptions, inboxApp } from 'assent'
import { onTestFinished } from 'vitest'
import { anIssuer, audience, inboxClient, type TestIssuer } from '../../scripts/inbox/issuer.ts'
import { Surfer } from '../../scripts/inbox/surfer.ts'

export const tenant = 'acme'
export const base = 'http://127.0.0.1:7420'

export interface House {
  readonly issuer: TestIssuer
  readonly store: Store
  readonly app: InboxApp
  readonly troubles: unknown[]
  /** Another inbox on the same store: another replica, or the same one started anew. */
  another(options?: Partial<InboxOptions>): InboxApp
  surfer(app?: InboxApp): Surfer
}

type Identity = NonNullable<InboxOptions['login']>['identity']

export function identityOf(issuer: string, changes: Partial<Identity> = {}): Identity {
  return {
    issuer,
    audience,
    resource: undefined,
    scopes: [],
    algorithms: ['ES256'],
    token_type: 'any',
    subject_claim: 'sub',
    groups_claim: 'groups',
    clock_tolerance: 0,
    keys_fresh: 600_000,
    keys_kept: 3_600_000,
    ...changes,
  }
}

export async function aHouse({
  baseUrl = base,
  identity = {},
  ...more
}: Partial<InboxOptions> & { readonly identity?: Partial<Identity> } = {}): Promise<House> {
  const folder = await mkdtemp(join(tmpdir(), 'assent-house-'))
  const store = await openSqlite(join(folder, 'assent.db'), {
    keys: createKeyRing([{ id: 'test', secret: randomBytes(32) }]),
  })
  const issuer = await anIssuer([`${baseUrl}/sign-in/callback`])
  const troubles: unknown[] = []
  onTestFinished(async () => {
    await issuer.stop()
    await store.close()
    await rm(folder, { recursive: true })
  })
  const { id: clientId, secret: clientSecret } = inboxClient
  const login = { identity: identityOf(issuer.url, identity), clientId, clientSecret, scopes: ['profile', 'groups'] }
  const onTrouble = (error: unknown) => void troubles.push(error)
  const another = (options: Partial<InboxOptions> = {}) =>
    inboxApp({ store, tenant, baseUrl, login, onTrouble, ...more, ...options })
  const app = another()
  return { issuer, store, app, troubles, another, surfer: (to = app) => aSurfer(to, baseUrl) }
}

/** What is for the inbox's own address goes to it; everything else over the wire. */
export function aSurfer(app: InboxApp, baseUrl: string): Surfer {
  const { host } = new URL(baseUrl)
  return new Surfer(async (url, init) => {
    if (url.host !== host) return fetch(url, init)
    return app.fetch(
      new Request(`http://inbox${url.pathname}${url.search}`, { ...init, headers: { ...init.headers, host } }),
    )
  })
}

export const fromOurPage = (baseUrl: string) => ({
  origin: baseUrl,
  'assent-inbox': '1',
  'content-type': 'application/json',
})

/** Where a page of ours would send the browser to sign in. */
export async function begin(surfer: Surfer, to?: unknown, baseUrl = base): Promise<URL> {
  const response = await surfer.request(`${baseUrl}/api/sign-in/start`, {
    method: 'POST',
    headers: fromOurPage(baseUrl),
    body: JSON.stringify(to === undefined ? {} : { to }),
  })
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
  return new URL(((await response.json()) as { url: string }).url)
}

/** The whole way. Where the browser is sent at its end. */
export async function signIn(surfer: Surfer, person: string, to?: unknown, baseUrl = base): Promise<string> {
  const back = await surfer.logIn(await begin(surfer, to, baseUrl), person)
  return (await surfer.request(back)).headers.get('location') ?? ''
}

export async function me(surfer: Surfer, baseUrl = base): Promise<{ status: number; name?: string }> {
  const response = await surfer.request(`${baseUrl}/api/me`)
  return { status: response.status, ...((await response.json()) as { name?: string }) }
}

export function cookieOf(surfer: Surfer, baseUrl = base): Record<string, string> {
  return Object.fromEntries(surfer.cookies.get(new URL(baseUrl).host) ?? [])
}
