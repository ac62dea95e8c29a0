// How little it takes to answer: with the keyboard alone, and with a finger on a phone.
import type { AskDraft } from '@assent/core'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { type InboxServer, tenant } from '../../test-kit/gateway/inbox-server.ts'
import { aLongDiff, aPlan, aYesNo } from './kinds.ts'
import { testEnv, waitUntilActive, waitUntilLive } from './test-env.ts'

const env = testEnv()
/** From the last key or tap until the page shows the outcome, on a busy machine. */
const outcomeMs = 5_000

interface Step {
  readonly name: string
  readonly draft: () => AskDraft
  readonly keys: readonly string[]
  readonly taps: readonly string[]
  readonly content: object
}

const steps: readonly Step[] = [
  { name: 'yes', draft: aYesNo, keys: ['y'], taps: ['Yes'], content: { confirmed: true } },
  { name: 'no', draft: aYesNo, keys: ['n'], taps: ['No'], content: { confirmed: false } },
  { name: 'a plan', draft: aPlan, keys: ['1'], taps: ['Approve'], content: { decision: 'approve' } },
  { name: 'a no to a long diff', draft: aLongDiff, keys: ['n'], taps: ['No'], content: { confirmed: false } },
]

async function raised({ store }: InboxServer, draft: AskDraft, page: Page): Promise<string> {
  const { id } = await store.asks.raise(draft)
  // On a phone the person taps the row first.
  if ((page.viewportSize()?.width ?? 0) < 900) await page.locator(`.row[href="/asks/${id}"]`).tap()
  await page.locator(`[data-ask="${id}"]`).waitFor()
  await waitUntilActive(page)
  return id
}

async function expectOutcome(page: Page, { store }: InboxServer, id: string, content: object, name = '') {
  const began = performance.now()
  await page.locator(`[data-ask="${id}"] .settled`).waitFor()
  expect(performance.now() - began, name).toBeLessThan(outcomeMs)
  expect((await store.asks.read(tenant, id))?.state, name).toMatchObject({ answer: { action: 'accept', content } })
}

test('[INBOX-24] with the keyboard a yes/no takes one key and a plan at most two', async () => {
  for (const { name, draft, keys, content } of steps) {
    const inbox = await env.inbox()
    const { page } = await env.visit(inbox)
    await waitUntilLive(page)
    const id = await raised(inbox, draft(), page)
    for (const key of keys) await page.keyboard.press(key)
    await expectOutcome(page, inbox, id, content, name)
  }
})

test('[INBOX-24] on a phone a yes/no takes one tap on its card and a plan at most two', async () => {
  const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
  for (const { name, draft, taps, content } of steps) {
    const inbox = await env.inbox()
    const { page } = await env.visit(inbox, undefined, phone)
    await waitUntilLive(page)
    const id = await raised(inbox, draft(), page)
    for (const tap of taps) await page.getByRole('button', { name: tap, exact: true }).tap()
    await expectOutcome(page, inbox, id, content, name)
  }
})

test('[INBOX-24] [CARD-11] a yes to a long diff takes one more tap, which shows all of it', async () => {
  const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
  const inbox = await env.inbox()
  const { page } = await env.visit(inbox, undefined, phone)
  await waitUntilLive(page)
  const id = await raised(inbox, aLongDiff(), page)
  expect(await page.locator('.show-all').allTextContents()).toEqual(['Show all 200 lines'])
  await page.getByRole('button', { name: 'Show all 200 lines to answer Yes' }).tap()
  await page.getByRole('button', { name: 'Yes', exact: true }).tap()
  await expectOutcome(page, inbox, id, { confirmed: true })
})
