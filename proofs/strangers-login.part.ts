// Attempts to become Ann by way of a login: with her code, her state, her address, an id token made for another login, a
// session planted in her browser. A real provider gives the codes.
//
// Each attempt ends with one question: does the attacker's browser now reach an ask of Ann's?
import { randomBytes } from 'node:crypto'
import type { Surfer } from '../scripts/inbox/surfer.ts'
import type { SeededRandom } from './random.part.ts'
import { aSurfer, begin, cookieHeader, fromOurPage, type House, type Tenant } from './strangers-house.part.ts'
import type { Tally } from './strangers-tally.part.ts'

interface Scene {
  readonly tenant: Tenant
  readonly other: Tenant
  readonly random: SeededRandom
  /** The victim's browser, and where the provider sent it back to: not gone there yet. */
  readonly ann: Surfer
  readonly annBack: URL
  readonly thief: Surfer
}

/** Returns the browsers that must not be Ann's after it. */
type Attack = (scene: Scene) => Promise<readonly Surfer[]>

const attacks: Readonly<Record<string, Attack>> = {
  'her address, in a browser that began nothing': async ({ annBack, thief }) => {
    await thief.request(annBack)
    return [thief]
  },
  'her address, in a browser with a login of its own': async ({ tenant, annBack, thief }) => {
    await begin(thief, tenant.base)
    await thief.request(annBack)
    return [thief]
  },
  'her code in one’s own answer': async ({ tenant, annBack, thief }) => {
    const own = await thief.logIn(await begin(thief, tenant.base), 'mallory')
    own.searchParams.set('code', annBack.searchParams.get('code') ?? '')
    await thief.request(own)
    return [thief]
  },
  'her code with one’s own state, without a login at the provider': async ({ tenant, annBack, thief }) => {
    const state = (await begin(thief, tenant.base)).searchParams.get('state') ?? ''
    annBack.searchParams.set('state', state)
    await thief.request(annBack)
    return [thief]
  },
  'one’s own code with her state': async ({ tenant, annBack, thief }) => {
    const own = await thief.logIn(await begin(thief, tenant.base), 'mallory')
    own.searchParams.set('state', annBack.searchParams.get('state') ?? '')
    await thief.request(own)
    return [thief]
  },
  'her cookie and address, after she used them': async ({ tenant, ann, annBack, thief }) => {
    const stolen = cookieHeader(ann, tenant.base)
    await ann.request(annBack)
    await thief.request(annBack, { headers: { cookie: stolen } })
    return [thief]
  },
  'a code that was taken back': async ({ tenant, ann, annBack, thief }) => {
    // Somebody else tries it first, so the provider revokes it; then her own browser comes.
    const state = (await begin(thief, tenant.base)).searchParams.get('state') ?? ''
    const spoiled = new URL(annBack)
    spoiled.searchParams.set('state', state)
    await thief.request(spoiled)
    await ann.request(annBack)
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
  'an id token of hers that is over': async ({ tenant, thief }) => {
    tenant.issuer.forge = (claims, sign) => sign({ ...claims, sub: 'ann', exp: Number(claims.iat) - 60 })
    return forged(tenant, thief)
  },
  'an id token of hers by another tenant’s issuer': async ({ tenant, other, thief }) => {
    tenant.issuer.forge = (claims, sign) => sign({ ...claims, sub: 'ann', iss: other.issuer.url })
    return forged(tenant, thief)
  },
  'an answer of another tenant’s issuer': async ({ tenant, other, thief }) => {
    const own = await begin(thief, tenant.base)
    const elsewhere = aSurfer(other.inbox, other.base)
    const back = await elsewhere.logIn(await begin(elsewhere, other.base), 'ann')
    back.host = new URL(tenant.base).host
    back.searchParams.set('state', own.searchParams.get('state') ?? '')
    await thief.request(back)
    return [thief]
  },
  'a session planted before she signed in': async ({ tenant, ann, annBack, thief }) => {
    await thief.request(await thief.logIn(await begin(thief, tenant.base), 'mallory'))
    const [planted = ''] = cookieHeader(thief, tenant.base).split('; ')
    const jar = ann.cookies.get(new URL(tenant.base).host) ?? new Map<string, string>()
    const [name = '', value = ''] = planted.split('=')
    jar.set(name, value)
    await ann.request(annBack)
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
      await aSurfer(app, tenant.base).request(`${tenant.base}/api/sign-in`, init)
      await thief.request(`${tenant.base}/api/sign-in`, init)
    }
    return [thief]
  },
}

async function forged({ base, issuer }: Tenant, thief: Surfer): Promise<readonly Surfer[]> {
  try {
    await thief.request(await thief.logIn(await begin(thief, base), 'mallory'))
  } finally {
    issuer.forge = undefined
  }
  return [thief]
}

/** One after the other: what the provider forges, it forges for everybody. */
export async function tryLogins(house: House, random: SeededRandom, attempts: number, tally: Tally): Promise<void> {
  const [tenant, other] = house.tenants
  const { base, inbox, asks } = tenant
  const names = Object.keys(attacks)
  // The provider knows Ann's browser after the first time, as providers do; each login is a new one all the same.
  const atProvider = aSurfer(inbox, base)
  for (let i = 0; i < attempts; i++) {
    const what = names[i % names.length] ?? ''
    const ann = aSurfer(inbox, base)
    const { host } = new URL(tenant.issuer.url)
    ann.cookies.set(host, atProvider.cookies.get(host) ?? new Map())
    atProvider.cookies.set(host, ann.cookies.get(host) ?? new Map())
    const annBack = await ann.logIn(await begin(ann, base), 'ann')
    const thief = aSurfer(inbox, base)
    const browsers = (await attacks[what]?.({ tenant, other, random, ann, annBack, thief })) ?? []
    let succeeded = false
    for (const browser of browsers) {
      const { status } = await browser.request(`${base}/api/asks/${asks[0]}`)
      succeeded ||= status === 200
    }
    // Or so many sessions would be open in the end that a success found no room.
    for (const browser of [ann, ...browsers]) {
      await browser.request(`${base}/api/sign-out`, { method: 'POST', headers: fromOurPage(base), body: '{}' })
    }
    tally.judge(`login: ${what}`, { succeeded, told: false })
  }
}
