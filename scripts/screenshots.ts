// Pictures of the inbox, light and dark, wide and phone: `npm run screenshots` writes docs/screens/. With a folder and names,
// only those: `npm run screenshots -- /tmp/screens gate phase`; with a size or theme, only in that one:
// `npm run screenshots -- docs/screens gate phone dark`.
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqlite } from '@assent/store'
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { aBrowser } from '../test-kit/chromium.ts'
import { inboxServerKeys, startInboxServer, tenant } from '../test-kit/gateway/inbox-server.ts'
import { aGate, raiseSamples, raiseSecret } from '../test-kit/gateway/sample-asks.ts'
import { agentAsks } from './inbox/agent-asks.ts'
import { approvalPictures } from './inbox/approval-pictures.ts'
import { clientPictures } from './inbox/client-pictures.ts'
import { gateAsk } from './inbox/gate-ask.ts'
import { aPlayground } from './inbox/playground.ts'
import { writeSampleHistory } from './inbox/sample-history.ts'
import { statePictures } from './inbox/state-pictures.ts'
import { tryPicture } from './inbox/try-picture.ts'

const [into = 'docs/screens', ...words] = process.argv.slice(2)
const allSizes = { wide: { width: 1120, height: 780 }, phone: { width: 390, height: 844 } } as const
const allThemes = ['light', 'dark'] as const
const sizes = Object.entries(allSizes).filter(([size]) => isLook(size, Object.keys(allSizes)))
const themes = allThemes.filter((theme) => isLook(theme, allThemes))
const only = words.filter((word) => !(word in allSizes) && !allThemes.some((theme) => theme === word))
const isWanted = (name: string) => only.length === 0 || only.includes(name.replaceAll(' ', '-'))
/** For a page on a busy machine. */
const pageMs = 120_000
const everywhere = [
  'decision',
  'list',
  'bulk',
  'choices',
  'safe link',
  'settled',
  'expired',
  'history',
  'proof',
  'statistics',
] as const
/** Only wide and light. */
const once = ['one of', 'text', 'formats', 'numbers', 'unsafe link', 'odd link'] as const

const folder = await mkdtemp(join(tmpdir(), 'assent-pictures-'))
const path = join(folder, 'assent.db')
await writeSampleHistory(path, Date.now())
const inbox = await startInboxServer({ store: await openSqlite(path, { keys: inboxServerKeys }) })
const ids: Readonly<Record<string, string>> = { ...(await raiseSamples(inbox.store)), expired: await anExpiredAsk() }
const nothing = await startInboxServer()
await mkdir(into, { recursive: true })
const playing = await aPlayground()
const agent = await agentAsks()
const browser = await aBrowser()
try {
  for (const [size, viewport] of sizes) {
    for (const colorScheme of themes) {
      const context = await aContext({ viewport, colorScheme })
      const page = await signedIn(context)
      const isMain = size === 'wide' && colorScheme === 'light'
      const names: readonly string[] = isMain ? [...everywhere, ...once] : everywhere
      for (const name of names.filter(isWanted))
        await picture(page, name, `${into}/${name.replace(' ', '-')}-${size}-${colorScheme}.png`)
      if (isWanted('offline')) await offline(page, context, `${into}/offline-${size}-${colorScheme}.png`)
      if (isWanted('playground')) await playground(page, size, colorScheme)
      await context.close()
      const idle = await aContext({ viewport, colorScheme })
      if (isWanted('empty')) await empty(await idle.newPage(), `${into}/empty-${size}-${colorScheme}.png`)
      await idle.close()
      const other = await aContext({ viewport, colorScheme })
      if ([...agent.names, 'diff'].some(isWanted)) await agentCards(await other.newPage(), size, colorScheme)
      await other.close()
      const approving = await aContext({ viewport, colorScheme })
      if (isWanted('gate')) await gateCard(approving, size, colorScheme)
      await approving.close()
      for (const [name, take] of Object.entries(statePictures).filter(([one]) => isWanted(one))) {
        const look = { viewport, colorScheme, reducedMotion: 'reduce' } as const
        await take(browser, look, (page) => save(page, `${into}/${name}-${size}-${colorScheme}.png`))
      }
    }
  }
  if (isWanted('approval')) await approvalPictures(browser, (page, name) => save(page, `${into}/${name}.png`))
  if (isWanted('try')) await tryPicture(browser, (page) => save(page, `${into}/try-wide-light.png`))
  if (isWanted('clients')) await clientPictures(browser, (page, file) => save(page, `${into}/${file}`))
  // Last, so that it is in no other picture.
  const secretSizes = isWanted('secret') ? sizes : []
  const { ask: secretAsk, page: secret } = await raiseSecret(inbox.store, inbox.url)
  for (const [size, viewport] of secretSizes) {
    for (const colorScheme of themes) {
      const context = await aContext({ viewport, colorScheme })
      const page = await signedIn(context)
      await inbox.store.asks.seen(tenant, secretAsk, 0)
      await page.goto(`${inbox.url}/secret/${secret}`)
      await page.getByLabel('Secret', { exact: true }).fill('npm_0123456789abcdef')
      await save(page, `${into}/secret-${size}-${colorScheme}.png`, true)
      await context.close()
    }
  }
} finally {
  await browser.close()
  await playing.close()
  await agent.close()
  await nothing.close()
  await inbox.close()
  await rm(folder, { recursive: true, force: true })
}

function isLook(look: string, looks: readonly string[]): boolean {
  return words.includes(look) || !words.some((word) => looks.includes(word))
}

async function aContext(look: BrowserContextOptions): Promise<BrowserContext> {
  const context = await browser.newContext({ ...look, reducedMotion: 'reduce' })
  context.setDefaultTimeout(pageMs)
  return context
}

async function save(page: Page, file: string, fullPage = false): Promise<void> {
  // No button looks as if the mouse were on it, and no animation is half done.
  await page.mouse.move(0, 0)
  await page.waitForTimeout(400)
  await page.screenshot({ path: file, fullPage })
  console.log(file)
}

async function signedIn(context: BrowserContext, at = inbox): Promise<Page> {
  const page = await context.newPage()
  await page.goto(await at.linkFor({ principal: 'ann', groups: [] }))
  await page.getByRole('navigation', { name: 'Waiting for you' }).waitFor()
  return page
}

async function anExpiredAsk(): Promise<string> {
  const { id } = await inbox.store.asks.raise(aGate({ decideWithinMs: 1_000 }))
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  await inbox.store.sweep()
  return id
}

/** A card that was open when the connection was lost, with the hint that appears after ten seconds. */
async function offline(page: Page, context: BrowserContext, file: string): Promise<void> {
  await agentsAreWaiting()
  await page.goto(`${inbox.url}/asks/${ids.approval}`)
  await page.locator('.card').waitFor()
  await context.setOffline(true)
  await page.getByText('npx assent inbox open').waitFor({ timeout: 60_000 })
  await save(page, file)
  await context.setOffline(false)
}

async function empty(page: Page, file: string): Promise<void> {
  await page.addInitScript(() => localStorage.setItem('assent-example-seen', 'yes'))
  await page.goto(await nothing.linkFor({ principal: 'ann', groups: [] }))
  await page.locator('.empty').waitFor()
  await save(page, file)
}

/** A run of the deploy example: at its first question, and when it has finished. */
async function playground(page: Page, size: string, colorScheme: string): Promise<void> {
  const file = (name: string) => `${into}/${name}-${size}-${colorScheme}.png`
  // High enough for the form and the question below it.
  if (size === 'wide') await page.setViewportSize({ width: allSizes.wide.width, height: 1180 })
  await page.goto(playing.link())
  await page.getByRole('radio', { name: 'production' }).check()
  await page.getByRole('button', { name: 'Run' }).click()
  const card = page.locator('.run-question')
  await card.getByRole('button', { name: 'Europe' }).waitFor()
  await page.waitForTimeout(700)
  await card.scrollIntoViewIfNeeded()
  await save(page, file('playground'))
  await card.getByRole('button', { name: 'Europe' }).click()
  await card.getByRole('button', { name: /^Use the suggestion/ }).click()
  await page.waitForTimeout(700)
  await card.getByRole('button', { name: 'Answer' }).click()
  await card.getByRole('button', { name: 'Yes', exact: true }).waitFor()
  await page.waitForTimeout(700)
  await card.getByRole('button', { name: 'Yes', exact: true }).click()
  await card.getByRole('button', { name: 'Approve' }).waitFor()
  await page.waitForTimeout(700)
  await card.getByRole('button', { name: 'Approve' }).click()
  await page.locator('.run-result').waitFor()
  if (size === 'phone') await page.locator('.run-result').scrollIntoViewIfNeeded()
  await save(page, file('result'))
}

/** The approval of examples/deploy.ts behind a gateway. */
async function gateCard(context: BrowserContext, size: string, colorScheme: string): Promise<void> {
  const file = `${into}/gate-${size}-${colorScheme}.png`
  // Each time a new one, because its server waits for only five minutes.
  const gate = await gateAsk()
  const page = await signedIn(context, gate.inbox)
  await gate.inbox.store.asks.seen('default', gate.id, 0)
  await page.goto(`${gate.inbox.url}/asks/${gate.id}`)
  await page.locator('.card').waitFor()
  await save(page, file)
  await gate.close()
}

/** The cards of the built-in tools, in full. */
async function agentCards(page: Page, size: string, colorScheme: string): Promise<void> {
  await page.goto(await agent.link())
  await page.locator('.row').first().waitFor()
  // The picture `diff` shows the card of onboarding in full.
  for (const name of agent.names.filter((one) => isWanted(one) || (one === 'onboarding' && isWanted('diff')))) {
    const file = `${into}/${name}-${size}-${colorScheme}.png`
    if (size === 'phone') await page.goto(new URL('/', page.url()).href)
    await page.locator('.row', { hasText: agent.headline(name) }).click()
    await page.locator('.card', { hasText: agent.headline(name) }).waitFor()
    await page.waitForTimeout(250)
    await wholeCard(page, file)
    if (name !== 'onboarding' || !isWanted('diff')) continue
    await page.waitForTimeout(700)
    await page.getByRole('button', { name: /^Show all .* to (answer Yes|approve)$/ }).click()
    await wholeCard(page, `${into}/diff-${size}-${colorScheme}.png`)
  }
}

async function wholeCard(page: Page, file: string): Promise<void> {
  await page.evaluate(`document.querySelector('.detail').scrollTop = 0; scrollTo(0, 0)`)
  // On a phone the page scrolls, and the answers cover its end; on a wide screen the card scrolls beside the list.
  const height = Number(
    await page.evaluate(`Math.max(document.documentElement.scrollHeight,
      document.querySelector('.card').getBoundingClientRect().bottom + 40)`),
  )
  const viewport = page.viewportSize() ?? allSizes.wide
  await page.setViewportSize({ width: viewport.width, height: Math.max(viewport.height, Math.ceil(height)) })
  await save(page, file)
  await page.setViewportSize(viewport)
}

/** The samples have no agent that waits for them. */
async function agentsAreWaiting(): Promise<void> {
  for (const id of Object.values(ids)) await inbox.store.asks.seen(tenant, id, 0)
}

async function picture(page: Page, name: string, file: string): Promise<void> {
  await agentsAreWaiting()
  const places: Readonly<Record<string, string>> = {
    list: '/',
    bulk: '/',
    history: '/history',
    proof: '/history',
    statistics: '/statistics',
  }
  if ((page.viewportSize()?.width ?? 0) > 900) {
    // Before the page is loaded, because it scrolls the row of the open ask into view then.
    const isTall = ['choices', 'formats', 'numbers'].includes(name)
    await page.setViewportSize({ width: 1120, height: isTall ? 1100 : 780 })
  }
  await page.goto(inbox.url + (places[name] ?? `/asks/${ids[name]}`))
  await page.locator('.row:visible, .card, .chart').first().waitFor()
  if (name === 'proof' || (name === 'history' && (page.viewportSize()?.width ?? 0) > 900)) {
    await page.locator('.row').nth(1).click()
  }
  if (name === 'bulk') {
    await page.getByRole('button', { name: 'Select several' }).click()
    for (const at of [1, 2, 4]) await page.getByRole('checkbox').nth(at).check()
  }
  if (name === 'proof') {
    await page.getByRole('button', { name: 'Check the audit log' }).click()
    await page.getByText('The audit log is consistent').waitFor()
    await page.locator('.proof-hint').scrollIntoViewIfNeeded()
  }
  await save(page, file, name === 'statistics')
}
