// Passkeys in a real browser, with its virtual authenticator.
import { decisionForm } from '@assent/core'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { InboxServer } from '../../test-kit/gateway/inbox-server.ts'
import { tenant } from '../../test-kit/gateway/inbox-server.ts'
import { aDeployment, aForm, anAsk } from '../../test-kit/gateway/sample-asks.ts'
import { ann, testEnv, waitUntilActive } from './test-env.ts'

const env = testEnv()

interface Authenticator {
  /** Whether the person passes the check of their device; otherwise the prompt ends as if they had closed it. */
  verify(isVerified: boolean): Promise<void>
  count(): Promise<number>
}

async function addAuthenticator(page: Page): Promise<Authenticator> {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable', { enableUI: false })
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...({ protocol: 'ctap2', transport: 'internal' } as const),
      ...{ hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
    },
  })
  return {
    verify: async (isUserVerified) =>
      void (await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified })),
    count: async () => (await cdp.send('WebAuthn.getCredentials', { authenticatorId })).credentials.length,
  }
}

/** Passkeys are for host names, so the page is opened at localhost. */
async function visit(inbox: InboxServer) {
  const link = (await inbox.linkFor(ann)).replace('127.0.0.1', 'localhost')
  const visited = await env.visitLink(link)
  return { ...visited, url: new URL(link).origin, authenticator: await addAuthenticator(visited.page) }
}

async function addPasskey(page: Page, url: string, name: string): Promise<void> {
  await page.goto(`${url}/passkeys`)
  await page.getByLabel('Name of the new passkey').fill(name)
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByText(name, { exact: true }).waitFor()
}

const destructive = () =>
  anAsk(
    { kind: 'form', message: 'Delete the old builds?', form: decisionForm, isDestructive: true },
    { needsPresence: true },
  )

test('[PRESENCE-11] Approve asks for the passkey, a closed prompt changes nothing, and there is no time to undo', async () => {
  const inbox = await env.inbox({ presence: () => 'approvals' })
  const { page, url, authenticator } = await visit(inbox)
  const { id } = await inbox.store.asks.raise(destructive())
  await page.goto(`${url}/asks/${id}`)
  await waitUntilActive(page)
  await page.getByText('Accepting this asks for your passkey.').waitFor()
  await page.getByRole('button', { name: 'Approve' }).click()
  await page.getByText(/you have none\. Add one/).waitFor()
  await addPasskey(page, url, 'Laptop')
  expect(await authenticator.count()).toBe(1)

  await page.goto(`${url}/asks/${id}`)
  await waitUntilActive(page)
  await page.getByRole('button', { name: 'Add a comment' }).click()
  await page.locator('textarea[data-comment]').fill('only the old ones')
  await authenticator.verify(false)
  await page.getByRole('button', { name: 'Approve' }).click()
  await expect.poll(() => page.locator('button[data-loading]').count()).toBe(0)
  expect(await page.locator('textarea[data-comment]').inputValue()).toBe('only the old ones')
  expect(await page.locator('.problem').count()).toBe(0)
  expect((await inbox.store.asks.read(tenant, id))?.state.kind).toBe('open')

  await authenticator.verify(true)
  await page.getByRole('button', { name: 'Approve' }).click()
  expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0)
  await page
    .getByText(/You approved this with a passkey/)
    .first()
    .waitFor()
  expect((await inbox.store.asks.read(tenant, id))?.state).toMatchObject({
    kind: 'settled',
    answer: { comment: 'only the old ones' },
    presence: { origin: url, rpId: 'localhost' },
  })
  expect(await inbox.store.record.verify(tenant)).toMatchObject({ ok: true })
})

test('[PRESENCE-11] declining and dismissing ask for no passkey, and a filled-in form does if the setting is `all`', async () => {
  const inbox = await env.inbox({ presence: () => 'all' })
  const { page, url } = await visit(inbox)
  await addPasskey(page, url, 'Laptop')
  const declined = await inbox.store.asks.raise(aDeployment())
  await page.goto(`${url}/asks/${declined.id}`)
  await waitUntilActive(page)
  await page.getByRole('button', { name: 'Decline' }).click()
  await page.locator('.settled').waitFor()
  const fields = [{ kind: 'text', name: 'title', title: 'Title', required: true }] as const
  const asked = await inbox.store.asks.raise(aForm('What is its title?', fields))
  await page.goto(`${url}/asks/${asked.id}`)
  await waitUntilActive(page)
  await page.getByRole('textbox', { name: 'Title' }).fill('Aria')
  await page.getByRole('button', { name: 'Answer' }).click()
  await page.locator('.settled').waitFor()
  const states = await Promise.all([declined.id, asked.id].map((id) => inbox.store.asks.read(tenant, id)))
  expect(states.map((ask) => ask?.state.kind === 'settled' && ask.state.presence !== undefined)).toEqual([false, true])
})

test('[PRESENCE-12] the page lists, adds and removes passkeys, and every page shows what changed', async () => {
  const inbox = await env.inbox({ presence: () => 'approvals' })
  const { page, url, authenticator } = await visit(inbox)
  expect(await page.locator('.notices').count()).toBe(0)
  await addPasskey(page, url, 'Laptop')
  await page.getByText('A passkey was added: Laptop.').waitFor()
  await authenticator.verify(false)
  await page.getByRole('button', { name: 'Remove Laptop' }).click()
  await expect.poll(() => page.locator('button[data-loading]').count()).toBe(0)
  expect(await page.locator('.passkey-list li').count()).toBe(1)
  await authenticator.verify(true)
  await page.getByRole('button', { name: 'Remove Laptop' }).click()
  await page.getByText('You have no passkeys.').waitFor()
  await page.goto(url)
  await page.getByText('A passkey was removed: Laptop.').waitFor()
  await inbox.store.passkeys.recordSetting(tenant, 'all')
  await inbox.store.passkeys.recordSetting(tenant, 'none')
  await page.reload()
  await page.getByText('inbox.presence was changed from all to none.').waitFor()
})

test('[PRESENCE-12] a passkey is not offered where browsers have none: the page says where it works', async () => {
  const inbox = await env.inbox({ presence: () => 'approvals' })
  const link = (await inbox.linkFor(ann)).replace('localhost', '127.0.0.1')
  const { page } = await env.visitLink(link)
  await addAuthenticator(page)
  await page.goto(`${new URL(link).origin}/passkeys`)
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByText(/Open the inbox at http:\/\/localhost/).waitFor()
})

test('[PAGE-9] adding and removing a passkey are announced and move the focus, and a closed prompt returns it', async () => {
  const inbox = await env.inbox({ presence: () => 'approvals' })
  const { page, url, authenticator } = await visit(inbox)
  const focused = () => page.evaluate<string>('document.activeElement.textContent')
  const status = page.getByRole('status').filter({ hasText: 'Laptop' })
  await addPasskey(page, url, 'Laptop')
  await status.getByText('Laptop was added.').waitFor()
  await expect.poll(focused).toBe('Add a passkey')

  await authenticator.verify(false)
  const remove = page.getByRole('button', { name: 'Remove Laptop' })
  await remove.focus()
  await page.keyboard.press('Enter')
  await expect.poll(() => page.locator('button[data-loading]').count()).toBe(0)
  await expect.poll(focused).toBe('Remove')
  await authenticator.verify(true)
  await page.keyboard.press('Enter')
  await status.getByText('Laptop was removed.').waitFor()
  await expect.poll(focused).toBe('Passkeys')
})

test('[PRESENCE-13] the page names the command for lost passkeys: with accounts it is one for an administrator', async () => {
  const inbox = await env.inbox({ presence: () => 'approvals' })
  const { page, url } = await visit(inbox)
  await addPasskey(page, url, 'Laptop')
  await page.getByText('If you lost all of them, run assent passkeys reset.').waitFor()
  await page.route('**/api/sign-in', (route) => route.fulfill({ json: { way: 'account', issuer: 'id.example' } }))
  await page.reload()
  await page.getByText('an administrator can run assent passkeys reset --config assent.yaml --person').waitFor()
  expect(await page.getByText('run assent passkeys reset.').count()).toBe(0)
})
