// A robot like those of mail scanners and chat programs: it opens every link in a message, runs the scripts of the page,
// fills in and submits every form, clicks everything, and follows what it finds.

import { randomBytes } from 'node:crypto'
import { newId } from '@assent/core'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { aBrowser } from '../../../../test-kit/chromium.ts'
import { closeAfterTest, listening } from '../../../../test-kit/close-after-test.ts'
import { startInboxServer, tenant } from '../../../../test-kit/gateway/inbox-server.ts'
import { fromOurPage, SigningBrowser } from '../../../../test-kit/gateway/signing-browser.ts'
import { configOf, oneServer } from '../config/read-config.suite.ts'
import { aMailServer } from '../notify/mail-server.suite.ts'
import { anApprovalBy } from '../notify/message-asks.suite.ts'
import { startNotifications } from '../notify/start-notifications.ts'
import { createLog } from '../telemetry/log.ts'
import { NotifyMetrics } from '../telemetry/notify-metrics.ts'

const secret = `whsec_${Buffer.alloc(32, 9).toString('base64')}`
const answers = ['accept', 'decline', 'cancel'] as const

/** The addresses in a text, also across the soft line breaks of a mail. */
function linksIn(text: string): string[] {
  const joined = text.replaceAll('=\r\n', '').replaceAll('=3D', '=')
  return [...new Set(Array.from(joined.matchAll(/https?:\/\/[^\s"'<>|\\]+/g), ([link]) => link))]
}

/** The body with which the web app decides. */
function decision(action: (typeof answers)[number]) {
  return { decisionId: newId('decision', Date.now(), randomBytes), answer: { action } }
}

/** Requests of every method, and everything that the web app sends to decide, except the proof of a session. */
async function sendEverything(link: string, askId: string): Promise<number[]> {
  const { origin } = new URL(link)
  for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
    await fetch(link, { method, ...(['GET', 'HEAD'].includes(method) ? {} : { body: 'action=accept' }) })
  const statuses: number[] = []
  for (const action of answers) {
    const body = JSON.stringify(decision(action))
    const answer = new URL(`/api/asks/${askId}/answer`, origin)
    statuses.push((await fetch(answer, { method: 'POST', headers: fromOurPage(origin), body })).status)
    for (const path of [answer, new URL(link)])
      for (const type of ['application/x-www-form-urlencoded', 'text/plain'])
        await fetch(path, {
          method: 'POST',
          headers: { ...fromOurPage(origin), 'content-type': type },
          body: `action=${action}`,
        })
  }
  return statuses
}

/** Everything on a page that a program could press. */
const pressable = 'a[href], button, input, [role=button], summary'

async function useEverything(page: Page, link: string): Promise<{ texts: string[]; pressed: number }> {
  const texts: string[] = []
  let pressed = 0
  await page.goto(link, { waitUntil: 'networkidle' })
  const count = await page.locator(pressable).count()
  for (let n = 0; n < count; n++) {
    await page.goto(link, { waitUntil: 'networkidle' })
    texts.push((await page.locator('body').textContent()) ?? '')
    for (const input of await page.locator('input, textarea').all()) await input.fill('accept').catch(() => undefined)
    await page
      .locator(pressable)
      .nth(n)
      .click({ timeout: 2_000, force: true })
      .catch(() => undefined)
    pressed++
  }
  await page.evaluate('for (const form of document.forms) form.submit()')
  await page.waitForLoadState('networkidle')
  return { texts, pressed }
}

test('[MESSAGE-10] a robot that opens every link and submits every form in all messages decides nothing', async () => {
  const inbox = await startInboxServer()
  closeAfterTest(() => inbox.close())
  const { store } = inbox
  const mail = await aMailServer()
  const bodies: string[] = []
  const { url } = await listening(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    bodies.push(body)
    response.end()
  })
  const channels = ['standard', 'slack', 'teams', 'ntfy'].map(
    (format) =>
      `    ${format}: { webhook: { url: "${url}/${format}", format: ${format}${format === 'standard' ? `, secret: ${secret}` : ''} } }`,
  )
  const { notify } = configOf(
    [
      oneServer,
      'asks: { surfaces: [inbox] }',
      'notify:',
      '  networks: [127.0.0.0/8]',
      '  to: { group:ops: [standard, slack, teams, ntfy, mail] }',
      '  channels:',
      ...channels,
      '    mail: { mail: { to: [ops@example.com] } }',
      `  smtp: { host: 127.0.0.1, port: ${mail.port}, tls: none, from: assent@example.com }`,
    ].join('\n'),
  )
  const log = createLog({ level: 'error', redact: () => (text) => text })
  const notifications = startNotifications({
    store,
    tenant,
    settings: { notify },
    inboxUrl: inbox.url,
    log,
    metrics: new NotifyMetrics(),
    pollMs: 20,
  })
  closeAfterTest(() => notifications.close())
  const draft = anApprovalBy(['group:ops'], { title: 'Roll out https://evil.example/approve' })
  const { id } = await store.asks.raise(draft, undefined, undefined, true)
  await expect.poll(() => [bodies.length, mail.mails.length]).toEqual([4, 1])

  // The links to the inbox: the only ones for a person, in every message the same.
  const texts = [...bodies, ...mail.mails.map(({ text }) => text)]
  const found = texts.map((text) => linksIn(text).filter((link) => link.startsWith(inbox.url)))
  expect(found).toEqual(Array(5).fill([`${inbox.url}/asks/${id}`]))
  const [link = ''] = found[0] ?? []
  expect(await sendEverything(link, id)).toEqual([401, 401, 401])
  const browser = await aBrowser()
  closeAfterTest(() => browser.close())
  const { texts: seen, pressed } = await useEverything(await browser.newPage(), link)

  expect(pressed).toBeGreaterThan(0)
  expect(seen.join('\n')).not.toMatch(/Roll out|pr1vate|deploy/)
  const ask = await store.asks.read(tenant, id)
  expect(ask).toMatchObject({ state: { kind: 'open' }, votes: [] })
  expect(await store.grants.read(tenant, id)).toBeUndefined()
  expect(await store.audit.verify(tenant)).toMatchObject({ ok: true, lastSeq: 1 })

  // The same request decides if a person with a session sends it.
  const dee = await SigningBrowser.signIn(await inbox.linkFor({ principal: 'dee', groups: ['ops'] }))
  expect((await dee.post(`/api/asks/${id}/answer`, decision('accept'))).status).toBe(200)
  expect(await store.asks.read(tenant, id)).toMatchObject({ state: { kind: 'settled', by: 'dee' } })
})
