// Local fakes of the documented webhooks of Slack, Teams Workflows and ntfy: each refuses what the real one refuses.

import type { IncomingMessage } from 'node:http'
import { listening } from '../../../../test-kit/close-after-test.ts'

type Json = Readonly<Record<string, unknown>>

interface Reply {
  readonly status: number
  readonly body: string
}

export interface FakeChat {
  readonly url: string
  /** The accepted messages. */
  readonly posted: Json[]
}

async function aFake(path: string, judge: (body: Json, request: IncomingMessage) => Reply): Promise<FakeChat> {
  const posted: Json[] = []
  const { url } = await listening(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const { status, body } = request.url === path ? judgeText(text, request) : { status: 404, body: 'not found' }
    response.writeHead(status).end(body)
  })
  const judgeText = (text: string, request: IncomingMessage): Reply => {
    if (request.method !== 'POST' || request.headers['content-type'] !== 'application/json')
      return { status: 400, body: 'invalid_payload' }
    const body = JSON.parse(text) as Json
    const reply = judge(body, request)
    if (reply.status < 300) posted.push(body)
    return reply
  }
  return { url, posted }
}

/** https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks and the reference of blocks. */
export async function aFakeSlack(): Promise<FakeChat> {
  const fake = await aFake('/services/T0/B0/x', (body) => {
    if (typeof body.text !== 'string' || body.text === '') return { status: 400, body: 'no_text' }
    const blocks = body.blocks as readonly { type: string; text: { type: string; text: string } }[] | undefined
    const isValid = (blocks ?? []).every(
      ({ type, text }) =>
        type === 'section' &&
        ['plain_text', 'mrkdwn'].includes(text.type) &&
        text.text.length > 0 &&
        text.text.length <= 3_000,
    )
    if (!isValid || (blocks ?? []).length > 50) return { status: 400, body: 'invalid_blocks' }
    return { status: 200, body: 'ok' }
  })
  return { ...fake, url: `${fake.url}/services/T0/B0/x` }
}

/** https://learn.microsoft.com/connectors/teams: "When a Teams webhook request is received". */
export async function aFakeTeams(): Promise<FakeChat> {
  const fake = await aFake('/workflows/1/triggers/manual/paths/invoke?sig=x', (body) => {
    const [attachment, ...others] = (body.attachments ?? []) as readonly Json[]
    const card = attachment?.content as Json | undefined
    const isCard =
      attachment?.contentType === 'application/vnd.microsoft.card.adaptive' &&
      card?.type === 'AdaptiveCard' &&
      typeof card.version === 'string' &&
      Array.isArray(card.body)
    if (body.type !== 'message' || !isCard || others.length > 0 || JSON.stringify(body).length > 28_000)
      return { status: 400, body: 'TriggerInputSchemaMismatch' }
    return { status: 202, body: '' }
  })
  return { ...fake, url: `${fake.url}/workflows/1/triggers/manual/paths/invoke?sig=x` }
}

/** https://docs.ntfy.sh/publish/#publish-as-json. The address of the topic is configured; JSON goes to the root. */
export async function aFakeNtfy(token?: string): Promise<FakeChat> {
  const fake = await aFake('/', (body, request) => {
    if (token !== undefined && request.headers.authorization !== `Bearer ${token}`)
      return { status: 403, body: '{"code":40301,"http":403,"error":"forbidden"}' }
    const known = ['topic', 'message', 'title', 'tags', 'priority', 'actions', 'click', 'attach', 'markdown', 'icon']
    const isValid =
      typeof body.topic === 'string' &&
      /^[-_A-Za-z0-9]{1,64}$/.test(body.topic) &&
      Object.keys(body).every((name) => known.includes(name)) &&
      // A longer message would become an attachment.
      Buffer.byteLength(String(body.message)) <= 4_096
    return isValid ? { status: 200, body: '{"id":"x"}' } : { status: 400, body: '{"code":40024,"http":400}' }
  })
  return { ...fake, url: `${fake.url}/approvals` }
}
