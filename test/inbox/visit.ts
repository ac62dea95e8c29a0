// A visit to the inbox in a real browser: signed in, watched for anything that should not happen on a page of ours.
import type { Person } from '@assent/core'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, vi } from 'vitest'
import { aBrowser } from '../../scripts/inbox/browser.ts'
import { aDesk, type Desk } from '../../scripts/inbox/desk.ts'

export const ann: Person = { principal: 'ann', groups: [] }
export const ben: Person = { principal: 'ben', groups: [] }

export interface Visit {
  readonly page: Page
  readonly context: BrowserContext
}

/** One browser for a file; each test has a desk and people of its own. */
export function aPlace(): {
  desk(options?: Parameters<typeof aDesk>[0]): Promise<Desk>
  visit(desk: Desk, person?: Person, options?: object): Promise<Visit>
  /** The same with a link of one's own. */
  visitLink(link: string, options?: object): Promise<Visit>
} {
  let browser: Browser
  // A browser on a busy machine takes its time; what is asserted is what it does.
  vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })
  beforeAll(async () => {
    browser = await aBrowser()
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
    context.setDefaultTimeout(20_000)
    const page = await context.newPage()
    watch(page, new URL(link).origin)
    await page.goto(link)
    await page.getByRole('navigation', { name: 'Pages' }).waitFor()
    return { page, context }
  }
  return {
    desk: async (options) => {
      const desk = await aDesk(options)
      onTestFinished(async () => {
        await desk.close()
        expect(desk.troubles).toEqual([])
      })
      return desk
    },
    visit: async (desk, person = ann, options = {}) => visitLink(await desk.linkFor(person), options),
    visitLink,
  }
}

/** No error in the console, none thrown, nothing refused by the policy, nothing fetched from elsewhere. */
function watch(page: Page, origin: string): void {
  const wrong: string[] = []
  page.on('console', (message) => {
    // The browser reports every refusal of the API (too late, does not fit) as a failed load; they are part of the talk.
    if (message.type() === 'error' && !/status of (?:401|404|409|422)/.test(message.text())) wrong.push(message.text())
  })
  page.on('pageerror', (error) => wrong.push(error.message))
  page.on('request', (request) => {
    if (!request.url().startsWith(`${origin}/`)) wrong.push(`asked for ${request.url()}`)
  })
  onTestFinished(() => expect(wrong).toEqual([]))
}

/** Longer than a new card ignores keys and clicks. */
export async function settleDown(page: Page): Promise<void> {
  await page.locator('.card').last().waitFor()
  await page.waitForTimeout(600)
}
