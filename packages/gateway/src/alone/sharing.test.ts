import { createServer } from 'node:http'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { assent } from '../cli/process.suite.ts'
import { until } from '../contract/stage.suite.ts'
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
  expect((await fetch(`${origin}/api/asks`, { headers: { host: 'evil.example' } })).status).not.toBe(200)
})

test('[ALONE-4] a window that is closed takes its question back', async () => {
  const window = await home.window('2025-11-25')
  const store = await home.store()
  void window.call('elicit_choice', choice).catch(() => undefined)
  await until(async () => ((await openFor(store)).length === 1 ? true : undefined), 60_000)

  await window.close()

  await until(async () => ((await openFor(store)).length === 0 ? true : undefined), 60_000)
})
