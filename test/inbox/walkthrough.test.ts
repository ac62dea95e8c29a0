// How little it takes to answer: with the keyboard alone, and with a finger on a phone.
import type { AskDraft } from '@assent/core'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { type InboxServer, tenant } from '../../test-kit/gateway/inbox-server.ts'
import { aDeployment, aGate, aLink } from '../../test-kit/gateway/sample-asks.ts'
import { aLongDiff, aPhase, aPlan, aYesNo } from './kinds.ts'
import { testEnv, waitUntilActive, waitUntilLive } from './test-env.ts'

const env = testEnv()
/** From the last key or tap until the page shows the outcome, on a busy machine. */
const outcomeMs = 5_000

interface Step {
  readonly name: string
  readonly draft: () => AskDraft
  readonly keys: readonly string[]
  readonly taps: readonly string[]
  readonly answer: object
}

const accept = (content: object) => ({ action: 'accept', content })
const decline = { action: 'decline' }

const steps: readonly Step[] = [
  { name: 'yes', draft: aYesNo, keys: ['y'], taps: ['Yes'], answer: accept({ confirmed: true }) },
  { name: 'no', draft: aYesNo, keys: ['n'], taps: ['No'], answer: accept({ confirmed: false }) },
  { name: 'a plan', draft: aPlan, keys: ['1'], taps: ['Approve'], answer: accept({ decision: 'approve' }) },
  {
    name: 'a plan that needs changes',
    draft: aPlan,
    keys: ['2'],
    taps: ['Request changes'],
    answer: accept({ decision: 'request_changes' }),
  },
  { name: 'a phase', draft: aPhase, keys: ['3'], taps: ['Request changes'], answer: accept({ decision: 'revise' }) },
  { name: 'an approval', draft: aDeployment, keys: ['y'], taps: ['Approve'], answer: { action: 'accept' } },
  { name: 'a no to a gate', draft: aGate, keys: ['n'], taps: ['Decline'], answer: decline },
  { name: 'a link', draft: aSafeLink, keys: ['y'], taps: ['Approve'], answer: { action: 'accept' } },
  { name: 'a no to a long diff', draft: aLongDiff, keys: ['n'], taps: ['No'], answer: accept({ confirmed: false }) },
]

function aSafeLink(): AskDraft {
  return aLink('https://accounts.calendar.example/connect')
}

async function raised({ store }: InboxServer, draft: AskDraft, page: Page): Promise<string> {
  const { id } = await store.asks.raise(draft)
  // On a phone the person taps the row first.
  if ((page.viewportSize()?.width ?? 0) < 900) await page.locator(`.row[href="/asks/${id}"]`).tap()
  await page.locator(`[data-ask="${id}"]`).waitFor()
  await waitUntilActive(page)
  return id
}

async function expectOutcome(page: Page, { store }: InboxServer, id: string, answer: object, name = '') {
  const began = performance.now()
  await page.locator(`[data-ask="${id}"] .settled`).waitFor()
  expect(performance.now() - began, name).toBeLessThan(outcomeMs)
  expect((await store.asks.read(tenant, id))?.state, name).toMatchObject({ answer })
}

test('[INBOX-24] with the keyboard a yes/no takes one key and a plan or phase at most two', async () => {
  for (const { name, draft, keys, answer } of steps) {
    const inbox = await env.inbox()
    const { page } = await env.visit(inbox)
    await waitUntilLive(page)
    const id = await raised(inbox, draft(), page)
    for (const key of keys) await page.keyboard.press(key)
    await expectOutcome(page, inbox, id, answer, name)
  }
})

test('[INBOX-24] on a phone a yes/no takes one tap on its card and a plan or phase at most two', async () => {
  const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
  for (const { name, draft, taps, answer } of steps) {
    const inbox = await env.inbox()
    const { page } = await env.visit(inbox, undefined, phone)
    await waitUntilLive(page)
    const id = await raised(inbox, draft(), page)
    for (const tap of taps) await page.getByRole('button', { name: tap, exact: true }).tap()
    await expectOutcome(page, inbox, id, answer, name)
  }
})

test('[INBOX-24] [CARD-11] a yes to a long diff takes one more tap, which shows all of it', async () => {
  const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
  const inbox = await env.inbox()
  const { page } = await env.visit(inbox, undefined, phone)
  await waitUntilLive(page)
  const id = await raised(inbox, aLongDiff(), page)
  expect(await page.locator('.show-all').allTextContents()).toEqual(['Show all 198 lines'])
  await page.getByRole('button', { name: 'Show all 198 lines to answer Yes' }).tap()
  await page.getByRole('button', { name: 'Yes', exact: true }).tap()
  await expectOutcome(page, inbox, id, accept({ confirmed: true }))
})
