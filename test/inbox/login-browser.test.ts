// The program, a real OpenID provider, agents with bearer tokens, and people who sign in with a real browser and answer what their
// own agents ask.
import { execFileSync } from 'node:child_process'
import axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { aProcessOf, aRunningGateway, assent } from '../../packages/gateway/src/program/process.suite.ts'
import { aBrowser } from '../../test-kit/chromium.ts'
import { freePort } from '../../test-kit/listen.ts'
import { whichRegion } from '../../test-kit/mcp/asking-tools.ts'
import { patientName } from '../../test-kit/mcp/client.ts'
import { aClient } from '../../test-kit/mcp/scripted-client.ts'
import { agentToken } from '../../test-kit/oidc/login-browser.ts'
import { anIssuer, audience, inboxClient } from '../../test-kit/oidc/provider.ts'
import { signInOnPage } from '../../test-kit/oidc/sign-in-page.ts'
import { until } from '../../test-kit/until.ts'
import { untilReady } from './login-env.ts'
import { waitUntilActive } from './test-env.ts'

vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 })
let browser: Browser
beforeAll(async () => {
  execFileSync('npm', ['run', '--silent', 'web'])
  browser = await aBrowser()
})
afterAll(() => browser.close())

async function aTeam() {
  const origin = `http://127.0.0.1:${await freePort()}`
  const issuer = await anIssuer([`${origin}/sign-in/callback`])
  onTestFinished(() => issuer.stop())
  const config = `
identity: { issuer: "${issuer.url}", audience: "${audience}" }
inbox: { url: "${origin}", client_id: ${inboxClient.id}, client_secret: "\${env:INBOX_SECRET}" }
asks: { surfaces: [client, inbox] }
servers: { a: ${aProcessOf('2026-07-28')} }`
  const variables = { ASSENT_LISTEN: new URL(origin).host, INBOX_SECRET: inboxClient.secret }
  const gateway = await aRunningGateway(config, variables)
  await untilReady(origin)
  return { origin, issuer, config, gateway, variables }
}

async function aPage(): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1120, height: 780 }, reducedMotion: 'reduce' })
  onTestFinished(() => context.close())
  await context.addInitScript(() => localStorage.setItem('assent-example-seen', 'yes'))
  context.setDefaultTimeout(60_000)
  return context.newPage()
}

/** Without the provider's cookies: it has the same host here, and cookies do not depend on the port. */
async function ourCookies(page: Page) {
  return (await page.context().cookies()).filter(({ name }) => name.startsWith('assent'))
}

const pictures = process.env.ASSENT_TEST_PICTURES

async function picture(page: Page, name: string): Promise<void> {
  if (pictures !== undefined) await page.screenshot({ path: `${pictures}/${name}.png` })
}

test.each(['2025-11-25', '2026-07-28'] as const)(
  '[LOGIN-9] a person can answer what their agent asks over %s with a bearer token by signing in with the same account; other people cannot',
  async (generation) => {
    const { origin, issuer, gateway } = await aTeam()
    const client = await aClient(generation, gateway.url, {
      name: patientName,
      elicitation: 'none',
      token: await agentToken(issuer.url, 'ann'),
    })
    const calling = client.call('ask', { questions: [whichRegion] })
    const [ann, mallory] = [await aPage(), await aPage()]

    await ann.goto(`${origin}/history`)
    await ann.getByText('You are signed out.').waitFor()
    await picture(ann, `signed-out-${generation}`)
    await signInOnPage(ann, 'ann')
    await ann.waitForURL(`${origin}/history`)
    await ann.getByRole('button', { name: 'Ann Lee' }).waitFor()
    await ann.goto(origin)
    await ann.locator('.row').first().click()
    await waitUntilActive(ann)
    await picture(ann, `card-${generation}`)
    await ann.waitForURL(/\/asks\/ask_/)
    const place = ann.url()

    // Another person with the same display name, at the same URL.
    await mallory.goto(place)
    await mallory.getByText('You are signed out.').waitFor()
    await signInOnPage(mallory, 'mallory')
    await mallory.waitForURL(place)
    await mallory.getByText('Not found, or you do not have access.').waitFor()
    await picture(mallory, `stranger-${generation}`)

    await ann.getByRole('button', { name: 'eu', exact: true }).click()
    await ann.getByText(/You chose “eu”/).waitFor()
    expect(await calling).toMatchObject({ content: [{ type: 'text', text: 'done' }] })

    expect((await ourCookies(ann)).map(({ httpOnly, sameSite }) => ({ httpOnly, sameSite }))).toEqual([
      { httpOnly: true, sameSite: 'Strict' },
    ])
    await ann.getByRole('button', { name: 'Ann Lee' }).click()
    await ann.getByRole('button', { name: 'Sign out' }).click()
    await ann.getByText('You are signed out.').waitFor()
    await until(async () => ((await ourCookies(ann)).length === 0 ? true : undefined))
    expect(gateway.lines().filter(({ level }) => level === 'error')).toEqual([])
    expect(gateway.received.err).not.toContain(inboxClient.secret)
  },
)

test('[LOGIN-9] [INBOX-19] a cancelled sign-in is reported, and the next one returns to the same page', async () => {
  const { origin } = await aTeam()
  const page = await aPage()
  await page.goto(`${origin}/statistics`)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('[ Cancel ]').click()
  await page.getByText('The sign-in was cancelled.').waitFor()
  await page.getByRole('button', { name: 'Sign in' }).waitFor()
  await page.evaluate(axe.source)
  expect(await page.evaluate('axe.run().then(({ violations }) => violations)')).toEqual([])
  await picture(page, 'called-off')

  await signInOnPage(page, 'ann')
  await page.waitForURL(`${origin}/statistics`)
  await page.getByRole('button', { name: 'Ann Lee' }).waitFor()
})

test('[PROG-18] with `identity`, people sign in with an account: `inbox link` and `--stdio` are refused', async () => {
  const { gateway, variables, origin } = await aTeam()
  const around = { folder: gateway.folder, variables }

  const link = await assent(['inbox', 'link', '--config', 'assent.yaml'], around)
  const stdio = await assent(['gateway', '--config', 'assent.yaml', '--stdio'], around)

  expect(link).toMatchObject({ code: 1, out: '', err: expect.stringContaining('their own account') })
  expect(link.err).toContain(origin)
  expect(stdio).toMatchObject({ code: 3, err: expect.stringContaining('Remove identity') })
})
