import { expect, test } from 'vitest'
import type { WebhookSettings } from '../config/notify-settings.ts'
import { aFakeNtfy, aFakeSlack, aFakeTeams, type FakeChat } from './fake-chats.suite.ts'
import { aMessage, hostileTitles } from './message-asks.suite.ts'
import { OutboundGuard } from './outbound-guard.ts'
import { webhookChannel } from './webhook-channel.ts'

const { signal } = new AbortController()

function send(settings: Pick<WebhookSettings, 'format'> & { url: string; token?: string }, message = aMessage()) {
  const webhook = { secret: undefined, token: undefined, ...settings, url: new URL(settings.url) }
  return webhookChannel(webhook, new OutboundGuard(['127.0.0.0/8']), Date.now).send(message, undefined, signal)
}

/** All texts in a JSON value. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

const { link } = aMessage()

interface Card {
  readonly body: readonly { readonly type: string; readonly inlines: readonly object[] }[]
  readonly actions: readonly object[]
}

/** The card of the only message. */
function cardOf({ posted }: FakeChat): Card {
  const attachments = (posted[0]?.attachments ?? []) as readonly { readonly content: Card }[]
  const [only] = attachments
  if (only === undefined) throw new Error('No card was posted.')
  return only.content
}

test('[MESSAGE-7] Slack gets a message with the title as plain text and one link', async () => {
  const slack = await aFakeSlack()

  expect(await send({ url: slack.url, format: 'slack' })).toEqual({ ok: true })

  expect(slack.posted).toEqual([
    {
      text: 'Assent: a decision is waiting: Roll out',
      blocks: [
        { type: 'section', text: { type: 'plain_text', text: 'Assent: a decision is waiting', emoji: false } },
        { type: 'section', text: { type: 'plain_text', text: 'Roll out', emoji: false } },
        { type: 'section', text: { type: 'plain_text', text: 'It expires at 2026-07-28 13:00 UTC.', emoji: false } },
        { type: 'section', text: { type: 'mrkdwn', text: `<${link}|Open in Assent>` } },
      ],
      unfurl_links: false,
      unfurl_media: false,
    },
  ])
})

test.each(hostileTitles)('[MESSAGE-7] in Slack a title adds no link, mention or field: %j', async (title) => {
  const slack = await aFakeSlack()
  expect(await send({ url: slack.url, format: 'slack' }, aMessage({ title }))).toEqual({ ok: true })

  const [posted] = slack.posted
  const blocks = posted?.blocks as { text: { type: string; text: string } }[]

  expect(Object.keys(posted ?? {}).toSorted()).toEqual(['blocks', 'text', 'unfurl_links', 'unfurl_media'])
  expect(blocks).toHaveLength(4)
  expect(blocks.filter(({ text }) => text.type === 'mrkdwn').map(({ text }) => text.text)).toEqual([
    `<${link}|Open in Assent>`,
  ])
  const others = [posted?.text, ...blocks.slice(0, 3).map(({ text }) => text.text)]
  for (const text of others) expect(text).not.toMatch(/[<>]|:\/\/|www\.|&(?!amp;|lt;|gt;)/)
})

test('[MESSAGE-7] Teams gets an adaptive card whose only action opens the link', async () => {
  const teams = await aFakeTeams()
  const ended = aMessage({ kind: 'ended', outcome: 'declined' })

  expect(await send({ url: teams.url, format: 'teams' }, ended)).toEqual({ ok: true })

  const { body, actions } = cardOf(teams)
  expect(textsIn(body)).toEqual(expect.arrayContaining(['Assent: declined', 'Roll out']))
  expect(actions).toEqual([{ type: 'Action.OpenUrl', title: 'Open in Assent', url: link }])
})

test.each(hostileTitles)(
  '[MESSAGE-7] in Teams a title is a text run, which shows Markdown as it is: %j',
  async (title) => {
    const teams = await aFakeTeams()
    expect(await send({ url: teams.url, format: 'teams' }, aMessage({ title }))).toEqual({ ok: true })

    const { body, actions } = cardOf(teams)

    expect(body.map(({ type, inlines }) => [type, inlines.length])).toEqual(Array(3).fill(['RichTextBlock', 1]))
    expect(actions).toEqual([{ type: 'Action.OpenUrl', title: 'Open in Assent', url: link }])
    for (const text of textsIn(body)) expect(text).not.toMatch(/:\/\/|www\./)
  },
)

test('[MESSAGE-7] ntfy gets the topic, the title as text, and the link to click', async () => {
  const ntfy = await aFakeNtfy('tk_1')

  expect(await send({ url: ntfy.url, format: 'ntfy', token: 'tk_1' })).toEqual({ ok: true })
  expect(await send({ url: ntfy.url, format: 'ntfy' })).toEqual({ ok: false, reason: 'status 403' })

  expect(ntfy.posted).toEqual([
    {
      topic: 'approvals',
      title: 'Assent: a decision is waiting',
      message: 'Roll out\nIt expires at 2026-07-28 13:00 UTC.',
      click: link,
      markdown: false,
    },
  ])
})

test.each(hostileTitles)('[MESSAGE-7] in ntfy a title adds no action and no link: %j', async (title) => {
  const ntfy = await aFakeNtfy()
  expect(await send({ url: ntfy.url, format: 'ntfy' }, aMessage({ title }))).toEqual({ ok: true })

  const [posted] = ntfy.posted
  expect(posted).toMatchObject({
    topic: 'approvals',
    title: 'Assent: a decision is waiting',
    click: link,
    markdown: false,
  })
  expect(Object.keys(posted ?? {})).toHaveLength(5)
  expect(posted?.message).not.toMatch(/:\/\/|www\./)
})
