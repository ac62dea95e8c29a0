// From a client's call to its result: the program as a process, PostgreSQL, a real browser, and clients and servers of both SDK
// generations.
import { encodeForm } from '@assent/core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { aBrowser } from '../../test-kit/chromium.ts'
import { createGatewayProcess, type GatewayProcess } from '../../test-kit/gateway/gateway-process.ts'
import { forms } from '../../test-kit/gateway/sample-asks.ts'
import { type AskingServer, anAskingServer } from '../../test-kit/mcp/asking-servers.ts'
import { howMany, signIn, whichRegion } from '../../test-kit/mcp/asking-tools.ts'
import { patientName } from '../../test-kit/mcp/client.ts'
import { aClient, type Visit } from '../../test-kit/mcp/scripted-client.ts'
import type { Revision } from '../../test-kit/revisions.ts'
import { fillings } from './fill.ts'
import { answerFromMenu, waitUntilActive } from './test-env.ts'

vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 })

// Each generation once on each side; the gateway's own tests cover all four pairings.
const pairings: readonly { readonly client: Revision; readonly server: Revision }[] = [
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

interface TestEnv {
  readonly gateway: GatewayProcess
  readonly server: AskingServer
  readonly page: Page
}

async function startEnv(speaks: Revision, asks = ''): Promise<TestEnv> {
  const server = await anAskingServer(speaks)
  const gateway = await createGatewayProcess(
    `asks: { surfaces: [client, inbox]${asks} }\nservers: { deploy: { url: "${server.url}" } }`,
  )
  onTestFinished(() => gateway.close())
  await gateway.start()
  return { gateway, server, page: await aPage(gateway) }
}

async function aPage(gateway: GatewayProcess): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1200, height: 900 }, reducedMotion: 'reduce' })
  onTestFinished(() => context.close())
  await context.addInitScript(() => localStorage.setItem('assent-example-seen', 'yes'))
  context.setDefaultTimeout(60_000)
  const page = await context.newPage()
  await page.goto(await gateway.link())
  await page.getByRole('navigation', { name: 'Pages' }).waitFor()
  return page
}

/** Opens the ask once it appears, and waits until its card reacts to clicks. */
async function openNext(page: Page, words: string): Promise<void> {
  await page.getByRole('link', { name: words }).first().click()
  await waitUntilActive(page)
}

const cannotAsk: Visit = { name: patientName, elicitation: 'none' }

describe.each(pairings)('a $client client and a $server server', ({ client: clientSpeaks, server: serverSpeaks }) => {
  test('[INBOX-15] [ROUTE-1] every kind of field can be filled in on a page that was already open, and the tool then continues', async () => {
    const { gateway, server, page } = await startEnv(serverSpeaks)
    const client = await aClient(clientSpeaks, gateway.mcp, cannotAsk)
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

  test('[INBOX-15] [ROUTE-3] the server can distinguish an approved link, a decline and a dismissal', async () => {
    const { gateway, server, page } = await startEnv(serverSpeaks)
    const client = await aClient(clientSpeaks, gateway.mcp, cannotAsk)

    // Each question has its own text: the row of the one just answered may still be in the list.
    const calling = client.call('ask', { questions: [signIn, whichRegion, howMany] })
    for (const [words, button, outcome] of [
      ['Open a page on example.com', 'Approve', /You approved this, /],
      [whichRegion.message, 'Decline to answer', /You declined this, /],
      [howMany.message, 'Dismiss', /You dismissed this, /],
    ] as const) {
      await openNext(page, words)
      if (button === 'Approve') await page.getByRole('button', { name: button }).click()
      else await answerFromMenu(page, button)
      await page.getByText(outcome).waitFor()
    }

    expect(await calling).toMatchObject(done)
    expect(server.saw).toEqual([{ action: 'accept' }, { action: 'decline' }, { action: 'cancel' }])
  })

  test('[INBOX-15] [ROUTE-3] a question that expires is shown as expired, and the server gets no answer', async () => {
    const { gateway, server, page } = await startEnv(serverSpeaks, ', wait: 45s')
    const client = await aClient(clientSpeaks, gateway.mcp, cannotAsk)

    const calling = client.call('ask', { questions: [whichRegion] })
    await openNext(page, whichRegion.message)
    await page.getByText('Expired without an answer').waitFor({ timeout: 150_000 })

    expect(await calling).toMatchObject(done)
    const noAnswer =
      serverSpeaks === '2025-11-25' ? { error: expect.stringContaining('No person answered') } : { action: 'cancel' }
    expect(server.saw).toEqual([noAnswer])
  })

  test('[ROUTE-2] if a client declines within 5 ms, the person answers in the inbox, and the tool continues', async () => {
    // The longest that can be set: a busy machine adds to the 5 ms.
    const { gateway, server, page } = await startEnv(serverSpeaks, ', unseen_after: 10s')
    const says = () => new Promise((resolve) => setTimeout(resolve, 5, { action: 'decline' }))
    const client = await aClient(clientSpeaks, gateway.mcp, { name: patientName, says })

    const calling = client.call('ask', { questions: [whichRegion] })
    await answerRegion(page)

    expect(await calling).toMatchObject(done)
    expect(server.saw).toEqual([{ action: 'accept', content: { region: 'eu' } }])
    expect(client.asked).toHaveLength(1)
  })

  test('[ROUTE-10] if a client never answers, the person answers in the inbox, and the tool continues', async () => {
    const { gateway, server, page } = await startEnv(serverSpeaks, ', silent_after: 1s')
    const given = Promise.withResolvers<unknown>()
    const client = await aClient(clientSpeaks, gateway.mcp, { name: patientName, says: () => given.promise })

    const calling = client.call('ask', { questions: [whichRegion] })
    await answerRegion(page)
    // A 2026-07-28 client does not retry the call until its own question is closed.
    if (clientSpeaks === '2026-07-28') given.resolve({ action: 'cancel' })

    expect(await calling).toMatchObject(done)
    expect(server.saw).toEqual([{ action: 'accept', content: { region: 'eu' } }])
  })
})

test('[ROUTE-5] [ROUTE-10] after kill -9 between ask and answer the ask can still be answered, and a 2026-07-28 call finishes', async () => {
  const { gateway, server, page } = await startEnv('2026-07-28', ', silent_after: 1s')
  const given = Promise.withResolvers<unknown>()
  const client = await aClient('2026-07-28', gateway.mcp, { says: () => given.promise })
  const calling = client.call('ask', { questions: [whichRegion] })
  await page.getByRole('link', { name: whichRegion.message }).waitFor()

  await gateway.kill()
  await gateway.start()
  const { asks } = await gateway.store.inbox.page({ tenant: 'default', person: local, show: 'open' })
  expect(asks).toHaveLength(1)
  // The same page, still signed in, without a reload.
  await answerRegion(page)
  given.resolve({ action: 'cancel' })

  expect(await calling).toMatchObject(done)
  expect(server.saw).toEqual([{ action: 'accept', content: { region: 'eu' } }])
  expect(server).toMatchObject({ begun: 1, ended: 1 })
})

async function answerRegion(page: Page): Promise<void> {
  await openNext(page, whichRegion.message)
  await page.getByRole('button', { name: 'eu', exact: true }).click()
  await page.getByText(/You (?:answered|chose) /).waitFor()
}
