// Attempts on other people's asks through the inbox's API: read, answer, list, page, with every kind of session that is
// not an approver's. Each attempt is also made on an ask that does not exist.
import { randomBytes } from 'node:crypto'
import { newId, type Person } from '@assent/core'
import type { InboxApp } from 'assent'
import { SigningBrowser } from '../../test-kit/gateway/signing-browser.ts'
import type { SeededRandom } from '../../test-kit/random.ts'
import type { Tally } from './tally.ts'
import { cookieHeader, fromOurPage, signedIn, type Tenant, type TestEnv } from './test-env.ts'

/** A browser at one inbox, with a cookie, with its own key, or with neither. */
export interface Stranger {
  readonly what: string
  readonly tenant: Tenant
  readonly app: InboxApp
  readonly cookie: string
  readonly browser?: SigningBrowser
  /** Headers that the browser adds to each request, as on a page of another origin. */
  readonly headers?: Readonly<Record<string, string>>
}

/** None of these may decide any of the asks at their inbox. */
export async function gather({ store, tenants: [acme, globex] }: TestEnv): Promise<Stranger[]> {
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
    at('by account: a session that has expired', await expiredSession(store, acme)),
    at('Ann’s own browser, on a page elsewhere', annHere, {
      headers: { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' },
    }),
    at('Ann’s own browser, by a form elsewhere', annHere, {
      headers: { origin: 'null', 'sec-fetch-site': 'cross-site', 'content-type': 'text/plain', 'assent-inbox': '' },
    }),
    at('Ann’s own browser, under a name pointed here', annHere, { headers: { host: 'evil.example:7420' } }),
    at('without a session', ''),
    at('a made-up session', `assent-7420=${'x'.repeat(43)}`),
  ]
  const people: readonly (readonly [string, Person])[] = [
    ['another person', { principal: 'mallory', groups: [] }],
    ['a member of another group', { principal: 'mallory', groups: ['dev'] }],
    ['a member who is excluded', { principal: 'dan', groups: ['ops-leads'] }],
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
  // What a program on another port, or one that took over this port, may have got from Ann's session.
  const app = acme.linkInbox
  const anns = await byLink(app, acme.ann, acme.base)
  const other = await byLink(app, { principal: 'mallory', groups: [] }, acme.base)
  const [captured, byOther] = [await anns.proof('GET', '/api/asks'), await other.proof('GET', '/api/asks')]
  // It has reached the inbox, so sending it again is a replay.
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

async function expiredSession(store: TestEnv['store'], { name, ann }: Tenant): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  const once = { tenant: name, token, login: token, person: ann, keepMs: 1, atMost: 1_000, atMostOfOne: 1_000 }
  if ((await store.signIns.begin(once)) !== 'begun') throw new Error('There was no room for a session.')
  await new Promise((resolve) => setTimeout(resolve, 20))
  return `assent-7420=${token}`
}

export async function tryApi(testEnv: TestEnv, random: SeededRandom, attempts: number, tally: Tally): Promise<void> {
  const strangers = await gather(testEnv)
  const targets = testEnv.tenants[0].asks
  for (let i = 0; i < attempts; i++) {
    const stranger = strangers[i % strangers.length] as Stranger
    const id = random.pick(targets)
    const missing = newId('ask', Date.now() - random.int(86_400_000), randomBytes)
    const [attempt, salt] = [random.pick(ways), random.int(2 ** 31)]
    const [real, absent] = [await attempt(stranger, id, salt), await attempt(stranger, missing, salt)]
    tally.judge(stranger.what, {
      succeeded: real.status < 400 && real.body.includes(id),
      reveals: JSON.stringify(real) !== JSON.stringify(absent),
    })
  }
}

interface Reply {
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

/** Every way to access an ask. Returns the complete reply of the API. */
const ways: readonly ((stranger: Stranger, id: string, salt: number) => Promise<Reply>)[] = [
  (one, id) => reply(by(one, 'GET', `/api/asks/${id}`)),
  (one, id) => reply(by(one, 'GET', `/api/asks/${id}/answer?action=accept`)),
  (one, id) => reply(by(one, 'GET', `/api/asks/${encodeURIComponent(`${id} `)}`)),
  (one, id) => reply(by(one, 'GET', `/api/asks/../asks/${id}`)),
  (one, id) => reply(by(one, 'DELETE', `/api/asks/${id}`, {})),
  (one, id, salt) => reply(by(one, 'POST', `/api/asks/${id}/answer`, bodies[salt % bodies.length]?.(salt))),
  (one, id, salt) => reply(by(one, 'POST', `/api/asks/${id}/answer`, bodies[0]?.(salt))),
  (one, id) => listOf(one, '/api/asks', id),
  (one, id) => listOf(one, '/api/history', id),
  // A page cursor that points just after the ask.
  (one, id) => {
    const cursor = Buffer.from(JSON.stringify([Date.now() + 1_000, id])).toString('base64url')
    return listOf(one, `/api/asks?cursor=${cursor}`, id)
  },
]

/** A list contains the current time; apart from that the replies must be equal. */
async function listOf(stranger: Stranger, path: string, id: string): Promise<Reply> {
  const page = await reply(by(stranger, 'GET', path))
  return { ...page, body: page.body.replace(/"nowMs":\d+/, '"nowMs":0') + (page.body.includes(id) ? ' names it' : '') }
}

async function reply(response: Promise<Response>): Promise<Reply> {
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

/** The headers of their browser, with a signature if it has a key. */
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
