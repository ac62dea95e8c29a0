// Signing in with an account at a real OpenID provider: the resulting principal, and every case that must be refused.
import { randomBytes } from 'node:crypto'
import { newId, soleApprover } from '@assent/core'
import { describe, expect, test } from 'vitest'
import { identifyBy } from '../../packages/gateway/src/http/identity/identify.ts'
import { aForm, forms } from '../../test-kit/gateway/sample-asks.ts'
import { agentToken } from '../../test-kit/oidc/login-browser.ts'
import {
  base,
  browserFor,
  cookieOf,
  fromOurPage,
  identityOf,
  me,
  signIn,
  startLogin,
  startLoginEnv,
  tenant,
} from './login-env.ts'

const sessionCookie = 'assent-7420'
const loginCookie = 'assent-login-7420'
const failedWith = (back: URL, error: string) => {
  back.searchParams.delete('code')
  back.searchParams.set('error', error)
}
const aQuestion = () =>
  aForm('Which?', forms.choices?.fields ?? [], { id: newId('ask', Date.now(), randomBytes), tenant })

test('[LOGIN-1] a sign-in gives the same principal and groups as a bearer token of that person', async () => {
  const { issuer, store, browser } = await startLoginEnv()
  const identify = identifyBy(identityOf(issuer.url), () => undefined)
  const bearer = await agentToken(issuer.url, 'ann')
  const caller = await identify({ url: '/mcp', headers: { authorization: `Bearer ${bearer}` } } as never)
  const principal = `${issuer.url}#ann`
  expect(caller).toMatchObject({ principal })
  const { id } = await store.asks.raise({ ...aQuestion(), principal, approvalRule: soleApprover(principal) })

  const [ann, ben] = [browser(), browser()]
  expect(await signIn(ann, 'ann')).toBe('/')
  expect(await signIn(ben, 'ben')).toBe('/')

  expect(await me(ann)).toMatchObject({ status: 200, name: 'Ann Lee' })
  const { person } = (await store.signIns.readSession(tenant, cookieOf(ann)[sessionCookie] ?? '')) ?? {}
  expect(person).toEqual({ principal, groups: ['ops'] })
  expect((await ann.request(`${base}/api/asks/${id}`)).status).toBe(200)
  expect((await ben.request(`${base}/api/asks/${id}`)).status).toBe(404)
})

test('[LOGIN-1] `subject_claim` applies to sign-ins and to bearer tokens', async () => {
  const { issuer, store, browser } = await startLoginEnv({ identity: { subject_claim: 'oid' } })
  issuer.forge = (claims, sign) => sign({ ...claims, sub: 'pairwise', oid: 'person-1' })
  const ann = browser()
  await signIn(ann, 'ann')
  const session = await store.signIns.readSession(tenant, cookieOf(ann)[sessionCookie] ?? '')
  expect(session?.person.principal).toBe(`${issuer.url}#person-1`)

  issuer.forge = undefined
  expect(await signIn(browser(), 'ann')).toContain('problem=failed')
  const identify = identifyBy(identityOf(issuer.url, { subject_claim: 'oid' }), () => undefined)
  const authorization = `Bearer ${await agentToken(issuer.url, 'ann')}`
  expect(await identify({ url: '/mcp', headers: { authorization } } as never)).toMatchObject({
    refusal: { status: 401 },
  })
})

test('[LOGIN-1] one replica can finish a login that another started, and sessions survive a restart of both', async () => {
  const { another, browser, store } = await startLoginEnv()
  const [first, second] = [another(), another()]
  const ann = browser(first)
  const back = await ann.logIn(await startLogin(ann), 'ann')
  const later = browserFor(second, base)
  later.cookies.set('127.0.0.1:7420', ann.cookies.get('127.0.0.1:7420') ?? new Map())

  expect((await later.request(back)).headers.get('location')).toBe('/')

  expect(await me(later)).toMatchObject({ status: 200 })
  const anew = browserFor(another({ store }), base)
  anew.cookies.set('127.0.0.1:7420', later.cookies.get('127.0.0.1:7420') ?? new Map())
  expect(await me(anew)).toMatchObject({ status: 200, name: 'Ann Lee' })
})

describe('a login that this browser did not start', () => {
  test('[LOGIN-2] a code works once: used again, with or without the cookie, it is refused', async () => {
    const { browser, issuer, errors } = await startLoginEnv()
    const ann = browser()
    const back = await ann.logIn(await startLogin(ann), 'ann')
    const kept = { ...cookieOf(ann) }
    expect((await ann.request(back)).headers.get('location')).toBe('/')

    const thief = browser()
    expect((await thief.request(back)).headers.get('location')).toContain('problem=stale')
    expect(issuer.exchanges).toBe(1)
    const replay = await browser().request(back, { headers: { cookie: `${loginCookie}=${kept[loginCookie]}` } })
    expect(replay.headers.get('location')).toContain('problem=stale')
    expect(replay.headers.getSetCookie().join()).not.toContain(`${sessionCookie}=`)
    expect(errors).toEqual([])
  })

  test('[LOGIN-2] one login creates one session, even if the issuer accepts a code twice', async () => {
    const { browser, store, issuer } = await startLoginEnv()
    const ann = browser()
    const secret = async () => cookieOf(ann)[loginCookie]?.split('.')[0] ?? ''
    const back = await ann.logIn(await startLogin(ann), 'ann')
    const login = await secret()
    await ann.request(back)
    const again = { tenant, login, token: 'x'.repeat(43), keepMs: 60_000, atMost: 10, atMostOfOne: 10 }

    expect(await store.signIns.begin({ ...again, person: { principal: `${issuer.url}#ann`, groups: [] } })).toBe('used')
  })

  test('[LOGIN-2] a stolen callback URL is refused in another browser, with and without a login of its own', async () => {
    const { browser, issuer } = await startLoginEnv()
    const [ann, thief] = [browser(), browser()]
    const stolen = await ann.logIn(await startLogin(ann), 'ann')
    await startLogin(thief)

    expect((await thief.request(stolen)).headers.get('location')).toContain('problem=stale')

    const own = await thief.logIn(await startLogin(thief), 'mallory')
    const spliced = new URL(own)
    spliced.searchParams.set('code', stolen.searchParams.get('code') ?? '')
    expect((await thief.request(spliced)).headers.get('location')).toContain('problem=stale')
    expect(await me(thief)).toMatchObject({ status: 401 })
    // The code was bound to Ann's PKCE verifier, and the provider revoked it after the failed attempt.
    expect(issuer.exchanges).toBe(1)
  })

  test('[LOGIN-2] a callback URL does not sign in the browser of another person', async () => {
    const { browser } = await startLoginEnv()
    const [mallory, ann] = [browser(), browser()]
    const trap = await mallory.logIn(await startLogin(mallory), 'mallory')
    await startLogin(ann)

    expect((await ann.request(trap)).headers.get('location')).toContain('problem=stale')
    expect(await me(ann)).toMatchObject({ status: 401 })
  })

  test.each<[string, (back: URL) => void, string]>([
    ['with two states', (back) => back.searchParams.append('state', 'x'), 'stale'],
    ['without a code', (back) => back.searchParams.delete('code'), 'stale'],
    ['with an invalid code', (back) => back.searchParams.set('code', 'invalid'), 'stale'],
    ['with two codes', (back) => back.searchParams.append('code', 'x'), 'stale'],
    ['from another issuer', (back) => back.searchParams.set('iss', 'https://evil.example'), 'stale'],
    ['without its issuer', (back) => back.searchParams.delete('iss'), 'stale'],
    ['with an id token in it', (back) => back.searchParams.set('id_token', 'a.b.c'), 'stale'],
    ['with a code and an error', (back) => back.searchParams.set('error', 'access_denied'), 'stale'],
    ['that was cancelled', (back) => failedWith(back, 'access_denied'), 'denied'],
    ['with an error', (back) => failedWith(back, '<script>'), 'failed'],
  ])('[LOGIN-2] a callback %s is refused', async (_what, change, problem) => {
    const { browser } = await startLoginEnv()
    const ann = browser()
    const back = await ann.logIn(await startLogin(ann, '/asks/ask_1'), 'ann')
    change(back)

    const { headers, status } = await ann.request(back)

    expect([status, headers.get('location')]).toEqual([303, `/sign-in?problem=${problem}&to=%2Fasks%2Fask_1`])
    expect(headers.getSetCookie()).toHaveLength(1)
    expect(await me(ann)).toMatchObject({ status: 401 })
    // The login cookie was deleted, so the attempt cannot be repeated.
    expect(cookieOf(ann)).toEqual({})
  })

  test.each(['', 'x', 'x'.repeat(43), `${'x'.repeat(43)}.Ly9ldmls`, '../../x.y', 'ü'])(
    '[LOGIN-2] a forged cookie (%j) completes no login and redirects to no other site',
    async (made) => {
      const { browser, issuer } = await startLoginEnv()
      const ann = browser()
      const back = await ann.logIn(await startLogin(ann), 'ann')
      ann.cookies.set('127.0.0.1:7420', new Map([[loginCookie, encodeURI(made)]]))

      expect((await ann.request(back)).headers.get('location')).toBe('/sign-in?problem=stale&to=%2F')
      expect(issuer.exchanges).toBe(0)
    },
  )

  test('[LOGIN-2] a login can be started only from a page of the inbox', async () => {
    const { browser, app } = await startLoginEnv()
    const url = `${base}/api/sign-in/start`
    const body = '{}'
    for (const headers of [
      { ...fromOurPage(base), origin: 'https://evil.example' },
      { ...fromOurPage(base), 'content-type': 'text/plain' },
      { ...fromOurPage(base), 'sec-fetch-site': 'cross-site' },
      { origin: base, 'content-type': 'application/json' },
    ]) {
      const response = await browser().request(url, { method: 'POST', headers, body })
      expect([response.status, response.headers.getSetCookie()]).toEqual([403, []])
    }
    expect((await browser().request(url)).status).toBe(401)
    // Under another host name the callback would not receive its cookie, so the reply names the right address.
    const elsewhere = await browserFor(app, 'http://localhost:7420').request(
      'http://localhost:7420/api/sign-in/start',
      {
        method: 'POST',
        headers: fromOurPage('http://localhost:7420'),
        body,
      },
    )
    expect(elsewhere.status).toBe(403)
    expect(await elsewhere.text()).toContain(base)
  })

  test('[LOGIN-2] with accounts, sign-in links are refused', async () => {
    const { browser, app } = await startLoginEnv()
    const link = new URL((await app.signInLink({ principal: 'ann', groups: [] })) ?? '')
    const response = await browser().request(`${base}/api/sign-in`, {
      method: 'POST',
      headers: fromOurPage(base),
      body: JSON.stringify({ code: link.hash.slice('#code='.length) }),
    })
    expect([response.status, response.headers.getSetCookie()]).toEqual([403, []])
  })
})

test.each([
  ['/asks/ask_1', '/asks/ask_1'],
  ['/history?server=deploy&kind=form', '/history?server=deploy&kind=form'],
  [undefined, '/'],
  ['//evil.example', '/'],
  ['/\\evil.example', '/'],
  ['https://evil.example/', '/'],
  ['/\t/evil.example', '/'],
  ['/\n/evil.example', '/'],
  ['/.//evil.example', '/'],
  ['/x/..//evil.example', '/'],
  ['\\\\evil.example', '/'],
  ['javascript:alert(1)', '/'],
  ['/api/sign-out', '/'],
  ['/sign-in?problem=denied', '/'],
  ['/sign-in/callback?code=1', '/'],
  [`/${'a'.repeat(600)}`, '/'],
  [7, '/'],
  [{ href: '/' }, '/'],
])('[LOGIN-4] a sign-in from %j returns to %j', async (to, expected) => {
  const { browser } = await startLoginEnv()
  expect(await signIn(browser(), 'ann', to)).toBe(expected)
})

test('[LOGIN-5] over https both cookies are host-only; the session cookie is Strict, the login cookie Lax and short-lived', async () => {
  const baseUrl = 'https://assent.example.com'
  const { browser } = await startLoginEnv({ baseUrl })
  const ann = browser()
  const start = await ann.request(`${baseUrl}/api/sign-in/start`, {
    method: 'POST',
    headers: fromOurPage(baseUrl),
    body: '{}',
  })
  expect(start.headers.get('set-cookie')).toMatch(
    /^__Host-assent-login=[\w.-]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
  )
  const { url } = (await start.json()) as { url: string }
  const { headers } = await ann.request(await ann.logIn(url, 'ann'))
  expect(headers.getSetCookie()).toEqual([
    expect.stringMatching(/^__Host-assent=[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict; Secure$/),
    '__Host-assent-login=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax; Secure',
  ])
  expect(headers.get('referrer-policy')).toBe('no-referrer')
  expect(headers.get('cache-control')).toBe('no-store')
})

test('[LOGIN-5] signing in does not reuse a session cookie that was set before (session fixation)', async () => {
  const { browser, store } = await startLoginEnv()
  const [ann, mallory] = [browser(), browser()]
  await signIn(mallory, 'mallory')
  const planted = cookieOf(mallory)[sessionCookie] ?? ''
  ann.cookies.set('127.0.0.1:7420', new Map([[sessionCookie, planted]]))

  await signIn(ann, 'ann')

  expect(cookieOf(ann)[sessionCookie]).not.toBe(planted)
  expect((await store.signIns.readSession(tenant, planted))?.person.principal).toContain('#mallory')
  const token = cookieOf(ann)[sessionCookie] ?? ''
  await ann.request(`${base}/api/sign-out`, { method: 'POST', headers: fromOurPage(base), body: '{}' })
  expect(await store.signIns.readSession(tenant, token)).toBeUndefined()
})

test('[LOGIN-5] a session from an account ends after half a day, or as configured', async () => {
  const { browser, store, another } = await startLoginEnv()
  const lasts = async (app = another()) => {
    const ann = browser(app)
    await signIn(ann, 'ann')
    const { expiresAtMs = 0 } = (await store.signIns.readSession(tenant, cookieOf(ann)[sessionCookie] ?? '')) ?? {}
    return Math.round((expiresAtMs - Date.now()) / 60_000)
  }
  expect(await lasts()).toBe(12 * 60)
  expect(await lasts(another({ sessionMs: 15 * 60_000 }))).toBe(15)
})

test('[LOGIN-6] a name from the issuer is sanitised, and two people with the same name stay distinct', async () => {
  const { issuer, store, browser } = await startLoginEnv()
  const principal = `${issuer.url}#ann`
  const { id } = await store.asks.raise({ ...aQuestion(), principal, approvalRule: soleApprover(principal) })
  const [mallory, trickster] = [browser(), browser()]
  await signIn(mallory, 'mallory')
  await signIn(trickster, 'trickster')

  expect((await me(mallory)).name).toBe('Ann Lee')
  expect((await mallory.request(`${base}/api/asks/${id}`)).status).toBe(404)
  expect((await me(trickster)).name).toBe('⟨U+202E⟩eel nnA⟨U+0007⟩⟨U+000A⟩<b>')
  const session = await store.signIns.readSession(tenant, cookieOf(trickster)[sessionCookie] ?? '')
  expect(session?.person.groups).toEqual(['ops'])

  issuer.forge = (claims, sign) => sign({ ...claims, name: 'x'.repeat(5_000) })
  const endless = browser()
  await signIn(endless, 'ann')
  expect((await me(endless)).name?.length).toBeLessThan(200)
  issuer.forge = ({ name: _, ...claims }, sign) => sign({ ...claims, preferred_username: 7 })
  const nameless = browser()
  await signIn(nameless, 'ann')
  expect((await me(nameless)).name).toBe(principal)
})

test('[LOGIN-6] other people see who decided, by the name from the issuer', async () => {
  const { issuer, store, browser } = await startLoginEnv()
  const [ann, ben] = [`${issuer.url}#ann`, `${issuer.url}#ben`]
  const approvers = [`person:${ann}`, `person:${ben}`] as const
  const approvalRule = { approvers, excluded: [], approvals: 1, declines: 1 }
  const { id } = await store.asks.raise({ ...aQuestion(), principal: ann, approvalRule })
  const [first, second] = [browser(), browser()]
  await signIn(first, 'ann')
  await signIn(second, 'ben')
  const body = JSON.stringify({ decisionId: 'decision-of-ben-0001', answer: { action: 'decline', comment: 'no' } })
  const answered = await second.request(`${base}/api/asks/${id}/answer`, {
    method: 'POST',
    headers: fromOurPage(base),
    body,
  })
  expect(answered.status).toBe(200)

  const { ask } = (await (await first.request(`${base}/api/asks/${id}`)).json()) as { ask: Record<string, unknown> }
  const history = await (await first.request(`${base}/api/history`)).text()

  expect(ask).toMatchObject({
    onBehalfOf: { name: 'Ann Lee', isYou: true },
    state: { by: { name: 'Ben Okafor', isYou: false }, what: 'Ben Okafor declined this' },
  })
  expect(history).toContain('Ben Okafor')
})

test('[LOGIN-7] while the issuer is unreachable, a sign-in fails with a message, and existing sessions stay valid', async () => {
  const { issuer, browser, another, errors } = await startLoginEnv()
  const [ann, ben] = [browser(), browser()]
  await signIn(ann, 'ann')
  const back = await ben.logIn(await startLogin(ben), 'ben')
  await issuer.stop()

  expect((await ben.request(back)).headers.get('location')).toContain('problem=unavailable')
  const fresh = await browser(another()).request(`${base}/api/sign-in/start`, {
    method: 'POST',
    headers: fromOurPage(base),
    body: '{}',
  })
  expect(fresh.status).toBe(503)
  expect(await fresh.text()).toContain('try again')
  expect(await me(ann)).toMatchObject({ status: 200 })
  expect(errors).toHaveLength(2)
})

test('[LOGIN-7] an issuer whose metadata names another issuer is refused', async () => {
  const { issuer, another, browser } = await startLoginEnv()
  const identity = identityOf(`${issuer.url}/`)
  const login = { identity, clientId: 'assent-inbox', scopes: [] }
  const response = await browser(another({ login })).request(`${base}/api/sign-in/start`, {
    method: 'POST',
    headers: fromOurPage(base),
    body: '{}',
  })
  expect(response.status).toBe(503)
})

test('[LOGIN-8] the sign-in method can be read without a session, and nothing else', async () => {
  const { issuer, browser, another } = await startLoginEnv()
  const ask = async (app = another()) => (await browser(app).request(`${base}/api/sign-in`)).json()
  expect(await ask()).toEqual({ way: 'account', issuer: new URL(issuer.url).host })
  const { login: _, ...byLink } = { login: undefined }
  expect(await ask(another({ ...byLink, login: undefined as never }))).toEqual({ way: 'link' })
})
