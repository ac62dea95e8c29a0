import { createServer, request as httpRequest } from 'node:http'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { assent } from '../cli/process.suite.ts'
import { until } from '../contract/stage.suite.ts'
import { overHttp, redeem } from '../inbox/signing-browser.suite.ts'
import { onlyTenant } from '../local-person.ts'
import { inboxFile, keptOrigin } from './shared-inbox.ts'
import { aHome, type Home, openFor, visit } from './windows.suite.ts'

const choice = { question: 'Which colour?', options: [{ value: 'red' }, { value: 'blue' }] }
const red = { action: 'accept', content: { choice: 'red' } }

// Processes start slowly on a busy machine; what is asserted is what they do.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 })

let home: Home
beforeEach(async () => {
  home = await aHome()
})
afterEach(() => home.close())

test('[ALONE-4] the questions of all windows are in one inbox, and each answer goes to the window that asked', async () => {
  const [first, second] = [await home.window('2025-11-25'), await home.window('2026-07-28')]
  const store = await home.store()
  const visitor = await visit(home, store)

  const calls = [
    first.call('elicit_choice', { ...choice, question: 'Of the first?' }),
    second.call('elicit_choice', { ...choice, question: 'Of the second?' }),
  ]
  const open = await until(async () => ((await visitor.open()).length === 2 ? visitor.open() : undefined), 60_000)
  for (const { id, headline } of open) {
    const content = { choice: headline === 'Of the first?' ? 'red' : 'blue' }
    expect(await visitor.answer(id, { action: 'accept', content })).toBe(200)
  }

  const [one, other] = await Promise.all(calls)
  expect(one?.data).toMatchObject({ choice: 'red' })
  expect(other?.data).toMatchObject({ choice: 'blue' })
})

test('[ALONE-5] when the window that serves the inbox is killed, another takes over at the same address, with its asks', async () => {
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
  // The same browser: who is signed in is in the store, and so is the question.
  expect(await before.answer(after[0]?.id ?? '', red)).toBe(200)
  expect(await calling).toMatchObject({ isError: false, data: { choice: 'red' } })
})

test('[ALONE-5] a port that a stranger has is passed over, and the inbox is found all the same', async () => {
  const stranger = createServer((_request, response) => response.end('hello'))
  const port = Number(home.variables.ASSENT_LISTEN?.split(':')[1])
  await new Promise<void>((resolve) => stranger.listen(port, '127.0.0.1', resolve))
  try {
    await home.window('2025-11-25')
    const store = await home.store()
    const { origin } = await visit(home, store)
    expect(new URL(origin).port).not.toBe(String(port))

    // A second window finds the first one's by what is kept in the home, and does not open another.
    await home.window('2026-07-28')
    await new Promise((resolve) => setTimeout(resolve, 3_000))
    expect(keptOrigin(inboxFile(home.folder))).toBe(origin)
  } finally {
    stranger.close()
  }
})

test('[ALONE-6] without a signed-in browser the inbox shows nothing, and no address that an agent is given signs anyone in', async () => {
  const window = await home.window('2025-11-25')
  const { origin } = await visit(home, await home.store())
  void window.call('elicit_choice', choice).catch(() => undefined)

  expect((await fetch(`${origin}/api/asks`)).status).toBe(401)
  // Only who may open the store of this home gets a link, with the command that people are told of.
  const { out } = await assent(['inbox', 'link'], { folder: home.project, variables: home.variables })
  expect(out).toMatch(new RegExp(`^${origin}/sign-in#code=[\\w-]{43}\n$`))
  const [port = ''] = origin.match(/\d+$/) ?? []
  expect(await statusUnder(Number(port), '/api/listener?challenge=0123456789012345678901', 'evil.example')).toBe(403)
  // Nothing that is the same for everyone tells our inbox from another program.
  expect((await fetch(`${origin}/assent-mark`)).headers.get('content-type')).not.toBe('text/plain')
})

/** `fetch` chooses the Host itself. */
function statusUnder(port: number, path: string, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: '127.0.0.1', port, path, headers: { host } }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    request.on('error', reject).end()
  })
}

/** Another account's program: it has the port, and passes every challenge on to any program that might answer it. */
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

test('[LOCAL-5] a program that has the port is taken for the inbox neither by other windows nor by `assent inbox link`', async () => {
  const port = Number(home.variables.ASSENT_LISTEN?.split(':')[1])
  const link = () => assent(['inbox', 'link'], { folder: home.project, variables: home.variables })
  const seen = await aFake(port, '127.0.0.1', () => keptOrigin(inboxFile(home.folder)))

  // Before anything of ours runs there is nobody to give a code to.
  const early = await link()
  expect(early).toMatchObject({ code: 3, out: '' })
  expect(early.err).toContain('could not prove')

  await home.window('2025-11-25')
  const store = await home.store()
  const { origin, open } = await visit(home, store)
  expect(new URL(origin).port).not.toBe(String(port))
  await home.window('2026-07-28')
  await new Promise((resolve) => setTimeout(resolve, 5_000))
  expect(keptOrigin(inboxFile(home.folder))).toBe(origin)
  expect(await open()).toEqual([])
  expect((await link()).out).toMatch(new RegExp(`^${origin}/sign-in#code=[\\w-]{43}\n$`))
  // All that it ever got were challenges.
  expect(seen.length).toBeGreaterThan(0)
  for (const one of seen) expect(one).toMatch(/^GET \/api\/listener\?challenge=[\w-]{43}$/)
})

test('[LOCAL-5] [LOCAL-4] a code that was given out is worth nothing to a program that takes the port afterwards', async () => {
  const window = await home.window('2025-11-25')
  const store = await home.store()
  const { origin, browser } = await visit(home, store)
  const { out } = await assent(['inbox', 'link'], { folder: home.project, variables: home.variables })
  const captured = await browser.proof('GET', '/api/asks')

  process.kill(window.pid, 'SIGKILL')
  const seen = await untilTaken(Number(new URL(origin).port))
  // The next window finds a stranger, serves elsewhere, and ends what began at this port.
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
  expect(await store.signIns.who(onlyTenant, browser.session)).toBeUndefined()
  for (const one of seen) expect(one).toMatch(/^GET \/api\/listener\?challenge=[\w-]{43}$/)
})

async function untilTaken(port: number): Promise<string[]> {
  return until(() => aFake(port, '127.0.0.1', () => undefined).catch(() => undefined), 20_000)
}

test.each(['127.0.0.1', '::1'])(
  '[LOCAL-6] where a program has %s at the port, the inbox takes another one and holds both addresses of it',
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

test('[ALONE-4] a window that is closed takes its question back', async () => {
  const window = await home.window('2025-11-25')
  const store = await home.store()
  void window.call('elicit_choice', choice).catch(() => undefined)
  await until(async () => ((await openFor(store)).length === 1 ? true : undefined), 60_000)

  await window.close()

  await until(async () => ((await openFor(store)).length === 0 ? true : undefined), 60_000)
})
