// What a card and a row show first, in a real browser: consequences, outcome, problems, and who asks.
import { readFileSync } from 'node:fs'
import {
  type AskDraft,
  actionDigest,
  checkedBlock,
  decisionForm,
  type Field,
  type Question,
  toolDefinitionDigest,
} from '@assent/core'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { tenant } from '../../test-kit/gateway/inbox-server.ts'
import { aDeployment, aForm, anAsk, twoOfUs } from '../../test-kit/gateway/sample-asks.ts'
import { aLongDiff, aPlan, aYesNo } from './kinds.ts'
import { ann, testEnv, waitUntilActive } from './test-env.ts'

const env = testEnv()

async function opened(draft: AskDraft): Promise<Page> {
  const inbox = await env.inbox()
  const { id } = await inbox.store.asks.raise(draft)
  const { page } = await env.visit(inbox)
  await page.goto(`${inbox.url}/asks/${id}`)
  await waitUntilActive(page)
  return page
}

function anApproval(marks: { isDestructive?: true; isInDestructiveTool?: true }): AskDraft {
  const draft = aDeployment()
  return { ...draft, question: { ...draft.question, ...marks } as Question }
}

const topOf = async (page: Page, selector: string) => (await page.locator(selector).first().boundingBox())?.y ?? -1

test('[CARD-19] the consequences are directly below the title, say who claims them, and are not repeated', async () => {
  const message = 'Delete build/?\n\nNothing else uses it.\n\nThis cannot be undone.'
  const destructive = aYesNo(message)
  const page = await opened({ ...destructive, question: { ...destructive.question, isDestructive: true } as Question })
  expect(await page.locator('.consequences').textContent()).toContain(
    'This cannot be undone, according to Claude Code.',
  )
  expect(await page.locator('.card-title + .consequences').count()).toBe(1)
  expect((await page.locator('.claim').textContent())?.match(/undone/g)).toBe(null)
  expect(await page.locator('.claim').textContent()).toContain('Nothing else uses it.')

  const fromTool = aYesNo()
  const other = await opened({ ...fromTool, question: { ...fromTool.question, isInDestructiveTool: true } as Question })
  expect(await other.locator('.consequences').textContent()).toContain('declares this tool as destructive')

  const required = await opened(anApproval({ isDestructive: true }))
  expect(await required.locator('.consequences').textContent()).toContain('A policy marks this as destructive.')
  const ofTool = await opened(anApproval({ isInDestructiveTool: true }))
  expect(await ofTool.locator('.consequences').textContent()).toContain('declares this tool as destructive')
})

test('[CARD-19] a card that has ended begins with its outcome', async () => {
  const inbox = await env.inbox()
  const { id } = await inbox.store.asks.raise(aDeployment())
  await inbox.store.asks.answer({
    tenant,
    id,
    person: ann,
    via: 'inbox',
    answer: { action: 'decline', comment: 'late' },
  })
  const { page } = await env.visit(inbox)
  for (const path of [`/asks/${id}`, `/history/${id}`]) {
    await page.goto(inbox.url + path)
    await page.locator('.settled').waitFor()
    expect(await topOf(page, '.settled')).toBeLessThan(await topOf(page, '.card-title'))
    expect(await page.locator('.card-subtitle').first().textContent()).toMatch(/^Call /)
  }
})

test('[CARD-19] a card that has ended has consequences only if the answer was a yes', async () => {
  const inbox = await env.inbox()
  const { page } = await env.visit(inbox)
  for (const [confirmed, count] of [
    [true, 1],
    [false, 0],
  ] as const) {
    const draft = aYesNo('Delete build/?\n\nThis cannot be undone.')
    const { id } = await inbox.store.asks.raise(draft)
    const answer = { action: 'accept', content: { confirmed } } as const
    await inbox.store.asks.answer({ tenant, id, person: ann, via: 'inbox', answer })
    await page.goto(`${inbox.url}/history/${id}`)
    await page.locator('.settled').waitFor()
    expect(await page.locator('.consequences').count()).toBe(count)
    // The sentence is shown once: as a consequence, or as the claim that it is.
    expect(await page.locator('.claim', { hasText: 'undone' }).count()).toBe(1 - count)
  }
})

test('[CARD-20] findings that speak against a yes are above the claim and counted on the yes, which is not emphasised', async () => {
  const checked = '- Committed: abc "x".\n- ⚠ One change is not committed: src/.'
  const plan = aPlan()
  const message = `Approve this plan?\n\n${checkedBlock(checked)}\n\nAll is done.`
  const page = await opened({ ...plan, question: { ...plan.question, message, checked } as Question })
  const approve = page.getByRole('button', { name: /^Approve/ })
  expect(await approve.textContent()).toContain('⚠ 1 problem')
  expect(await approve.getAttribute('data-variant')).toBe('default')
  expect(await page.locator('.checked [data-problem]').allTextContents()).toEqual([
    'One change is not committed: src/.',
  ])
  expect(await page.locator('.checked').count()).toBe(1)
  expect(await topOf(page, '.checked')).toBeLessThan(await topOf(page, '.claim'))

  const clean = '- Committed: abc "x".'
  const fine = await opened({
    ...plan,
    question: { ...plan.question, message: `Approve this plan?\n\n${checkedBlock(clean)}`, checked: clean } as Question,
  })
  expect(await fine.getByRole('button', { name: /^Approve/ }).getAttribute('data-variant')).toBe('filled')
  expect(await fine.locator('.checked-mark').textContent()).toBe('✓')
})

test('[CARD-20] an approval of a plan has the buttons Approve and Decline, and a description without findings no tick', async () => {
  const checked = 'Nothing changes yet.\n\n3 files would change:\n  AGENTS.md (new): adds 4 sections'
  const draft = aForm(`Approve this plan?\n\n${checkedBlock(checked)}`, [
    { kind: 'boolean', name: 'approved', title: 'Approve this plan', required: true },
    { kind: 'text', name: 'comment', title: 'Comment', required: false },
  ])
  const page = await opened({ ...draft, question: { ...draft.question, checked } as Question })
  expect(await page.locator('.answer-bar button').allTextContents()).toEqual(['Approvey', 'Declinen', '⋯'])
  expect(await page.locator('.checked').getAttribute('data-level')).toBe('neutral')
  expect(await page.locator('.checked-mark').count()).toBe(0)
})

test('[CARD-20] a yes that cannot be undone, or that may be for any of several calls, is not emphasised', async () => {
  const plain = aYesNo()
  const oneOf = [
    { tool: 'deploy', arguments: { env: 'staging' } },
    { tool: 'wipe', arguments: {} },
  ]
  const cases = [
    [plain.question, 'filled'],
    [{ ...plain.question, isDestructive: true }, 'default'],
    [{ ...plain.question, isInDestructiveTool: true }, 'default'],
    [{ ...plain.question, oneOf }, 'default'],
  ] as const
  for (const [question, variant] of cases) {
    const page = await opened({ ...plain, question: question as Question })
    expect(await page.getByRole('button', { name: 'Yes' }).getAttribute('data-variant')).toBe(variant)
  }
  for (const [mark, variant] of [
    [{}, 'filled'],
    [{ isDestructive: true }, 'default'],
    [{ isInDestructiveTool: true }, 'default'],
  ] as const) {
    const page = await opened(anApproval(mark))
    expect(await page.getByRole('button', { name: 'Approve' }).getAttribute('data-variant')).toBe(variant)
  }
})

/** As the questions of onboarding. */
const approvedField: Field = { kind: 'boolean', name: 'approved', title: 'Approve this plan', required: true }

test('[CARD-4] a card with Approve asks for an approval, open and ended; any other form asks a question', async () => {
  const inbox = await env.inbox()
  const { page } = await env.visit(inbox)
  const answer = { action: 'decline' } as const
  for (const [draft, asks, asked] of [
    [aPlan(), 'asks for your approval', 'asked for your approval'],
    [aForm('Wipe the disk?', []), 'asks for your approval', 'asked for your approval'],
    [aForm('Change the files?', [approvedField]), 'asks for your approval', 'asked for your approval'],
    [aYesNo(), 'has a question', 'asked a question'],
  ] as const) {
    const { id } = await inbox.store.asks.raise(draft)
    await page.goto(`${inbox.url}/asks/${id}`)
    await page.locator('.card-who', { hasText: asks }).waitFor()
    await inbox.store.asks.answer({ tenant, id, person: ann, via: 'inbox', answer })
    await page.locator('.card-who', { hasText: asked }).waitFor()
  }
})

test('[CARD-25] the time left is at the end of the first line, also beside a long name; what is known of the caller is below', async () => {
  const inbox = await env.inbox()
  const caller = { client: 'Claude Code', folder: 'notes-service-with-a-long-name', branch: 'feat/search-in-all-notes' }
  const draft = { ...aPlan(), caller, isWaitUnknown: true as const }
  const { id } = await inbox.store.asks.raise(draft)
  const { page } = await env.visit(inbox)
  for (const size of [
    { width: 1120, height: 780 },
    { width: 390, height: 844 },
  ]) {
    await page.setViewportSize(size)
    await page.goto(`${inbox.url}/asks/${id}`)
    const boxOf = async (selector: string) => {
      const box = await page.locator(selector).boundingBox()
      return box ?? { x: -1, y: -1, width: 0, height: 0 }
    }
    await page.locator('.deadline').waitFor()
    const [head, who, deadline, notes] = await Promise.all(
      ['.card-head', '.card-who', '.deadline', '.deadline-notes'].map(boxOf),
    )
    expect(deadline?.y).toBe(who?.y)
    expect((deadline?.x ?? 0) + (deadline?.width ?? 0)).toBeCloseTo((head?.x ?? 0) + (head?.width ?? 0), 0)
    expect(notes?.y).toBeGreaterThanOrEqual((who?.y ?? 0) + (who?.height ?? 0))
  }
})

test('[CARD-21] a card says once how many approvals there are, from whom, and what one more does', async () => {
  const page = await opened(aDeployment({ approvalRule: twoOfUs }))
  expect(await page.locator('.quorum > p').textContent()).toMatch(
    /^0 of 2 approvals from \S.*\. +One decline rejects it\. *$/,
  )
})

test('[CARD-26] a slider without a value has no handle, and a negative number has a minus sign', async () => {
  const field: Field = {
    ...({ kind: 'number', name: 'gain', title: 'Gain', integer: true, required: true } as const),
    ...{ min: -24, max: 6, default: -6 },
  }
  const page = await opened(aForm('How loud?', [field]))
  const opacity = () => page.evaluate(`getComputedStyle(document.querySelector('.slider-thumb')).opacity`)
  await expect.poll(opacity).toBe('0')
  expect(await page.locator('.field').textContent()).toContain('A whole number from −24 to 6.')
  expect(await page.locator('.suggestion-value').textContent()).toBe('−6')
  await page.getByRole('button', { name: 'Use the suggestion for Gain' }).click()
  await expect.poll(opacity).toBe('1')
})

test('[CARD-11] the beginning of a diff is shown, however long the text before it is', async () => {
  const page = await opened(withProse(aLongDiff()))
  expect(await page.locator('.findings').first().textContent()).toContain('File 19 would change.')
  expect(await page.locator('.diff-line[data-line=added]').count()).toBeGreaterThan(5)
  await page.getByRole('button', { name: 'Show all 198 lines', exact: true }).waitFor()
})

/** With twenty lines before the diff. */
function withProse(draft: AskDraft): AskDraft {
  const { question } = draft
  if (question.kind !== 'form' || question.checked === undefined) throw new Error('It has a checked text.')
  const prose = Array.from({ length: 20 }, (_, at) => `- File ${at} would change.`).join('\n')
  const checked = question.checked.replace('2 files would change.', prose)
  const [title = ''] = question.message.split('\n')
  return { ...draft, question: { ...question, checked, message: `${title}\n\n${checkedBlock(checked)}` } }
}

test('[CARD-22] the row of the shown ask is scrolled into view', async () => {
  const inbox = await env.inbox()
  const ids: string[] = []
  for (let at = 0; at < 20; at++) ids.push((await inbox.store.asks.raise(aYesNo(`Delete ${at}?`))).id)
  const { page } = await env.visit(inbox)
  await page.goto(`${inbox.url}/asks/${ids[0]}`)
  await page.locator('.row[aria-current]', { hasText: 'Delete 0?' }).waitFor()
  const bottomOf = async () => {
    const box = await page.locator('.row[aria-current]').boundingBox()
    return (box?.y ?? 0) + (box?.height ?? 0)
  }
  await expect.poll(bottomOf).toBeLessThanOrEqual(900)
  expect(await bottomOf()).toBeGreaterThan(0)
})

test('[CARD-21] a row shows for whom and by which program a server asks, and how many have approved', async () => {
  const inbox = await env.inbox()
  const caller = { client: 'Claude Code', folder: 'shop', branch: 'main' }
  await inbox.store.asks.raise(aDeployment({ approvalRule: twoOfUs, principal: 'ben', caller }))
  await inbox.store.asks.raise(aDeployment())
  const { page } = await env.visit(inbox)
  await page.locator('.row').nth(1).waitFor()
  expect(await page.locator('.row-context').allTextContents()).toEqual(['on behalf of Ben Okafor0 of 2 approvals'])
  expect(await page.locator('.row-who').allTextContents()).toEqual([
    'deploy · rollout',
    'deploy · rollout, called by Claude Code in shop (main)',
  ])
})

test('[CARD-14] a declared action that contains the arguments of the call shows them once', async () => {
  const definitionDigest = toolDefinitionDigest({ name: 'rollout', inputSchema: { type: 'object' } })
  const action = {
    server: 'deploy',
    tool: 'rollout',
    definitionDigest,
    arguments: { env: 'production', image: 'app-42' },
  }
  const declared = { title: 'Deploy', action, digest: actionDigest(action) }
  const ask = (given: Record<string, string>) => {
    const call = { tool: 'rollout', arguments: given }
    const question: Question = { kind: 'form', message: 'Approve: Deploy', form: decisionForm, declared, call }
    return anAsk(question, { asker: { server: 'deploy', tool: 'rollout' } })
  }
  const page = await opened(ask({ env: 'production' }))
  expect(await page.locator('.asked-in').count()).toBe(0)
  expect(await page.locator('.declared-by').textContent()).toContain('Sent by the agent: env.')
  const other = await opened(ask({ env: 'staging' }))
  expect(await other.locator('.asked-in').textContent()).toContain('staging')
})

test('[INBOX-14] stars are radio buttons that a person chooses with the keyboard', async () => {
  const field = { kind: 'number', name: 'n', title: 'Stars', integer: true, required: true, min: 1, max: 5 } as const
  const page = await opened(aForm('How good is it?', [field]))
  const stars = page.getByRole('radiogroup', { name: 'Stars' }).getByRole('radio')
  expect(await stars.count()).toBe(5)
  expect(await stars.evaluateAll((all) => all.some((one) => (one as unknown as { checked: boolean }).checked))).toBe(
    false,
  )
  await stars.nth(1).focus()
  await page.keyboard.press('Space')
  await page.keyboard.press('ArrowRight')
  expect(await page.getByRole('radio', { name: '3 of 5' }).isChecked()).toBe(true)
  expect(await page.locator('.star[data-filled]').count()).toBe(3)
})

test('[INBOX-20] the history is filtered by tool, agent, project and days, and a bar of the statistics shows the asks of its tool', async () => {
  const inbox = await env.inbox()
  const tools = ['rollout', 'rollback'] as const
  for (const tool of tools) {
    const caller = {
      client: tool === 'rollout' ? 'Claude Code' : 'Codex',
      folder: tool === 'rollout' ? 'shop' : 'blog',
    }
    const draft = aDeployment({ asker: { server: 'deploy', tool }, caller })
    const { id } = await inbox.store.asks.raise({ ...draft, question: { ...draft.question, title: tool } as Question })
    await inbox.store.asks.answer({ tenant, id, person: ann, via: 'inbox', answer: { action: 'accept' } })
  }
  const { page } = await env.visit(inbox)
  await page.getByRole('link', { name: 'Statistics' }).click()
  await page.getByRole('link', { name: 'deploy · rollback' }).click()
  const shown = () => page.locator('.row-what').allTextContents()
  await expect.poll(shown).toEqual(['rollback'])
  await page.getByRole('button', { name: 'Show all' }).click()
  await expect.poll(shown).toEqual(['rollback', 'rollout'])

  await page.getByRole('combobox', { name: 'Agent' }).click()
  await page.getByRole('option', { name: 'Claude Code' }).click()
  await expect.poll(shown).toEqual(['rollout'])
  await page.getByRole('button', { name: 'Show all' }).click()
  await page.getByRole('combobox', { name: 'Project' }).click()
  await page.getByRole('option', { name: 'blog' }).click()
  await expect.poll(shown).toEqual(['rollback'])
  await page.getByRole('button', { name: 'Show all' }).click()

  const day = await page.evaluate<string>(`new Date().toLocaleDateString('sv')`)
  await page.getByLabel('From', { exact: true }).fill(day)
  await page.getByLabel('To', { exact: true }).fill(day)
  await expect.poll(shown).toEqual(['rollback', 'rollout'])
  await page.getByLabel('To', { exact: true }).fill('2020-01-31')
  await page.getByText('No asks match these filters.').waitFor()
})

test('[INBOX-20] the history is sorted by the time of the end, can be searched, and is exported as the filters select it', async () => {
  const inbox = await env.inbox()
  const raise = async (title: string) => {
    const draft = aDeployment()
    return (await inbox.store.asks.raise({ ...draft, question: { ...draft.question, title } as Question })).id
  }
  const [first, second] = [await raise('Deploy the shop'), await raise('Deploy the blog')]
  for (const id of [second, first])
    await inbox.store.asks.answer({ tenant, id, person: ann, via: 'inbox', answer: { action: 'decline' } })
  const { page } = await env.visit(inbox)
  await page.goto(`${inbox.url}/history`)
  await page.locator('.row').nth(1).waitFor()
  expect(await page.locator('.row-what').allTextContents()).toEqual(['Deploy the shop', 'Deploy the blog'])

  await page.getByRole('searchbox', { name: 'Search' }).fill('blog')
  await page.waitForURL(/text=blog/)
  await page.locator('.row', { hasText: 'shop' }).waitFor({ state: 'detached' })
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export' }).click(),
  ])
  const rows = JSON.parse(readFileSync(await download.path(), 'utf8'))
  expect(rows).toMatchObject([{ id: second, question: 'Deploy the blog', outcome: 'Declined', by: 'Ann Lee' }])
})
