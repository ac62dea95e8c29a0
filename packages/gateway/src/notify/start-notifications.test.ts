import { createKeyRing } from '@assent/core'
import { openSqlite } from '@assent/store'
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { closeAfterTest, listening } from '../../../../test-kit/close-after-test.ts'
import { configOf, oneServer } from '../config/read-config.suite.ts'
import { createLog } from '../telemetry/log.ts'
import { NotifyMetrics } from '../telemetry/notify-metrics.ts'
import { prometheusText } from '../telemetry/prometheus.ts'
import { aMailServer } from './mail-server.suite.ts'
import { anApprovalBy, aStore, inboxUrl, privateText, tenant } from './message-asks.suite.ts'
import { type Notifications, startNotifications } from './start-notifications.ts'

const secret = `whsec_${Buffer.alloc(32, 9).toString('base64')}`

interface Event {
  readonly headers: Record<string, string>
  readonly body: string
}

async function aReceiver(status: () => number = () => 200) {
  const events: Event[] = []
  const { url } = await listening(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    events.push({ headers: request.headers as Record<string, string>, body })
    response.writeHead(status()).end()
  })
  return { events, url: `${url}/hooks/s3cret-path` }
}

function notifyOf(...lines: string[]) {
  const text = [oneServer, 'asks: { surfaces: [inbox] }', 'notify:', ...lines.map((line) => `  ${line}`)].join('\n')
  return configOf(text).notify
}

/** Notifications on a store of their own, with what they log and count. */
async function aNotifier(notify: ReturnType<typeof notifyOf>, store = aStore(Date.now)) {
  const lines: string[] = []
  const metrics = new NotifyMetrics()
  const log = createLog({ level: 'debug', redact: () => (text) => text, write: (line) => lines.push(line) })
  const parts = { store: await store, tenant, inboxUrl, log, metrics, pollMs: 10 }
  const notifications = startNotifications({ ...parts, settings: { notify } })
  closeAfterTest(() => notifications.close())
  return { ...parts, notifications, lines, counted: () => prometheusText(metrics.metrics()) }
}

function announced({
  notifications,
  store,
}: {
  notifications: Notifications
  store: Awaited<ReturnType<typeof aStore>>
}) {
  const draft = anApprovalBy(['group:ops'])
  return store.asks.raise(draft, undefined, undefined, notifications.reaches(draft))
}

test('[MESSAGE-2] [MESSAGE-3] [MESSAGE-4] approvers are notified by a signed webhook and by mail, with the title and the link only', async () => {
  const [receiver, mail] = [await aReceiver(), await aMailServer()]
  const notifier = await aNotifier(
    notifyOf(
      'networks: [127.0.0.0/8]',
      'to: { group:ops: [bus, mail] }',
      `channels: { bus: { webhook: { url: "${receiver.url}", secret: ${secret} } }, mail: { mail: { to: [ops@example.com] } } }`,
      `smtp: { host: 127.0.0.1, port: ${mail.port}, tls: none, from: assent@example.com }`,
    ),
  )
  const { store } = notifier
  const { id } = await announced(notifier)
  await expect.poll(() => [receiver.events.length, mail.mails.length]).toEqual([1, 1])
  const person = { principal: 'dee', groups: ['ops'] }
  await store.asks.answer({ tenant, id, person, via: 'inbox', answer: { action: 'decline', comment: privateText } })
  await expect.poll(() => [receiver.events.length, mail.mails.length]).toEqual([2, 2])

  const verified = receiver.events.map(({ headers, body }) => new Webhook(secret).verify(body, headers))
  const link = `https://assent.example.com/asks/${id}`
  expect(verified).toMatchObject([
    { type: 'ask.raised', data: { ask: id, title: 'Roll out', link } },
    { type: 'ask.ended', data: { ask: id, title: 'Roll out', link, outcome: 'declined' } },
  ])
  const all = [...receiver.events.map(({ body }) => body), ...mail.mails.map(({ raw }) => raw)].join('\n')
  for (const text of [privateText, 'dee', 'requester', 'rollout']) expect(all).not.toContain(text)
  await expect.poll(notifier.counted).toContain('assent_messages_total{channel="bus",result="sent"} 2')
  expect(notifier.counted()).toContain('assent_messages_total{channel="mail",result="sent"} 2')
})

test('[MESSAGE-6] [WATCH-1] a failure is logged and counted with the name of the channel, without its address and secrets', async () => {
  const receiver = await aReceiver(() => 500)
  const notifier = await aNotifier(
    notifyOf(
      'networks: [127.0.0.0/8]',
      'to: { group:ops: [bus, away] }',
      `channels: { bus: { webhook: { url: "${receiver.url}", secret: ${secret} } }, away: { webhook: { url: "http://127.0.0.1:1/s3cret-path", format: slack } } }`,
    ),
  )
  const { id } = await announced(notifier)

  await expect.poll(notifier.counted).toContain('assent_messages_total{channel="bus",result="failed"} 1')

  const logged = notifier.lines.map((line) => JSON.parse(line))
  expect(logged).toContainEqual(
    expect.objectContaining({
      level: 'warn',
      channel: 'bus',
      ask: id,
      kind: 'raised',
      attempt: 1,
      reason: 'status 500',
    }),
  )
  expect(logged).toContainEqual(expect.objectContaining({ channel: 'away', reason: 'ECONNREFUSED' }))
  const text = notifier.lines.join('')
  for (const hidden of ['s3cret-path', secret, 'Roll out', privateText]) expect(text).not.toContain(hidden)
})

test('[MESSAGE-1] without notify nothing is announced, claimed or sent, and a reload can begin and end it', async () => {
  const receiver = await aReceiver()
  const notify = notifyOf(
    'networks: [127.0.0.0/8]',
    'to: { group:ops: [bus] }',
    `channels: { bus: { webhook: { url: "${receiver.url}", secret: ${secret} } } }`,
  )
  const notifier = await aNotifier(undefined)
  const { store, notifications } = notifier
  expect(notifications.reaches(anApprovalBy(['group:ops']))).toBe(false)
  await store.asks.raise(anApprovalBy(['group:ops']), undefined, undefined, true)
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(receiver.events).toEqual([])

  notifications.reload({ notify })
  expect(notifications.reaches(anApprovalBy(['group:ops']))).toBe(true)
  await expect.poll(() => receiver.events.length).toBe(1)

  notifications.reload({ notify: undefined })
  await store.asks.raise(anApprovalBy(['group:ops']), undefined, undefined, true)
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(receiver.events).toHaveLength(1)
})

test('[MESSAGE-5] a webhook on this machine is refused unless its network is stated', async () => {
  const receiver = await aReceiver()
  const stated = notifyOf(
    'networks: [127.0.0.0/8]',
    'to: { group:ops: [bus] }',
    `channels: { bus: { webhook: { url: "${receiver.url}", secret: ${secret} } } }`,
  )
  // As a name that passed the check of the configuration and leads to this machine.
  const notifier = await aNotifier(stated === undefined ? undefined : { ...stated, networks: [] })
  await announced(notifier)

  await expect.poll(() => notifier.lines.join('')).toContain('address refused')
  expect(receiver.events).toEqual([])
})

test('[MESSAGE-9] two gateways on one store send each message once', async () => {
  const receiver = await aReceiver()
  const notify = notifyOf(
    'networks: [127.0.0.0/8]',
    'to: { group:ops: [bus] }',
    `channels: { bus: { webhook: { url: "${receiver.url}", secret: ${secret} } } }`,
  )
  const store = aStore(Date.now)
  const [one] = [await aNotifier(notify, store), await aNotifier(notify, store)]
  for (let n = 0; n < 10; n++) await announced(one)

  await expect.poll(() => receiver.events.length).toBe(10)
  await new Promise((resolve) => setTimeout(resolve, 100))

  const ids = receiver.events.map(({ headers }) => headers['webhook-id'])
  expect(new Set(ids).size).toBe(10)
  expect(ids).toHaveLength(10)
})

test('[MESSAGE-6] while the store is unavailable, the attempts to read it are few, and a gateway can still stop', async () => {
  const receiver = await aReceiver()
  const notify = notifyOf(
    'networks: [127.0.0.0/8]',
    'to: { group:ops: [bus] }',
    `channels: { bus: { webhook: { url: "${receiver.url}", secret: ${secret} } } }`,
  )
  const keys = createKeyRing([{ id: 'test', secret: new Uint8Array(32).fill(5) }])
  const store = await openSqlite(':memory:', { keys })
  await store.close()
  const { notifications, lines } = await aNotifier(notify, Promise.resolve(store))
  await expect.poll(() => lines.length).toBeGreaterThan(0)
  await new Promise((resolve) => setTimeout(resolve, 200))

  expect(lines).toEqual([expect.stringContaining('"level":"error"')])
  await notifications.close()
})
