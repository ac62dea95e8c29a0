import { readFileSync } from 'node:fs'
import { createServer, request as httpRequest } from 'node:http'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { overHttp, redeem } from '../../../../../test-kit/gateway/signing-browser.ts'
import { until } from '../../../../../test-kit/until.ts'
import { onlyTenant } from '../../call/local-person.ts'
import { assent } from '../process.suite.ts'
import { inboxFile, keptOrigin } from './shared-inbox.ts'
import { aHome, type Home, openFor, visit } from './windows.suite.ts'

const choice = { question: 'Which colour?', options: [{ value: 'red' }, { value: 'blue' }] }
const red = { action: 'accept', content: { choice: 'red' } }

// Long timeouts, because processes start slowly on a busy machine.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 })

let home: Home
beforeEach(async () => {
  home = await aHome()
})
afterEach(() => home.close())

test('[ALONE-4] one inbox shows the questions of all windows, and each window gets its own answer', async () => {
  const [first, second] = [await home.window('2025-11-25'), await home.window('2026-07-28')]
  const store = await home.store()
  const visitor = await visit(home, store)

  const calls = [
    first.call('elicit_choice', { ...choice, question: 'Of the first?' }),
    second.call('elicit_choice', { ...choice, question: 'Of the second?' }),
  ]
  const open = await until(async () => ((await visitor.open()).length === 2 ? visitor.open() : undefined), 60_000)
  expect(open.map(({ caller }) => caller?.folder)).toEqual([expect.any(String), expect.any(String)])
  for (const { id, headline } of open) {
    const content = { choice: headline === 'Of the first?' ? 'red' : 'blue' }
    expect(await visitor.answer(id, { action: 'accept', content })).toBe(200)
  }

  const [one, other] = await Promise.all(calls)
  expect(one?.data).toMatchObject({ choice: 'red' })
  expect(other?.data).toMatchObject({ choice: 'blue' })
})

test('[ALONE-5] if the window that serves the inbox is killed, another takes over its address and asks', async () => {
  const first = await home.window('2025-11-25')
  const store = await home.store()
  const before = await visit(home, store)
  const second = await home.window('2025-11-25')
  const calling = second.call('elicit_choice', choice)
  await until(async () => ((await openFor(store)).length === 1 ? true : undefined), 60_000)

  process.kill(first.pid, 'SIGKILL')

  const after = await until(async () => {
    const reply = await before.open().catch(() => undefined)
    return reply?.length === 1 ? reply : undefined
  }, 60_000)
  // The same browser: sessions and questions are in the store.
  expect(await before.answer(after[0]?.id ?? '', red)).toBe(200)
  expect(await calling).toMatchObject({ isError: false, data: { choice: 'red' } })
})

test('[ALONE-10] the inbox keeps running when the last window closes while a page is open, and says that no agent runs', async () => {
  const window = await home.window('2025-11-25')
  const { browser } = await visit(home, await home.store())
  const agents = async () => {
    const reply = await browser.get('/api/agents').catch(() => undefined)
    return reply?.status === 200 ? ((await reply.json()) as { running: number }).running : undefined
  }
  expect(await agents()).toBe(1)
  const stream = await browser.get('/api/changes', { accept: 'text/event-stream' })
  expect(stream.status).toBe(200)

  await window.close()

  await until(async () => ((await agents()) === 0 ? true : undefined), 60_000)
  expect((await browser.get('/api/history')).status).toBe(200)
  const { pid } = JSON.parse(readFileSync(inboxFile(home.folder), 'utf8')) as { pid: number }
  expect(pid).not.toBe(window.pid)
  await home.window('2026-07-28')
  await until(async () => ((await agents()) === 1 ? true : undefined), 60_000)
})

test('[ALONE-10] without an open page the inbox ends with the last window', async () => {
  const window = await home.window('2025-11-25')
  const { browser } = await visit(home, await home.store())
  await window.close()
  await new Promise((resolve) => setTimeout(resolve, 4_000))
  await expect(browser.get('/api/history')).rejects.toThrow()
})

test('[ALONE-5] if another program has the port, the inbox uses a free one and is still found', async () => {
  const otherProgram = createServer((_request, response) => response.end('hello'))
  const port = Number(home.variables.ASSENT_LISTEN?.split(':')[1])
  await new Promise<void>((resolve) => otherProgram.listen(port, '127.0.0.1', resolve))
  try {
    await home.window('2025-11-25')
    const store = await home.store()
    const { origin } = await visit(home, store)
    expect(new URL(origin).port).not.toBe(String(port))

    // A second window finds the inbox through the file in the home folder and does not open another.
    await home.window('2026-07-28')
    await new Promise((resolve) => setTimeout(resolve, 3_000))
    expect(keptOrigin(inboxFile(home.folder))).toBe(origin)
  } finally {
    otherProgram.close()
  }
})

test('[ALONE-6] the inbox shows nothing without a sign-in, and no address given to an agent signs in', async () => {
  const window = await home.window('2025-11-25')
  const { origin } = await visit(home, await home.store())
  void window.call('elicit_choice', choice).catch(() => undefined)

  expect((await fetch(`${origin}/api/asks`)).status).toBe(401)
  // Only a user who can open the store gets a link, with `assent inbox link`.
  const { out } = await assent(['inbox', 'link'], { folder: home.project, variables: home.variables })
  expect(out).toMatch(new RegExp(`^${origin}/sign-in#code=[\\w-]{43}\n$`))
  const [port = ''] = origin.match(/\d+$/) ?? []
  expect(await statusUnder(Number(port), '/api/listener?challenge=0123456789012345678901', 'evil.example')).toBe(403)
  // No fixed response identifies the inbox: another program could copy it.
  expect((await fetch(`${origin}/assent-mark`)).headers.get('content-type')).not.toBe('text/plain')
})

/** Not with `fetch`, which sets the Host header itself. */
function statusUnder(port: number, path: string, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: '127.0.0.1', port, path, headers: { host } }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    request.on('error', reject).end()
  })
}

/** A program of another account that has the port and forwards every challenge to a program that might answer it. */
async function aFake(port: number, host: string, to: () => string | undefined) {
  const seen: string[] = []
  const fake = createServer(async (request, response) => {
    seen.push(`${request.method} ${request.url}`)
    const reply = await fetch(`${to()}${request.url}`).catch(() => undefined)
    response.end(reply === undefined ? 'hello' : await reply.text())
  })
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  fake.once('error', reject).listen(port, host, resolve)
  await promise
  onTestFinished(() => {
    fake.close()
    fake.closeAllConnections()
  })
  return seen
}

test('[LOCAL-5] neither windows nor `assent inbox link` accept another program on the port as the inbox', async () => {
  const port = Number(home.variables.ASSENT_LISTEN?.split(':')[1])
  const link = () => assent(['inbox', 'link'], { folder: home.project, variables: home.variables })
  const seen = await aFake(port, '127.0.0.1', () => keptOrigin(inboxFile(home.folder)))

  // Before a process of ours runs, no code is issued.
  const early = await link()
  expect(early).toMatchObject({ code: 3, out: '' })
  expect(early.err).toContain('could not prove')
  expect(early.err).toContain('assent inbox open')

  await home.window('2025-11-25')
  const store = await home.store()
  const { origin, open } = await visit(home, store)
  expect(new URL(origin).port).not.toBe(String(port))
  await home.window('2026-07-28')
  await new Promise((resolve) => setTimeout(resolve, 5_000))
  expect(keptOrigin(inboxFile(home.folder))).toBe(origin)
  expect(await open()).toEqual([])
  expect((await link()).out).toMatch(new RegExp(`^${origin}/sign-in#code=[\\w-]{43}\n$`))
  // The other program received only challenges.
  expect(seen.length).toBeGreaterThan(0)
  for (const one of seen) expect(one).toMatch(/^GET \/api\/listener\?challenge=[\w-]{43}$/)
})

test('[LOCAL-5] [LOCAL-4] an issued code is useless to a program that takes the port afterwards', async () => {
  const window = await home.window('2025-11-25')
  const store = await home.store()
  const { origin, browser } = await visit(home, store)
  const { out } = await assent(['inbox', 'link'], { folder: home.project, variables: home.variables })
  const captured = await browser.proof('GET', '/api/asks')

  process.kill(window.pid, 'SIGKILL')
  const seen = await untilTaken(Number(new URL(origin).port))
  // The next window finds an unknown program, uses another port, and ends the sessions of this port.
  await home.window('2025-11-25')
  const moved = await until(async () => {
    const kept = keptOrigin(inboxFile(home.folder))
    return kept !== undefined && kept !== origin ? kept : undefined
  }, 60_000)

  expect((await redeem(out.trim(), overHttp(moved))).response.status).toBe(403)
  const atMoved = out.trim().replace(origin, moved)
  expect((await redeem(atMoved, overHttp(moved))).response.status).toBe(401)
  for (const headers of [
    { 'assent-proof': captured },
    { cookie: `assent-${new URL(moved).port}=${browser.session}` },
  ]) {
    expect((await fetch(`${moved}/api/asks`, { headers })).status).toBe(401)
  }
  expect(await store.signIns.readSession(onlyTenant, browser.session)).toBeUndefined()
  for (const one of seen) expect(one).toMatch(/^GET \/api\/listener\?challenge=[\w-]{43}$/)
})

async function untilTaken(port: number): Promise<string[]> {
  return until(() => aFake(port, '127.0.0.1', () => undefined).catch(() => undefined))
}

test.each(['127.0.0.1', '::1'])(
  '[LOCAL-6] if a program has the port on %s, the inbox binds both loopback addresses of another port',
  async (host) => {
    const port = Number(home.variables.ASSENT_LISTEN?.split(':')[1])
    await aFake(port, host, () => undefined)
    await home.window('2025-11-25')
    const { origin } = await visit(home, await home.store())
    const own = Number(new URL(origin).port)

    expect(origin).toBe(`http://localhost:${own}`)
    expect(own).not.toBe(port)
    for (const address of ['127.0.0.1', '[::1]', 'localhost']) {
      expect((await fetch(`http://${address}:${own}/`)).status).toBe(200)
    }
    for (const address of ['127.0.0.1', '::1']) {
      await expect(aFake(own, address, () => undefined)).rejects.toThrow()
    }
  },
)

test('[ALONE-4] closing a window withdraws its question', async () => {
  const window = await home.window('2025-11-25')
  const store = await home.store()
  void window.call('elicit_choice', choice).catch(() => undefined)
  await until(async () => ((await openFor(store)).length === 1 ? true : undefined), 60_000)

  await window.close()

  await until(async () => ((await openFor(store)).length === 0 ? true : undefined), 60_000)
})
