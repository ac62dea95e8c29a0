import type { Approver } from '@assent/core'
import type { Store } from '@assent/store'
import { expect, test } from 'vitest'
import type { AskMessage } from './ask-message.ts'
import type { SendResult } from './channel.ts'
import { type DeliveryReport, Dispatcher } from './dispatcher.ts'
import { notifyLimits } from './limits.ts'
import { anApprovalBy, aStore, inboxUrl, minuteMs, noon, tenant } from './message-asks.suite.ts'

interface Sent {
  readonly channel: string
  readonly address: string | undefined
  readonly message: AskMessage
}

/** A dispatcher whose channels return what the test states, on a clock that only the test moves. */
async function aDispatcher({ remindBeforeMs = 10 * minuteMs } = {}) {
  let now = noon
  const store = await aStore(() => now)
  const sent: Sent[] = []
  const reports: DeliveryReport[] = []
  const errors: unknown[] = []
  const replies: Record<string, (message: AskMessage) => SendResult | Promise<SendResult>> = {}
  const channel = (name: string) => ({
    send: async (message: AskMessage, address: string | undefined): Promise<SendResult> => {
      sent.push({ channel: name, address, message })
      return replies[name]?.(message) ?? { ok: true }
    },
    close: () => undefined,
  })
  const mail = { to: ['a@example.com', 'b@example.com'], domain: undefined }
  const start = () =>
    new Dispatcher({
      outbox: store.outbox,
      tenant,
      read: (askId) => store.asks.read(tenant, askId),
      inForce: () => ({
        notify: {
          to: { 'group:ops': ['chat', 'mail'], 'person:ann': ['chat'] },
          channels: {
            chat: { webhook: undefined, mail: undefined },
            mail: { webhook: undefined, mail },
          },
          remind_before: remindBeforeMs,
        },
        open: { chat: channel('chat'), mail: channel('mail') },
        inboxUrl,
      }),
      nowMs: () => now,
      random: () => 0.5,
      onResult: (report) => reports.push(report),
      onError: (error) => errors.push(error),
    })
  const dispatcher = start()
  const run = async (one = dispatcher) => {
    const before = sent.length
    await one.claim()
    await one.settled()
    return sent.slice(before).map(({ channel: name, message }) => `${name} ${message.kind}`)
  }
  const advance = (ms: number) => {
    now += ms
  }
  return { store, sent, reports, errors, replies, run, start, advance }
}

function announce(store: Store, approvers: readonly Approver[] = ['person:ann']) {
  return store.asks.raise(anApprovalBy(approvers), undefined, undefined, true)
}

async function approve(store: Store, id: string) {
  const person = { principal: 'ann', groups: ['ops'] }
  await store.asks.answer({ tenant, id, person, via: 'inbox', answer: { action: 'accept' } })
}

test('[MESSAGE-2] approvers are notified when an ask is raised, before it expires, and when it has ended', async () => {
  const { store, run, advance, sent, errors } = await aDispatcher()
  const { id } = await announce(store)

  expect(await run()).toEqual(['chat raised'])
  advance(49 * minuteMs)
  expect(await run()).toEqual([])
  advance(minuteMs)
  expect(await run()).toEqual(['chat expiring'])
  advance(9 * minuteMs)
  expect(await run()).toEqual([])
  advance(minuteMs)
  expect(await run()).toEqual(['chat ended'])
  advance(24 * 60 * minuteMs)
  expect(await run()).toEqual([])

  expect(sent.map(({ message }) => message.id)).toEqual([`${id}_raised`, `${id}_expiring`, `${id}_ended`])
  expect(sent.at(-1)?.message.outcome).toBe('expired')
  expect(errors).toEqual([])
})

test('[MESSAGE-2] a decision is reported at once, and nothing follows it', async () => {
  const { store, run, advance, sent } = await aDispatcher()
  const { id } = await announce(store)
  await run()
  await approve(store, id)

  expect(await run()).toEqual(['chat ended'])
  advance(60 * minuteMs)
  expect(await run()).toEqual([])
  expect(sent.at(-1)?.message).toMatchObject({ outcome: 'approved' })
})

test('[MESSAGE-2] an ask that is decided before the first attempt is not announced', async () => {
  const { store, run } = await aDispatcher()
  const { id } = await announce(store)
  await approve(store, id)

  expect(await run()).toEqual([])
  expect(await run()).toEqual([])
})

test('[MESSAGE-2] an ask whose approvers have no channel causes no message', async () => {
  const { store, run, errors } = await aDispatcher()
  await announce(store, ['group:others'])

  expect(await run()).toEqual([])
  expect(errors).toEqual([])
})

test('[MESSAGE-6] only the recipients that failed get another attempt, with the same message', async () => {
  const { store, run, advance, replies, sent, reports } = await aDispatcher()
  replies.chat = () => ({ ok: false, reason: 'status 500' })
  await announce(store, ['group:ops'])
  expect((await run()).toSorted()).toEqual(['chat raised', 'mail raised', 'mail raised'])
  expect(await run()).toEqual([])
  advance(notifyLimits.retryMs[0] ?? 0)
  replies.chat = () => ({ ok: true })

  expect(await run()).toEqual(['chat raised'])

  advance(minuteMs)
  expect(await run()).toEqual([])
  const [first, ...others] = sent.filter(({ channel }) => channel === 'chat').map(({ message }) => message)
  expect(others).toEqual([first])
  expect(reports.filter(({ channel }) => channel === 'chat')).toMatchObject([
    { result: 'failed', attempt: 1, reason: 'status 500', kind: 'raised' },
    { result: 'sent', attempt: 2 },
  ])
})

test('[MESSAGE-6] a message that always fails is abandoned after the last attempt, and the next one is still sent', async () => {
  const { store, run, advance, replies, reports } = await aDispatcher()
  replies.chat = ({ kind }) => (kind === 'raised' ? { ok: false, reason: 'timeout' } : { ok: true })
  const ask = await store.asks.raise(
    anApprovalBy(['person:ann'], { decideWithinMs: 24 * 60 * minuteMs }),
    undefined,
    undefined,
    true,
  )
  expect(await run()).toEqual(['chat raised'])
  for (const pauseMs of notifyLimits.retryMs) {
    advance(pauseMs)
    expect(await run()).toEqual(['chat raised'])
  }
  advance(minuteMs)
  expect(await run()).toEqual([])
  expect(reports.at(-1)).toMatchObject({ result: 'abandoned', reason: 'timeout' })

  await approve(store, ask.id)
  expect(await run()).toEqual(['chat ended'])
})

test('[MESSAGE-2] [MESSAGE-6] a recipient that keeps failing does not delay the reminder of the others', async () => {
  const { store, run, advance, replies } = await aDispatcher()
  replies.chat = () => ({ ok: false, reason: 'timeout' })
  await announce(store, ['group:ops'])
  await run()
  for (let minute = 1; minute < 50; minute++) {
    advance(minuteMs)
    expect((await run()).filter((sent) => sent !== 'chat raised')).toEqual([])
  }
  advance(minuteMs)

  expect((await run()).toSorted()).toEqual(['chat expiring', 'mail expiring', 'mail expiring'])
})

test('[MESSAGE-6] a final failure gets no further attempt, and a requested pause is kept', async () => {
  const { store, run, advance, replies, reports } = await aDispatcher()
  replies.chat = () => ({ ok: false, reason: 'status 429', retryAfterMs: 20 * minuteMs })
  replies.mail = () => ({ ok: false, reason: 'mail server: EENVELOPE 550', isFinal: true })
  await announce(store, ['group:ops'])
  await run()
  advance(19 * minuteMs)
  expect(await run()).toEqual([])
  advance(minuteMs)

  expect(await run()).toEqual(['chat raised'])

  expect(reports.filter(({ channel }) => channel === 'mail').map(({ result }) => result)).toEqual([
    'abandoned',
    'abandoned',
  ])
})

test('[MESSAGE-6] a channel that does not respond delays no other message', async () => {
  const { store, sent, replies, start } = await aDispatcher()
  const stuck = Promise.withResolvers<SendResult>()
  replies.chat = () => stuck.promise
  const dispatcher = start()
  await announce(store)
  await dispatcher.claim()
  await expect.poll(() => sent.length).toBe(1)
  await announce(store, ['group:ops'])
  await dispatcher.claim()

  await expect.poll(() => sent.length).toBe(4)

  stuck.resolve({ ok: true })
  await dispatcher.settled()
})

test('[MESSAGE-9] of two gateways one sends each message', async () => {
  const { store, sent, start } = await aDispatcher()
  for (let n = 0; n < 5; n++) await announce(store)
  const gateways = [start(), start()]

  await Promise.all(gateways.map((one) => one.claim()))
  await Promise.all(gateways.map((one) => one.settled()))

  expect(new Set(sent.map(({ message }) => message.id)).size).toBe(5)
  expect(sent).toHaveLength(5)
})

test('[MESSAGE-9] the message of a gateway that died while sending is sent again by another one, with the same id', async () => {
  const { store, sent, start, run, advance, replies, errors } = await aDispatcher()
  const { id } = await announce(store)
  const dying = Promise.withResolvers<SendResult>()
  replies.chat = () => dying.promise
  await start().claim()
  await expect.poll(() => sent.length).toBe(1)
  delete replies.chat
  expect(await run()).toEqual([])
  advance(notifyLimits.leaseMs)

  expect(await run()).toEqual(['chat raised'])

  expect(sent.map(({ message }) => message.id)).toEqual([`${id}_raised`, `${id}_raised`])
  expect(sent[1]?.message).toEqual(sent[0]?.message)
  // The first gateway was only slow: its late result changes nothing.
  dying.resolve({ ok: false, reason: 'timeout' })
  await new Promise((resolve) => setImmediate(resolve))
  advance(30 * minuteMs)
  expect(await run()).toEqual([])
  expect(errors).toEqual([])
})

test('[MESSAGE-9] a gateway that stops leaves what it has not sent to others at once', async () => {
  const { store, start, run, replies } = await aDispatcher()
  await announce(store)
  const stopping = start()
  replies.chat = () => new Promise((resolve) => setTimeout(() => resolve({ ok: false, reason: 'shutting down' }), 20))
  await stopping.claim()
  stopping.stop()
  await stopping.settled()
  delete replies.chat

  expect(await stopping.claim()).toBe(0)
  expect(await run()).toEqual(['chat raised'])
})
