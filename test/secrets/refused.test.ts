// Every way to get at somebody else's secret, or to be handed one that was not asked for: none works, none tells anything.

import { randomBytes } from 'node:crypto'
import { newId, type Person } from '@assent/core'
import { expect, test, vi } from 'vitest'
import { fromOurPage, SigningBrowser } from '../../packages/gateway/src/inbox/signing-browser.suite.ts'
import { aCaller, until } from './clients.ts'
import { aHouse, ann, ben, generations, type House } from './house.ts'

vi.setConfig({ testTimeout: 120_000 })

const nameOf = { '2025-11-25': 'older', '2026-07-28': 'newest' } as const
const anyone = { enc: 'AAAA', ct: 'BBBB' }
const aPageId = () => newId('secret', Date.now(), randomBytes)

async function browserOf(house: House, person: Person): Promise<SigningBrowser> {
  return SigningBrowser.signIn(await house.linkFor(person))
}

/** By a browser that is signed in, or with a cookie that somebody made up. */
async function person(house: House, browser: SigningBrowser | string, path: string, body?: object) {
  const response =
    typeof browser === 'string'
      ? await fetch(house.origin + path, {
          headers: { cookie: browser, ...fromOurPage(house.origin) },
          ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
        })
      : await (body === undefined ? browser.get(path) : browser.post(path, body))
  return { status: response.status, body: await response.text() }
}

const handing = (sealed: unknown = anyone) => ({ decisionId: crypto.randomUUID(), sealed })

async function server(house: House, token: string, method: string, path: string, body?: object) {
  const content = body === undefined ? {} : { body: JSON.stringify(body) }
  const headers = token === '' ? {} : { authorization: `Bearer ${token}` }
  const response = await fetch(`${house.origin}/server/secrets/${path}`, { method, headers, ...content })
  return { status: response.status, body: await response.text() }
}

/** A page of this server, opened as its sdk opens one. */
async function opened(house: House, name = 'newest'): Promise<string> {
  const id = aPageId()
  const { status } = await server(house, house.tokens[name] ?? '', 'PUT', id, {
    publicKey: 'AAAA',
    decideWithinMs: 60_000,
  })
  expect(status).toBe(201)
  return id
}

/** A page that waits for Ann, and the call that does. */
async function waiting(house: House, generation: (typeof generations)[number] = '2026-07-28') {
  const caller = await aCaller(generation, house.url)
  const calling = caller.call(`${nameOf[generation]}__login`)
  const url = (await until(() => caller.asked[0])).url ?? ''
  return { calling, page: url.slice(url.lastIndexOf('/') + 1) }
}

test('[SECRET-1] for another person, and for nobody, a page is the same as none', async () => {
  const house = await aHouse()
  const { page, calling } = await waiting(house)
  const unasked = await opened(house)
  for (const browser of [await browserOf(house, ben), '', 'assent-1=forged']) {
    for (const id of [page, unasked]) {
      const attempts = [
        (one: string) => person(house, browser, `/api/secrets/${one}`),
        (one: string) => person(house, browser, `/api/secrets/${one}`, handing()),
        (one: string) => person(house, browser, `/api/secrets/${one}`, {}),
        (one: string) =>
          person(house, browser, `/api/secrets/${one}`, { decisionId: 'short', sealed: 'x'.repeat(9_000) }),
      ]
      for (const attempt of attempts) {
        const [real, absent] = [await attempt(id), await attempt(aPageId())]
        expect(real).toEqual(absent)
        expect(real.status).toBeGreaterThanOrEqual(401)
      }
    }
  }
  const browser = await browserOf(house, ann)
  expect((await person(house, browser, `/api/secrets/${unasked}`)).status).toBe(404)
  const { status, body } = await person(house, browser, `/api/secrets/${page}`)
  expect(status).toBe(200)
  const { ask } = JSON.parse(body) as { ask: { id: string; answers: string[] } }
  expect(ask.answers).toEqual(['decline', 'cancel'])
  const answering = { decisionId: crypto.randomUUID(), answer: { action: 'accept' } }
  expect((await person(house, browser, `/api/asks/${ask.id}/answer`, answering)).status).toBe(400)
  expect(house.tamper('select sealed from secret_pages where sealed is not null')).toEqual([])
  await person(house, browser, `/api/asks/${ask.id}/answer`, { ...answering, answer: { action: 'decline' } })
  expect((await calling).isError).toBe(true)
  expect(house.got).toEqual([])
})

test('[SECRET-2] [SECRET-3] a second handing over changes nothing; what the server cannot open ends its call', async () => {
  for (const generation of generations) {
    const house = await aHouse()
    const { page, calling } = await waiting(house, generation)
    const browser = await browserOf(house, ann)
    for (const wrong of [
      undefined,
      'text',
      { enc: 'AAAA' },
      { enc: 'A A', ct: 'BB' },
      { enc: 'A', ct: 'x'.repeat(30_000) },
    ])
      expect((await person(house, browser, `/api/secrets/${page}`, handing(wrong ?? null))).status).toBe(400)
    const first = handing()
    expect((await person(house, browser, `/api/secrets/${page}`, first)).status).toBe(200)
    expect((await person(house, browser, `/api/secrets/${page}`, first)).status).toBe(200)
    expect((await person(house, browser, `/api/secrets/${page}`, handing())).status).toBe(409)

    const { text, isError } = await calling
    expect(isError).toBe(true)
    expect(text).toContain('cannot be opened')
    expect(house.got).toEqual([])
  }
})

test('[SECRET-1] [SECRET-2] after its time nothing is handed over', async () => {
  let now = Date.now()
  const house = await aHouse({ clock: () => now })
  const { page, calling } = await waiting(house, '2025-11-25')
  const browser = await browserOf(house, ann)
  now += 121_000
  const late = await person(house, browser, `/api/secrets/${page}`, handing())
  expect(late.status).toBe(409)
  expect(late.body).toContain('Expired without an answer')
  now += 3_600_000
  expect((await person(house, browser, `/api/secrets/${page}`)).status).toBe(404)
  expect((await person(house, browser, `/api/secrets/${page}`, handing())).status).toBe(404)
  expect(house.got).toEqual([])
  expect((await calling).isError).toBe(true)
})

test('[SECRET-6] without a credential or with another nothing is opened, collected or released', async () => {
  const house = await aHouse()
  const id = await opened(house)
  const body = { publicKey: 'AAAA', decideWithinMs: 60_000 }
  const forged = `newest:${house.tokens.newest}`
  for (const token of [
    '',
    'short',
    `${house.tokens.newest}x`,
    forged,
    'newest:assent1.test.AAAA',
    ':',
    'x'.repeat(5_000),
  ]) {
    for (const one of [id, aPageId()]) {
      const replies = [
        await server(house, token, 'PUT', one, body),
        await server(house, token, 'POST', `${one}/collect`, {}),
        await server(house, token, 'DELETE', one),
      ]
      expect(replies.map(({ status }) => status)).toEqual([401, 401, 401])
      expect(new Set(replies.map((reply) => reply.body)).size).toBe(1)
    }
  }
  const other = house.tokens.older ?? ''
  const missing = await server(house, other, 'POST', `${aPageId()}/collect`, {})
  expect(missing.status).toBe(404)
  expect(await server(house, other, 'POST', `${id}/collect`, {})).toEqual(missing)
  expect(await server(house, other, 'DELETE', id)).toEqual(missing)
  expect((await server(house, other, 'PUT', id, body)).status).toBe(400)
  const own = house.tokens.newest ?? ''
  expect(await server(house, own, 'POST', `${id}/collect`, {})).toEqual({ status: 200, body: '{"state":"unbound"}' })
  for (const wrong of [
    {},
    { publicKey: 'A A', decideWithinMs: 1 },
    { publicKey: 'AA', decideWithinMs: 0.5 },
    { publicKey: 'A'.repeat(300), decideWithinMs: 1 },
  ])
    expect((await server(house, own, 'PUT', aPageId(), wrong)).status).toBe(400)
  for (const path of ['', 'ask_1', `${id}/collect/more`, `../secrets/${id}x`])
    expect((await server(house, own, 'POST', path, {})).status).toBe(404)
})

test('[SECRET-6] a credential that was made for a server works on every gateway of the store, until it is not allowed', async () => {
  const house = await aHouse()
  const made = house.pages.environmentOf('newest').ASSENT_SECRETS_TOKEN ?? ''
  const body = { publicKey: 'AAAA', decideWithinMs: 60_000 }
  expect((await server(house, made, 'PUT', aPageId(), body)).status).toBe(201)
  expect((await server(house, made.replace('newest:', 'older:'), 'PUT', aPageId(), body)).status).toBe(401)
  house.pages.use({ newest: { url: 'http://127.0.0.1:1/' } })
  expect((await server(house, made, 'PUT', aPageId(), body)).status).toBe(401)
  expect((await server(house, house.tokens.newest ?? '', 'PUT', aPageId(), body)).status).toBe(401)
})

test('[SECRET-6] [SECRET-11] a server with too many open pages is refused, and nobody is asked', async () => {
  const house = await aHouse()
  for (let page = 0; page < 100; page++) await opened(house)
  const caller = await aCaller('2026-07-28', house.url)
  const { text, isError } = await caller.call('newest__login')
  expect(isError).toBe(true)
  expect(text).toMatch(/nobody was asked.*Too many pages/s)
  expect(caller.asked).toEqual([])
})

test('[SECRET-7] a link into the inbox that is no page of this server for this person is never shown', async () => {
  const house = await aHouse()
  const { host, port } = new URL(house.origin)
  const [own, olders, bens] = [await opened(house), await opened(house, 'older'), await opened(house)]
  await house.store.secrets.bind({ tenant: 'default', id: bens, server: 'newest' }, 'ben')
  const code = new URL(await house.linkFor(ben)).href
  const lures = [
    code,
    `${house.origin}/`,
    `${house.origin}/asks/ask_1`,
    `${house.origin}/secret/${aPageId()}`,
    `${house.origin}/secret/${olders}`,
    `${house.origin}/secret/${bens}`,
    `${house.origin}/secret/${own}?next=1`,
    `${house.origin}/secret/${own}#x`,
    `${house.origin}/secret/${own}/`,
    `${house.origin}//secret/${own}`,
    `${house.origin}/x/../secret/${own}`,
    `${house.origin}/secret/%73${own.slice(1)}`,
    `http://localhost:${port}/secret/${own}`,
    `http://127.0.0.2:${port}/secret/${own}`,
    `http://[::1]:${port}/secret/${own}`,
    `https://${host}/secret/${own}`,
    `https://inbox.example.com/secret/${own}`,
    `https://inbox.example.com/?to=${encodeURIComponent(`${house.origin}/secret/${own}`)}`,
    `https://inbox.example.com/secret/${own.toUpperCase()}`,
  ]
  for (const generation of generations) {
    for (const elicitation of [{ form: {}, url: {} }, 'none'] as const) {
      const caller = await aCaller(generation, house.url, { elicitation })
      for (const url of lures) {
        house.lure.url = url
        const said = await caller.call('newest__lure').catch((error: Error) => ({ text: error.message, isError: true }))
        expect([url, said.isError]).toEqual([url, true])
      }
      expect(caller.asked).toEqual([])
    }
    const olderCaller = await aCaller(generation, house.url)
    house.lure.url = `${house.origin}/secret/${own}`
    await olderCaller.call('older__lure').catch(() => undefined)
    expect(olderCaller.asked).toEqual([])
  }
  expect(house.got).toEqual([])
  const asks = await house.store.inbox.page({ tenant: 'default', person: ann, show: 'open' })
  expect(asks.asks).toEqual([])
  expect(await house.store.secrets.bind({ tenant: 'default', id: own, server: 'newest' }, 'ben')).toBeDefined()
})

test('[SECRET-7] links to other places are put as before', async () => {
  const house = await aHouse()
  for (const generation of generations) {
    const caller = await aCaller(generation, house.url)
    house.lure.url = 'https://sign-in.example.com/secret/of-mine?secret=1'
    expect((await caller.call(`${nameOf[generation]}__lure`)).text).toBe('lured')
    expect(caller.asked[0]?.url).toBe(house.lure.url)
  }
})

test('[SECRET-1] [SECRET-2] a page whose person was changed in the database hands nothing over', async () => {
  const house = await aHouse()
  const { page, calling } = await waiting(house)
  const [anns, bens] = [await browserOf(house, ann), await browserOf(house, ben)]
  house.tamper(`update secret_pages set principal = 'ben' where id = '${page}'`)
  expect((await person(house, bens, `/api/secrets/${page}`, handing())).status).toBe(404)
  expect((await person(house, anns, `/api/secrets/${page}`, handing())).status).toBe(503)
  const { ask } = JSON.parse((await person(house, anns, `/api/secrets/${page}`)).body) as { ask: { id: string } }
  const declining = { decisionId: crypto.randomUUID(), answer: { action: 'decline' } }
  await person(house, anns, `/api/asks/${ask.id}/answer`, declining)
  expect((await calling).isError).toBe(true)
  expect(house.got).toEqual([])
})
