import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { aMessage, noon } from './message-asks.suite.ts'
import { standardWebhook } from './standard-webhook.ts'

const url = new URL('https://hooks.example.com/x')
const secret = `whsec_${Buffer.alloc(32, 9).toString('base64')}`

test('[MESSAGE-4] the library of the standard accepts the signature, and refuses it after a change', () => {
  const { headers, body } = standardWebhook(url, secret, aMessage(), Date.now())
  const webhook = new Webhook(secret)

  expect(webhook.verify(body, headers)).toMatchObject({ type: 'ask.raised' })
  expect(() => webhook.verify(body.replace('Roll', 'Call'), headers)).toThrow()
  expect(() => webhook.verify(body, { ...headers, 'webhook-id': 'other' })).toThrow()
  expect(() => new Webhook(`whsec_${Buffer.alloc(32, 8).toString('base64')}`).verify(body, headers)).toThrow()
})

test('[MESSAGE-4] [MESSAGE-3] the body has the ids, the title and the link, and for an end its outcome', () => {
  const { body, headers } = standardWebhook(url, secret, aMessage(), noon + 5_999)
  const { askId, id, link } = aMessage()

  expect(JSON.parse(body)).toEqual({
    type: 'ask.raised',
    timestamp: '2026-07-28T12:00:00.000Z',
    data: { ask: askId, title: 'Roll out', link },
  })
  expect(headers).toMatchObject({ 'webhook-id': id, 'webhook-timestamp': String(noon / 1_000 + 5) })
  const ended = standardWebhook(url, secret, aMessage({ kind: 'ended', outcome: 'declined' }), noon)
  expect(JSON.parse(ended.body)).toMatchObject({ type: 'ask.ended', data: { outcome: 'declined' } })
})

test('[MESSAGE-4] a later attempt has the same id and body, and its own timestamp and signature', () => {
  const [first, second] = [noon, noon + 60_000].map((at) => standardWebhook(url, secret, aMessage(), at))

  expect(second?.body).toBe(first?.body)
  expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
  expect(second?.headers['webhook-signature']).not.toBe(first?.headers['webhook-signature'])
})
