// A secret from a person's browser to the tool that asked: Chromium, the gateway, clients and servers of both generations.

import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { aBrowser } from '../../test-kit/chromium.ts'
import { until } from '../../test-kit/until.ts'
import { aCaller } from './clients.ts'
import { ann, generations, openTestEnv, type TestEnv } from './test-env.ts'

vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 })
let browser: Browser
beforeAll(async () => {
  browser = await aBrowser()
})
afterAll(() => browser.close())

async function visit(testEnv: TestEnv, person = ann): Promise<{ context: BrowserContext; page: Page }> {
  const context = await browser.newContext({ viewport: { width: 1200, height: 900 }, reducedMotion: 'reduce' })
  onTestFinished(() => context.close())
  context.setDefaultTimeout(60_000)
  const page = await context.newPage()
  const wrong: string[] = []
  page.on('pageerror', (error) => wrong.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error' && !/status of (?:401|404|409)/.test(message.text())) wrong.push(message.text())
  })
  onTestFinished(() => expect(wrong).toEqual([]))
  await page.goto(await testEnv.linkFor(person))
  await page.getByRole('navigation', { name: 'Pages' }).waitFor()
  return { context, page }
}

async function handOver(page: Page, secret: string): Promise<void> {
  await page.getByLabel('Secret', { exact: true }).fill(secret)
  await page.getByRole('button', { name: 'Send secret' }).click()
  await page.getByText('You sent the secret').waitFor()
}

const pairs = generations.flatMap((client) => generations.map((server) => [client, server] as const))
const nameOf = { '2025-11-25': 'older', '2026-07-28': 'newest' } as const

test.each(pairs)(
  '[SECRET-8] [SECRET-10] a client of %s opens the page for a server of %s, and the tool continues with the secret',
  async (client, server) => {
    const testEnv = await openTestEnv()
    const { page } = await visit(testEnv)
    const caller = await aCaller(client, testEnv.url)

    const calling = caller.call(`${nameOf[server]}__login`)
    const { url, message } = await until(() => caller.asked[0])
    expect(url).toMatch(new RegExp(`^${testEnv.origin}/secret/secret_[0-9a-z]{36}$`))
    expect(message).toBe('The password of the build account?')
    await page.goto(url ?? '')
    await page.getByRole('heading', { name: `Send a secret to The ${nameOf[server]} server` }).waitFor()
    const claim = page.getByRole('region', { name: /says Not checked by Assent/ })
    expect(await claim.textContent()).toContain('The password of the build account?')
    expect(await page.getByLabel('Secret', { exact: true }).getAttribute('type')).toBe('password')
    const secret = `correct horse ✓ ${crypto.randomUUID()}`
    await handOver(page, secret)

    expect(await calling).toEqual({ text: `Signed in with ${secret.length} characters.`, isError: false })
    expect(testEnv.got).toEqual([secret])
    expect(caller.received.join('')).not.toContain(secret)
    const notified = caller.received.join('').includes('notifications/elicitation/complete')
    expect(notified).toBe(client === '2025-11-25')
    expect(testEnv.errors).toEqual([])
    await page.reload()
    await page.getByText('You sent the secret').waitFor()
    expect(await page.getByLabel('Secret', { exact: true }).count()).toBe(0)
  },
)

test.each(pairs)(
  '[SECRET-8] a client of %s that cannot be asked waits for the inbox, for a server of %s',
  async (client, server) => {
    const testEnv = await openTestEnv()
    const { page } = await visit(testEnv)
    const caller = await aCaller(client, testEnv.url, { elicitation: 'none' })

    const calling = caller.call(`${nameOf[server]}__generated`)
    await page.goto(testEnv.origin)
    await page.getByRole('link', { name: /Send a secret to/ }).click()
    await page.getByLabel('Secret', { exact: true }).waitFor()
    await handOver(page, 'from the inbox')

    expect(await calling).toEqual({ text: 'Yielded 14.', isError: false })
    expect(testEnv.got).toEqual(['from the inbox'])
    expect(caller.asked).toEqual([])
  },
)

test.each(pairs)(
  '[SECRET-2] [SECRET-8] a person who declines on the page declines the ask: client of %s, server of %s',
  async (client, server) => {
    const testEnv = await openTestEnv()
    const { page } = await visit(testEnv)
    const caller = await aCaller(client, testEnv.url)
    const calling = caller.call(`${nameOf[server]}__login`)
    await page.goto((await until(() => caller.asked[0])).url ?? '')
    await page.getByLabel('Secret', { exact: true }).fill('typed and thought better of')
    await page.waitForTimeout(600)
    await page.getByRole('button', { name: 'Decline' }).click()
    await page.getByText('You declined this').waitFor()

    const { text, isError } = await calling
    expect(isError).toBe(true)
    expect(text).toMatch(/declined/i)
    expect(testEnv.got).toEqual([])
  },
)

test('[SECRET-2] [SECRET-8] a "no" in the client closes the page', async () => {
  const testEnv = await openTestEnv()
  const { page } = await visit(testEnv)
  for (const [server, client] of [
    ['newest', '2026-07-28'],
    ['older', '2025-11-25'],
  ] as const) {
    const caller = await aCaller(client, testEnv.url, { says: () => ({ action: 'decline' }) })
    expect((await caller.call(`${server}__login`)).isError).toBe(true)
    await page.goto(caller.asked[0]?.url ?? '')
    await page.getByText('You declined this in your client').waitFor()
    expect(await page.getByLabel('Secret', { exact: true }).count()).toBe(0)
  }
})

test('[SECRET-5] [SECRET-8] a handler that asks again after the secret gets it in each of its rounds, and then it is deleted', async () => {
  const testEnv = await openTestEnv()
  const { page } = await visit(testEnv)
  const caller = await aCaller('2026-07-28', testEnv.url)
  const calling = caller.call('newest__twice')
  await page.goto((await until(() => caller.asked[0])).url ?? '')
  await handOver(page, 'said once')

  expect(await calling).toEqual({ text: 'Ada 9', isError: false })
  expect(testEnv.got).toEqual(['said once'])
  const id = caller.asked[0]?.url?.split('/').at(-1) ?? ''
  const collecting = await fetch(`${testEnv.origin}/server/secrets/${id}/collect`, {
    method: 'POST',
    headers: { authorization: `Bearer ${testEnv.tokens.newest}` },
  })
  expect(await collecting.json()).toEqual({ state: 'released' })
})

test('[SECRET-10] a key of several lines arrives unchanged, and a value that is too long or missing gets an error at the field', async () => {
  const testEnv = await openTestEnv()
  const { page, context } = await visit(testEnv)
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const caller = await aCaller('2026-07-28', testEnv.url)
  const calling = caller.call('newest__login')
  await page.goto((await until(() => caller.asked[0])).url ?? '')
  await page.getByRole('button', { name: 'Send secret' }).click()
  await page.getByText('Type or paste the secret first.').waitFor()
  await page.getByLabel('Secret', { exact: true }).fill('x'.repeat(16_385))
  await page.getByRole('button', { name: 'Send secret' }).click()
  await page.getByText(/This is too long/).waitFor()
  await page.getByLabel('Secret', { exact: true }).fill('')
  const pem = '-----BEGIN KEY-----\nabc\ndef\n-----END KEY-----\n'
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(pem)})`)
  await page.getByLabel('Secret', { exact: true }).focus()
  await page.keyboard.press('ControlOrMeta+v')
  await expect.poll(() => page.getByLabel('Secret', { exact: true }).inputValue(), { timeout: 60_000 }).not.toBe('')
  await page.getByRole('button', { name: 'Send secret' }).click()
  await page.getByText('You sent the secret').waitFor()
  await calling
  expect(testEnv.got).toEqual([pem])
})
