// What a session of the local inbox is worth without the key of its browser.

import { randomBytes } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Ask } from '@assent/core'
import { expect, onTestFinished, test } from 'vitest'
import { inboxLimits } from '../limits.ts'
import { anAsk, ann, ben, type Desk, fromOurPage, onEachEngine, onSqlite, send, sendTo, signIn } from './desk.suite.ts'
import { askListener, listenerKey, proofsForPrograms } from './listener-proof.ts'
import { Nonces } from './nonces.ts'
import { redeem } from './signing-browser.suite.ts'

const stranger = /"code":"(?:signed-out|unverified)"/
const body = (decisionId = 'd'.repeat(20)) => JSON.stringify({ decisionId, answer: { action: 'decline' } })

async function isOpen({ store }: Desk, { id }: Ask): Promise<boolean> {
  return (await store.asks.read('acme', id))?.state.kind === 'open'
}

onEachEngine('[LOCAL-1] the token of a session opens nothing without the key of its browser', async (desk) => {
  const inbox = desk.app()
  const browser = await signIn(inbox, ann)
  const other = await signIn(inbox, ben)
  const ask = await desk.store.asks.raise(anAsk())
  const { session } = browser.signing
  const path = `/api/asks/${ask.id}/answer`
  // As a cookie of every name, as a header, with a signature by another key, and with one that is none.
  const byOther = (await other.signing.proof('POST', path, body())).replace(other.signing.session, session)
  const attempts: Record<string, string>[] = [
    { cookie: `assent-7420=${session}` },
    { cookie: `__Host-assent=${session}; assent-7420=${session}; assent=${session}` },
    { 'assent-session': session },
    { authorization: `Bearer ${session}` },
    { 'assent-proof': session },
    { 'assent-proof': byOther },
    { 'assent-proof': `${byOther.slice(0, -86)}${'A'.repeat(86)}` },
  ]
  for (const headers of attempts) {
    for (const one of ['/api/me', '/api/asks', `/api/asks/${ask.id}`, '/api/changes', '/api/history', '/api/figures']) {
      const response = await send(inbox, 'GET', one, headers)
      expect([one, response.status]).toEqual([one, 401])
      expect(await response.text()).toMatch(stranger)
    }
    expect((await send(inbox, 'POST', path, { ...fromOurPage, ...headers }, body())).status).toBe(401)
  }
  expect(await isOpen(desk, ask)).toBe(true)
  // Where sessions are cookies, one that has a key is none either.
  const https = desk.app({ baseUrl: 'https://assent.example.com' })
  const asCookie = { host: 'assent.example.com', cookie: `__Host-assent=${session}` }
  expect((await send(https, 'GET', '/api/me', asCookie)).status).toBe(401)
  expect((await browser.post(path, body())).status).toBe(200)
})

test('[LOCAL-2] a signed request counts once, and only as it was signed', async () => {
  await onSqlite(async (desk) => {
    const inbox = desk.app()
    const { signing } = await signIn(inbox, ann)
    const [ask, next] = [await desk.store.asks.raise(anAsk()), await desk.store.asks.raise(anAsk())]
    const path = `/api/asks/${ask.id}/answer`
    const post = async (proof: string, to = path, sent = body()) =>
      (await send(inbox, 'POST', to, { ...fromOurPage, 'assent-proof': proof }, sent)).status
    const read = async (proof: string, to: string) => (await send(inbox, 'GET', to, { 'assent-proof': proof })).status

    const changed = (at: number, to: string) => async (proof: string) => post(proof.split('.').with(at, to).join('.'))
    const attacks: readonly ((proof: string) => Promise<number>)[] = [
      (proof) => post(proof, `/api/asks/${next.id}/answer`),
      (proof) => post(proof, `${path}?x`),
      (proof) => post(proof, path, body('e'.repeat(20))),
      (proof) => post(proof, path, ''),
      (proof) => post(proof, '/api/sign-out'),
      (proof) => read(proof, path),
      changed(1, 'n'.repeat(22)),
      changed(2, 'r'.repeat(22)),
      changed(3, 'b'.repeat(43)),
    ]
    for (const attack of attacks) expect(await attack(await signing.proof('POST', path, body()))).toBe(401)
    expect(await isOpen(desk, ask)).toBe(true)
    expect(await isOpen(desk, next)).toBe(true)

    const proof = await signing.proof('POST', path, body())
    expect(await post(proof)).toBe(200)
    expect(await post(proof)).toBe(401)
    const reading = await signing.proof('GET', '/api/asks?size=2')
    expect([await read(reading, '/api/asks?size=2'), await read(reading, '/api/asks?size=2')]).toEqual([200, 401])
    expect(await read(await signing.proof('GET', '/api/asks?size=2'), '/api/asks?size=3')).toBe(401)
    // Many at once, under one nonce.
    const together = await Promise.all(Array.from({ length: 20 }, () => signing.get('/api/asks')))
    expect(together.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200))
  })
})

test('[LOCAL-2] what was signed for one process is refused by every other one, also after a restart', async () => {
  await onSqlite(async (desk) => {
    const first = desk.app()
    const { signing } = await signIn(first, ann)
    const captured = await signing.proof('GET', '/api/asks')
    const anew = desk.app({ store: await desk.another() })

    expect((await send(anew, 'GET', '/api/asks', { 'assent-proof': captured })).status).toBe(401)
    expect((await signing.at(sendTo(anew)).get('/api/asks')).status).toBe(200)
  })
})

test('[LOCAL-2] a nonce is accepted for a minute, and each id once', () => {
  let now = 0
  const nonces = new Nonces(() => now)
  const first = nonces.current()
  expect(nonces.current()).toBe(first)
  expect([nonces.use(first, 'a'), nonces.use(first, 'a'), nonces.use(first, 'b')]).toEqual([true, false, true])
  now = inboxLimits.nonceEveryMs
  const second = nonces.current()
  expect(second).not.toBe(first)
  expect([nonces.use(first, 'c'), nonces.use(second, 'a')]).toEqual([true, true])
  now = inboxLimits.nonceMs + 1
  expect([nonces.use(first, 'd'), nonces.use(second, 'd'), nonces.use('made up', 'd')]).toEqual([false, true, false])
})

test('[LOCAL-2] requests under one nonce are limited; the new one is refused', () => {
  const nonces = new Nonces(() => 0)
  const nonce = nonces.current()
  for (let n = 0; n < inboxLimits.requestsPerNonce; n++) expect(nonces.use(nonce, `${n}`)).toBe(true)
  expect(nonces.use(nonce, 'one more')).toBe(false)
})

onEachEngine('[LOCAL-3] a session is of one port: at another port it does not exist', async (desk) => {
  const { signing } = await signIn(desk.app(), ann)
  const moved = desk.app({ baseUrl: 'http://127.0.0.1:7999' })
  const there = signing.at((path, { method, headers, body: sent }) =>
    send(moved, method, path, { ...headers, host: '127.0.0.1:7999', origin: 'http://127.0.0.1:7999' }, sent),
  )
  expect((await there.get('/api/asks')).status).toBe(401)
  expect((await there.post('/api/sign-out', {})).status).toBe(401)
  expect((await signing.get('/api/me')).status).toBe(200)

  expect(await desk.store.signIns.endAt('acme', 7420)).toBe(1)
  expect((await signing.get('/api/me')).status).toBe(401)
})

onEachEngine('[LOCAL-4] over http a sign-in code works only at the process that it was made for', async (desk) => {
  const [here, there] = [desk.app(), desk.app({ store: await desk.another() })]
  const link = (await here.signInLink(ann)) ?? ''

  expect((await redeem(link, sendTo(there))).response.status).toBe(401)
  expect((await redeem(link, sendTo(here))).response.status).toBe(200)
})

test('[LOCAL-3] a listener that does not know the secret of a session cannot prove that it is the inbox', async () => {
  await onSqlite(async (desk) => {
    const { signing } = await signIn(desk.app(), ann)
    const fake = signing.at(async () => Response.json({ nonce: 'n'.repeat(22), proof: 'p'.repeat(43) }))
    await expect(fake.get('/api/asks')).rejects.toThrow('could not prove')
    // One that passes the challenge on to the real listener, which has moved to another port, gets nothing from it.
    const moved = desk.app({ baseUrl: 'http://127.0.0.1:7999' })
    const relay = signing.at((path, { method, headers, body: sent }) =>
      send(moved, method, path, { ...headers, host: '127.0.0.1:7999' }, sent),
    )
    expect((await relay.get('/api/asks')).status).toBe(401)
  })
})

const keys = [listenerKey(randomBytes(32)), listenerKey(randomBytes(32))]

test('[LOCAL-5] a listener proves itself to programs with the same key, at the port that they asked', async () => {
  await onSqlite(async ({ app }) => {
    const [real, relay] = [await listening(), await listening()]
    const origin = `http://localhost:${real.port}`
    const inbox = app({ baseUrl: origin, listenerKeys: keys })
    real.server.on('request', async (request, response) => {
      const reply = await inbox.fetch(
        new Request(`http://inbox${request.url}`, { headers: { host: request.headers.host ?? '' } }),
      )
      response.writeHead(reply.status).end(await reply.text())
    })
    const ask = (port: number, own = keys.slice(1)) =>
      askListener(new URL(`http://localhost:${port}`), own, AbortSignal.timeout(2_000))
    expect(await ask(real.port)).toEqual({ instance: expect.stringMatching(/^[\w-]{22}$/), origin })
    expect(await ask(real.port, [listenerKey(randomBytes(32))])).toBeUndefined()

    // A program at another port passes the challenge on, as it is or with the port changed.
    for (const rewrite of [
      (text: string) => text,
      (text: string) => text.replaceAll(`${real.port}`, `${relay.port}`),
    ]) {
      relay.server.removeAllListeners('request').on('request', async (request, response) => {
        const reply = await fetch(`http://127.0.0.1:${real.port}${request.url}`)
        response.end(rewrite(await reply.text()))
      })
      expect(await ask(relay.port)).toBeUndefined()
    }
    // One that has seen earlier proofs, one that says nothing sensible, one that never stops, and none at all.
    const old = proofsForPrograms(keys, 'c'.repeat(43), { instance: 'i', origin: `http://localhost:${relay.port}` })
    for (const said of [JSON.stringify(old), 'null', '{}', '"mark"', 'x'.repeat(100_000)]) {
      relay.server.removeAllListeners('request').on('request', (_, response) => response.end(said))
      expect(await ask(relay.port)).toBeUndefined()
    }
    relay.server.close()
    relay.server.closeAllConnections()
    expect(await ask(relay.port)).toBeUndefined()
  })
})

async function listening(): Promise<{ readonly server: Server; readonly port: number }> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return { server, port: (server.address() as AddressInfo).port }
}
