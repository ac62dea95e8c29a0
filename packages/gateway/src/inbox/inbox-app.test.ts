// The way in, the guard, the description, and the headers.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { inboxLimits } from '../limits.ts'
import { anAsk, ann, ben, type Desk, fromOurPage, onEachEngine, send, signIn } from './desk.suite.ts'
import { openApi } from './openapi.ts'
import { respondWith } from './serve-node.ts'
import { SignIn } from './sign-in.ts'

describe('signing in', () => {
  test('[INBOX-8] a link works once and for some minutes, a session for its time, and ending it ends it', () => {
    let now = 1_000
    const signIn = new SignIn(() => now)
    const code = signIn.invite(ann) ?? ''
    const token = signIn.redeem(code) ?? ''
    expect(signIn.who(token)).toEqual(ann)
    expect(signIn.redeem(code)).toBeUndefined()
    expect(signIn.redeem('')).toBeUndefined()
    expect(signIn.who(code)).toBeUndefined()

    const late = signIn.invite(ben) ?? ''
    now += inboxLimits.linkMs
    expect(signIn.redeem(late)).toBeUndefined()
    expect(signIn.who(token)).toEqual(ann)
    now += inboxLimits.sessionMs
    expect(signIn.who(token)).toBeUndefined()

    const again = signIn.redeem(signIn.invite(ann) ?? '') ?? ''
    signIn.end(again)
    expect(signIn.who(again)).toBeUndefined()
  })

  test('[INBOX-8] unused links are limited: the new one is refused until an old one has ended', () => {
    let now = 1_000
    const signIn = new SignIn(() => now)
    const first = signIn.invite(ann) ?? ''
    for (let count = 1; count < inboxLimits.links; count++) expect(signIn.invite(ann)).toBeDefined()
    expect(signIn.invite(ann)).toBeUndefined()
    expect(signIn.redeem(first)).toBeDefined()
    expect(signIn.invite(ann)).toBeDefined()
    now += inboxLimits.linkMs
    expect(signIn.invite(ann)).toBeDefined()
  })
})

onEachEngine(
  '[INBOX-8] the cookie is for this site alone and out of reach of scripts; signing out ends it',
  async ({ app }) => {
    const inbox = app()
    const code = new URL(inbox.signInLink(ann) ?? '').hash.slice('#code='.length)
    const response = await send(inbox, 'POST', '/api/sign-in', fromOurPage, { code })
    expect(response.headers.get('set-cookie')).toMatch(
      /^assent-7420=[\w-]{43}; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Strict$/,
    )
    expect((await send(inbox, 'POST', '/api/sign-in', fromOurPage, { code })).status).toBe(401)
    expect((await send(inbox, 'POST', '/api/sign-in', fromOurPage, { code: 7 })).status).toBe(401)

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
      { code: new URL(https.signInLink(ann) ?? '').hash.slice('#code='.length) },
    )
    expect(secure.headers.get('set-cookie')).toMatch(/^__Host-assent=.*; Path=\/; HttpOnly; SameSite=Strict; Secure$/)
    expect(secure.headers.get('strict-transport-security')).toBeTruthy()
  },
)

const strangers: readonly [why: string, headers: Record<string, string>][] = [
  ['a page elsewhere', { origin: 'https://evil.example' }],
  ['a page on another port', { origin: 'http://127.0.0.1:9999' }],
  ['no page at all', { origin: '' }],
  ['a form, which cannot set our header', { 'assent-inbox': '' }],
  ['a form’s media type', { 'content-type': 'text/plain' }],
  ['a name that was pointed here', { host: 'evil.example:7420' }],
  ['another port’s name', { host: '127.0.0.1:9999' }],
  ['another site, as the browser says', { 'sec-fetch-site': 'cross-site' }],
  ['a sibling site, as the browser says', { 'sec-fetch-site': 'same-site' }],
]

onEachEngine(
  '[INBOX-9] what changes anything comes from our own pages under our own name',
  async ({ store, app }: Desk) => {
    const browser = await signIn(app(), ann)
    const { id } = await store.asks.raise(anAsk())
    const body = { decisionId: 'd'.repeat(20), answer: { action: 'decline' } }
    for (const [why, headers] of strangers) {
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
  '[INBOX-10] every response carries the strict headers, and no answer of the API is kept',
  async ({ app }: Desk) => {
    const inbox = app()
    const browser = await signIn(inbox, ann)
    const nobody = await send(inbox, 'GET', '/api/me', {})
    expect(nobody.status).toBe(401)
    for (const response of [
      nobody,
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
  '[INBOX-11] the description names every route, and every route answers in its shapes',
  async ({ store, app }: Desk) => {
    const inbox = app()
    const described = Object.entries(openApi.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    )
    const routed = inbox.routes.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`)
    expect(described.toSorted()).toEqual(routed.toSorted())

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
      ['Figures', await browser.get('/api/figures')],
    ]
    for (const [name, response] of shapes) {
      expect([name, misfits(openApi.components.schemas[name], await response.json(), name)]).toEqual([name, []])
    }
    expect(misfits(openApi.components.schemas.Me, { name: 1, extra: 2 }, 'Me')).toHaveLength(3)
  },
)

test('[INBOX-12] it answers on node:http as it does by itself', async () => {
  const server = createServer((request, response) => {
    const echo = async (incoming: Request) => {
      const headers = new Headers({ 'content-type': 'text/plain' })
      headers.append('set-cookie', 'a=1')
      headers.append('set-cookie', 'b=2')
      const said = await incoming.text()
      return new Response(`${incoming.method} ${new URL(incoming.url).pathname} ${said}`, { status: 201, headers })
    }
    void respondWith(echo, request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  const posted = await fetch(`${url}/a/b?c`, { method: 'POST', body: 'said' })
  expect([posted.status, await posted.text(), posted.headers.getSetCookie()]).toEqual([
    201,
    'POST /a/b said',
    ['a=1', 'b=2'],
  ])
  expect(await (await fetch(`${url}//x`)).text()).toBe('GET //x ')
  expect((await fetch(url, { method: 'HEAD' })).status).toBe(201)
})

/** What does not fit the schema: a small reader of the part of JSON Schema that the description uses. */
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
    if (!Array.isArray(value)) return [`${at} is no array`]
    return value.flatMap((one, index) => misfits(items, one, `${at}[${index}]`))
  }
  if (type === 'object') {
    if (typeof value !== 'object' || value === null) return [`${at} is no object`]
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
