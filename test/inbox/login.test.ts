// Signing in with an account, at a real provider: who one is then, and every way in which nobody is signed in.
import { randomBytes } from 'node:crypto'
import { newId, only } from '@assent/core'
import { UnsecuredJWT } from 'jose'
import { describe, expect, test } from 'vitest'
import { identifyBy } from '../../packages/gateway/src/identity/identify.ts'
import { type Forge, newKey } from '../../scripts/inbox/issuer.ts'
import { aForm, forms } from '../../scripts/inbox/samples.ts'
import { agentToken } from '../../scripts/inbox/surfer.ts'
import { aHouse, aSurfer, base, begin, cookieOf, fromOurPage, identityOf, me, signIn, tenant } from './house.ts'

const sessionCookie = 'assent-7420'
const loginCookie = 'assent-login-7420'
const failedWith = (back: URL, error: string) => {
  back.searchParams.delete('code')
  back.searchParams.set('error', error)
}
const aQuestion = () =>
  aForm('Which?', forms.choices?.fields ?? [], { id: newId('ask', Date.now(), randomBytes), tenant })

test('[LOGIN-1] whoever signs in is the very principal, with the groups, that their bearer tokens make', async () => {
  const { issuer, store, surfer } = await aHouse()
  const identify = identifyBy(identityOf(issuer.url), () => undefined)
  const bearer = await agentToken(issuer.url, 'ann')
  const caller = await identify({ url: '/mcp', headers: { authorization: `Bearer ${bearer}` } } as never)
  const principal = `${issuer.url}#ann`
  expect(caller).toMatchObject({ principal })
  const { id } = await store.asks.raise({ ...aQuestion(), principal, electorate: only(principal) })

  const [ann, ben] = [surfer(), surfer()]
  expect(await signIn(ann, 'ann')).toBe('/')
  expect(await signIn(ben, 'ben')).toBe('/')

  expect(await me(ann)).toMatchObject({ status: 200, name: 'Ann Lee' })
  const { person } = (await store.signIns.who(tenant, cookieOf(ann)[sessionCookie] ?? '')) ?? {}
  expect(person).toEqual({ principal, groups: ['ops'] })
  expect((await ann.request(`${base}/api/asks/${id}`)).status).toBe(200)
  expect((await ben.request(`${base}/api/asks/${id}`)).status).toBe(404)
})

test('[LOGIN-1] another claim than the subject can say who a person is, for both alike', async () => {
  const { issuer, store, surfer } = await aHouse({ identity: { subject_claim: 'oid' } })
  issuer.forge = (claims, sign) => sign({ ...claims, sub: 'pairwise', oid: 'person-1' })
  const ann = surfer()
  await signIn(ann, 'ann')
  const session = await store.signIns.who(tenant, cookieOf(ann)[sessionCookie] ?? '')
  expect(session?.person.principal).toBe(`${issuer.url}#person-1`)

  issuer.forge = undefined
  expect(await signIn(surfer(), 'ann')).toContain('problem=failed')
  const identify = identifyBy(identityOf(issuer.url, { subject_claim: 'oid' }), () => undefined)
  const authorization = `Bearer ${await agentToken(issuer.url, 'ann')}`
  expect(await identify({ url: '/mcp', headers: { authorization } } as never)).toMatchObject({
    refusal: { status: 401 },
  })
})

test('[LOGIN-1] one replica finishes what another began, and everyone stays signed in when both are started anew', async () => {
  const { another, surfer, store } = await aHouse()
  const [first, second] = [another(), another()]
  const ann = surfer(first)
  const back = await ann.logIn(await begin(ann), 'ann')
  const later = aSurfer(second, base)
  later.cookies.set('127.0.0.1:7420', ann.cookies.get('127.0.0.1:7420') ?? new Map())

  expect((await later.request(back)).headers.get('location')).toBe('/')

  expect(await me(later)).toMatchObject({ status: 200 })
  const anew = aSurfer(another({ store }), base)
  anew.cookies.set('127.0.0.1:7420', later.cookies.get('127.0.0.1:7420') ?? new Map())
  expect(await me(anew)).toMatchObject({ status: 200, name: 'Ann Lee' })
})

describe('a login that is not the one this browser began', () => {
  test('[LOGIN-2] a code works once: brought again, with the same cookie or without, it signs nobody in', async () => {
    const { surfer, issuer, troubles } = await aHouse()
    const ann = surfer()
    const back = await ann.logIn(await begin(ann), 'ann')
    const kept = { ...cookieOf(ann) }
    expect((await ann.request(back)).headers.get('location')).toBe('/')

    const thief = surfer()
    expect((await thief.request(back)).headers.get('location')).toContain('problem=stale')
    expect(issuer.exchanges).toBe(1)
    const replay = await surfer().request(back, { headers: { cookie: `${loginCookie}=${kept[loginCookie]}` } })
    expect(replay.headers.get('location')).toContain('problem=stale')
    expect(replay.headers.getSetCookie().join()).not.toContain(`${sessionCookie}=`)
    expect(troubles).toEqual([])
  })

  test('[LOGIN-2] also where the issuer would take a code twice, one login becomes one session', async () => {
    const { surfer, store, issuer } = await aHouse()
    const ann = surfer()
    const secret = async () => cookieOf(ann)[loginCookie]?.split('.')[0] ?? ''
    const back = await ann.logIn(await begin(ann), 'ann')
    const login = await secret()
    await ann.request(back)
    const again = { tenant, login, token: 'x'.repeat(43), keepMs: 60_000, atMost: 10, atMostOfOne: 10 }

    expect(await store.signIns.begin({ ...again, person: { principal: `${issuer.url}#ann`, groups: [] } })).toBe('used')
  })

  test('[LOGIN-2] a stolen address signs the thief in neither here nor with a login of their own', async () => {
    const { surfer, issuer } = await aHouse()
    const [ann, thief] = [surfer(), surfer()]
    const stolen = await ann.logIn(await begin(ann), 'ann')
    await begin(thief)

    expect((await thief.request(stolen)).headers.get('location')).toContain('problem=stale')

    const own = await thief.logIn(await begin(thief), 'mallory')
    const spliced = new URL(own)
    spliced.searchParams.set('code', stolen.searchParams.get('code') ?? '')
    expect((await thief.request(spliced)).headers.get('location')).toContain('problem=stale')
    expect(await me(thief)).toMatchObject({ status: 401 })
    // The code was bound to Ann's verifier, and the provider took it back when somebody else brought it.
    expect(issuer.exchanges).toBe(1)
  })

  test('[LOGIN-2] nobody can sign another browser in as themselves: their address means nothing there', async () => {
    const { surfer } = await aHouse()
    const [mallory, ann] = [surfer(), surfer()]
    const trap = await mallory.logIn(await begin(mallory), 'mallory')
    await begin(ann)

    expect((await ann.request(trap)).headers.get('location')).toContain('problem=stale')
    expect(await me(ann)).toMatchObject({ status: 401 })
  })

  test.each<[string, (back: URL) => void, string]>([
    ['without a state', (back) => back.searchParams.delete('state'), 'stale'],
    ['with another state', (back) => back.searchParams.set('state', 'x'.repeat(43)), 'stale'],
    ['with two states', (back) => back.searchParams.append('state', 'x'), 'stale'],
    ['without a code', (back) => back.searchParams.delete('code'), 'stale'],
    ['with a made-up code', (back) => back.searchParams.set('code', 'made-up'), 'stale'],
    ['with two codes', (back) => back.searchParams.append('code', 'x'), 'stale'],
    ['from another issuer', (back) => back.searchParams.set('iss', 'https://evil.example'), 'stale'],
    ['without the name of its issuer', (back) => back.searchParams.delete('iss'), 'stale'],
    ['with an id token in it', (back) => back.searchParams.set('id_token', 'a.b.c'), 'stale'],
    ['with a code and an error', (back) => back.searchParams.set('error', 'access_denied'), 'stale'],
    ['that was called off', (back) => failedWith(back, 'access_denied'), 'denied'],
    ['with an error', (back) => failedWith(back, '<script>'), 'failed'],
  ])('[LOGIN-2] an answer %s signs nobody in', async (_what, change, problem) => {
    const { surfer } = await aHouse()
    const ann = surfer()
    const back = await ann.logIn(await begin(ann, '/asks/ask_1'), 'ann')
    change(back)

    const { headers, status } = await ann.request(back)

    expect([status, headers.get('location')]).toEqual([303, `/sign-in?problem=${problem}&to=%2Fasks%2Fask_1`])
    expect(headers.getSetCookie()).toHaveLength(1)
    expect(await me(ann)).toMatchObject({ status: 401 })
    // The browser's part of the login is gone, so it cannot be tried again.
    expect(cookieOf(ann)).toEqual({})
  })

  test.each(['', 'x', 'x'.repeat(43), `${'x'.repeat(43)}.Ly9ldmls`, '../../x.y', 'ü'])(
    '[LOGIN-2] a made-up cookie (%j) finishes nothing, and leads nowhere else',
    async (made) => {
      const { surfer, issuer } = await aHouse()
      const ann = surfer()
      const back = await ann.logIn(await begin(ann), 'ann')
      ann.cookies.set('127.0.0.1:7420', new Map([[loginCookie, encodeURI(made)]]))

      expect((await ann.request(back)).headers.get('location')).toBe('/sign-in?problem=stale&to=%2F')
      expect(issuer.exchanges).toBe(0)
    },
  )

  test('[LOGIN-2] a login begins on a page of ours alone', async () => {
    const { surfer, app } = await aHouse()
    const url = `${base}/api/sign-in/start`
    const body = '{}'
    for (const headers of [
      { ...fromOurPage(base), origin: 'https://evil.example' },
      { ...fromOurPage(base), 'content-type': 'text/plain' },
      { ...fromOurPage(base), 'sec-fetch-site': 'cross-site' },
      { origin: base, 'content-type': 'application/json' },
    ]) {
      const response = await surfer().request(url, { method: 'POST', headers, body })
      expect([response.status, response.headers.getSetCookie()]).toEqual([403, []])
    }
    expect((await surfer().request(url)).status).toBe(401)
    // Under another name of this machine the way back would not find its cookie: it says where to go instead.
    const elsewhere = await aSurfer(app, 'http://localhost:7420').request('http://localhost:7420/api/sign-in/start', {
      method: 'POST',
      headers: fromOurPage('http://localhost:7420'),
      body,
    })
    expect(elsewhere.status).toBe(403)
    expect(await elsewhere.text()).toContain(base)
  })

  test('[LOGIN-2] with accounts no link signs anyone in', async () => {
    const { surfer, app } = await aHouse()
    const link = new URL((await app.signInLink({ principal: 'ann', groups: [] })) ?? '')
    const response = await surfer().request(`${base}/api/sign-in`, {
      method: 'POST',
      headers: fromOurPage(base),
      body: JSON.stringify({ code: link.hash.slice('#code='.length) }),
    })
    expect([response.status, response.headers.getSetCookie()]).toEqual([403, []])
  })
})

describe('an id token that is not good', () => {
  const seconds = () => Math.floor(Date.now() / 1_000)
  const forgeries: readonly [string, Forge][] = [
    ['with another nonce', (claims, sign) => sign({ ...claims, nonce: 'another' })],
    ['without a nonce', ({ nonce: _, ...claims }, sign) => sign(claims)],
    ['for another client', (claims, sign) => sign({ ...claims, aud: 'another' })],
    ['for the endpoint', (claims, sign) => sign({ ...claims, aud: 'https://assent.example.com/mcp' })],
    [
      'for several clients, and made out to another',
      (claims, sign) => sign({ ...claims, aud: ['assent-inbox', 'b'], azp: 'b' }),
    ],
    ['of another issuer', (claims, sign) => sign({ ...claims, iss: 'https://evil.example' })],
    ['of an issuer with a slash more', (claims, sign) => sign({ ...claims, iss: `${claims.iss}/` })],
    ['that has expired', (claims, sign) => sign({ ...claims, exp: seconds() - 1 })],
    ['without an end', ({ exp: _, ...claims }, sign) => sign(claims)],
    ['not valid yet', (claims, sign) => sign({ ...claims, nbf: seconds() + 60 })],
    ['without a subject', ({ sub: _, ...claims }, sign) => sign(claims)],
    ['with an empty subject', (claims, sign) => sign({ ...claims, sub: '' })],
    ['whose subject breaks a line', (claims, sign) => sign({ ...claims, sub: 'ann\nadmin' })],
    ['whose subject is endless', (claims, sign) => sign({ ...claims, sub: 'a'.repeat(1_000) })],
    ['signed by a stranger', (claims, sign) => sign(claims, {}, newKey())],
    ['that brings its own key', (claims, sign) => sign(claims, { jwk: newKey() }, newKey())],
    ['with a key id nobody knows', (claims, sign) => sign(claims, { kid: 'unknown' })],
    ['that is not signed', async (claims) => new UnsecuredJWT(claims).encode()],
    ['that is no token', async () => 'nothing'],
    ['that is missing', async () => undefined as never],
  ]

  test.each(forgeries)('[LOGIN-3] %s signs nobody in', async (_what, forge) => {
    const { issuer, surfer, troubles, store } = await aHouse()
    issuer.forge = forge
    const ann = surfer()

    expect(await signIn(ann, 'ann')).toContain('/sign-in?problem=failed')

    expect(await me(ann)).toMatchObject({ status: 401 })
    expect(issuer.exchanges).toBe(1)
    // It is the issuer's mistake, so whoever runs the gateway hears of it.
    expect(troubles).toHaveLength(1)
    expect(await store.sweep()).toMatchObject({ forgotten: 0 })
  })

  test('[LOGIN-3] a signature that the operator did not allow is refused, however good', async () => {
    const { surfer } = await aHouse({ identity: { algorithms: ['RS256'] } })
    expect(await signIn(surfer(), 'ann')).toContain('problem=failed')
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
])('[LOGIN-4] whoever was at %j goes on at %j', async (to, expected) => {
  const { surfer } = await aHouse()
  expect(await signIn(surfer(), 'ann', to)).toBe(expected)
})

test('[LOGIN-5] over https both cookies are this host’s alone; the session is Strict, the way back Lax and short', async () => {
  const baseUrl = 'https://assent.example.com'
  const { surfer } = await aHouse({ baseUrl })
  const ann = surfer()
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

test('[LOGIN-5] a session that was planted before does not become the person’s', async () => {
  const { surfer, store } = await aHouse()
  const [ann, mallory] = [surfer(), surfer()]
  await signIn(mallory, 'mallory')
  const planted = cookieOf(mallory)[sessionCookie] ?? ''
  ann.cookies.set('127.0.0.1:7420', new Map([[sessionCookie, planted]]))

  await signIn(ann, 'ann')

  expect(cookieOf(ann)[sessionCookie]).not.toBe(planted)
  expect((await store.signIns.who(tenant, planted))?.person.principal).toContain('#mallory')
  const token = cookieOf(ann)[sessionCookie] ?? ''
  await ann.request(`${base}/api/sign-out`, { method: 'POST', headers: fromOurPage(base), body: '{}' })
  expect(await store.signIns.who(tenant, token)).toBeUndefined()
})

test('[LOGIN-5] a session by account ends after half a day, or as configured', async () => {
  const { surfer, store, another } = await aHouse()
  const lasts = async (app = another()) => {
    const ann = surfer(app)
    await signIn(ann, 'ann')
    const { expiresAtMs = 0 } = (await store.signIns.who(tenant, cookieOf(ann)[sessionCookie] ?? '')) ?? {}
    return Math.round((expiresAtMs - Date.now()) / 60_000)
  }
  expect(await lasts()).toBe(12 * 60)
  expect(await lasts(another({ sessionMs: 15 * 60_000 }))).toBe(15)
})

test('[LOGIN-6] a name from the issuer is shown without tricks, and the same name makes nobody the same person', async () => {
  const { issuer, store, surfer } = await aHouse()
  const principal = `${issuer.url}#ann`
  const { id } = await store.asks.raise({ ...aQuestion(), principal, electorate: only(principal) })
  const [mallory, trickster] = [surfer(), surfer()]
  await signIn(mallory, 'mallory')
  await signIn(trickster, 'trickster')

  expect((await me(mallory)).name).toBe('Ann Lee')
  expect((await mallory.request(`${base}/api/asks/${id}`)).status).toBe(404)
  expect((await me(trickster)).name).toBe('⟨U+202E⟩eel nnA⟨U+0007⟩⟨U+000A⟩<b>')
  const session = await store.signIns.who(tenant, cookieOf(trickster)[sessionCookie] ?? '')
  expect(session?.person.groups).toEqual(['ops'])

  issuer.forge = (claims, sign) => sign({ ...claims, name: 'x'.repeat(5_000) })
  const endless = surfer()
  await signIn(endless, 'ann')
  expect((await me(endless)).name?.length).toBeLessThan(200)
  issuer.forge = ({ name: _, ...claims }, sign) => sign({ ...claims, preferred_username: 7 })
  const nameless = surfer()
  await signIn(nameless, 'ann')
  expect((await me(nameless)).name).toBe(principal)
})

test('[LOGIN-6] others are shown who decided, by the name that the issuer told', async () => {
  const { issuer, store, surfer } = await aHouse()
  const [ann, ben] = [`${issuer.url}#ann`, `${issuer.url}#ben`]
  const approvers = [`person:${ann}`, `person:${ben}`] as const
  const electorate = { approvers, barred: [], approvals: 1, declines: 1 }
  const { id } = await store.asks.raise({ ...aQuestion(), principal: ann, electorate })
  const [first, second] = [surfer(), surfer()]
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

test('[LOGIN-7] while the issuer is away nobody signs in and is told so; who is in stays in', async () => {
  const { issuer, surfer, another, troubles } = await aHouse()
  const [ann, ben] = [surfer(), surfer()]
  await signIn(ann, 'ann')
  const back = await ben.logIn(await begin(ben), 'ben')
  await issuer.stop()

  expect((await ben.request(back)).headers.get('location')).toContain('problem=unavailable')
  const fresh = await surfer(another()).request(`${base}/api/sign-in/start`, {
    method: 'POST',
    headers: fromOurPage(base),
    body: '{}',
  })
  expect(fresh.status).toBe(503)
  expect(await fresh.text()).toContain('try again')
  expect(await me(ann)).toMatchObject({ status: 200 })
  expect(troubles).toHaveLength(2)
})

test('[LOGIN-7] what calls itself something else is not the issuer', async () => {
  const { issuer, another, surfer } = await aHouse()
  const identity = identityOf(`${issuer.url}/`)
  const login = { identity, clientId: 'assent-inbox', scopes: [] }
  const response = await surfer(another({ login })).request(`${base}/api/sign-in/start`, {
    method: 'POST',
    headers: fromOurPage(base),
    body: '{}',
  })
  expect(response.status).toBe(503)
})

test('[LOGIN-8] anyone may ask how people sign in, and learns no more than that', async () => {
  const { issuer, surfer, another } = await aHouse()
  const ask = async (app = another()) => (await surfer(app).request(`${base}/api/sign-in`)).json()
  expect(await ask()).toEqual({ way: 'account', issuer: new URL(issuer.url).host })
  const { login: _, ...byLink } = { login: undefined }
  expect(await ask(another({ ...byLink, login: undefined as never }))).toEqual({ way: 'link' })
})
