// Attempts to become Ann through a login: with her code, her state, her callback URL, an id token of another login, a
// session planted in her browser. A real provider issues the codes.
//
// Each attempt ends with a check: can the attacker's browser read an ask of Ann's?
import { randomBytes } from 'node:crypto'
import type { LoginBrowser } from '../../test-kit/oidc/login-browser.ts'
import type { SeededRandom } from '../../test-kit/random.ts'
import type { Tally } from './tally.ts'
import { begin, browserFor, cookieHeader, fromOurPage, type Tenant, type TestEnv } from './test-env.ts'

interface Scene {
  readonly tenant: Tenant
  readonly other: Tenant
  readonly random: SeededRandom
  /** The victim's browser, and the callback URL to which the provider redirected it, not opened yet. */
  readonly ann: LoginBrowser
  readonly annCallback: URL
  readonly thief: LoginBrowser
}

/** Returns the browsers that must not be signed in as Ann. */
type Attack = (scene: Scene) => Promise<readonly LoginBrowser[]>

const attacks: Readonly<Record<string, Attack>> = {
  'her callback URL, in a browser without a login': async ({ annCallback, thief }) => {
    await thief.request(annCallback)
    return [thief]
  },
  'her callback URL, in a browser with its own login': async ({ tenant, annCallback, thief }) => {
    await begin(thief, tenant.base)
    await thief.request(annCallback)
    return [thief]
  },
  'her code in the attacker’s callback URL': async ({ tenant, annCallback, thief }) => {
    const own = await thief.logIn(await begin(thief, tenant.base), 'mallory')
    own.searchParams.set('code', annCallback.searchParams.get('code') ?? '')
    await thief.request(own)
    return [thief]
  },
  'her code with the attacker’s state, without a login at the provider': async ({ tenant, annCallback, thief }) => {
    const state = (await begin(thief, tenant.base)).searchParams.get('state') ?? ''
    annCallback.searchParams.set('state', state)
    await thief.request(annCallback)
    return [thief]
  },
  'the attacker’s code with her state': async ({ tenant, annCallback, thief }) => {
    const own = await thief.logIn(await begin(thief, tenant.base), 'mallory')
    own.searchParams.set('state', annCallback.searchParams.get('state') ?? '')
    await thief.request(own)
    return [thief]
  },
  'her cookie and callback URL, after she used them': async ({ tenant, ann, annCallback, thief }) => {
    const stolen = cookieHeader(ann, tenant.base)
    await ann.request(annCallback)
    await thief.request(annCallback, { headers: { cookie: stolen } })
    return [thief]
  },
  'a code that the provider revoked': async ({ tenant, ann, annCallback, thief }) => {
    // The attacker uses it first, so the provider revokes it; then her own browser uses it.
    const state = (await begin(thief, tenant.base)).searchParams.get('state') ?? ''
    const spoiled = new URL(annCallback)
    spoiled.searchParams.set('state', state)
    await thief.request(spoiled)
    await ann.request(annCallback)
    return [thief]
  },
  'an id token of hers for another login': async ({ tenant, thief }) => {
    tenant.issuer.forge = (claims, sign) =>
      sign({ ...claims, sub: 'ann', nonce: randomBytes(32).toString('base64url') })
    return forged(tenant, thief)
  },
  'an id token of hers for another client': async ({ tenant, thief }) => {
    tenant.issuer.forge = (claims, sign) => sign({ ...claims, sub: 'ann', aud: 'agent' })
    return forged(tenant, thief)
  },
  'an id token of hers that has expired': async ({ tenant, thief }) => {
    tenant.issuer.forge = (claims, sign) => sign({ ...claims, sub: 'ann', exp: Number(claims.iat) - 60 })
    return forged(tenant, thief)
  },
  'an id token of hers by another tenant’s issuer': async ({ tenant, other, thief }) => {
    tenant.issuer.forge = (claims, sign) => sign({ ...claims, sub: 'ann', iss: other.issuer.url })
    return forged(tenant, thief)
  },
  'an answer of another tenant’s issuer': async ({ tenant, other, thief }) => {
    const own = await begin(thief, tenant.base)
    const elsewhere = browserFor(other.inbox, other.base)
    const back = await elsewhere.logIn(await begin(elsewhere, other.base), 'ann')
    back.host = new URL(tenant.base).host
    back.searchParams.set('state', own.searchParams.get('state') ?? '')
    await thief.request(back)
    return [thief]
  },
  'a session planted before she signed in': async ({ tenant, ann, annCallback, thief }) => {
    await thief.request(await thief.logIn(await begin(thief, tenant.base), 'mallory'))
    const [planted = ''] = cookieHeader(thief, tenant.base).split('; ')
    const jar = ann.cookies.get(new URL(tenant.base).host) ?? new Map<string, string>()
    const [name = '', value = ''] = planted.split('=')
    jar.set(name, value)
    await ann.request(annCallback)
    return [thief]
  },
  'a made-up session': async ({ tenant, random, thief }) => {
    const token = Buffer.from(random.bytes(32)).toString('base64url')
    thief.cookies.set(new URL(tenant.base).host, new Map([[`assent-${new URL(tenant.base).port}`, token]]))
    return [thief]
  },
  'a made-up code of a link': async ({ tenant, random, thief }) => {
    const code = Buffer.from(random.bytes(32)).toString('base64url')
    for (const app of [tenant.inbox, tenant.linkInbox]) {
      const init = { method: 'POST', headers: fromOurPage(tenant.base), body: JSON.stringify({ code }) }
      await browserFor(app, tenant.base).request(`${tenant.base}/api/sign-in`, init)
      await thief.request(`${tenant.base}/api/sign-in`, init)
    }
    return [thief]
  },
}

async function forged({ base, issuer }: Tenant, thief: LoginBrowser): Promise<readonly LoginBrowser[]> {
  try {
    await thief.request(await thief.logIn(await begin(thief, base), 'mallory'))
  } finally {
    issuer.forge = undefined
  }
  return [thief]
}

/** Sequentially: a forgery of the provider affects all logins. */
export async function tryLogins(testEnv: TestEnv, random: SeededRandom, attempts: number, tally: Tally): Promise<void> {
  const [tenant, other] = testEnv.tenants
  const { base, inbox, asks } = tenant
  const names = Object.keys(attacks)
  // The provider has a session for Ann's browser after the first login; each login is still a new one.
  const atProvider = browserFor(inbox, base)
  for (let i = 0; i < attempts; i++) {
    const what = names[i % names.length] ?? ''
    const ann = browserFor(inbox, base)
    const { host } = new URL(tenant.issuer.url)
    ann.cookies.set(host, atProvider.cookies.get(host) ?? new Map())
    atProvider.cookies.set(host, ann.cookies.get(host) ?? new Map())
    const annCallback = await ann.logIn(await begin(ann, base), 'ann')
    const thief = browserFor(inbox, base)
    const browsers = (await attacks[what]?.({ tenant, other, random, ann, annCallback, thief })) ?? []
    let succeeded = false
    for (const browser of browsers) {
      const { status } = await browser.request(`${base}/api/asks/${asks[0]}`)
      succeeded ||= status === 200
    }
    // Otherwise the limit of open sessions could hide a success.
    for (const browser of [ann, ...browsers]) {
      await browser.request(`${base}/api/sign-out`, { method: 'POST', headers: fromOurPage(base), body: '{}' })
    }
    tally.judge(`login: ${what}`, { succeeded, reveals: false })
  }
}
