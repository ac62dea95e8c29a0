// Each page as a whole: accessibility, size, and no requests to other origins.
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { approved, verifyProof } from '@assent/core'
import { expect, test } from 'vitest'
import { builtWebApp } from '../../scripts/inbox/web-app.ts'
import { tenant } from '../../test-kit/gateway/inbox-server.ts'
import { aDeployment, raiseSamples, raiseSecret } from '../../test-kit/gateway/sample-asks.ts'
import { aLongDiff, aPhase, aPlan, aSharedApproval, aShortAsk, aYesNo } from './kinds.ts'
import { looks, violations } from './page-check.ts'
import { ann, testEnv, waitUntilActive } from './test-env.ts'

const env = testEnv()
const firstLoadBytes = 220_000

test('[INBOX-18] the script of the first load is under 220 kB, compressed', async () => {
  const inbox = await env.inbox()
  const { context } = await env.visit(inbox)
  await inbox.store.asks.raise(aDeployment())
  const page = await context.newPage()
  const scripts = new Set<string>()
  page.on('request', (request) => {
    if (request.resourceType() === 'script') scripts.add(new URL(request.url()).pathname)
  })
  await page.goto(inbox.url)
  await waitUntilActive(page)

  const folder = await builtWebApp()
  const bytes = [...scripts].reduce((sum, file) => sum + gzipSync(readFileSync(folder + file), { level: 9 }).length, 0)
  expect(scripts.size).toBeGreaterThan(0)
  expect(bytes).toBeLessThan(firstLoadBytes)
})

for (const [look, options] of Object.entries(looks)) {
  test(`[INBOX-19] axe finds no accessibility violation, no small text, no faint border and on a phone no small control on any page (${look})`, async () => {
    const inbox = await env.inbox()
    const { page } = await env.visit(inbox, ann, options)
    await page.getByText('Nothing is waiting for you.').waitFor()
    expect(await violations(page), 'empty').toEqual([])
    await page.getByRole('button', { name: 'Show me an example' }).click()
    await waitUntilActive(page)
    expect(await violations(page), 'example').toEqual([])

    const ids: Record<string, string> = { ...(await raiseSamples(inbox.store)) }
    for (const [name, draft] of Object.entries({
      'yes/no': aYesNo(),
      plan: aPlan(),
      phase: aPhase(),
      diff: aLongDiff(),
      expired: aShortAsk(),
      'several approvers': aSharedApproval(),
    }))
      ids[name] = (await inbox.store.asks.raise(draft)).id
    await page.locator('.row:visible').first().waitFor()
    expect(await violations(page), 'list').toEqual([])
    for (const [name, id] of Object.entries(ids)) {
      await page.evaluate(`history.pushState(null, '', '/asks/${id}'); dispatchEvent(new PopStateEvent('popstate'))`)
      await page.locator(`[data-ask="${id}"]`).waitFor()
      const details = page.getByRole('button', { name: /^Details/ })
      if ((await details.count()) > 0) await details.click()
      expect(await violations(page), name).toEqual([])
    }
    await page.keyboard.press('?')
    expect(await violations(page), 'keys').toEqual([])
    await page.keyboard.press('Escape')
    await inbox.store.asks.answer({
      tenant,
      id: ids.approval ?? '',
      person: ann,
      via: 'inbox',
      answer: { action: 'accept', content: approved },
    })
    const secret = await raiseSecret(inbox.store, inbox.url)
    for (const path of [
      `/secret/${secret.page}`,
      `/asks/${secret.ask}`,
      '/secret/none',
      `/asks/${ids.approval}`,
      '/history',
      `/history/${ids.approval}`,
      '/statistics',
      '/sign-in',
      '/asks/none',
    ]) {
      await page.goto(inbox.url + path)
      await page.locator('main > *').first().waitFor()
      await page.locator('.loading').first().waitFor({ state: 'detached' })
      expect(await violations(page), path).toEqual([])
      const check = page.getByRole('button', { name: 'Check the audit log' })
      if ((await check.count()) === 0) continue
      await check.click()
      await page.getByText('The audit log is consistent').waitFor()
      expect(await violations(page), `${path} with its proof`).toEqual([])
    }
  })
}

test('[INBOX-20] history can be filtered and shows who decided what and when, and the statistics count it', async () => {
  const inbox = await env.inbox()
  const ids = await raiseSamples(inbox.store)
  const decide = (id = '') =>
    inbox.store.asks.answer({ tenant, id, person: ann, via: 'inbox', answer: { action: 'decline', comment: 'no' } })
  await decide(ids.approval)
  await decide(ids.choices)
  const { page } = await env.visit(inbox)
  await page.getByRole('link', { name: 'History' }).click()
  await page.locator('.row').nth(1).waitFor()
  await page.getByRole('button', { name: 'More filters' }).click()
  await page.getByRole('combobox', { name: 'Server' }).click()
  await page.getByRole('option', { name: 'studio' }).click()
  await page.locator('.row', { hasText: 'Deploy to production' }).first().waitFor({ state: 'detached' })
  await page.waitForURL(/server=studio/)
  await page.locator('.row').first().click()
  await page.getByText(/You declined this, /).waitFor()
  await page.getByText(/, after .*\d+ (?:s|min)/).waitFor()
  await page.getByRole('combobox', { name: 'Outcome' }).click()
  await page.getByRole('option', { name: 'Expired' }).click()
  await page.getByText('No asks match these filters.').waitFor()
  await page.getByRole('combobox', { name: 'Outcome' }).click()
  await page.getByRole('option', { name: 'Declined' }).click()
  await page.locator('.row').first().waitFor()
  await page.waitForURL(/outcome=declined/)
  await page.getByRole('link', { name: 'Statistics' }).click()
  const endings = page.locator('.chart', { hasText: 'How do asks end?' })
  expect(await endings.getByRole('row', { name: /Declined/ }).textContent()).toContain('3 (100%)')
})

test('[PROOF-1] [PROOF-2] the proof of a decision is shown, and the downloaded file can be verified elsewhere', async () => {
  const inbox = await env.inbox()
  const { id } = await inbox.store.asks.raise(aDeployment())
  await inbox.store.asks.answer({ tenant, id, person: ann, via: 'inbox', answer: { action: 'accept' } })
  const { page } = await env.visit(inbox)
  await page.goto(`${inbox.url}/history/${id}`)
  await page.getByRole('button', { name: 'Check the audit log' }).click()
  await page.getByText(/matches its signed checkpoint: 2 entries; 1 ask and 1 grant match it\./).waitFor()
  expect(await page.locator('.proof tbody tr').count()).toBe(2)

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download the proof' }).click(),
  ])
  expect(download.suggestedFilename()).toBe(`${id}.json`)
  const proof = JSON.parse(readFileSync(await download.path(), 'utf8'))
  expect(verifyProof(proof)).toMatchObject({ ok: true })
  expect(verifyProof({ ...proof, entries: proof.entries.slice(1) })).toMatchObject({ ok: false })
})

test('[INBOX-20] an empty inbox shows an example card that runs nothing', async () => {
  const inbox = await env.inbox()
  const { page } = await env.visit(inbox)
  await page.evaluate(() => localStorage.removeItem('assent-example-seen'))
  await page.getByRole('button', { name: 'Show me an example' }).click()
  await waitUntilActive(page)
  await page.getByRole('button', { name: 'Yes', exact: true }).click()
  await page.getByText('You answered the example: Yes. Nothing ran').waitFor()
  expect((await inbox.store.inbox.page({ tenant, person: ann, show: 'ended' })).asks).toEqual([])
})
