// Pictures of states that need an inbox of their own: no agent, signed out, passkeys, answered by
// another person, a yes that can be undone.
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { type InboxServer, startInboxServer } from '../../test-kit/gateway/inbox-server.ts'
import { aGate, eitherOfUs } from '../../test-kit/gateway/sample-asks.ts'

const ann = { principal: 'ann', groups: [] }

type Take = (browser: Browser, look: BrowserContextOptions, save: (page: Page) => Promise<void>) => Promise<void>

/** By the name of the picture. */
export const statePictures: Readonly<Record<string, Take>> = {
  'no-agent': async (browser, look, save) => {
    // As `assent inbox open` starts it.
    await withInbox({ ownAgents: 0 }, async (inbox) => {
      const page = await (await browser.newContext(look)).newPage()
      await page.addInitScript(() => localStorage.setItem('assent-example-seen', 'yes'))
      await page.goto(await inbox.linkFor(ann))
      await page.getByText('No agent is running.').waitFor()
      await save(page)
      await page.context().close()
    })
  },
  'sign-in': async (browser, look, save) => {
    const openTab = async () => undefined
    await withInbox({ openTab }, async (inbox) => {
      const { id } = await inbox.store.asks.raise(aGate())
      const page = await (await browser.newContext(look)).newPage()
      await page.goto(`${inbox.url}/asks/${id}`)
      await page.getByRole('button', { name: 'Open a signed-in tab' }).waitFor()
      await save(page)
      await page.context().close()
    })
  },
  passkeys: async (browser, look, save) => {
    await withInbox({ presence: () => 'approvals' }, async (inbox) => {
      const page = await (await browser.newContext(look)).newPage()
      await addAuthenticator(page)
      // Passkeys are for host names.
      const link = (await inbox.linkFor(ann)).replace('127.0.0.1', 'localhost')
      await page.goto(link)
      await page.getByRole('navigation', { name: 'Pages' }).waitFor()
      await page.goto(`${new URL(link).origin}/passkeys`)
      await page.getByLabel('Name of the new passkey').fill('Laptop')
      await page.getByRole('button', { name: 'Add a passkey' }).click()
      await page.getByText('Laptop', { exact: true }).waitFor()
      await save(page)
      await page.context().close()
    })
  },
  'answered-by-other': async (browser, look, save) => {
    await withInbox({}, async (inbox) => {
      const draft = aGate({ caller: { client: 'Claude Code' }, approvalRule: eitherOfUs })
      const { id, tenant } = await inbox.store.asks.raise(draft)
      const page = await (await browser.newContext(look)).newPage()
      await page.goto(await inbox.linkFor(ann))
      await page.getByRole('navigation', { name: 'Pages' }).waitFor()
      await page.goto(`${inbox.url}/asks/${id}`)
      await page.locator('.card').waitFor()
      const answer = { action: 'decline', comment: 'Wait for the database backup.' }
      await inbox.store.asks.answer({ tenant, id, person: { principal: 'ben', groups: [] }, via: 'inbox', answer })
      await page.locator('.settled').waitFor()
      await save(page)
      await page.context().close()
    })
  },
  undo: async (browser, look, save) => {
    await withInbox({}, async (inbox) => {
      const { id } = await inbox.store.asks.raise(aGate({ caller: { client: 'Claude Code' } }))
      const page = await (await browser.newContext(look)).newPage()
      await page.goto(await inbox.linkFor(ann))
      await page.getByRole('navigation', { name: 'Pages' }).waitFor()
      await page.goto(`${inbox.url}/asks/${id}`)
      await page.locator('.card').waitFor()
      await page.waitForTimeout(700)
      await page.getByRole('button', { name: 'Approve' }).click()
      await page.getByRole('button', { name: 'Undo' }).waitFor()
      await save(page)
      await page.context().close()
    })
  },
}

async function withInbox(
  options: Parameters<typeof startInboxServer>[0],
  use: (inbox: InboxServer) => Promise<void>,
): Promise<void> {
  const inbox = await startInboxServer(options)
  await use(inbox)
  await inbox.close()
}

async function addAuthenticator(page: Page): Promise<void> {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable', { enableUI: false })
  await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...({ protocol: 'ctap2', transport: 'internal' } as const),
      ...{ hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
    },
  })
}
