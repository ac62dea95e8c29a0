// Messages of every format, read by a robot like those of mail scanners and chat programs.

import { expect, test } from 'vitest'
import { aBrowser } from '../../../../test-kit/chromium.ts'
import { closeAfterTest, listening } from '../../../../test-kit/close-after-test.ts'
import { startInboxServer, tenant } from '../../../../test-kit/gateway/inbox-server.ts'
import { decisionBody, linksIn, sendEverything, useEverything } from '../../../../test-kit/gateway/message-robot.ts'
import { SigningBrowser } from '../../../../test-kit/gateway/signing-browser.ts'
import { configOf, oneServer } from '../config/read-config.suite.ts'
import { aMailServer } from '../notify/mail-server.suite.ts'
import { anApprovalBy } from '../notify/message-asks.suite.ts'
import { startNotifications } from '../notify/start-notifications.ts'
import { createLog } from '../telemetry/log.ts'
import { NotifyMetrics } from '../telemetry/notify-metrics.ts'

const secret = `whsec_${Buffer.alloc(32, 9).toString('base64')}`

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
  const { texts: seen, pressed } = await useEverything(await browser.newContext(), link)

  expect(pressed).toBeGreaterThan(0)
  expect(seen.join('\n')).not.toMatch(/Roll out|pr1vate|deploy/)
  const ask = await store.asks.read(tenant, id)
  expect(ask).toMatchObject({ state: { kind: 'open' }, votes: [] })
  expect(await store.grants.read(tenant, id)).toBeUndefined()
  expect(await store.audit.verify(tenant)).toMatchObject({ ok: true, lastSeq: 1 })

  // The same request decides if a person with a session sends it.
  const dee = await SigningBrowser.signIn(await inbox.linkFor({ principal: 'dee', groups: ['ops'] }))
  expect((await dee.post(`/api/asks/${id}/answer`, decisionBody('accept'))).status).toBe(200)
  expect(await store.asks.read(tenant, id)).toMatchObject({ state: { kind: 'settled', by: 'dee' } })
})
