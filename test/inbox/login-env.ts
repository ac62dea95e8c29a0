// An inbox with a real OpenID provider, called in-process, and HTTP browsers for the people who sign in.
import type { Store } from '@assent/store'
import { type InboxApp, type InboxOptions, inboxApp } from 'assent'
import { onTestFinished } from 'vitest'
import { identityLimits, setLimits } from '../../packages/gateway/src/limits.ts'
import { LoginBrowser } from '../../test-kit/oidc/login-browser.ts'
import { anIssuer, audience, inboxClient, type TestIssuer } from '../../test-kit/oidc/provider.ts'
import { openTestStore } from '../../test-kit/store/open.ts'
import { until } from '../../test-kit/until.ts'

export const tenant = 'acme'
export const base = 'http://127.0.0.1:7420'

export interface LoginEnv {
  readonly issuer: TestIssuer
  readonly store: Store
  readonly app: InboxApp
  readonly errors: unknown[]
  /** Another inbox on the same store: a second replica, or the first one after a restart. */
  another(options?: Partial<InboxOptions>): InboxApp
  browser(app?: InboxApp): LoginBrowser
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
    roles_claim: undefined,
    clock_tolerance: 0,
    keys_fresh: 600_000,
    keys_kept: 3_600_000,
    ...changes,
  }
}

export async function startLoginEnv({
  baseUrl = base,
  identity = {},
  ...more
}: Partial<InboxOptions> & { readonly identity?: Partial<Identity> } = {}): Promise<LoginEnv> {
  // A pause of a busy machine must not look like an issuer that does not respond.
  onTestFinished(setLimits(identityLimits, { fetchMs: 60_000, waitMs: 60_000 }))
  const { store, keys, close } = await openTestStore()
  const issuer = await anIssuer([`${baseUrl}/sign-in/callback`])
  const errors: unknown[] = []
  onTestFinished(async () => {
    await issuer.stop()
    await close()
  })
  const { id: clientId, secret: clientSecret } = inboxClient
  const login = { identity: identityOf(issuer.url, identity), clientId, clientSecret, scopes: ['profile', 'groups'] }
  const onError = (error: unknown) => void errors.push(error)
  const another = (options: Partial<InboxOptions> = {}) =>
    inboxApp({ store, tenant, baseUrl, keys, login, onError, ...more, ...options })
  const app = another()
  return { issuer, store, app, errors, another, browser: (to = app) => browserFor(to, baseUrl) }
}

/** Waits until a gateway has read its issuer's keys: until then a token is refused if the issuer is slow to respond. */
export async function untilReady(origin: string): Promise<void> {
  await until(async () => ((await fetch(`${origin}/readyz`)).status === 200 ? true : undefined))
}

/** Requests to the inbox's address are handled in-process; all others go over the network. */
export function browserFor(app: InboxApp, baseUrl: string): LoginBrowser {
  const { host } = new URL(baseUrl)
  return new LoginBrowser(async (url, init) => {
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

/** The issuer's address that a page of the inbox would open for signing in. */
export async function startLogin(browser: LoginBrowser, to?: unknown, baseUrl = base): Promise<URL> {
  const response = await browser.request(`${baseUrl}/api/sign-in/start`, {
    method: 'POST',
    headers: fromOurPage(baseUrl),
    body: JSON.stringify(to === undefined ? {} : { to }),
  })
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
  return new URL(((await response.json()) as { url: string }).url)
}

/** The complete sign-in. Returns the path of the final redirect. */
export async function signIn(browser: LoginBrowser, person: string, to?: unknown, baseUrl = base): Promise<string> {
  const back = await browser.logIn(await startLogin(browser, to, baseUrl), person)
  return (await browser.request(back)).headers.get('location') ?? ''
}

export async function me(browser: LoginBrowser, baseUrl = base): Promise<{ status: number; name?: string }> {
  const response = await browser.request(`${baseUrl}/api/me`)
  return { status: response.status, ...((await response.json()) as { name?: string }) }
}

export function cookieOf(browser: LoginBrowser, baseUrl = base): Record<string, string> {
  return Object.fromEntries(browser.cookies.get(new URL(baseUrl).host) ?? [])
}
