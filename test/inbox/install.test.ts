// The inbox as an installed web app: manifest, icons, badge, and the service worker, over https and over plain http.
import { createServer } from 'node:http'
import type { Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { aCertificate } from '../../test-kit/certificate.ts'
import { tenant } from '../../test-kit/gateway/inbox-server.ts'
import { aDeployment } from '../../test-kit/gateway/sample-asks.ts'
import { freePort, listen } from '../../test-kit/listen.ts'
import { ann, testEnv } from './test-env.ts'

// The certificate of the https tests is its own authority.
const env = testEnv({ browserArguments: ['--ignore-certificate-errors'], hasOutages: true })

const registrations = (page: Page) =>
  page.evaluate('navigator.serviceWorker.getRegistrations().then((all) => all.map(({ active }) => active?.scriptURL))')

test('[PAGE-3] Chromium can install the inbox over plain http and over https, with its icons', async () => {
  for (const inbox of [await env.inbox(), await env.inbox({ tls: await aCertificate() })]) {
    const { page, context } = await env.visit(inbox)
    const devtools = await context.newCDPSession(page)
    const { errors, data } = await devtools.send('Page.getAppManifest')
    expect(errors).toEqual([])
    expect(JSON.parse(data ?? '')).toMatchObject({ name: 'Assent', id: '/', scope: '/', display: 'standalone' })
    const { installabilityErrors } = await devtools.send('Page.getInstallabilityErrors')
    // A test's window has no profile on disk, where nothing can be installed.
    expect(installabilityErrors.filter(({ errorId }) => errorId !== 'in-incognito')).toEqual([])
    for (const [path, size] of [
      ['icon-192.png', 192],
      ['icon-512.png', 512],
      ['icon-maskable-512.png', 512],
      ['apple-touch-icon.png', 180],
    ] as const) {
      const width = await page.evaluate(
        `new Promise((resolve, reject) => { const image = new Image(); image.onload = () => resolve(image.naturalWidth); image.onerror = reject; image.src = '/${path}' })`,
      )
      expect([path, width]).toEqual([path, size])
    }
  }
})

test('[PAGE-3] the badge is the number of open asks, and signing out clears it', async () => {
  const inbox = await env.inbox()
  const { page, context } = await env.visit(inbox)
  await context.addInitScript(`{
    globalThis.badges = []
    navigator.setAppBadge = async (count) => void badges.push(count)
    navigator.clearAppBadge = async () => void badges.push('cleared')
  }`)
  await page.reload()
  const last = () => page.evaluate('globalThis.badges.at(-1)')
  await expect.poll(last).toBe(0)
  const { id } = await inbox.store.asks.raise(aDeployment())
  await expect.poll(last).toBe(1)
  await inbox.store.asks.answer({ tenant, id, person: ann, via: 'inbox', answer: { action: 'decline' } })
  await expect.poll(last).toBe(0)
  await inbox.store.asks.raise(aDeployment())
  await expect.poll(last).toBe(1)
  await page.getByRole('button', { name: 'Ann Lee' }).click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByText('You are signed out.').waitFor()
  expect(await last()).toBe('cleared')
  expect(await page.title()).toBe('Assent')
})

test('[PAGE-4] over https a service worker shows a page while the inbox cannot be reached, and stores nothing else', async () => {
  const inbox = await env.inbox({ tls: await aCertificate() })
  const { context } = await env.visit(inbox)
  await inbox.store.asks.raise(aDeployment())
  const page = await context.newPage()
  await page.goto(inbox.url)
  await page.locator('.card').waitFor()
  await expect.poll(() => registrations(page)).toEqual([`${inbox.url}/sw.js`])
  await page.evaluate('navigator.serviceWorker.ready.then(() => undefined)')
  await page.goto(`${inbox.url}/history`)
  await page.getByRole('navigation', { name: 'History' }).waitFor()
  const stored = await page.evaluate(
    `caches.keys().then((names) => Promise.all(names.map((name) => caches.open(name).then((cache) => cache.keys()))))
      .then((all) => all.flat().map(({ url }) => new URL(url).pathname).sort())`,
  )
  expect(stored).toEqual(['/icon.svg', '/offline.css', '/offline.html'])

  await inbox.stop()
  await page.goto(`${inbox.url}/statistics`)
  await page.getByRole('heading', { name: 'You are offline.' }).waitFor()
  expect(await page.evaluate("fetch('/api/asks').then(() => 'a reply', () => 'no reply')")).toBe('no reply')
  await inbox.start()
  // The page tries again by itself.
  await page.getByRole('heading', { name: 'Statistics' }).waitFor()
})

const foreignWorker = `addEventListener('install', () => self.skipWaiting())
addEventListener('activate', (event) => event.waitUntil(clients.claim()))
addEventListener('fetch', (event) => {
  const page = '<h1>Another program</h1>'
  if (event.request.mode === 'navigate') event.respondWith(new Response(page, { headers: { 'content-type': 'text/html' } }))
})`

test.each(['/sw.js', '/api/asks', '/folder/worker'])(
  '[LOCAL-13] a service worker that another program left at %s of the inbox’s port is removed once the inbox is back',
  async (script) => {
    const port = await freePort()
    const other = await listen(
      createServer((request, response) => {
        response.setHeader('service-worker-allowed', '/')
        if (request.url === script) response.setHeader('content-type', 'text/javascript').end(foreignWorker)
        else response.setHeader('content-type', 'text/html').end('<h1>Another program</h1>')
      }),
      port,
    )
    const inbox = await env.inbox()
    const { context } = await env.visit(inbox)
    const page = await context.newPage()
    await page.goto(other.origin)
    await page.evaluate(
      `navigator.serviceWorker.register('${script}', { scope: '/' }).then(() => navigator.serviceWorker.ready).then(() => undefined)`,
    )
    await other.close()

    const back = await env.inbox({ port })
    await page.goto(back.url)
    expect(await page.textContent('h1')).toBe('Another program')
    await page.getByText('You are signed out.').waitFor()
    expect(await registrations(page)).toEqual([])
  },
)

test('[LOCAL-13] over plain http the page registers no service worker and removes one that controls it', async () => {
  const inbox = await env.inbox()
  const { context } = await env.visit(inbox)
  const page = await context.newPage()
  await page.goto(inbox.url)
  await page.getByRole('navigation', { name: 'Pages' }).waitFor()
  expect(await registrations(page)).toEqual([])
  const refusal = await page.evaluate("navigator.serviceWorker.register('/sw.js').catch((error) => error.name)")
  expect(refusal).toBe('TypeError')

  // The worker of another program that lets our page through and replaces only its own update.
  await context.route('**/worker.js', (route) =>
    route.fulfill({ contentType: 'text/javascript', body: "addEventListener('fetch', () => {})" }),
  )
  await context.route('**/plant', (route) => route.fulfill({ contentType: 'text/html', body: '<h1>Planted</h1>' }))
  const planted = await context.newPage()
  onTestFinished(() => planted.close())
  await planted.goto(`${inbox.url}/plant`)
  await planted.evaluate(
    "navigator.serviceWorker.register('/worker.js').then(() => navigator.serviceWorker.ready).then(() => 0)",
  )
  expect(await registrations(planted)).toHaveLength(1)
  await page.reload()
  await expect.poll(() => registrations(page)).toEqual([])
  await page.getByRole('navigation', { name: 'Pages' }).waitFor()
  expect(await page.evaluate('navigator.serviceWorker.controller')).toBeNull()
})
