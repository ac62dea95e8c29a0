// Messages to approvers from the real program: webhook and mail, reloads, several gateways, a crash.

import { join } from 'node:path'
import { createKeyRing } from '@assent/core'
import { openPostgres, openSqlite } from '@assent/store'
import pg from 'pg'
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { closeAfterTest, listening } from '../../../../test-kit/close-after-test.ts'
import { onlyTenant } from '../call/local-person.ts'
import { aMailServer } from '../notify/mail-server.suite.ts'
import { anApprovalBy, inboxUrl, privateText } from '../notify/message-asks.suite.ts'
import { aDatabase, aKey, aRunningGateway } from './process.suite.ts'
import { localKeyRing } from './state.ts'

const secret = `whsec_${Buffer.alloc(32, 9).toString('base64')}`

interface Event {
  readonly id: string
  readonly headers: Record<string, string>
  readonly body: string
}

async function aReceiver() {
  const events: Event[] = []
  const receiver = { events, url: '', isSilent: false }
  const { url } = await listening(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    events.push({ id: String(request.headers['webhook-id']), headers: request.headers as Record<string, string>, body })
    if (!receiver.isSilent) response.end()
  })
  return Object.assign(receiver, { url: `${url}/hooks/s3cret-path` })
}

function configFor(url: string, more: readonly string[] = [], channels = '[bus]'): string {
  return [
    'servers: { none: { command: none } }',
    'asks: { surfaces: [inbox] }',
    `inbox: { url: "${inboxUrl}" }`,
    'notify:',
    '  networks: [127.0.0.0/8]',
    `  to: { group:ops: ${channels} }`,
    ...more.map((line) => `  ${line}`),
    '  channels:',
    `    bus: { webhook: { url: "${url}", secret: "\${env:HOOK_SECRET}" } }`,
    ...(channels.includes('mail') ? ['    mail: { mail: { to: [ops@example.com] } }'] : []),
  ].join('\n')
}

const draft = () => anApprovalBy(['group:ops'], { tenant: onlyTenant })
const decider = { principal: 'dee', groups: ['ops'] }

test('[MESSAGE-2] [MESSAGE-6] a gateway notifies approvers by webhook and mail, and applies new settings at a reload', async () => {
  const [first, second, mail] = [await aReceiver(), await aReceiver(), await aMailServer()]
  const smtp = `smtp: { host: 127.0.0.1, port: ${mail.port}, tls: none, from: assent@example.com }`
  const gateway = await aRunningGateway(configFor(first.url, [smtp], '[bus, mail]'), { HOOK_SECRET: secret })
  const path = join(gateway.folder, 'assent.db')
  const store = await openSqlite(path, { keys: localKeyRing(path) })
  closeAfterTest(() => store.close())

  const { tenant, id } = await store.asks.raise(draft(), undefined, undefined, true)
  await expect.poll(() => [first.events.length, mail.mails.length]).toEqual([1, 1])
  const [{ headers, body } = { headers: {}, body: '' }] = first.events
  const link = `${inboxUrl}asks/${id}`
  expect(new Webhook(secret).verify(body, headers)).toMatchObject({ data: { ask: id, title: 'Roll out', link } })
  expect(mail.mails[0]?.text.replaceAll('=\r\n', '')).toContain(link)

  await gateway.reload(configFor(second.url))
  await store.asks.answer({ tenant, id, person: decider, via: 'inbox', answer: { action: 'accept' } })
  await expect.poll(() => second.events.map(({ id: message }) => message)).toEqual([`${id}_ended`])

  const metrics = await (await fetch(new URL('/metrics', gateway.url))).text()
  expect(metrics).toContain('assent_messages_total{channel="bus",result="sent"} 2')
  expect(await gateway.stop()).toBe(0)
  for (const hidden of [secret, 's3cret-path', privateText, 'Roll out'])
    expect(gateway.received.err).not.toContain(hidden)
})

test('[MESSAGE-9] two gateways send each message once; the message of a killed one is sent again by the next, with the same id', async () => {
  const { url: database } = await aDatabase()
  const receiver = await aReceiver()
  const config = `${configFor(receiver.url)}\nkeys: { k1: "${aKey}" }`
  const variables = { HOOK_SECRET: secret, ASSENT_STORE: database, ASSENT_CLUSTER_LISTEN: '127.0.0.1:0' }
  const [one, two] = [await aRunningGateway(config, variables), await aRunningGateway(config, variables)]
  const keys = createKeyRing([{ id: 'k1', secret: new Uint8Array(Buffer.from(aKey, 'base64')) }])
  const store = await openPostgres(database, { keys })
  closeAfterTest(() => store.close())
  for (let n = 0; n < 10; n++) await store.asks.raise(draft(), undefined, undefined, true)
  await expect.poll(() => receiver.events.length).toBe(10)
  await two.stop()
  expect(new Set(receiver.events.map(({ id }) => id)).size).toBe(10)

  receiver.isSilent = true
  await store.asks.raise(draft(), undefined, undefined, true)
  await expect.poll(() => receiver.events.length).toBe(11)
  await one.stop('SIGKILL')
  receiver.isSilent = false
  await aRunningGateway(config, variables)
  const admin = new pg.Client(database)
  await admin.connect()
  // Instead of waiting for the end of the lease.
  await admin.query('update assent.outbox set claimed_until = 1 where claimed_by is not null')
  await admin.end()
  await expect.poll(() => receiver.events.length).toBe(12)

  const [before, again] = receiver.events.slice(10)
  expect(again).toMatchObject({ id: before?.id, body: before?.body })
  expect(new Webhook(secret).verify(again?.body ?? '', again?.headers ?? {})).toMatchObject({ type: 'ask.raised' })
}, 300_000)
