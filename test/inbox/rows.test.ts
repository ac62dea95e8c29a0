// The rows of the list beside their cards, in a real browser: title, risk, main argument; and when a text box is open.
import type { AskDraft, Question } from '@assent/core'
import { expect, test } from 'vitest'
import { aDeployment, aGate, aLink, raiseSamples, raiseSecret } from '../../test-kit/gateway/sample-asks.ts'
import { aPhase, aPlan, aYesNo } from './kinds.ts'
import { testEnv, waitUntilActive } from './test-env.ts'

const env = testEnv()

test('[CARD-23] every card has the title of its row', async () => {
  const inbox = await env.inbox()
  const { settled: _, ...ids } = await raiseSamples(inbox.store)
  const secret = await raiseSecret(inbox.store, inbox.url)
  const { page } = await env.visit(inbox)
  const titles = new Set<string | null>()
  for (const id of [...Object.values(ids), secret.ask]) {
    await page.goto(`${inbox.url}/asks/${id}`)
    await page.locator(`[data-ask="${id}"]`).waitFor()
    const title = await page.locator('.card-title').textContent()
    expect(await page.locator('.row[aria-current] .row-what').textContent()).toBe(title)
    titles.add(title)
  }
  for (const title of [
    'Let delete_artifacts continue',
    'Open a page on calendar.example',
    'Blocked link from calendar',
    'Send a secret to registry',
    'Deploy to production',
  ])
    expect([...titles]).toContain(title)
})

test('[CARD-21] a row shows the risk of an open ask and the main argument of its action', async () => {
  const inbox = await env.inbox()
  const destructive = (mark: object): AskDraft => {
    const draft = aYesNo('Delete build/?')
    return { ...draft, question: { ...draft.question, ...mark } as Question }
  }
  const anApproval = (mark: object): AskDraft => {
    const draft = aDeployment()
    return { ...draft, question: { ...draft.question, ...mark } as Question }
  }
  const drafts: readonly AskDraft[] = [
    aGate(),
    destructive({ isDestructive: true }),
    destructive({ isInDestructiveTool: true }),
    anApproval({ isDestructive: true }),
    anApproval({ isInDestructiveTool: true }),
    aPhase(),
    aYesNo('Is it good?'),
    aLink('https://127.0.0.1:8443/'),
  ]
  const shown: string[] = []
  const { page } = await env.visit(inbox)
  for (const draft of drafts) {
    const { id } = await inbox.store.asks.raise(draft)
    const row = page.locator(`.row[href="/asks/${id}"]`)
    await row.waitFor()
    shown.push((await row.locator('.row-facts').allTextContents()).join())
  }
  expect(shown).toEqual([
    '⚠ Cannot be undoneenv production',
    '⚠ Cannot be undone',
    '⚠ Destructive tool',
    '⚠ Destructiveenv production',
    '⚠ Destructive toolenv production',
    '⚠ 2 problems',
    '',
    '⚠ Suspicious link',
  ])
})

test('[CARD-24] a blocked link shows its address as text, and why it is blocked', async () => {
  const inbox = await env.inbox()
  const { id } = await inbox.store.asks.raise(aLink('https://calendar.example@evil.example/'))
  const { page } = await env.visit(inbox)
  await page.goto(`${inbox.url}/asks/${id}`)
  await waitUntilActive(page)
  expect(await page.locator('.card .address').textContent()).toBe('https://calendar.example@evil.example/')
  expect(await page.locator('.card .warning').textContent()).toContain('The link contains a user name')
  expect(await page.locator('.card a').count()).toBe(0)
})

test('[CARD-12] the text box is open only if the form has a field for it; elsewhere a link opens it, and never beside a secret', async () => {
  const inbox = await env.inbox()
  const { page } = await env.visit(inbox)
  const samples = await raiseSamples(inbox.store)
  const kinds: Record<string, 'open' | 'link' | 'none'> = { [(await raiseSecret(inbox.store, inbox.url)).ask]: 'none' }
  for (const name of ['safe link', 'unsafe link', 'decision', 'one of', 'approval', 'choices'])
    kinds[samples[name] ?? ''] = 'link'
  kinds[(await inbox.store.asks.raise(aYesNo())).id] = 'link'
  // Its field `notes` is among the other fields.
  kinds[samples.text ?? ''] = 'none'
  kinds[(await inbox.store.asks.raise(aPlan())).id] = 'open'
  for (const [id, expected] of Object.entries(kinds)) {
    await page.goto(`${inbox.url}/asks/${id}`)
    await page.locator(`[data-ask="${id}"] .answer-bar`).waitFor()
    const found = [
      ...(await page.locator('textarea[data-comment]').all()).map(() => 'open'),
      ...(await page.locator('button[data-comment]').all()).map(() => 'link'),
    ]
    expect(found, `${id} ${await page.locator('.card-title').textContent()}`).toEqual(
      expected === 'none' ? [] : [expected],
    )
  }
})

test('[CARD-12] the text box stays open when what was restored in it is deleted', async () => {
  const inbox = await env.inbox()
  const { id } = await inbox.store.asks.raise(aYesNo())
  const { page } = await env.visit(inbox)
  await page.goto(`${inbox.url}/asks/${id}`)
  await page.getByRole('button', { name: 'Add a comment' }).click()
  await page.locator('textarea[data-comment]').fill('x')
  await page.waitForTimeout(600)
  await page.reload()
  await page.locator('textarea[data-comment]').focus()
  await page.keyboard.press('End')
  await page.keyboard.press('Backspace')
  await page.keyboard.type('yes')
  expect(await page.locator('textarea[data-comment]').inputValue()).toBe('yes')
})

test('[CARD-19] the operator’s description says what an action affects and whether it can be undone', async () => {
  for (const [undo, expected] of [
    ['impossible', 'This cannot be undone. Affects the production cluster.'],
    ['possible', 'This can be undone. Affects the production cluster.'],
  ] as const) {
    const inbox = await env.inbox({ describe: () => ({ touches: 'the production cluster', undo }) })
    const { id } = await inbox.store.asks.raise(aDeployment())
    const { page } = await env.visit(inbox)
    await page.goto(`${inbox.url}/asks/${id}`)
    expect((await page.locator('.consequences').textContent())?.trim()).toBe(expected)
  }
})
