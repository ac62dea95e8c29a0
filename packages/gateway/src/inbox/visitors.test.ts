// A session of the local inbox cannot be used without the key of its browser.

import { randomBytes } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Ask } from '@assent/core'
import { expect, onTestFinished, test } from 'vitest'
import { redeem } from '../../../../test-kit/gateway/signing-browser.ts'
import {
  anAsk,
  ann,
  ben,
  fromOurPage,
  type InboxEnv,
  onEachEngine,
  onSqlite,
  send,
  sendTo,
  signIn,
} from './inbox-env.suite.ts'
import { inboxLimits } from './limits.ts'
import { askListener, listenerKey, proofsForPrograms } from './listener-proof.ts'
import { Nonces } from './nonces.ts'

const notAuthenticated = /"code":"(?:signed-out|unverified)"/
const body = (decisionId = 'd'.repeat(20)) => JSON.stringify({ decisionId, answer: { action: 'decline' } })

async function isOpen({ store }: InboxEnv, { id }: Ask): Promise<boolean> {
  return (await store.asks.read('acme', id))?.state.kind === 'open'
}

onEachEngine('[LOCAL-1] a session token is refused without the key of its browser', async (env) => {
  const inbox = env.app()
  const browser = await signIn(inbox, ann)
  const other = await signIn(inbox, ben)
  const ask = await env.store.asks.raise(anAsk())
  const { session } = browser.signing
  const path = `/api/asks/${ask.id}/answer`
  // As a cookie of every name, as a header, with a signature by another key, and with an invalid one.
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
    for (const one of [
      '/api/me',
      '/api/asks',
      `/api/asks/${ask.id}`,
      '/api/changes',
      '/api/history',
      '/api/statistics',
    ]) {
      const response = await send(inbox, 'GET', one, headers)
      expect([one, response.status]).toEqual([one, 401])
      expect(await response.text()).toMatch(notAuthenticated)
    }
    expect((await send(inbox, 'POST', path, { ...fromOurPage, ...headers }, body())).status).toBe(401)
  }
  expect(await isOpen(env, ask)).toBe(true)
  // Where sessions are cookies, a session with a key is not accepted as a cookie either.
  const https = env.app({ baseUrl: 'https://assent.example.com' })
  const asCookie = { host: 'assent.example.com', cookie: `__Host-assent=${session}` }
  expect((await send(https, 'GET', '/api/me', asCookie)).status).toBe(401)
  expect((await browser.post(path, body())).status).toBe(200)
})

test('[LOCAL-2] a signed request is accepted once, and only unchanged', async () => {
  await onSqlite(async (env) => {
    const inbox = env.app()
    const { signing } = await signIn(inbox, ann)
    const [ask, next] = [await env.store.asks.raise(anAsk()), await env.store.asks.raise(anAsk())]
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
    expect(await isOpen(env, ask)).toBe(true)
    expect(await isOpen(env, next)).toBe(true)

    const proof = await signing.proof('POST', path, body())
    expect(await post(proof)).toBe(200)
    expect(await post(proof)).toBe(401)
    const reading = await signing.proof('GET', '/api/asks?size=2')
    expect([await read(reading, '/api/asks?size=2'), await read(reading, '/api/asks?size=2')]).toEqual([200, 401])
    expect(await read(await signing.proof('GET', '/api/asks?size=2'), '/api/asks?size=3')).toBe(401)
    // Many in parallel, under one nonce.
    const together = await Promise.all(Array.from({ length: 20 }, () => signing.get('/api/asks')))
    expect(together.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200))
  })
})

test('[LOCAL-2] a request signed for one process is refused by every other process, also after a restart', async () => {
  await onSqlite(async (env) => {
    const first = env.app()
    const { signing } = await signIn(first, ann)
    const captured = await signing.proof('GET', '/api/asks')
    const anew = env.app({ store: await env.another() })

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

test('[LOCAL-2] requests under one nonce are limited; new ones are refused at the limit', () => {
  const nonces = new Nonces(() => 0)
  const nonce = nonces.current()
  for (let n = 0; n < inboxLimits.requestsPerNonce; n++) expect(nonces.use(nonce, `${n}`)).toBe(true)
  expect(nonces.use(nonce, 'one more')).toBe(false)
})

onEachEngine('[LOCAL-3] a session belongs to one port and is unknown at any other', async (env) => {
  const { signing } = await signIn(env.app(), ann)
  const moved = env.app({ baseUrl: 'http://127.0.0.1:7999' })
  const there = signing.at((path, { method, headers, body: sent }) =>
    send(moved, method, path, { ...headers, host: '127.0.0.1:7999', origin: 'http://127.0.0.1:7999' }, sent),
  )
  expect((await there.get('/api/asks')).status).toBe(401)
  expect((await there.post('/api/sign-out', {})).status).toBe(401)
  expect((await signing.get('/api/me')).status).toBe(200)

  expect(await env.store.signIns.endSessionsAt('acme', 7420)).toBe(1)
  expect((await signing.get('/api/me')).status).toBe(401)
})

onEachEngine('[LOCAL-4] over http a sign-in code works only at the process that it was made for', async (env) => {
  const [here, there] = [env.app(), env.app({ store: await env.another() })]
  const link = (await here.signInLink(ann)) ?? ''

  expect((await redeem(link, sendTo(there))).response.status).toBe(401)
  expect((await redeem(link, sendTo(here))).response.status).toBe(200)
})

test('[LOCAL-3] a listener without the secret of a session cannot prove that it is the inbox', async () => {
  await onSqlite(async (env) => {
    const { signing } = await signIn(env.app(), ann)
    const fake = signing.at(async () => Response.json({ nonce: 'n'.repeat(22), proof: 'p'.repeat(43) }))
    await expect(fake.get('/api/asks')).rejects.toThrow('could not prove')
    // A program that forwards the challenge to the real listener, now at another port, gets no valid proof.
    const moved = env.app({ baseUrl: 'http://127.0.0.1:7999' })
    const relay = signing.at((path, { method, headers, body: sent }) =>
      send(moved, method, path, { ...headers, host: '127.0.0.1:7999' }, sent),
    )
    expect((await relay.get('/api/asks')).status).toBe(401)
  })
})

const keys = [listenerKey(randomBytes(32)), listenerKey(randomBytes(32))]

test('[LOCAL-5] a program accepts a listener only with a proof by the same key, for the port it connected to', async () => {
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
      askListener(new URL(`http://localhost:${port}`), own, AbortSignal.timeout(60_000))
    expect(await ask(real.port)).toEqual({ instance: expect.stringMatching(/^[\w-]{22}$/), origin })
    expect(await ask(real.port, [listenerKey(randomBytes(32))])).toBeUndefined()

    // A program at another port forwards the challenge, unchanged or with the port rewritten.
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
    // A program that replays old proofs, invalid replies, an endless reply, and no listener.
    const old = proofsForPrograms(keys, 'c'.repeat(43), { instance: 'i', origin: `http://localhost:${relay.port}` })
    for (const reply of [JSON.stringify(old), 'null', '{}', '"mark"', 'x'.repeat(100_000)]) {
      relay.server.removeAllListeners('request').on('request', (_, response) => response.end(reply))
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
