// Sign-in, request checks, the API description, and response headers.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { AssentError } from '@assent/core'
import { expect, onTestFinished, test, vi } from 'vitest'
import { aPublicKey } from '../../../../test-kit/gateway/signing-browser.ts'
import { hasServices } from '../../../../test-kit/services.ts'
import type { InboxApp } from './inbox-app.ts'
import {
  anAsk,
  ann,
  ben,
  fromOurPage,
  type InboxEnv,
  onEachEngine,
  onPostgres,
  onSqlite,
  send,
  signIn,
  stoppedClock,
} from './inbox-env.suite.ts'
import { inboxLimits } from './limits.ts'
import { openApi } from './openapi.ts'
import { respondWith } from './serve-node.ts'
import { type Entered, SignIn } from './sign-in.ts'

const { sessionMs } = inboxLimits

onEachEngine('[INBOX-8] a link works once, in any process, and ending a session ends it everywhere', async (env) => {
  const here = new SignIn({ store: env.store, tenant: 'acme', sessionMs })
  const there = new SignIn({ store: await env.another(), tenant: 'acme', sessionMs })
  const code = (await here.invite(ann)) ?? ''
  const token = tokenOf(await there.redeem(code))
  expect(await here.who(token)).toMatchObject({ person: ann })
  for (const used of [code, '', token]) expect(await here.redeem(used)).toEqual({ ok: false, reason: 'used' })
  expect(await there.who(code)).toBeUndefined()

  await there.end(token)
  expect(await here.who(token)).toBeUndefined()
})

test('[INBOX-8] links and sessions expire', async () => {
  const clock = stoppedClock()
  await onSqlite(
    async ({ store }) => {
      const signIn = new SignIn({ store, tenant: 'acme', sessionMs })
      const [first, late] = [(await signIn.invite(ann)) ?? '', (await signIn.invite(ben)) ?? '']
      const token = tokenOf(await signIn.redeem(first))
      clock.advance(inboxLimits.linkMs)
      expect(await signIn.redeem(late)).toEqual({ ok: false, reason: 'used' })
      expect(await signIn.who(token)).toMatchObject({ person: ann })
      clock.advance(inboxLimits.sessionMs - inboxLimits.linkMs)
      expect(await signIn.who(token)).toBeUndefined()
    },
    { clock },
  )
})

test('[INBOX-8] unused links are limited: a new one is refused until an old one is used or expires', async () => {
  await onSqlite(async ({ store, app }) => {
    const signIn = new SignIn({ store, tenant: 'acme', sessionMs })
    const first = (await signIn.invite(ann)) ?? ''
    for (let count = 1; count < inboxLimits.links; count++) expect(await signIn.invite(ann)).toBeDefined()
    expect(await signIn.invite(ann)).toBeUndefined()
    expect(await app().signInLink(ann)).toBeUndefined()
    expect((await signIn.redeem(first)).ok).toBe(true)
    expect(await signIn.invite(ann)).toBeDefined()
  })
})

test('[INBOX-8] sessions are limited, and a link that was refused at the limit still works later', async () => {
  await onSqlite(async ({ store, app }) => {
    const inbox = app()
    const { sessions: atMost } = inboxLimits
    for (let n = 0; n < inboxLimits.sessionsPerPerson; n++) {
      const one = { tenant: 'acme', token: `t${n}`, login: `l${n}`, person: ann, keepMs: 60_000, atMost }
      expect(await store.signIns.begin({ ...one, atMostOfOne: inboxLimits.sessionsPerPerson })).toBe('begun')
    }
    const code = codeIn(await inbox.signInLink(ann))
    const attempt = () => send(inbox, 'POST', '/api/sign-in', fromOurPage, { code, publicKey: aPublicKey() })
    expect((await attempt()).status).toBe(429)
    await store.signIns.end('acme', 't0')
    expect((await attempt()).status).toBe(200)
    await signIn(inbox, ben)
  })
})

function tokenOf(entered: Entered): string {
  if (!entered.ok) throw new Error(entered.reason)
  return entered.token
}

function codeIn(link: string | undefined): string {
  return new URL(link ?? '').hash.slice('#code='.length)
}

test.skipIf(!hasServices)('[INBOX-8] a sign-out takes effect at another replica with its signal (PostgreSQL)', () =>
  onPostgres(async ({ app, another }) => {
    const https = { baseUrl: 'https://assent.example.com' }
    const statements: string[] = []
    const there = app({ ...https, store: await another({ onStep: ({ name }) => statements.push(name) }) })
    const here = app(https)
    const own = { origin: https.baseUrl, host: 'assent.example.com' }
    const code = codeIn(await here.signInLink(ann))
    const entered = await send(here, 'POST', '/api/sign-in', { ...fromOurPage, ...own }, { code })
    const [cookie = ''] = (entered.headers.get('set-cookie') ?? '').split(';', 1)
    const me = () => send(there, 'GET', '/api/me', { ...own, cookie })
    // While a replica begins to listen, it may miss signals. From now on it reads the session once per period.
    await me()
    await new Promise((resolve) => setTimeout(resolve, inboxLimits.sessionFreshMs + 200))
    statements.length = 0
    for (let count = 0; count < 3; count++) expect((await me()).status).toBe(200)
    expect(statements.filter((name) => name === 'read_session')).toHaveLength(1)

    const signedOutAt = performance.now()
    await send(here, 'POST', '/api/sign-out', { ...fromOurPage, ...own, cookie }, {})
    expect((await send(here, 'GET', '/api/me', { ...own, cookie })).status).toBe(401)
    while ((await me()).status === 200) await new Promise((resolve) => setTimeout(resolve, 10))
    expect(performance.now() - signedOutAt).toBeLessThan(inboxLimits.sessionFreshMs / 2)
  }),
)

onEachEngine('[INBOX-8] sessions and unused links survive a restart of the inbox', async (env) => {
  const browser = await signIn(env.app(), ann)
  const https = { baseUrl: 'https://assent.example.com' }
  const link = await env.app(https).signInLink(ben)

  const anew = { ...https, store: await env.another() }

  expect((await browser.at(env.app({ store: anew.store })).get('/api/me')).status).toBe(200)
  const ours = { ...fromOurPage, host: 'assent.example.com', origin: https.baseUrl }
  expect((await send(env.app(anew), 'POST', '/api/sign-in', ours, { code: codeIn(link) })).status).toBe(204)
  expect((await send(env.app(https), 'POST', '/api/sign-in', ours, { code: codeIn(link) })).status).toBe(401)
})

onEachEngine(
  '[INBOX-8] a session has no cookie over http and a host-only cookie over https; signing out ends it',
  async ({ app }) => {
    const inbox = app()
    const code = codeIn(await inbox.signInLink(ann))
    const publicKey = aPublicKey()
    for (const wrong of [undefined, 7, 'key', 'A'.repeat(87), `B${'A'.repeat(86)}`]) {
      // A failed attempt does not use up the link.
      const response = await send(inbox, 'POST', '/api/sign-in', fromOurPage, { code, publicKey: wrong })
      expect(response.status).toBe(400)
    }
    const response = await send(inbox, 'POST', '/api/sign-in', fromOurPage, { code, publicKey })
    expect(response.status).toBe(200)
    expect(response.headers.getSetCookie()).toEqual([expect.stringMatching(/^assent-7420=; Max-Age=0;/)])
    expect((await send(inbox, 'POST', '/api/sign-in', fromOurPage, { code, publicKey })).status).toBe(401)
    expect((await send(inbox, 'POST', '/api/sign-in', fromOurPage, { code: 7, publicKey })).status).toBe(401)

    const browser = await signIn(inbox, ann)
    expect((await browser.get('/api/me')).status).toBe(200)
    expect((await browser.post('/api/sign-out', {})).headers.get('set-cookie')).toContain('Max-Age=0')
    expect((await browser.get('/api/me')).status).toBe(401)

    const https = app({ baseUrl: 'https://assent.example.com' })
    const secure = await send(
      https,
      'POST',
      '/api/sign-in',
      { ...fromOurPage, host: 'assent.example.com', origin: 'https://assent.example.com' },
      { code: codeIn(await https.signInLink(ann)) },
    )
    expect(secure.headers.get('set-cookie')).toMatch(/^__Host-assent=.*; Path=\/; HttpOnly; SameSite=Strict; Secure$/)
    expect(secure.headers.get('strict-transport-security')).toBeTruthy()
  },
)

test('[INBOX-8] signing out deletes the cookie of this browser, although the database is unavailable', async () => {
  await onSqlite(async ({ app, store }) => {
    const https = { baseUrl: 'https://assent.example.com' }
    const own = { ...fromOurPage, origin: https.baseUrl, host: 'assent.example.com' }
    const down = async () => Promise.reject(new AssentError('store_unavailable', 'down'))
    const signInAt = async (inbox: InboxApp) => {
      const entered = await send(inbox, 'POST', '/api/sign-in', own, { code: codeIn(await inbox.signInLink(ann)) })
      return (entered.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? ''
    }
    // Whether the session cannot be ended, or cannot even be read.
    for (const step of ['end', 'readSession'] as const) {
      const inbox = app(https)
      const cookie = await signInAt(inbox)
      const broken = vi.spyOn(store.signIns, step).mockImplementation(down)
      const response = await send(inbox, 'POST', '/api/sign-out', { ...own, cookie }, {})
      broken.mockRestore()

      expect([response.status, await response.json()]).toMatchObject([503, { code: 'unavailable' }])
      expect(response.headers.getSetCookie()).toEqual([expect.stringMatching(/^__Host-assent=; Max-Age=0; /)])
      // Only a page of the inbox can have it deleted.
      for (const [method, headers] of [
        ['POST', { ...own, origin: 'https://evil.example' }],
        ['GET', { host: own.host, 'sec-fetch-mode': 'navigate', 'sec-fetch-site': 'cross-site' }],
      ] as const) {
        expect((await send(inbox, method, '/api/sign-out', headers)).headers.getSetCookie()).toEqual([])
      }
    }
  })
})

const foreignRequests: readonly [why: string, headers: Record<string, string>][] = [
  ['a page elsewhere', { origin: 'https://evil.example' }],
  ['a page on another port', { origin: 'http://127.0.0.1:9999' }],
  ['no origin', { origin: '' }],
  ['a form, which cannot set our header', { 'assent-inbox': '' }],
  ['a form’s media type', { 'content-type': 'text/plain' }],
  ['another host name that resolves to this machine', { host: 'evil.example:7420' }],
  ['the host name with another port', { host: '127.0.0.1:9999' }],
  ['another site, according to Sec-Fetch-Site', { 'sec-fetch-site': 'cross-site' }],
  ['a sibling site, according to Sec-Fetch-Site', { 'sec-fetch-site': 'same-site' }],
]

onEachEngine(
  '[INBOX-9] requests from other origins or under other host names are refused',
  async ({ store, app }: InboxEnv) => {
    const browser = await signIn(app(), ann)
    const { id } = await store.asks.raise(anAsk())
    const body = { decisionId: 'd'.repeat(20), answer: { action: 'decline' } }
    for (const [why, headers] of foreignRequests) {
      const response = await browser.post(`/api/asks/${id}/answer`, body, headers)
      expect([why, response.status]).toEqual([why, 403])
    }
    for (const path of ['/', '/api/me', '/api/changes', '/api/asks']) {
      expect((await browser.get(path, { host: 'evil.example' })).status).toBe(403)
    }
    expect((await browser.get('/api/asks', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' })).status).toBe(
      403,
    )
    for (const host of ['localhost:7420', '[::1]:7420'])
      expect((await browser.get('/api/me', { host })).status).toBe(200)
    expect((await store.asks.read('acme', id))?.state.kind).toBe('open')
    expect((await browser.post(`/api/asks/${id}/answer`, body)).status).toBe(200)
  },
)

onEachEngine(
  '[INBOX-10] every response has the strict security headers, and API responses are not cached',
  async ({ app }: InboxEnv) => {
    const inbox = app()
    const browser = await signIn(inbox, ann)
    const anonymous = await send(inbox, 'GET', '/api/me', {})
    expect(anonymous.status).toBe(401)
    for (const response of [
      anonymous,
      await browser.get('/api/me'),
      await browser.get('/api/nothing'),
      await browser.get('/nothing.js'),
      await browser.get('/api/me', { host: 'evil.example' }),
      await browser.post('/api/asks/x/answer', {}, { origin: 'https://evil.example' }),
    ]) {
      const policy = response.headers.get('content-security-policy') ?? ''
      expect(policy).toContain("default-src 'none'")
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy).not.toMatch(/unsafe|\*|https?:|data:/)
      expect(response.headers.get('x-content-type-options')).toBe('nosniff')
      expect(response.headers.get('referrer-policy')).toBe('no-referrer')
      expect(response.headers.get('cache-control')).toBe('no-store')
    }
  },
)

onEachEngine(
  '[LOCAL-13] over plain http every request for the script of a service worker gets one that removes it; over https only the page of the inbox may register one',
  async ({ app }: InboxEnv) => {
    const worker = { 'service-worker': 'script' }
    for (const path of ['/sw.js', '/api/asks', '/api/openapi.json', '/anything', '/server/secrets/x']) {
      const response = await send(app(), 'GET', path, worker)
      expect([path, response.status]).toEqual([path, 200])
      expect(response.headers.get('content-type')).toContain('text/javascript')
      expect(response.headers.get('service-worker-allowed')).toBe('/')
      expect(await response.text()).toContain('registration.unregister()')
      expect(response.headers.get('content-security-policy')).toContain("worker-src 'none'")
      expect(response.headers.get('content-security-policy')).toContain("trusted-types 'none'")
    }
    expect((await send(app(), 'GET', '/sw.js', { ...worker, host: 'evil.example' })).status).toBe(403)

    const https = app({ baseUrl: 'https://inbox.example' })
    const own = await send(https, 'GET', '/sw.js', { ...worker, host: 'inbox.example' })
    expect(own.status).toBe(404)
    expect(own.headers.get('content-security-policy')).toContain("worker-src 'self'")
    expect(own.headers.get('content-security-policy')).toContain('trusted-types assent-worker')
  },
)

onEachEngine(
  '[INBOX-11] the OpenAPI document lists every route, and every response matches its schema',
  async ({ store, app }: InboxEnv) => {
    const inbox = app()
    const described = Object.entries(openApi.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    )
    const routed = inbox.routes.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`)
    expect(described.toSorted()).toEqual(routed.toSorted())
    const read = await inbox.fetch(
      new Request('http://inbox/api/openapi.json', { headers: { host: '127.0.0.1:7420' } }),
    )
    expect([read.status, await read.json()]).toEqual([200, JSON.parse(JSON.stringify(openApi))])

    const browser = await signIn(inbox, ann)
    const { id } = await store.asks.raise(anAsk())
    const shapes: readonly [string, Response][] = [
      ['Me', await browser.get('/api/me')],
      ['AskPage', await browser.get('/api/asks')],
      ['OneAsk', await browser.get(`/api/asks/${id}`)],
      ['Problem', await browser.answer(id, { action: 'accept' })],
      ['Answered', await browser.answer(id, { action: 'decline', comment: 'no' })],
      ['Problem', await browser.answer(id, { action: 'decline' })],
      ['AskPage', await browser.get('/api/history')],
      ['Statistics', await browser.get('/api/statistics')],
    ]
    for (const [name, response] of shapes) {
      expect([name, misfits(openApi.components.schemas[name], await response.json(), name)]).toEqual([name, []])
    }
    expect(misfits(openApi.components.schemas.Me, { principal: '', name: 1, extra: 2 }, 'Me')).toHaveLength(3)
  },
)

test('[INBOX-12] method, path, body, status and cookies pass through node:http unchanged', async () => {
  const server = createServer((request, response) => {
    const echo = async (incoming: Request) => {
      const headers = new Headers({ 'content-type': 'text/plain' })
      headers.append('set-cookie', 'a=1')
      headers.append('set-cookie', 'b=2')
      const body = await incoming.text()
      return new Response(`${incoming.method} ${new URL(incoming.url).pathname} ${body}`, { status: 201, headers })
    }
    void respondWith(echo, request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  const posted = await fetch(`${url}/a/b?c`, { method: 'POST', body: 'text' })
  expect([posted.status, await posted.text(), posted.headers.getSetCookie()]).toEqual([
    201,
    'POST /a/b text',
    ['a=1', 'b=2'],
  ])
  expect(await (await fetch(`${url}//x`)).text()).toBe('GET //x ')
  expect((await fetch(url, { method: 'HEAD' })).status).toBe(201)
})

/** Where the value does not match the schema. Supports the part of JSON Schema that the description uses. */
function misfits(schema: object | undefined, value: unknown, at: string): string[] {
  if (schema === undefined) return [`${at} has no schema`]
  if ('$ref' in schema)
    return misfits(openApi.components.schemas[String(schema.$ref).split('/').at(-1) ?? ''], value, at)
  const {
    type,
    properties,
    required = [],
    items,
    enum: known,
  } = schema as {
    type?: string
    properties?: Record<string, object>
    required?: string[]
    items?: object
    enum?: unknown[]
  }
  if (type === 'array') {
    if (!Array.isArray(value)) return [`${at} is not an array`]
    return value.flatMap((one, index) => misfits(items, one, `${at}[${index}]`))
  }
  if (type === 'object') {
    if (typeof value !== 'object' || value === null) return [`${at} is not an object`]
    const missing = required.filter((name) => !(name in value)).map((name) => `${at}.${name} is missing`)
    const isOpen = properties === undefined || Object.keys(properties).join() === 'kind'
    const found = Object.entries(value).flatMap(([name, one]) =>
      properties?.[name] === undefined
        ? isOpen
          ? []
          : [`${at}.${name} is not described`]
        : misfits(properties[name], one, `${at}.${name}`),
    )
    return [...missing, ...found]
  }
  const actual = typeof value === 'number' ? (Number.isInteger(value) ? 'integer' : 'number') : typeof value
  if (type !== undefined && actual !== type) return [`${at} is ${actual}, not ${type}`]
  return known !== undefined && !known.includes(value) ? [`${at} is none of the known values`] : []
}
