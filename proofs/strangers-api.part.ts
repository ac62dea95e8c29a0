// Attempts on other people's asks through the inbox's API: read, answer, list, page past, with every kind of session that is
// not its approver's. Beside each attempt stands the same one at an ask that does not exist.
import { randomBytes } from 'node:crypto'
import { newId, type Person } from '@assent/core'
import type { InboxApp } from 'assent'
import { SigningBrowser } from '../packages/gateway/src/inbox/signing-browser.suite.ts'
import type { SeededRandom } from './random.part.ts'
import { cookieHeader, fromOurPage, type House, signedIn, type Tenant } from './strangers-house.part.ts'
import type { Tally } from './strangers-tally.part.ts'

/** Someone at a browser of one inbox, with a cookie, with a key of its own, or with nothing. */
export interface Stranger {
  readonly what: string
  readonly tenant: Tenant
  readonly app: InboxApp
  readonly cookie: string
  readonly browser?: SigningBrowser
  /** What their browser adds to each request, as one on a page elsewhere would. */
  readonly headers?: Readonly<Record<string, string>>
}

/** None of these may decide any of the asks, at the inbox where they are. */
export async function gather({ store, tenants: [acme, globex] }: House): Promise<Stranger[]> {
  const at = (what: string, cookie: string, more: Partial<Stranger> = {}): Stranger => ({
    what,
    tenant: acme,
    app: acme.inbox,
    cookie,
    ...more,
  })
  const cookieOf = async (tenant: Tenant, person: string) => cookieHeader(await signedIn(tenant, person), tenant.base)
  const [annHere, annThere] = [await cookieOf(acme, 'ann'), await cookieOf(globex, 'ann')]
  const strangers = [
    at('by account: another person', await cookieOf(acme, 'ben')),
    at('by account: another person of the same name', await cookieOf(acme, 'mallory')),
    at('by account: the same name at another tenant’s issuer', annThere, { tenant: globex, app: globex.inbox }),
    at('by account: a session of another tenant', annThere),
    at('by account: a session that was ended', await endedSession(acme)),
    at('by account: a session that is over', await overSession(store, acme)),
    at('Ann’s own browser, on a page elsewhere', annHere, {
      headers: { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' },
    }),
    at('Ann’s own browser, by a form elsewhere', annHere, {
      headers: { origin: 'null', 'sec-fetch-site': 'cross-site', 'content-type': 'text/plain', 'assent-inbox': '' },
    }),
    at('Ann’s own browser, under a name pointed here', annHere, { headers: { host: 'evil.example:7420' } }),
    at('nobody', ''),
    at('a made-up session', `assent-7420=${'x'.repeat(43)}`),
  ]
  const people: readonly (readonly [string, Person])[] = [
    ['another person', { principal: 'mallory', groups: [] }],
    ['a member of another group', { principal: 'mallory', groups: ['dev'] }],
    ['a member who is barred', { principal: 'dan', groups: ['ops-leads'] }],
    ['a person called like a group', { principal: 'group:ops-leads', groups: [] }],
    ['a group called like a person', { principal: 'eve', groups: [`person:${acme.ann.principal}`, 'ann'] }],
    ['a subject without its issuer', { principal: 'ann', groups: [] }],
    ['a name in other letters', { principal: acme.ann.principal.toUpperCase(), groups: ['OPS-LEADS'] }],
  ]
  for (const [what, person] of people) {
    const app = acme.linkInbox
    strangers.push(at(`by link: ${what}`, '', { app, browser: await byLink(app, person, acme.base) }))
  }
  const there = { tenant: globex, app: globex.linkInbox }
  const elsewhere = await byLink(globex.linkInbox, acme.ann, globex.base)
  strangers.push(at('by link: an approver, in another tenant', '', { ...there, browser: elsewhere }))
  // What a program on another port, or one that took this port, may have got of Ann's own session.
  const app = acme.linkInbox
  const anns = await byLink(app, acme.ann, acme.base)
  const other = await byLink(app, { principal: 'mallory', groups: [] }, acme.base)
  const [captured, byOther] = [await anns.proof('GET', '/api/asks'), await other.proof('GET', '/api/asks')]
  // It reached the inbox; from then on it is a request that was made before.
  await send({ app, base: acme.base }, 'GET', '/api/asks', '', undefined, { 'assent-proof': captured })
  const forged = byOther.replace(other.session, anns.session)
  return [
    ...strangers,
    at('by link: her token as a cookie', `assent-7420=${anns.session}`, { app }),
    at('by link: her token, without a signature', '', { app, headers: { 'assent-session': anns.session } }),
    at('by link: her token, signed by another browser', '', { app, headers: { 'assent-proof': forged } }),
    at('by link: a request of hers, sent again', '', { app, headers: { 'assent-proof': captured } }),
  ]
}

async function byLink(app: InboxApp, person: Person, base: string): Promise<SigningBrowser> {
  return SigningBrowser.signIn((await app.signInLink(person)) ?? '', (path, { method, headers, body }) =>
    send({ app, base }, method, path, '', body, headers),
  )
}

async function endedSession(tenant: Tenant): Promise<string> {
  const surfer = await signedIn(tenant, 'ann')
  const cookie = cookieHeader(surfer, tenant.base)
  await surfer.request(`${tenant.base}/api/sign-out`, {
    method: 'POST',
    headers: fromOurPage(tenant.base),
    body: '{}',
  })
  return cookie
}

async function overSession(store: House['store'], { name, ann }: Tenant): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  const once = { tenant: name, token, login: token, person: ann, keepMs: 1, atMost: 1_000, atMostOfOne: 1_000 }
  if ((await store.signIns.begin(once)) !== 'begun') throw new Error('There was no room for a session.')
  await new Promise((resolve) => setTimeout(resolve, 20))
  return `assent-7420=${token}`
}

export async function tryApi(house: House, random: SeededRandom, attempts: number, tally: Tally): Promise<void> {
  const strangers = await gather(house)
  const targets = house.tenants[0].asks
  for (let i = 0; i < attempts; i++) {
    const stranger = strangers[i % strangers.length] as Stranger
    const id = random.pick(targets)
    const missing = newId('ask', Date.now() - random.int(86_400_000), randomBytes)
    const [attempt, salt] = [random.pick(ways), random.int(2 ** 31)]
    const [real, absent] = [await attempt(stranger, id, salt), await attempt(stranger, missing, salt)]
    tally.judge(stranger.what, {
      succeeded: real.status < 400 && real.body.includes(id),
      told: JSON.stringify(real) !== JSON.stringify(absent),
    })
  }
}

interface Told {
  readonly status: number
  readonly headers: readonly (readonly [string, string])[]
  readonly body: string
}

const bodies: readonly ((salt: number) => unknown)[] = [
  (salt) => ({ decisionId: `decision-${salt}-0000000000`, answer: { action: 'accept', content: { region: 'eu' } } }),
  (salt) => ({ decisionId: `decision-${salt}-0000000000`, answer: { action: 'accept' } }),
  (salt) => ({ decisionId: `decision-${salt}-0000000000`, answer: { action: 'decline', comment: 'no' } }),
  (salt) => ({ decisionId: `decision-${salt}-0000000000`, answer: { action: 'cancel' } }),
  () => ({ decisionId: 'short', answer: { action: 'accept' } }),
  () => ({ answer: null }),
  () => 'no json',
]

/** Every way to reach an ask. What the API says of it, in full. */
const ways: readonly ((stranger: Stranger, id: string, salt: number) => Promise<Told>)[] = [
  (one, id) => reply(by(one, 'GET', `/api/asks/${id}`)),
  (one, id) => reply(by(one, 'GET', `/api/asks/${id}/answer?action=accept`)),
  (one, id) => reply(by(one, 'GET', `/api/asks/${encodeURIComponent(`${id} `)}`)),
  (one, id) => reply(by(one, 'GET', `/api/asks/../asks/${id}`)),
  (one, id) => reply(by(one, 'DELETE', `/api/asks/${id}`, {})),
  (one, id, salt) => reply(by(one, 'POST', `/api/asks/${id}/answer`, bodies[salt % bodies.length]?.(salt))),
  (one, id, salt) => reply(by(one, 'POST', `/api/asks/${id}/answer`, bodies[0]?.(salt))),
  (one, id) => listOf(one, '/api/asks', id),
  (one, id) => listOf(one, '/api/history', id),
  // A page link that points just behind the ask.
  (one, id) => {
    const cursor = Buffer.from(JSON.stringify([Date.now() + 1_000, id])).toString('base64url')
    return listOf(one, `/api/asks?cursor=${cursor}`, id)
  },
]

/** A list tells the time; but for that it must say the same whoever is asked about. */
async function listOf(stranger: Stranger, path: string, id: string): Promise<Told> {
  const told = await reply(by(stranger, 'GET', path))
  return { ...told, body: told.body.replace(/"nowMs":\d+/, '"nowMs":0') + (told.body.includes(id) ? ' names it' : '') }
}

async function reply(response: Promise<Response>): Promise<Told> {
  const { status, headers, ...rest } = await response.then(async (one) => ({
    status: one.status,
    headers: [...one.headers],
    body: await one.text(),
  }))
  return { status, headers, ...rest }
}

async function by(stranger: Stranger, method: string, path: string, body?: unknown): Promise<Response> {
  const { app, tenant, cookie } = stranger
  return send({ app, base: tenant.base }, method, path, cookie, body, await headersOf(stranger, method, path, body))
}

/** What their browser adds, with a signature where it has a key. */
export async function headersOf(
  { browser, headers = {} }: Stranger,
  method: string,
  path: string,
  body: unknown,
): Promise<Record<string, string>> {
  if (browser === undefined) return { ...headers }
  const sent = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
  return { 'assent-proof': await browser.proof(method, path, sent), ...headers }
}

async function send(
  { app, base }: { readonly app: InboxApp; readonly base: string },
  method: string,
  path: string,
  cookie: string,
  body?: unknown,
  more: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const ours = body === undefined ? {} : fromOurPage(base)
  const headers = { host: new URL(base).host, cookie, ...ours, ...more }
  const content = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }
  return app.fetch(new Request(`http://inbox${path}`, { method, headers, ...content }))
}
