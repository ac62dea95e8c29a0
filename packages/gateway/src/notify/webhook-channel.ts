// Sends messages to one webhook, in its format.

import type { WebhookSettings } from '../config/notify-settings.ts'
import type { AskMessage } from './ask-message.ts'
import type { Channel } from './channel.ts'
import { ntfyRequest, slackRequest, teamsRequest } from './chat-formats.ts'
import type { OutboundGuard } from './outbound-guard.ts'
import { type PostOptions, postWebhook, type WebhookRequest } from './post-webhook.ts'
import { standardWebhook } from './standard-webhook.ts'

export function webhookChannel(
  settings: WebhookSettings,
  guard: OutboundGuard,
  nowMs: () => number,
  options: Pick<PostOptions, 'ca' | 'timeoutMs'> = {},
): Channel {
  return {
    send: (message, _address, signal) =>
      postWebhook(requestFor(settings, message, nowMs()), { guard, signal, ...options }),
    close: () => undefined,
  }
}

function requestFor(
  { url, format, secret = '', token }: WebhookSettings,
  message: AskMessage,
  nowMs: number,
): WebhookRequest {
  switch (format) {
    case 'standard':
      return standardWebhook(url, secret, message, nowMs)
    case 'slack':
      return slackRequest(url, message)
    case 'teams':
      return teamsRequest(url, message)
    case 'ntfy':
      return ntfyRequest(url, token, message)
  }
}
