// What the inbox of one person on their machine adds: signed-in tabs, and whether an agent is running.

import { randomBytes, randomUUID } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { aPublicKey, SigningBrowser } from '../../../../test-kit/gateway/signing-browser.ts'
import { ann, fromOurPage, onSqlite, send, signIn } from './inbox-env.suite.ts'
import { inboxLimits } from './limits.ts'
import { askListener, listenerKey } from './listener-proof.ts'
import { RateLimit } from './rate-limit.ts'
import { respondWith } from './serve-node.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

test('[LOCAL-12] a page without a session can have a signed-in tab opened, and gets no link itself', async () => {
  await onSqlite(async ({ app }) => {
    const openTab = vi.fn(async () => undefined)
    const inbox = app({ openTab })
    const open = (to: unknown, headers = fromOurPage) => send(inbox, 'POST', '/api/sign-in/open', headers, { to })
    expect(await (await send(inbox, 'GET', '/api/sign-in', {})).json()).toEqual({ way: 'link', canOpenTab: true })

    const reply = await open('/asks/ask_1')
    expect([reply.status, await reply.text(), [...reply.headers.keys()].includes('location')]).toEqual([204, '', false])
    for (const elsewhere of ['//evil.example/', 'https://evil.example/', '/sign-in#code=x']) await open(elsewhere)
    expect(openTab.mock.calls).toEqual([['/asks/ask_1'], ['/'], ['/'], ['/']])

    expect((await open('/', { ...fromOurPage, origin: 'https://evil.example' })).status).toBe(403)
    expect((await open('/')).status).toBe(204)
    expect(openTab).toHaveBeenCalledTimes(inboxLimits.openedTabs)
    expect((await open('/')).status).toBe(429)
    expect(openTab).toHaveBeenCalledTimes(inboxLimits.openedTabs)
  })
})

test('[LOCAL-12] without a desktop no tab is offered or opened', async () => {
  await onSqlite(async ({ app }) => {
    const inbox = app()
    expect(await (await send(inbox, 'GET', '/api/sign-in', {})).json()).toEqual({ way: 'link' })
    expect((await send(inbox, 'POST', '/api/sign-in/open', fromOurPage, { to: '/' })).status).toBe(404)
  })
})

test('[LOCAL-12] a limit applies to a period', () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  const limit = new RateLimit(2, 1_000)
  expect([limit.take(), limit.take(), limit.take()]).toEqual([true, true, false])
  vi.advanceTimersByTime(999)
  expect(limit.take()).toBe(false)
  vi.advanceTimersByTime(1)
  expect([limit.take(), limit.take(), limit.take()]).toEqual([true, true, false])
})

test('[LOCAL-12] a signed-in browser that opens a link keeps its session, and the link no longer works', async () => {
  await onSqlite(async ({ app }) => {
    const inbox = app()
    const browser = await signIn(inbox, ann)
    const link = (await inbox.signInLink(ann, '/asks/ask_1')) ?? ''
    expect(new URL(link).hash).toMatch(/^#code=[\w-]{43}&to=%2Fasks%2Fask_1$/)
    const code = new URLSearchParams(new URL(link).hash.slice(1)).get('code') ?? ''

    expect((await send(inbox, 'POST', '/api/sign-in/skip', fromOurPage, { code })).status).toBe(401)
    expect((await browser.post('/api/sign-in/skip', { code })).status).toBe(204)
    expect((await browser.get('/api/me')).status).toBe(200)
    const late = await send(inbox, 'POST', '/api/sign-in', fromOurPage, { code, publicKey: aPublicKey() })
    expect(late.status).toBe(401)
  })
})

test('[ALONE-10] the inbox counts the windows that report with the key of this installation', async () => {
  await onSqlite(async ({ app }) => {
    const own = [listenerKey(randomBytes(32))]
    const { server, address } = await listening()
    const inbox = app({ baseUrl: address.origin, ownAgents: 0, listenerKeys: own })
    server.on('request', (request, response) => void respondWith(inbox.fetch, request, response))
    const link = (await inbox.signInLink(ann)) ?? ''
    const browser = await SigningBrowser.signIn(link, (path, { method, headers, body }) =>
      send(inbox, method, path, { ...headers, host: address.host }, body),
    )
    const running = async () => ((await (await browser.get('/api/agents')).json()) as { running: number }).running
    const ask = (keys: readonly Uint8Array[], report?: { window: string; to: string }) =>
      askListener(address, keys, AbortSignal.timeout(60_000), report)
    expect(await (await browser.get('/api/me')).json()).toMatchObject({ knowsAgents: true })
    expect(await running()).toBe(0)

    const { instance = '' } = (await ask(own)) ?? {}
    expect(await running()).toBe(0)
    const [first, second] = [randomUUID(), randomUUID()]
    for (const window of [first, first, second]) await ask(own, { window, to: instance })
    expect(await running()).toBe(2)
    // With another key, for another process, or without a valid id.
    await ask([listenerKey(randomBytes(32))], { window: randomUUID(), to: instance })
    await ask(own, { window: randomUUID(), to: 'other' })
    await ask(own, { window: 'short', to: instance })
    expect(await running()).toBe(2)

    const laterMs = performance.now() + inboxLimits.windowGoneMs + 1_000
    vi.spyOn(performance, 'now').mockReturnValue(laterMs)
    expect(await running()).toBe(0)
  })
})

test('[ALONE-10] an inbox of a gateway does not claim to know whether an agent is running', async () => {
  await onSqlite(async ({ app }) => {
    const browser = await signIn(app(), ann)
    expect(await (await browser.get('/api/me')).json()).not.toHaveProperty('knowsAgents')
    expect((await browser.get('/api/agents')).status).toBe(404)
  })
})

async function listening(): Promise<{ server: Server; address: URL }> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return { server, address: new URL(`http://localhost:${(server.address() as AddressInfo).port}`) }
}
