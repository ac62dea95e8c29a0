// Answering in a real browser: every kind of field, every outcome, with mouse and keyboard, two people at once.
import type { AskDraft, Content, Field } from '@assent/core'
import type { Store } from '@assent/store'
import type { Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { tenant } from '../../test-kit/gateway/inbox-server.ts'
import { aDeployment, aForm, aLink, eitherOfUs, forms, twoOfUs } from '../../test-kit/gateway/sample-asks.ts'
import { ann, answerFromMenu, ben, testEnv, waitUntilActive, writeComment } from './test-env.ts'

const env = testEnv()

test('[INBOX-15] signing in by link removes the code from the URL, and the link works once', async () => {
  const inbox = await env.inbox()
  const link = await inbox.linkFor(ann)
  const { page, context } = await env.visit(inbox)
  await page.waitForURL(`${inbox.url}/`)
  // Over http the session is not a cookie: browsers send cookies to every port of this machine.
  expect(await context.cookies()).toEqual([])

  // A browser that is signed in uses the link up, and keeps its session.
  const other = await context.newPage()
  await other.goto(link)
  await other.getByText('Nothing is waiting for you.').waitFor()
  await other.waitForURL(`${inbox.url}/`)
  const elsewhere = await context.browser()?.newContext()
  onTestFinished(() => elsewhere?.close())
  const stranger = await elsewhere?.newPage()
  await stranger?.goto(link)
  await stranger?.getByText('This link is no longer valid.').waitFor({ timeout: 60_000 })
})

test('[LOCAL-12] a link leads to its page, also in a browser that is signed in, and never to another site', async () => {
  const inbox = await env.inbox()
  const { page, context } = await env.visit(inbox)
  for (const [to, path] of [
    ['/history', '/history'],
    ['//evil.example/x', '/'],
    ['https://evil.example/', '/'],
    ['/sign-in', '/'],
  ] as const) {
    const other = await context.newPage()
    await other.goto(`${await inbox.linkFor(ann)}&${new URLSearchParams({ to })}`)
    await other.waitForURL(`${inbox.url}${path}`)
    await other.close()
  }
  await page.getByText('Nothing is waiting for you.').waitFor()
})

test('[LOCAL-12] a page without a session has the inbox open its page in a signed-in tab', async () => {
  const opened: string[] = []
  const openTab = async (path: string) => void opened.push(path)
  const inbox = await env.inbox({ openTab })
  const { page } = await env.visit(inbox)
  await page.goto(`${inbox.url}/asks/ask_1`)
  await page.getByRole('button', { name: 'Ann Lee' }).click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: 'Open a signed-in tab' }).click()
  await page.getByText('Your browser opens the inbox in a new tab.').waitFor()
  expect(opened).toEqual(['/asks/ask_1'])
})

test('[INBOX-15] signing out ends the session on every page of the browser', async () => {
  const inbox = await env.inbox()
  const { page, context } = await env.visit(inbox)
  const other = await context.newPage()
  await other.goto(inbox.url)
  await other.getByText('Nothing is waiting for you.').waitFor()
  await page.getByRole('button', { name: 'Ann Lee' }).click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByText('You are signed out.').waitFor()
  await other.getByText('You are signed out.').waitFor()
  expect(await context.cookies()).toEqual([])
})

test('[INBOX-15] every kind of field can be filled in, and its value arrives unchanged', async () => {
  const inbox = await env.inbox()
  const ids: Record<string, string> = {}
  for (const [name, { message, fields }] of Object.entries(forms)) {
    ids[name] = (await inbox.store.asks.raise(aForm(message, fields))).id
  }
  const { page } = await env.visit(inbox)

  await open(page, inbox.url, ids.text)
  await page.getByRole('button', { name: 'Use the suggestion for Name' }).click()
  expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Night drive')
  expect(await page.locator('.suggestion').count()).toBe(0)
  await page.getByLabel('Name', { exact: true }).fill('Day walk')
  await page.getByLabel('Liner notes').fill('One line\nand another')
  await sendForm(page)
  expect(await contentOf(inbox.store, ids.text)).toEqual({ name: 'Day walk', notes: 'One line\nand another' })

  await open(page, inbox.url, ids.formats)
  await page.getByLabel('Email').fill('ann@example.com')
  await page.getByLabel('Agenda').fill('https://example.com/agenda')
  await page.getByLabel('Day').fill('2026-11-20')
  await page.getByLabel('Begins at').fill('2026-11-20T09:30:00')
  await sendForm(page)
  const formats = await contentOf(inbox.store, ids.formats)
  expect(formats).toMatchObject({ email: 'ann@example.com', page: 'https://example.com/agenda', day: '2026-11-20' })
  expect(String(formats.start)).toMatch(/^2026-11-20T09:30:00(?:Z|[+-]\d\d:\d\d)$/)

  await open(page, inbox.url, ids.numbers)
  await page.getByRole('button', { name: 'Use the suggestion for Tempo' }).click()
  await page.getByRole('slider', { name: 'Tempo' }).press('ArrowRight')
  await page.getByRole('textbox', { name: 'Gain' }).fill('-1.5')
  await page.getByLabel('Bars').fill('16')
  await page.getByRole('radio', { name: '3 of 5' }).focus()
  await page.keyboard.press('Space')
  await page.keyboard.press('ArrowRight')
  await sendForm(page)
  expect(await contentOf(inbox.store, ids.numbers)).toEqual({ tempo: 121, gain: -1.5, bars: 16, rating: 4 })

  await open(page, inbox.url, ids.choices)
  expect(await page.getByRole('radio', { name: 'Yes' }).isChecked()).toBe(false)
  await page.getByRole('radio', { name: 'No', exact: true }).check()
  await page.getByRole('radio', { name: 'C: half time' }).check()
  await page.getByRole('combobox', { name: 'Key' }).fill('F♯')
  await page.getByRole('option', { name: 'F♯' }).click()
  await page.getByRole('checkbox', { name: 'bass' }).check()
  await page.getByRole('checkbox', { name: 'voice' }).check()
  expect(await page.getByRole('checkbox', { name: 'drums' }).isDisabled()).toBe(true)
  await sendForm(page)
  expect(await contentOf(inbox.store, ids.choices)).toEqual({
    loop: false,
    variation: 'c',
    key: 'F♯',
    stems: ['bass', 'voice'],
  })
})

test('[INBOX-15] [FORM-19] [FORM-20] a list has one entry per line; a pattern and an exclusive bound are shown and checked', async () => {
  const inbox = await env.inbox()
  const fields: Field[] = [
    { kind: 'list', name: 'tags', title: 'Tags', required: true, item: { pattern: '^[a-z, ]+$' }, minItems: 2 },
    { kind: 'text', name: 'code', title: 'Code', required: true, pattern: '^[A-Z]{3}$' },
    { kind: 'number', name: 'price', title: 'Price', required: true, integer: false, above: 0 },
    { kind: 'number', name: 'seats', title: 'Seats', required: true, integer: true, nullable: true },
  ]
  const { id } = await inbox.store.asks.raise(aForm('What is it?', fields))
  const { page } = await env.visit(inbox)
  await open(page, inbox.url, id)
  await page.getByText('One entry per line. At least 2. Each must match ^[a-z, ]+$').waitFor()
  await page.getByText('A number, more than 0.').waitFor()
  await page.getByLabel('Tags').fill('red, dark\n\nblue\n')
  await page.getByLabel('Code').fill('abc')
  await page.getByLabel('Price').fill('0')
  await page.getByRole('button', { name: 'Answer' }).click()
  await page.getByText('Must match the pattern ^[A-Z]{3}$').waitFor()
  await page.getByText('Must be more than 0.').waitFor()
  await page.getByLabel('Code').fill('ABC')
  await page.getByLabel('Price').fill('2.5')
  await sendForm(page)

  expect(await contentOf(inbox.store, id)).toEqual({
    tags: ['red, dark', 'blue'],
    code: 'ABC',
    price: 2.5,
    seats: null,
  })
})

test('[INBOX-15] an invalid value gets an error message at its field, and the ask stays open', async () => {
  const inbox = await env.inbox()
  const { id } = await inbox.store.asks.raise(aForm('Who?', forms.formats?.fields ?? []))
  const { page } = await env.visit(inbox)
  await open(page, inbox.url, id)
  await page.getByLabel('Email').fill('nobody')
  await page.getByRole('button', { name: 'Answer' }).click()

  await page.getByText('Enter an email address like name@example.com.').waitFor()
  expect(await page.getByText('This is required.').count()).toBe(2)
  expect(await page.getByLabel('Email').getAttribute('aria-invalid')).toBe('true')
  await expect.poll(() => page.evaluate('document.activeElement.type'), { timeout: 60_000 }).toBe('email')
  expect((await inbox.store.asks.read(tenant, id))?.state.kind).toBe('open')
  await page.getByLabel('Email').fill('ann@example.com')
  await page.getByText('Enter an email address').waitFor({ state: 'detached' })
})

test('[INBOX-15] each answer leads to its own outcome, and an expired ask differs from a withdrawn one', async () => {
  const inbox = await env.inbox()
  const raise = async (changes: Partial<AskDraft> = {}) => (await inbox.store.asks.raise(aDeployment(changes))).id
  const ids = { declined: await raise(), dismissed: await raise(), gone: await raise() }
  const { page } = await env.visit(inbox)

  await open(page, inbox.url, ids.declined)
  await writeComment(page, 'wrong region')
  await page.getByRole('button', { name: 'Decline' }).click()
  await page.getByText(/You declined this, /).waitFor()
  await page.getByText('wrong region', { exact: true }).waitFor()
  await open(page, inbox.url, ids.dismissed)
  await answerFromMenu(page, 'Dismiss')
  await page.getByText(/You dismissed this, /).waitFor()
  await open(page, inbox.url, ids.gone)
  await inbox.store.asks.withdraw(tenant, ids.gone, 'caller-gone')
  await page.getByText('The agent that asked went away').waitFor()
  const late = await raise({ decideWithinMs: 5_000 })
  // Not `open`: on a slow machine it has expired before the page is there.
  await page.goto(`${inbox.url}/asks/${late}`)
  await page.getByText('Expired without an answer').waitFor()
  expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0)

  const states = await Promise.all(
    [ids.declined, ids.dismissed, ids.gone, late].map((id) => inbox.store.asks.read(tenant, id)),
  )
  expect(states.map((ask) => (ask?.state.kind === 'settled' ? ask.state.answer.action : ask?.state.kind))).toEqual([
    'decline',
    'cancel',
    'withdrawn',
    'expired',
  ])
})

test('[INBOX-15] a link is shown by its host, and can be opened only after approval and only if it is safe', async () => {
  const inbox = await env.inbox()
  const safe = await inbox.store.asks.raise(aLink('https://accounts.calendar.example/connect'))
  const unsafe = await inbox.store.asks.raise(aLink('https://calendar.example@evil.example/'))
  const { page } = await env.visit(inbox)
  await open(page, inbox.url, unsafe.id)
  expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0)
  await page.getByRole('heading', { name: 'Blocked link from calendar' }).waitFor()
  await open(page, inbox.url, safe.id)
  expect(await page.locator('.host strong').textContent()).toBe('calendar.example')
  expect(await page.locator('a[href*="calendar.example"]').count()).toBe(0)
  await page.getByRole('button', { name: 'Approve' }).click()
  const link = page.getByRole('link', { name: 'Open calendar.example in a new tab' })
  expect(await link.getAttribute('href')).toBe('https://accounts.calendar.example/connect')
  expect(await link.getAttribute('rel')).toBe('noopener noreferrer')
})

test('[INBOX-16] an ask can be selected and answered with the keyboard alone', async () => {
  const inbox = await env.inbox()
  const approval = await inbox.store.asks.raise(aDeployment())
  const form = await inbox.store.asks.raise(aForm('What shall it be called?', forms.text?.fields ?? []))
  const { page } = await env.visit(inbox)
  await waitUntilActive(page)
  await page.waitForURL(`${inbox.url}/asks/${form.id}`)
  expect(await page.evaluate('document.activeElement.tagName')).not.toBe('BUTTON')

  await page.keyboard.press('?')
  const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await help.waitFor()
  await page.keyboard.press('Escape')
  await help.waitFor({ state: 'hidden' })
  // The page's clock stands still, so that the key comes right after the card, however slow this machine is.
  await page.evaluate(() => {
    const now = performance.now()
    performance.now = () => now
  })
  await page.keyboard.press('j')
  await page.locator(`[data-ask="${approval.id}"]`).waitFor()
  // A key pressed right after a card appears is ignored: it may have been meant for the previous card.
  await page.keyboard.press('y')
  await page.evaluate(() => Reflect.deleteProperty(performance, 'now'))
  await waitUntilActive(page)
  await page.waitForURL(`${inbox.url}/asks/${approval.id}`)
  expect((await inbox.store.asks.read(tenant, approval.id))?.state.kind).toBe('open')
  await page.keyboard.press('k')
  await waitUntilActive(page)
  await page.keyboard.press('Enter')
  await page.keyboard.press('e')
  await page.keyboard.press('End')
  // Shortcuts are off while a person types.
  await page.keyboard.type('Dynamo and')
  await page.keyboard.press('Enter')
  expect((await inbox.store.asks.read(tenant, form.id))?.state.kind).toBe('open')
  await page.keyboard.press('Control+Enter')
  await page.getByText(/You (?:answered|chose|requested)/).waitFor()
  expect(await contentOf(inbox.store, form.id)).toEqual({ name: 'Dynamo and' })
  await page.keyboard.press('j')
  await waitUntilActive(page)
  await page.keyboard.press('n')
  await page.getByText(/You declined this/).waitFor()
})

test('[INBOX-17] new asks appear without a reload, and an answer updates the open page of another person', async () => {
  const inbox = await env.inbox()
  const [here, there] = [await env.visit(inbox, ann), await env.visit(inbox, ben)]
  await here.page.getByText('Nothing is waiting for you.').waitFor()
  const { id } = await inbox.store.asks.raise(aDeployment({ approvalRule: eitherOfUs }))
  for (const { page } of [here, there]) {
    await page.locator('.row', { hasText: 'Deploy to production' }).waitFor()
    await waitUntilActive(page)
  }
  await writeComment(there.page, 'after the freeze')
  await there.page.getByRole('button', { name: 'Decline' }).click()
  await here.page.getByText(/Ben Okafor declined this, /).waitFor()
  await here.page.getByText('after the freeze', { exact: true }).waitFor()
  expect(await here.page.getByRole('button', { name: 'Approve' }).count()).toBe(0)
  expect((await inbox.store.asks.read(tenant, id))?.state).toMatchObject({ by: 'ben' })
})

test('[INBOX-17] a page whose stream was refused reconnects and shows what it missed', async () => {
  const inbox = await env.inbox()
  const { page } = await env.visit(inbox)
  const refuse = { status: 409, contentType: 'application/json', body: '{}' }
  await page.route('**/api/changes', (route) => route.fulfill(refuse))
  await page.reload()
  await page.getByText('New questions may be missing here.').waitFor()
  await inbox.store.asks.raise(aDeployment())
  await page.unroute('**/api/changes')
  await page.locator('.row', { hasText: 'Deploy to production' }).waitFor()
  await page.getByText('New questions may be missing here.').waitFor({ state: 'detached' })
})

test('[INBOX-17] a late answer has no effect, and the page shows who answered first', async () => {
  const inbox = await env.inbox()
  const { id } = await inbox.store.asks.raise(aDeployment({ approvalRule: eitherOfUs }))
  const { page } = await env.visit(inbox)
  await waitUntilActive(page)
  // The page receives no changes, as on a broken network that recovers just before the click.
  await page.route('**/api/changes', (route) => route.fulfill({ contentType: 'text/event-stream', body: '' }))
  await page.reload()
  await waitUntilActive(page)
  await inbox.store.asks.answer({ tenant, id, person: ben, via: 'terminal', answer: { action: 'decline' } })
  await page.getByRole('button', { name: 'Approve' }).click()
  await page.getByText('Your answer came too late and changed nothing.').waitFor()
  await page.getByText(/Ben Okafor declined this from the terminal/).waitFor()
})

test('[INBOX-17] while the gateway cannot answer, an open card keeps what was typed', async () => {
  const inbox = await env.inbox()
  const { id } = await inbox.store.asks.raise(aDeployment({ approvalRule: twoOfUs }))
  const { page } = await env.visit(inbox)
  await waitUntilActive(page)
  await writeComment(page, 'typed before the outage')
  let refused = 0
  const problem = { code: 'unavailable', message: 'The database is unavailable.' }
  await page.route(`**/api/asks/${id}`, (route) => {
    refused += 1
    return route.fulfill({ status: 503, contentType: 'application/json', body: JSON.stringify(problem) })
  })
  await inbox.store.asks.answer({ tenant, id, person: ben, via: 'terminal', answer: { action: 'accept' } })
  // The first request and its retries.
  await expect.poll(() => refused, { timeout: 60_000 }).toBe(3)
  await page.waitForTimeout(1_000)
  expect(await page.locator('textarea[data-comment]').inputValue()).toBe('typed before the outage')

  await page.unroute(`**/api/asks/${id}`)
  await page.getByRole('button', { name: 'Approve' }).click()
  await page.getByText(/You and Ben Okafor approved this/).waitFor()
  expect((await inbox.store.asks.read(tenant, id))?.state).toMatchObject({ kind: 'settled' })
})

test('[INBOX-17] the card shows the number of approvals when several are needed', async () => {
  const inbox = await env.inbox()
  await inbox.store.asks.raise(aDeployment({ approvalRule: twoOfUs }))
  const [here, there] = [await env.visit(inbox, ann), await env.visit(inbox, ben)]
  await waitUntilActive(here.page)
  // A person cannot dismiss it for the others.
  await here.page.getByRole('button', { name: 'More', exact: true }).click()
  await here.page.getByRole('menuitem').first().waitFor()
  expect(await here.page.getByRole('menuitem').allTextContents()).toEqual([
    'Copy linkFor another person who may answer.',
  ])
  await here.page.keyboard.press('Escape')
  await here.page.getByRole('button', { name: 'Approve' }).click()
  await here.page.getByText('You have answered. Other people still have to decide.').waitFor()
  await there.page.locator('.card').getByText('1 of 2 approvals').waitFor()
  await waitUntilActive(there.page)
  await there.page.getByRole('button', { name: 'Approve' }).click()
  await here.page.getByText(/Ben Okafor approved this/).waitFor()
})

async function open(page: Page, url: string, id: string | undefined): Promise<void> {
  await page.goto(`${url}/asks/${id}`)
  await waitUntilActive(page)
}

async function sendForm(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Answer' }).click()
  await page.getByText(/You (?:answered|chose|requested)/).waitFor()
}

async function contentOf(store: Store, id: string | undefined): Promise<Content> {
  const ask = await store.asks.read(tenant, id ?? '')
  if (ask?.state.kind !== 'settled' || ask.state.answer.action !== 'accept')
    throw new Error('The ask was not accepted.')
  return { ...ask.state.answer.content }
}
