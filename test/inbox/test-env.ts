// A signed-in page of the inbox in a real browser. A console error, a blocked resource or a request to another origin fails the test.
import type { Person } from '@assent/core'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, vi } from 'vitest'
import { aBrowser } from '../../test-kit/chromium.ts'
import { type InboxServer, startInboxServer } from '../../test-kit/gateway/inbox-server.ts'

export const ann: Person = { principal: 'ann', groups: [] }
export const ben: Person = { principal: 'ben', groups: [] }

export interface Visit {
  readonly page: Page
  readonly context: BrowserContext
}

interface EnvOptions {
  readonly browserArguments?: readonly string[]
  /** The inbox stops during the tests, and the browser reports it as errors. */
  readonly hasOutages?: boolean
}

/** One browser per test file; each test has its own inbox and people. */
export function testEnv({ browserArguments = [], hasOutages = false }: EnvOptions = {}): {
  inbox(options?: Parameters<typeof startInboxServer>[0]): Promise<InboxServer>
  visit(inbox: InboxServer, person?: Person, options?: object): Promise<Visit>
  /** The same with a given sign-in link. */
  visitLink(link: string, options?: object): Promise<Visit>
} {
  let browser: Browser
  // A browser on a busy machine is slow; the tests do not measure time.
  vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 })
  beforeAll(async () => {
    browser = await aBrowser(browserArguments)
  })
  afterAll(() => browser.close())
  const visitLink = async (link: string, options: object = {}): Promise<Visit> => {
    const context = await browser.newContext({
      viewport: { width: 1200, height: 900 },
      reducedMotion: 'reduce',
      ...options,
    })
    onTestFinished(() => context.close())
    await context.addInitScript(() => localStorage.setItem('assent-example-seen', 'yes'))
    context.setDefaultTimeout(60_000)
    const page = await context.newPage()
    watch(page, new URL(link).origin, hasOutages)
    await page.goto(link)
    await page.getByRole('navigation', { name: 'Pages' }).waitFor()
    return { page, context }
  }
  return {
    inbox: async (options) => {
      const inbox = await startInboxServer(options)
      onTestFinished(async () => {
        await inbox.close()
        expect(inbox.errors).toEqual([])
      })
      return inbox
    },
    visit: async (inbox, person = ann, options = {}) => visitLink(await inbox.linkFor(person), options),
    visitLink,
  }
}

/** Fails the test on a console error, an uncaught error, a violation of the content security policy, or a request to another origin. */
function watch(page: Page, origin: string, hasOutages: boolean): void {
  const wrong: string[] = []
  page.on('console', (message) => {
    const text = message.text()
    // The browser logs every 4xx and 503 reply of the API as an error; these are expected.
    const isExpected = /status of (?:401|404|409|422|503)/.test(text) || (hasOutages && text.includes('net::ERR_'))
    if (message.type() === 'error' && !isExpected) wrong.push(text)
  })
  page.on('pageerror', (error) => wrong.push(error.message))
  page.on('request', (request) => {
    if (!request.url().startsWith(`${origin}/`)) wrong.push(`asked for ${request.url()}`)
  })
  onTestFinished(() => expect(wrong).toEqual([]))
}

/** Waits for a card with an open question, and then longer than a new card ignores keys and clicks. */
export async function waitUntilActive(page: Page): Promise<void> {
  await page.locator('.card[data-state="open"]').last().waitFor()
  await page.waitForTimeout(600)
}

/** Approves by key. The key is ignored until the browser has reported that the end of the card is in view. */
export async function approveByKey(page: Page): Promise<void> {
  await expect
    .poll(
      async () => {
        await page.keyboard.press('y')
        return page.locator('.settled').isVisible()
      },
      { timeout: 60_000, interval: 200 },
    )
    .toBe(true)
}

/** Waits until the page receives changes: from now on it is notified of new asks. */
export async function waitUntilLive(page: Page): Promise<void> {
  await page.locator('main[data-live=live]').waitFor()
}

/** Gives an answer that has no button of its own. */
export async function answerFromMenu(page: Page, name: 'Decline to answer' | 'Dismiss'): Promise<void> {
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name }).click()
}

/** Writes beside the buttons. */
export async function writeComment(page: Page, text: string): Promise<void> {
  await page.locator('.card [data-comment]').first().waitFor()
  const add = page.getByRole('button', { name: 'Add a comment' })
  if (await add.isVisible()) await add.click()
  await page.locator('textarea[data-comment]').fill(text)
}
