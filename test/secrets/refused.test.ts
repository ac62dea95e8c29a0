// Every attempt to get another person's secret, or one that was not asked for, is refused and reveals nothing.

import { randomBytes } from 'node:crypto'
import { newId, type Person } from '@assent/core'
import { expect, test, vi } from 'vitest'
import { fromOurPage, SigningBrowser } from '../../test-kit/gateway/signing-browser.ts'
import { until } from '../../test-kit/until.ts'
import { aCaller } from './clients.ts'
import { ann, ben, generations, openTestEnv, type TestEnv } from './test-env.ts'

vi.setConfig({ testTimeout: 120_000 })

const nameOf = { '2025-11-25': 'older', '2026-07-28': 'newest' } as const
const anyone = { enc: 'AAAA', ct: 'BBBB' }
const aPageId = () => newId('secret', Date.now(), randomBytes)

async function browserOf(testEnv: TestEnv, person: Person): Promise<SigningBrowser> {
  return SigningBrowser.signIn(await testEnv.linkFor(person))
}

/** With a signed-in browser, or with a made-up cookie. */
async function person(testEnv: TestEnv, browser: SigningBrowser | string, path: string, body?: object) {
  const response =
    typeof browser === 'string'
      ? await fetch(testEnv.origin + path, {
          headers: { cookie: browser, ...fromOurPage(testEnv.origin) },
          ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
        })
      : await (body === undefined ? browser.get(path) : browser.post(path, body))
  return { status: response.status, body: await response.text() }
}

const handing = (sealed: unknown = anyone) => ({ decisionId: crypto.randomUUID(), sealed })

async function server(testEnv: TestEnv, token: string, method: string, path: string, body?: object) {
  const content = body === undefined ? {} : { body: JSON.stringify(body) }
  const headers = token === '' ? {} : { authorization: `Bearer ${token}` }
  const response = await fetch(`${testEnv.origin}/server/secrets/${path}`, { method, headers, ...content })
  return { status: response.status, body: await response.text() }
}

/** A page of this server, opened as its SDK opens one. */
async function opened(testEnv: TestEnv, name = 'newest'): Promise<string> {
  const id = aPageId()
  const { status } = await server(testEnv, testEnv.tokens[name] ?? '', 'PUT', id, {
    publicKey: 'AAAA',
    decideWithinMs: 600_000,
  })
  expect(status).toBe(201)
  return id
}

/** A page that waits for Ann, and its call. */
async function waiting(testEnv: TestEnv, generation: (typeof generations)[number] = '2026-07-28') {
  const caller = await aCaller(generation, testEnv.url)
  const calling = caller.call(`${nameOf[generation]}__login`)
  const url = (await until(() => caller.asked[0])).url ?? ''
  return { calling, page: url.slice(url.lastIndexOf('/') + 1) }
}

test('[SECRET-1] for another person, and without a session, a page does not exist', async () => {
  const testEnv = await openTestEnv()
  const { page, calling } = await waiting(testEnv)
  const unasked = await opened(testEnv)
  for (const browser of [await browserOf(testEnv, ben), '', 'assent-1=forged']) {
    for (const id of [page, unasked]) {
      const attempts = [
        (one: string) => person(testEnv, browser, `/api/secrets/${one}`),
        (one: string) => person(testEnv, browser, `/api/secrets/${one}`, handing()),
        (one: string) => person(testEnv, browser, `/api/secrets/${one}`, {}),
        (one: string) =>
          person(testEnv, browser, `/api/secrets/${one}`, { decisionId: 'short', sealed: 'x'.repeat(9_000) }),
      ]
      for (const attempt of attempts) {
        const [real, absent] = [await attempt(id), await attempt(aPageId())]
        expect(real).toEqual(absent)
        expect(real.status).toBeGreaterThanOrEqual(401)
      }
    }
  }
  const browser = await browserOf(testEnv, ann)
  expect((await person(testEnv, browser, `/api/secrets/${unasked}`)).status).toBe(404)
  const { status, body } = await person(testEnv, browser, `/api/secrets/${page}`)
  expect(status).toBe(200)
  const { ask } = JSON.parse(body) as { ask: { id: string; answers: string[] } }
  expect(ask.answers).toEqual(['decline', 'cancel'])
  const answering = { decisionId: crypto.randomUUID(), answer: { action: 'accept' } }
  expect((await person(testEnv, browser, `/api/asks/${ask.id}/answer`, answering)).status).toBe(400)
  expect(testEnv.tamper('select sealed from secret_pages where sealed is not null')).toEqual([])
  await person(testEnv, browser, `/api/asks/${ask.id}/answer`, { ...answering, answer: { action: 'decline' } })
  expect((await calling).isError).toBe(true)
  expect(testEnv.got).toEqual([])
})

test('[SECRET-2] [SECRET-3] sending a secret twice changes nothing; one that the server cannot open ends its call', async () => {
  for (const generation of generations) {
    const testEnv = await openTestEnv()
    const { page, calling } = await waiting(testEnv, generation)
    const browser = await browserOf(testEnv, ann)
    for (const wrong of [
      undefined,
      'text',
      { enc: 'AAAA' },
      { enc: 'A A', ct: 'BB' },
      { enc: 'A', ct: 'x'.repeat(30_000) },
    ])
      expect((await person(testEnv, browser, `/api/secrets/${page}`, handing(wrong ?? null))).status).toBe(400)
    const first = handing()
    expect((await person(testEnv, browser, `/api/secrets/${page}`, first)).status).toBe(200)
    expect((await person(testEnv, browser, `/api/secrets/${page}`, first)).status).toBe(200)
    expect((await person(testEnv, browser, `/api/secrets/${page}`, handing())).status).toBe(409)

    const { text, isError } = await calling
    expect(isError).toBe(true)
    expect(text).toContain('cannot be opened')
    expect(testEnv.got).toEqual([])
  }
})

test('[SECRET-1] [SECRET-2] an expired page accepts no secret', async () => {
  let now = Date.now()
  const testEnv = await openTestEnv({ clock: () => now })
  const { page, calling } = await waiting(testEnv, '2025-11-25')
  const browser = await browserOf(testEnv, ann)
  now += 121_000
  const late = await person(testEnv, browser, `/api/secrets/${page}`, handing())
  expect(late.status).toBe(409)
  expect(late.body).toContain('Expired without an answer')
  now += 3_600_000
  expect((await person(testEnv, browser, `/api/secrets/${page}`)).status).toBe(404)
  expect((await person(testEnv, browser, `/api/secrets/${page}`, handing())).status).toBe(404)
  expect(testEnv.got).toEqual([])
  expect((await calling).isError).toBe(true)
})

test('[SECRET-6] without a credential, or with that of another server, nothing is opened, fetched or released', async () => {
  const testEnv = await openTestEnv()
  const id = await opened(testEnv)
  const body = { publicKey: 'AAAA', decideWithinMs: 600_000 }
  const forged = `newest:${testEnv.tokens.newest}`
  for (const token of [
    '',
    'short',
    `${testEnv.tokens.newest}x`,
    forged,
    'newest:assent1.test.AAAA',
    ':',
    'x'.repeat(5_000),
  ]) {
    for (const one of [id, aPageId()]) {
      const replies = [
        await server(testEnv, token, 'PUT', one, body),
        await server(testEnv, token, 'POST', `${one}/collect`, {}),
        await server(testEnv, token, 'DELETE', one),
      ]
      expect(replies.map(({ status }) => status)).toEqual([401, 401, 401])
      expect(new Set(replies.map((reply) => reply.body)).size).toBe(1)
    }
  }
  const other = testEnv.tokens.older ?? ''
  const missing = await server(testEnv, other, 'POST', `${aPageId()}/collect`, {})
  expect(missing.status).toBe(404)
  expect(await server(testEnv, other, 'POST', `${id}/collect`, {})).toEqual(missing)
  expect(await server(testEnv, other, 'DELETE', id)).toEqual(missing)
  expect((await server(testEnv, other, 'PUT', id, body)).status).toBe(400)
  const own = testEnv.tokens.newest ?? ''
  expect(await server(testEnv, own, 'POST', `${id}/collect`, {})).toEqual({ status: 200, body: '{"state":"unbound"}' })
  for (const wrong of [
    {},
    { publicKey: 'A A', decideWithinMs: 1 },
    { publicKey: 'AA', decideWithinMs: 0.5 },
    { publicKey: 'A'.repeat(300), decideWithinMs: 1 },
  ])
    expect((await server(testEnv, own, 'PUT', aPageId(), wrong)).status).toBe(400)
  for (const path of ['', 'ask_1', `${id}/collect/more`, `../secrets/${id}x`])
    expect((await server(testEnv, own, 'POST', path, {})).status).toBe(404)
})

test('[SECRET-6] a server’s credential works on every gateway of the store, until it is not allowed any more', async () => {
  const testEnv = await openTestEnv()
  const made = testEnv.pages.environmentOf('newest').ASSENT_SECRETS_TOKEN ?? ''
  const body = { publicKey: 'AAAA', decideWithinMs: 600_000 }
  expect((await server(testEnv, made, 'PUT', aPageId(), body)).status).toBe(201)
  expect((await server(testEnv, made.replace('newest:', 'older:'), 'PUT', aPageId(), body)).status).toBe(401)
  testEnv.pages.use({ newest: { url: 'http://127.0.0.1:1/' } })
  expect((await server(testEnv, made, 'PUT', aPageId(), body)).status).toBe(401)
  expect((await server(testEnv, testEnv.tokens.newest ?? '', 'PUT', aPageId(), body)).status).toBe(401)
})

test('[SECRET-6] [SECRET-11] a server with too many open pages is refused, and no person is asked', async () => {
  const testEnv = await openTestEnv()
  for (let page = 0; page < 100; page++) await opened(testEnv)
  const caller = await aCaller('2026-07-28', testEnv.url)
  const { text, isError } = await caller.call('newest__login')
  expect(isError).toBe(true)
  expect(text).toMatch(/no person was asked.*Too many pages/s)
  expect(caller.asked).toEqual([])
})

test('[SECRET-7] a link to the inbox is shown only if it is a page of this server for this person', async () => {
  const testEnv = await openTestEnv()
  const { host, port } = new URL(testEnv.origin)
  const [own, olders, bens] = [await opened(testEnv), await opened(testEnv, 'older'), await opened(testEnv)]
  await testEnv.store.secrets.bind({ tenant: 'default', id: bens, server: 'newest' }, 'ben')
  const code = new URL(await testEnv.linkFor(ben)).href
  const lures = [
    code,
    `${testEnv.origin}/`,
    `${testEnv.origin}/asks/ask_1`,
    `${testEnv.origin}/secret/${aPageId()}`,
    `${testEnv.origin}/secret/${olders}`,
    `${testEnv.origin}/secret/${bens}`,
    `${testEnv.origin}/secret/${own}?next=1`,
    `${testEnv.origin}/secret/${own}#x`,
    `${testEnv.origin}/secret/${own}/`,
    `${testEnv.origin}//secret/${own}`,
    `${testEnv.origin}/x/../secret/${own}`,
    `${testEnv.origin}/secret/%73${own.slice(1)}`,
    `http://localhost:${port}/secret/${own}`,
    `http://127.0.0.2:${port}/secret/${own}`,
    `http://[::1]:${port}/secret/${own}`,
    `https://${host}/secret/${own}`,
    `https://inbox.example.com/secret/${own}`,
    `https://inbox.example.com/?to=${encodeURIComponent(`${testEnv.origin}/secret/${own}`)}`,
    `https://inbox.example.com/secret/${own.toUpperCase()}`,
  ]
  for (const generation of generations) {
    for (const elicitation of [{ form: {}, url: {} }, 'none'] as const) {
      const caller = await aCaller(generation, testEnv.url, { elicitation })
      for (const url of lures) {
        testEnv.lure.url = url
        const said = await caller.call('newest__lure').catch((error: Error) => ({ text: error.message, isError: true }))
        expect([url, said.isError]).toEqual([url, true])
      }
      expect(caller.asked).toEqual([])
    }
    const olderCaller = await aCaller(generation, testEnv.url)
    testEnv.lure.url = `${testEnv.origin}/secret/${own}`
    await olderCaller.call('older__lure').catch(() => undefined)
    expect(olderCaller.asked).toEqual([])
  }
  expect(testEnv.got).toEqual([])
  const asks = await testEnv.store.inbox.page({ tenant: 'default', person: ann, show: 'open' })
  expect(asks.asks).toEqual([])
  expect(await testEnv.store.secrets.bind({ tenant: 'default', id: own, server: 'newest' }, 'ben')).toBeDefined()
})

test('[SECRET-7] links to other sites are shown as before', async () => {
  const testEnv = await openTestEnv()
  for (const generation of generations) {
    const caller = await aCaller(generation, testEnv.url)
    testEnv.lure.url = 'https://sign-in.example.com/secret/of-mine?secret=1'
    expect((await caller.call(`${nameOf[generation]}__lure`)).text).toBe('lured')
    expect(caller.asked[0]?.url).toBe(testEnv.lure.url)
  }
})

test('[SECRET-1] [SECRET-2] a page whose person was changed in the database accepts no secret', async () => {
  const testEnv = await openTestEnv()
  const { page, calling } = await waiting(testEnv)
  const [anns, bens] = [await browserOf(testEnv, ann), await browserOf(testEnv, ben)]
  testEnv.tamper(`update secret_pages set principal = 'ben' where id = '${page}'`)
  expect((await person(testEnv, bens, `/api/secrets/${page}`, handing())).status).toBe(404)
  expect((await person(testEnv, anns, `/api/secrets/${page}`, handing())).status).toBe(503)
  const { ask } = JSON.parse((await person(testEnv, anns, `/api/secrets/${page}`)).body) as { ask: { id: string } }
  const declining = { decisionId: crypto.randomUUID(), answer: { action: 'decline' } }
  await person(testEnv, anns, `/api/asks/${ask.id}/answer`, declining)
  expect((await calling).isError).toBe(true)
  expect(testEnv.got).toEqual([])
})
