// Events in the Standard Webhooks format, version 1.0.0 (https://www.standardwebhooks.com).

import { createHmac } from 'node:crypto'
import type { AskMessage } from './ask-message.ts'
import type { WebhookRequest } from './post-webhook.ts'

/**
 * The id is the same for every attempt, and so is the body; the timestamp and the signature belong to this attempt.
 *
 * @param secret `whsec_` and a key in base64
 */
export function standardWebhook(url: URL, secret: string, message: AskMessage, nowMs: number): WebhookRequest {
  const { id, kind, askId, title, link, atMs, outcome } = message
  const body = JSON.stringify({
    type: `ask.${kind}`,
    timestamp: new Date(atMs).toISOString(),
    data: { ask: askId, title, link, outcome },
  })
  const timestamp = String(Math.floor(nowMs / 1_000))
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  return {
    url,
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${signature}`,
    },
    body,
  }
}
