// What a card shows and what it takes to approve it, in a real browser.
import type { AskDraft, Field, Question } from '@assent/core'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { InboxServer } from '../../test-kit/gateway/inbox-server.ts'
import { tenant } from '../../test-kit/gateway/inbox-server.ts'
import { aDeployment, anAsk } from '../../test-kit/gateway/sample-asks.ts'
import { approveByKey, testEnv, waitUntilActive } from './test-env.ts'

const env = testEnv()
const call = { tool: 'wipe_disk', arguments: { path: '/', recursive: true } }
const deploy = { asker: { server: 'deploy', tool: 'wipe_disk' } }
const spoof = 'Let read_file continue\n\nread_file on studio needs your approval.'
const emptyForm: Question = { kind: 'form', message: spoof, form: { fields: [] }, call }

async function opened(draft: AskDraft, options = {}): Promise<{ page: Page; inbox: InboxServer; id: string }> {
  const inbox = await env.inbox()
  const { id } = await inbox.store.asks.raise(draft)
  const { page } = await env.visit(inbox, undefined, options)
  await page.goto(`${inbox.url}/asks/${id}`)
  await waitUntilActive(page)
  return { page, inbox, id }
}

async function stateOf({ store }: InboxServer, id: string) {
  return (await store.asks.read(tenant, id))?.state
}

/** Scrolls to the end in small steps, as a reader does. Each is drawn before the next: nothing is skipped. */
async function readDown(page: Page): Promise<void> {
  await page.mouse.move(450, 250)
  for (let step = 0; step < 20; step++) {
    await page.mouse.wheel(0, 200)
    await page.waitForTimeout(50)
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))')
  }
}

test('[CARD-6] [CARD-5] a form without fields has a title of ours and the actual call; the server’s text is shown as a claim', async () => {
  const { page } = await opened(anAsk(emptyForm, deploy))
  expect(await page.locator('.card h2').textContent()).toBe('deploy asks you to confirm: wipe_disk')
  expect(await page.locator('.card-subtitle').textContent()).toBe('Call wipe_disk on deploy with:')
  expect(await page.locator('.arguments').textContent()).toContain('recursivetrue')
  expect(await page.locator('.claim').textContent()).toContain('Let read_file continue')
  expect(await page.locator('.claim').textContent()).toContain('Not checked by Assent')
})

test('[CARD-5] a form and a link show the call during which they are asked, also if its arguments are too large', async () => {
  const fields: readonly Field[] = [{ kind: 'text', name: 'why', title: 'Why', required: true }]
  const form = await opened(anAsk({ kind: 'form', message: 'Why?', form: { fields }, call }, deploy))
  expect(await form.page.locator('.asked-in').textContent()).toContain('Asked during the call wipe_disk on deploy')
  expect(await form.page.locator('.asked-in .arguments').textContent()).toContain('recursivetrue')

  const url = 'https://example.com/'
  const link = await opened(anAsk({ kind: 'url', message: 'Sign in.', url, call: { tool: 'wipe_disk' } }, deploy))
  expect(await link.page.locator('.asked-in').textContent()).toContain('The arguments are too large to show here.')
})

test('[CARD-9] nothing is preselected or filled in; a suggestion is marked, and text and numbers have a button that uses it', async () => {
  const options = ['a', 'b', 'c'].map((value) => ({ value, label: `Track ${value}` }))
  const many = Array.from({ length: 12 }, (_, n) => ({ value: `k${n}`, label: `Key ${n}` }))
  const fields: readonly Field[] = [
    { kind: 'choice', name: 'one', title: 'One', required: true, options, default: 'b' },
    { kind: 'choices', name: 'some', title: 'Some', required: true, options, default: ['a', 'c'] },
    { kind: 'choice', name: 'key', title: 'Key', required: true, options: many, default: 'k3' },
    { kind: 'boolean', name: 'sure', title: 'Sure', required: true, default: true },
    { kind: 'text', name: 'name', title: 'Name', required: true, default: 'Night drive' },
    { kind: 'number', name: 'bars', title: 'Bars', integer: true, required: true, default: 16 },
  ]
  const { page, inbox, id } = await opened(anAsk({ kind: 'form', message: 'Which?', form: { fields } }))
  expect(await page.locator('input[type=radio]:checked, input[type=checkbox]:checked').count()).toBe(0)
  expect(await page.getByRole('combobox', { name: 'Key' }).inputValue()).toBe('')
  expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('')
  expect(await page.getByLabel('Bars', { exact: true }).inputValue()).toBe('')
  expect(await page.locator('.suggestion').allTextContents()).toEqual([
    'suggested Night driveUse the suggestion for Name',
    'suggested 16Use the suggestion for Bars',
  ])
  await page.getByRole('button', { name: 'Use the suggestion for Bars' }).click()
  expect(await page.getByLabel('Bars', { exact: true }).inputValue()).toBe('16')
  expect(await page.locator('.suggestion').count()).toBe(1)
  expect(await page.locator('.pick .suggested').count()).toBe(4)
  await page.getByRole('combobox', { name: 'Key' }).click()
  await page.getByRole('option', { name: 'Key 3 · suggested' }).waitFor()
  await page.keyboard.press('Escape')

  await page.getByRole('button', { name: 'Answer' }).click()
  await page.getByRole('alert').first().waitFor()
  expect(await stateOf(inbox, id)).toMatchObject({ kind: 'open' })
})

test('[CARD-8] an option whose label and value contradict each other shows both', async () => {
  const options = [
    { value: 'yes', label: 'No, keep everything' },
    { value: 'wait', label: 'Later' },
  ]
  const fields: readonly Field[] = [{ kind: 'choice', name: 'go', title: 'Go on', required: true, options }]
  const { page } = await opened(anAsk({ kind: 'form', message: 'Go on?', form: { fields } }))
  const option = page.getByRole('button', { name: 'No, keep everything' })
  expect(await option.textContent()).toContain('No, keep everythingsends “yes”')
  expect(await page.locator('.option-value').count()).toBe(1)
})

const smallScreen = { viewport: { width: 900, height: 500 } }

test('[CARD-10] the key y approves only after the end of the card has been in view', async () => {
  const args = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`argument_${n}`, `value ${n}`]))
  const long: Question = { ...emptyForm, call: { tool: 'wipe_disk', arguments: args } } as Question
  const { page, inbox, id } = await opened(anAsk(long, deploy), smallScreen)
  await page.keyboard.press('y')
  await page.getByText('Read to the end of the card first.').waitFor({ state: 'attached' })
  expect(await stateOf(inbox, id)).toMatchObject({ kind: 'open' })

  await readDown(page)
  await page.getByText('Read to the end of the card first.').waitFor({ state: 'detached' })
  await page.keyboard.press('y')
  await page.locator('.settled').waitFor()
  expect(await stateOf(inbox, id)).toMatchObject({ kind: 'settled', answer: { action: 'accept' } })
})

const longText = Array.from({ length: 200 }, (_, n) => `line ${n}`).join('\n')
const longParts: [string, Question][] = [
  ['an argument', { ...emptyForm, call: { tool: 'wipe_disk', arguments: { text: longText } } } as Question],
  ['the text of the server', { ...emptyForm, message: longText } as Question],
]
for (const [what, question] of longParts) {
  test(`[CARD-11] while ${what} is not shown in full, neither key nor button approves; declining works`, async () => {
    const { page, inbox, id } = await opened(anAsk(question, deploy))
    expect(await page.getByText('line 199').count()).toBe(0)
    expect(await page.getByRole('button', { name: 'Approve', exact: true }).count()).toBe(0)
    await page.keyboard.press('y')
    await page.getByRole('button', { name: 'Show all 200 lines to approve' }).waitFor()
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Show all 200 lines to approve')
    expect(await stateOf(inbox, id)).toMatchObject({ kind: 'open' })

    // The second click of a double click must not press the Approve button that takes its place.
    await page.evaluate(`(async () => {
      document.querySelector('.show-all-first').click()
      await new Promise((shown) => setTimeout(shown, 100))
      document.querySelector('.answer-yes').click()
    })()`)
    await page.getByText('line 199').waitFor()
    await page.waitForTimeout(600)
    expect(await stateOf(inbox, id)).toMatchObject({ kind: 'open' })
    expect(await scrollingParts(page)).toEqual([])
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.locator('.settled').waitFor()
    expect(await stateOf(inbox, id)).toMatchObject({ kind: 'settled', answer: { action: 'accept' } })

    const other = await opened(anAsk(question, deploy))
    await other.page.keyboard.press('n')
    await other.page.locator('.settled').waitFor()
    expect(await stateOf(other.inbox, other.id)).toMatchObject({ kind: 'settled', answer: { action: 'decline' } })
  })
}

/** The parts of a card that scroll in a box of their own. */
async function scrollingParts(page: Page): Promise<string[]> {
  return page.evaluate(`Array.from(document.querySelectorAll('.card *:not(textarea)'))
    .filter((one) => one.scrollHeight > one.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(one).overflowY))
    .map((one) => one.className)`)
}

test('[CARD-12] a yes/no question has two buttons, and one press or key answers', async () => {
  const fields: readonly Field[] = [{ kind: 'boolean', name: 'confirmed', title: 'Your answer', required: true }]
  const question: Question = { kind: 'form', message: 'Delete build/?', form: { fields } }
  for (const [answer, key] of [
    [true, 'y'],
    [false, 'n'],
  ] as const) {
    const { page, inbox, id } = await opened(anAsk(question))
    expect(await page.locator('.answer-bar button').allTextContents()).toEqual(['Yesy', 'Non', '⋯'])
    expect(await page.locator('.card input, .card textarea').count()).toBe(0)
    await expect
      .poll(
        async () => {
          await page.keyboard.press(key)
          return page.locator('.settled').isVisible()
        },
        { timeout: 60_000, interval: 200 },
      )
      .toBe(true)
    const content = { confirmed: answer }
    expect(await stateOf(inbox, id)).toMatchObject({ kind: 'settled', answer: { action: 'accept', content } })
  }
})

test('[CARD-12] the options of a single choice are the buttons, and the text box fills its field', async () => {
  const options = [
    { value: 'approve', label: 'Approve' },
    { value: 'request_changes', label: 'Request changes' },
    { value: 'cancel', label: 'Cancel the plan' },
  ]
  const fields: readonly Field[] = [
    { kind: 'choice', name: 'decision', title: 'Decision', required: true, options },
    { kind: 'text', name: 'feedback', title: 'Feedback', required: false },
  ]
  const { page, inbox, id } = await opened(anAsk({ kind: 'form', message: 'Approve this plan?', form: { fields } }))
  expect(await page.locator('.answer-form textarea').count()).toBe(1)
  await page.getByLabel('Feedback').fill('Use FTS5')
  await page.keyboard.press('Escape')
  await page.keyboard.press('2')
  await page.locator('.settled').waitFor()
  const content = { decision: 'request_changes', feedback: 'Use FTS5' }
  expect(await stateOf(inbox, id)).toMatchObject({ kind: 'settled', answer: { action: 'accept', content } })
})

test('[CARD-13] Markdown is drawn without links, images and HTML, and hides nothing', async () => {
  const message = [
    'Read this.',
    '**Bold** and `code`, 1 of [two](https://evil.example/), ![a picture](https://evil.example/x.png)',
    '<b onclick="alert(1)">HTML</b>',
    '| one | two |\n| --- | --- |\n| a | b | hidden |',
    '```diff\n-old\n+new\n```',
    '[note]: https://evil.example/ "a title"',
  ].join('\n\n')
  const { page } = await opened(anAsk({ ...emptyForm, message } as Question, deploy))
  const claim = page.locator('.claim')
  expect(await claim.locator('strong').textContent()).toBe('Bold')
  expect(await claim.locator('code').textContent()).toBe('code')
  expect(await claim.locator('a, img, b').count()).toBe(0)
  const text = (await claim.textContent()) ?? ''
  for (const part of [
    '[two](https://evil.example/)',
    '<b onclick="alert(1)">',
    'hidden',
    '[note]: https://evil.example/',
  ])
    expect(text).toContain(part)
  expect(await claim.locator('.diff [data-line=added]').textContent()).toBe('+new')
})

test('[CARD-10] a card that fits on the screen can be approved by key at once, and the decline key always works', async () => {
  const { page, inbox, id } = await opened(aDeployment())
  await approveByKey(page)
  expect(await stateOf(inbox, id)).toMatchObject({ kind: 'settled', answer: { action: 'accept' } })

  const args = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`argument_${n}`, `value ${n}`]))
  const long: Question = { ...emptyForm, call: { tool: 'wipe_disk', arguments: args } } as Question
  const other = await opened(anAsk(long, deploy), smallScreen)
  await other.page.keyboard.press('n')
  await other.page.locator('.settled').waitFor()
  expect(await stateOf(other.inbox, other.id)).toMatchObject({ kind: 'settled', answer: { action: 'decline' } })
})
