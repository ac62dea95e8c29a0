// Bodies for Slack incoming webhooks, Teams Workflows and ntfy. The title comes from a server, so each format shows it as
// plain text: it can neither add a link, a mention or formatting, nor leave its place.

import { ntfyTopic } from '../config/notify-settings.ts'
import { type AskMessage, messageHeading, messageNote, titleWithoutLinks } from './ask-message.ts'
import type { WebhookRequest } from './post-webhook.ts'
import { messageText } from './text/messages.ts'

const json = { 'content-type': 'application/json' } as const

/** https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks */
export function slackRequest(url: URL, message: AskMessage): WebhookRequest {
  const heading = messageHeading(message)
  const plain = (text: string) => ({
    type: 'section',
    text: { type: 'plain_text', text: slackEscaped(text), emoji: false },
  })
  const note = messageNote(message)
  const body = JSON.stringify({
    // Shown in notifications, where Slack reads its own markup in it.
    text: `${heading}: ${slackEscaped(titleWithoutLinks(message))}`,
    blocks: [
      plain(heading),
      plain(titleWithoutLinks(message)),
      ...(note === undefined ? [] : [plain(note)]),
      { type: 'section', text: { type: 'mrkdwn', text: `<${slackEscaped(message.link)}|${messageText.open}>` } },
    ],
    unfurl_links: false,
    unfurl_media: false,
  })
  return { url, headers: json, body }
}

/** https://docs.slack.dev/messaging/formatting-message-text: these three characters are its markup. */
function slackEscaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/**
 * An Adaptive Card, as the workflow "Post to a channel when a webhook request is received" takes it. A text run shows
 * Markdown as it is written; a text block would format it.
 */
export function teamsRequest(url: URL, message: AskMessage): WebhookRequest {
  const note = messageNote(message)
  const text = (words: string, extra = {}) => ({
    type: 'RichTextBlock',
    inlines: [{ type: 'TextRun', text: words, ...extra }],
  })
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [
      text(messageHeading(message), { weight: 'Bolder' }),
      text(titleWithoutLinks(message)),
      ...(note === undefined ? [] : [text(note, { isSubtle: true })]),
    ],
    actions: [{ type: 'Action.OpenUrl', title: messageText.open, url: message.link }],
  }
  const attachment = { contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }
  return { url, headers: json, body: JSON.stringify({ type: 'message', attachments: [attachment] }) }
}

/** https://docs.ntfy.sh/publish/#publish-as-json: posted to the root, with the topic in the body. */
export function ntfyRequest(address: URL, token: string | undefined, message: AskMessage): WebhookRequest {
  const found = ntfyTopic(address)
  if (found === undefined) throw new TypeError('The address has no topic.')
  const note = messageNote(message)
  const body = JSON.stringify({
    topic: found.topic,
    title: messageHeading(message),
    message: [titleWithoutLinks(message), ...(note === undefined ? [] : [note])].join('\n'),
    click: message.link,
    markdown: false,
  })
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` }
  return { url: found.root, headers: { ...json, ...authorization }, body }
}
