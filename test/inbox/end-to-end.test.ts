// From a client's call to its result, with nothing of ours left out: the program as a process, PostgreSQL, a real browser,
// and clients and servers of both SDK generations.
import { encodeForm } from '@assent/core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { signIn, whichRegion } from '../../packages/gateway/src/contract/asking.suite.ts'
import { aClient, type Visit } from '../../packages/gateway/src/contract/clients.suite.ts'
import {
  type AskingServer,
  anAskingServer,
  type Generation,
} from '../../packages/gateway/src/contract/servers.suite.ts'
import { aBrowser } from '../../scripts/inbox/browser.ts'
import { aHouse, type House } from '../../scripts/inbox/house.ts'
import { forms } from '../../scripts/inbox/samples.ts'
import { fillings } from './fill.ts'
import { settleDown } from './visit.ts'

vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 })

// Each generation once on either side; the suites of the gateway hold all four pairings.
const pairings: readonly { readonly client: Generation; readonly server: Generation }[] = [
  { client: '2025-11-25', server: '2026-07-28' },
  { client: '2026-07-28', server: '2025-11-25' },
]
const done = { content: [{ type: 'text', text: 'done' }] }
const local = { principal: 'local', groups: [] }

let browser: Browser
beforeAll(async () => {
  browser = await aBrowser()
})
afterAll(() => browser.close())

interface Scene {
  readonly house: House
  readonly server: AskingServer
  readonly page: Page
}

async function aScene(speaks: Generation, asks = ''): Promise<Scene> {
  const server = await anAskingServer(speaks)
  const house = await aHouse(
    `asks: { surfaces: [client, inbox]${asks} }\nservers: { deploy: { url: "${server.url}" } }`,
  )
  onTestFinished(() => house.close())
  await house.start()
  return { house, server, page: await aPage(house) }
}

async function aPage(house: House): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1200, height: 900 }, reducedMotion: 'reduce' })
  onTestFinished(() => context.close())
  await context.addInitScript(() => localStorage.setItem('assent-example-seen', 'yes'))
  context.setDefaultTimeout(60_000)
  const page = await context.newPage()
  await page.goto(await house.link())
  await page.getByRole('navigation', { name: 'Pages' }).waitFor()
  return page
}

/** Opens the ask that has arrived by itself, and waits until its card takes clicks. */
async function openNext(page: Page, words: string): Promise<void> {
  await page.getByRole('link', { name: words }).first().click()
  await settleDown(page)
}

const cannotAsk: Visit = { elicitation: 'none' }

describe.each(pairings)('a $client client and a $server server', ({ client: clientSpeaks, server: serverSpeaks }) => {
  test('[INBOX-15] [ROUTE-1] every kind of field is filled in on a page that was open before, and the tool goes on after the click', async () => {
    const { house, server, page } = await aScene(serverSpeaks)
    const client = await aClient(clientSpeaks, house.mcp, cannotAsk)
    const questions = Object.values(forms).map(({ message, fields }) => {
      const encoded = encodeForm({ fields }, '2025-11-25')
      if (!encoded.ok) throw new Error('A sample form cannot be asked.')
      return { mode: 'form', message, requestedSchema: encoded.schema }
    })

    const calling = client.call('ask', { questions })
    for (const [name, { message }] of Object.entries(forms)) {
      await openNext(page, message)
      await fillings[name]?.fill(page)
      await page.getByRole('button', { name: 'Answer' }).click()
      await page.getByText(/You (?:answered|chose) /).waitFor()
    }

    expect(await calling).toMatchObject(done)
    expect(server.saw).toHaveLength(questions.length)
    for (const [at, name] of Object.keys(forms).entries()) {
      expect(server.saw[at]).toMatchObject({ action: 'accept', content: fillings[name]?.arrives })
    }
    expect(server).toMatchObject({ begun: 1, ended: 1 })
  })

  test('[INBOX-15] [ROUTE-3] a link, a no, no choice and silence each reach the server as what they are', async () => {
    const { house, server, page } = await aScene(serverSpeaks, ', wait: 20s')
    const client = await aClient(clientSpeaks, house.mcp, cannotAsk)

    const calling = client.call('ask', { questions: [signIn, whichRegion, whichRegion, whichRegion] })
    for (const [words, button, told] of [
      [signIn.message, 'Approve', /You approved this, /],
      [whichRegion.message, 'Decline', /You declined this, /],
      [whichRegion.message, 'Dismiss', /You dismissed this, /],
    ] as const) {
      await openNext(page, words)
      await page.getByRole('button', { name: button }).click()
      await page.getByText(told).waitFor()
    }
    await openNext(page, whichRegion.message)
    // The deadline itself is twenty seconds away.
    await page.getByText('Expired without an answer').waitFor({ timeout: 60_000 })

    expect(await calling).toMatchObject(done)
    const silence =
      serverSpeaks === '2025-11-25' ? { error: expect.stringContaining('Nobody answered') } : { action: 'cancel' }
    expect(server.saw).toEqual([{ action: 'accept' }, { action: 'decline' }, { action: 'cancel' }, silence])
  })

  test('[ROUTE-2] a client that declines in 5 ms has asked nobody: the person answers here, and the tool goes on', async () => {
    const { house, server, page } = await aScene(serverSpeaks)
    const says = () => new Promise((resolve) => setTimeout(resolve, 5, { action: 'decline' }))
    const client = await aClient(clientSpeaks, house.mcp, { says })

    const calling = client.call('ask', { questions: [whichRegion] })
    await answerRegion(page)

    expect(await calling).toMatchObject(done)
    expect(server.saw).toEqual([{ action: 'accept', content: { region: 'eu' } }])
    expect(client.asked).toHaveLength(1)
  })

  test('[ROUTE-10] a client that never answers: the person answers here, and the tool goes on', async () => {
    const { house, server, page } = await aScene(serverSpeaks, ', silent_after: 1s')
    const given = Promise.withResolvers<unknown>()
    const client = await aClient(clientSpeaks, house.mcp, { says: () => given.promise })

    const calling = client.call('ask', { questions: [whichRegion] })
    await answerRegion(page)
    // A client of 2026-07-28 has the call in its own hands until its person lets go of the question.
    if (clientSpeaks === '2026-07-28') given.resolve({ action: 'cancel' })

    expect(await calling).toMatchObject(done)
    expect(server.saw).toEqual([{ action: 'accept', content: { region: 'eu' } }])
  })
})

test('[ROUTE-5] [ROUTE-10] after kill -9 between ask and answer the ask is there, answerable, and a 2026-07-28 call finishes', async () => {
  const { house, server, page } = await aScene('2026-07-28', ', silent_after: 1s')
  const given = Promise.withResolvers<unknown>()
  const client = await aClient('2026-07-28', house.mcp, { says: () => given.promise })
  const calling = client.call('ask', { questions: [whichRegion] })
  await page.getByRole('link', { name: whichRegion.message }).waitFor()

  await house.kill()
  await house.start()
  const { asks } = await house.store.inbox.page({ tenant: 'default', person: local, show: 'open' })
  expect(asks).toHaveLength(1)
  // The page that was open before, still signed in, without being loaded anew.
  await answerRegion(page)
  given.resolve({ action: 'cancel' })

  expect(await calling).toMatchObject(done)
  expect(server.saw).toEqual([{ action: 'accept', content: { region: 'eu' } }])
  expect(server).toMatchObject({ begun: 1, ended: 1 })
})

async function answerRegion(page: Page): Promise<void> {
  await openNext(page, whichRegion.message)
  await page.getByRole('radio', { name: 'eu' }).check()
  await page.getByRole('button', { name: 'Answer' }).click()
  await page.getByText(/You (?:answered|chose) /).waitFor()
}
