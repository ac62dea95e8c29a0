// Hostile pages and programs on the same machine, against a signed-in browser: real Chromium, real listeners.
import { randomBytes } from 'node:crypto'
import { mkdtemp } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqlite, type Store } from '@assent/store'
import { inboxApp, respondWith, WebFiles } from 'assent'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { builtWebApp } from '../../scripts/inbox/web-app.ts'
import { aBrowser } from '../../test-kit/chromium.ts'
import { inboxServerKeys, tenant } from '../../test-kit/gateway/inbox-server.ts'
import { aDeployment } from '../../test-kit/gateway/sample-asks.ts'
import { freePort } from '../../test-kit/listen.ts'
import { removeFolder } from '../../test-kit/remove-folder.ts'
import { ann, waitUntilLive } from './test-env.ts'

vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 })

let browser: Browser
beforeAll(async () => {
  browser = await aBrowser()
})
afterAll(() => browser.close())

interface Seen {
  readonly request: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>

async function listen(handler: Handler, port = 0): Promise<{ server: Server; port: number; stop(): Promise<void> }> {
  const server = createServer((request, response) => void handler(request, response))
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject).listen(port, '127.0.0.1', resolve)
  await promise
  const stop = async () => {
    const closed = new Promise((done) => server.close(done))
    server.closeAllConnections()
    await closed
  }
  onTestFinished(async () => void (server.listening && (await stop())))
  return { server, port: (server.address() as AddressInfo).port, stop }
}

/** Records every request. */
function aTrap(seen: Seen[], respond: Handler): Handler {
  return async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    seen.push({ request: `${request.method} ${request.url}`, headers: request.headers, body })
    await respond(request, response)
  }
}

async function anInbox() {
  const folder = await mkdtemp(join(tmpdir(), 'assent-neighbours-'))
  const store = await openSqlite(join(folder, 'assent.db'), { keys: inboxServerKeys })
  onTestFinished(async () => {
    await store.close()
    await removeFolder(folder)
  })
  const web = await WebFiles.read(await builtWebApp())
  /** Serves the inbox on this port; may be called again for a takeover. */
  const serve = async (port = 0) => {
    let app: ReturnType<typeof inboxApp> | undefined
    const listening = await listen(async (request, response) => {
      if (app !== undefined) await respondWith(app.fetch, request, response).catch(() => response.destroy())
    }, port)
    const origin = `http://127.0.0.1:${listening.port}`
    app = inboxApp({ store, tenant, baseUrl: origin, keys: inboxServerKeys, web })
    return { ...listening, origin, link: async () => (await app?.signInLink(ann)) ?? '' }
  }
  return { store, serve }
}

async function signedIn(link: string) {
  const context = await browser.newContext({ viewport: { width: 1200, height: 900 }, reducedMotion: 'reduce' })
  onTestFinished(() => context.close())
  await context.addInitScript(() => localStorage.setItem('assent-example-seen', 'yes'))
  context.setDefaultTimeout(60_000)
  const page = await context.newPage()
  await page.goto(link)
  await page.getByRole('navigation', { name: 'Pages' }).waitFor()
  return { context, page }
}

/** Sends everything a trap recorded to the real inbox, as credentials and as replays. Returns the statuses. */
async function useAll(origin: string, seen: readonly Seen[], id: string): Promise<number[]> {
  const ours = { origin, 'assent-inbox': '1', 'content-type': 'application/json' }
  const body = JSON.stringify({ decisionId: randomBytes(12).toString('hex'), answer: { action: 'accept' } })
  const { port } = new URL(origin)
  const found = seen.flatMap(({ headers }) => {
    const proof = String(headers['assent-proof'] ?? '')
    const session = String(headers['assent-session'] ?? proof.split('.')[0])
    return [
      ...(headers.cookie === undefined ? [] : [{ cookie: headers.cookie }]),
      ...(proof === '' ? [] : [{ 'assent-proof': proof }]),
      { 'assent-session': session, cookie: `assent-${port}=${session}; __Host-assent=${session}` },
    ]
  })
  const statuses: number[] = []
  for (const headers of found) {
    statuses.push((await fetch(`${origin}/api/asks`, { headers })).status)
    const answer = { method: 'POST', headers: { ...ours, ...headers }, body }
    statuses.push((await fetch(`${origin}/api/asks/${id}/answer`, answer)).status)
  }
  for (const { request, headers, body: sent } of seen) {
    // Replayed unchanged.
    const [method = 'GET', path = '/'] = request.split(' ')
    if (!path.startsWith('/api/') || path.startsWith('/api/nonce') || path === '/api/sign-in') continue
    const { host: _, connection: __, ...same } = headers as Record<string, string>
    const content = method === 'GET' ? {} : { body: sent }
    statuses.push((await fetch(origin + path, { method, headers: same, ...content })).status)
  }
  return statuses
}

async function isOpen(store: Store, id: string): Promise<boolean> {
  return (await store.asks.read(tenant, id))?.state.kind === 'open'
}

test('[LOCAL-1] a page on another port of this machine neither gets the browser’s session nor can use it', async () => {
  const { store, serve } = await anInbox()
  const inbox = await serve()
  const { context } = await signedIn(await inbox.link())
  const { id } = await store.asks.raise(aDeployment())
  const seen: Seen[] = []
  const trap = await listen(
    aTrap(seen, (_, response) => void response.setHeader('content-type', 'text/html').end('<h1>Documentation</h1>')),
  )

  const page = await context.newPage()
  await page.goto(`http://127.0.0.1:${trap.port}/docs`)
  // Everything that a script on that page can try.
  const statuses = await page.evaluate(
    async ([origin, ask]) => {
      const init = { credentials: 'include', mode: 'no-cors' } as const
      const read = await fetch(`${origin}/api/asks`, init).then(({ type }) => type, String)
      const body = JSON.stringify({ decisionId: 'd'.repeat(20), answer: { action: 'accept' } })
      const sent = await fetch(`${origin}/api/asks/${ask}/answer`, { ...init, method: 'POST', body }).then(
        ({ type }) => type,
        String,
      )
      return { read, sent }
    },
    [inbox.origin, id] as const,
  )

  expect(seen.length).toBeGreaterThan(0)
  for (const { headers } of seen) {
    expect(headers.cookie).toBeUndefined()
    expect(JSON.stringify(headers)).not.toMatch(/assent/)
  }
  // At most opaque responses: no content of the inbox can be read.
  expect([statuses.read, statuses.sent].filter((one) => one !== 'opaque' && !one.includes('Failed'))).toEqual([])
  expect(await page.evaluate('indexedDB.databases()')).toEqual([])
  expect(new Set(await useAll(inbox.origin, seen, id))).toEqual(new Set([401]))
  expect(await isOpen(store, id)).toBe(true)
})

test('[LOCAL-3] a program that takes over the port gets nothing usable from an open tab, which shows a warning and recovers', async () => {
  const { store, serve } = await anInbox()
  const first = await serve(await freePort())
  const { page } = await signedIn(await first.link())
  await waitUntilLive(page)
  const { id } = await store.asks.raise(aDeployment())
  await page.getByRole('link', { name: 'Inbox 1' }).waitFor()
  // Its requests were answered: none is repeated at the other program.
  await page.locator('.card').waitFor()

  await first.stop()
  // The real inbox moves to another port; the program forwards requests to it, or invents responses.
  const moved = await serve()
  const seen: Seen[] = []
  const fake = await listen(
    aTrap(seen, async (request, response) => {
      const { host: _, connection: __, ...same } = request.headers as Record<string, string>
      const relayed = await fetch(`${moved.origin}${request.url}`, { headers: same }).catch(() => undefined)
      const said =
        relayed?.status === 200 ? await relayed.text() : JSON.stringify({ nonce: 'n'.repeat(22), proof: 'p' })
      response.setHeader('content-type', 'application/json').end(said)
    }),
    first.port,
  )
  await page.getByText('could not prove that it is your inbox').waitFor()
  await page.waitForTimeout(4_000)
  if (process.env.ASSENT_TEST_PICTURES !== undefined)
    await page.screenshot({ path: join(process.env.ASSENT_TEST_PICTURES, 'unverified.png') })

  // No click was sent; the program received only challenges.
  expect(seen.length).toBeGreaterThan(0)
  const asked = seen.filter(({ request }) => request.startsWith('GET /api/nonce?challenge='))
  expect(seen.filter((one) => !asked.includes(one)).map(({ request, headers }) => [request, headers.cookie])).toEqual(
    [],
  )
  expect(new Set(await useAll(moved.origin, seen, id))).toEqual(new Set([401]))
  expect(await isOpen(store, id)).toBe(true)

  await fake.stop()
  const back = await serve(first.port)
  expect(new Set(await useAll(back.origin, seen, id))).toEqual(new Set([401]))
  await page.getByRole('link', { name: 'Inbox 1' }).waitFor()
})

test('[LOCAL-3] after another Assent process takes over the port an open tab continues, and earlier signatures are refused', async () => {
  const { store, serve } = await anInbox()
  const first = await serve(await freePort())
  const { page, context } = await signedIn(await first.link())
  const captured: Seen[] = []
  // Only once they are answered: a copy that overtakes its request is the one that counts.
  context.on('response', (response) => {
    const request = response.request()
    void request.allHeaders().then((headers) => {
      captured.push({
        request: `${request.method()} ${new URL(request.url()).pathname}${new URL(request.url()).search}`,
        headers,
        body: request.postData() ?? '',
      })
    })
  })
  await page.reload()
  await page.getByText('Nothing is waiting for you.').waitFor()
  await page.waitForTimeout(500)

  await first.stop()
  const second = await serve(first.port)
  const { id } = await store.asks.raise(aDeployment())
  await page.getByRole('link', { name: 'Inbox 1' }).waitFor()

  const signedSoFar = () => captured.filter(({ headers }) => headers['assent-proof'] !== undefined)
  await expect.poll(() => signedSoFar().length, { timeout: 60_000 }).toBeGreaterThan(2)
  const signed = signedSoFar()
  // Requests that the first process answered, replayed to the second, and those of the second, replayed to it.
  expect(new Set(await useAll(second.origin, signed, id))).toEqual(new Set([401]))
  expect(await isOpen(store, id)).toBe(true)
})

test('[LOCAL-11] a browser that cannot store a key shows why, and its sign-in link stays valid', async () => {
  const { serve } = await anInbox()
  const inbox = await serve()
  const link = await inbox.link()
  const context = await browser.newContext({ viewport: { width: 1200, height: 900 } })
  onTestFinished(() => context.close())
  context.setDefaultTimeout(60_000)
  await context.addInitScript(
    "IDBFactory.prototype.open = () => { throw new DOMException('Denied here.', 'SecurityError') }",
  )
  const page = await context.newPage()
  await page.goto(link)
  await page.getByText('This browser cannot sign in here.').waitFor()
  await page.getByText('does not let the page store a key').waitFor()
  if (process.env.ASSENT_TEST_PICTURES !== undefined)
    await page.screenshot({ path: join(process.env.ASSENT_TEST_PICTURES, 'no-key.png') })

  await signedIn(link)
})
