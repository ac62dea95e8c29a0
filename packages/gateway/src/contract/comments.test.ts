// Comments that a person writes with an answer in the inbox, and how they reach the asker.

import { afterAll, describe, expect, test } from 'vitest'
import { answerInInbox, firstAsk } from '../../../../test-kit/gateway/answer-in-inbox.ts'
import { openCluster } from '../../../../test-kit/gateway/cluster.ts'
import { openTestEnv } from '../../../../test-kit/gateway/test-env.ts'
import { anAskingServer } from '../../../../test-kit/mcp/asking-servers.ts'
import { whichRegion } from '../../../../test-kit/mcp/asking-tools.ts'
import { aClient } from '../../../../test-kit/mcp/scripted-client.ts'
import type { Revision } from '../../../../test-kit/revisions.ts'
import { relayLimits, setLimits } from '../limits.ts'
import { anSdkServer } from './sdk-servers.suite.ts'
import { request } from './wire.suite.ts'

// A database that is slow for a moment must not count as unavailable: then a caller would have to retry once more.
afterAll(setLimits(relayLimits, { storeGraceMs: 60_000 }))

const generations: readonly Revision[] = ['2025-11-25', '2026-07-28']
const pairings = generations.flatMap((client) => generations.map((server) => ({ client, server })))
const withInbox = { surfaces: ['client', 'inbox'] } as const
const comment = 'CI is red, wait for green'
const answers = [
  { action: 'accept', content: { text: 'Ada' }, comment },
  { action: 'decline', comment },
  { action: 'cancel', comment },
] as const
const endings = { accept: 'Ada', decline: 'declined', cancel: 'cancelled' } as const

describe.each(pairings)('a $client client and a $server server', ({ client: clientSpeaks, server: serverSpeaks }) => {
  test.each(answers)('[REPLY-9] an asker with our SDK receives the comment with a $action', async (answer) => {
    const server = await anSdkServer(serverSpeaks)
    const { store, gateway } = await openTestEnv()
    const { url } = await gateway({ names: { url: server.url } }, withInbox)
    const client = await aClient(clientSpeaks, url, { elicitation: 'none' })

    const calling = client.call('name', {})
    const ask = await firstAsk(store)
    await answerInInbox(store, ask, answer)
    const result = JSON.stringify(await calling)

    expect(ask.commentReaches).toBe('asker')
    expect(server.ended).toEqual([endings[answer.action]])
    expect(server.comments).toEqual([comment])
    if (answer.action !== 'accept') expect(result).toContain(comment)
  })

  test('[REPLY-9] a caller that fetches its result later gets the result of a tool that received the comment', async () => {
    const server = await anSdkServer(serverSpeaks)
    const { store, gateway } = await openTestEnv()
    const { url } = await gateway({ names: { url: server.url } }, { ...withInbox, patienceMs: 100, holdMs: 10 })
    const client = await aClient(clientSpeaks, url, { elicitation: 'none' })
    const pending = (await client.call('name', {})) as { structuredContent: { askId: string } }

    await answerInInbox(store, await firstAsk(store), { action: 'decline', comment })
    const result = await client.call('assent__await_answer', { ask_id: pending.structuredContent.askId })

    expect(JSON.stringify(result)).toContain(comment)
    expect(server.comments).toEqual([comment])
  })

  test('[REPLY-9] a server without our SDK gets the answer without the comment, and its ask does not promise its delivery', async () => {
    const server = await anAskingServer(serverSpeaks)
    const { store, gateway } = await openTestEnv()
    const { url } = await gateway({ deploy: { url: server.url } }, withInbox)
    const client = await aClient(clientSpeaks, url, { elicitation: 'none' })

    const calling = client.call('ask', { questions: [whichRegion] })
    const ask = await firstAsk(store)
    await answerInInbox(store, ask, { action: 'accept', content: { region: 'eu' }, comment })
    await calling

    expect(ask).not.toHaveProperty('commentReaches')
    expect(server.saw).toEqual([{ action: 'accept', content: { region: 'eu' } }])
    const { state } = (await store.asks.read('default', ask.id)) ?? {}
    expect(state).toMatchObject({ kind: 'settled', answer: { comment } })
  })

  test('[REPLY-2] a client’s reason for a decline reaches an asker with our SDK, and is stored', async () => {
    const server = await anSdkServer(serverSpeaks)
    const { gateway } = await openTestEnv()
    const { url } = await gateway({ names: { url: server.url } }, { ...withInbox, unseenAfterMs: 0 })
    const says = () => ({ action: 'decline', content: { comment } })
    const client = await aClient(clientSpeaks, url, { says })

    await client.call('name', {})

    expect(server.comments).toEqual([comment])
  })
})

test.each(generations)(
  '[REPLY-9] if a 2025 client of a %s server does not respond, the comment from the inbox reaches the asker',
  async (serverSpeaks) => {
    const server = await anSdkServer(serverSpeaks)
    const { store, gateway } = await openTestEnv()
    const { url } = await gateway({ names: { url: server.url } }, { ...withInbox, silentAfterMs: 200 })
    const client = await aClient('2025-11-25', url, { says: () => new Promise(() => undefined) })

    const calling = client.call('name', {})
    await answerInInbox(store, await firstAsk(store), answers[0])

    expect(await calling).toMatchObject({ content: [{ text: 'got Ada' }] })
    expect(server.comments).toEqual([comment])
  },
)

test.each(generations)(
  '[REPLY-9] the comment reaches a %s server when the caller retries at another replica',
  async (generation) => {
    const server = await anSdkServer(generation)
    const cluster = await openCluster({ names: { url: server.url } }, { gateway: { ...withInbox, holdMs: 50 } })
    const [owner, other] = cluster.replicas
    const first = await request(owner.url, 'tools/call', { name: 'name', arguments: {} }, { capabilities: {} })
    const { requestState } = first.message.result
    await answerInInbox(owner.store, await firstAsk(owner.store), { action: 'decline', comment })

    const again = await request(
      other.url,
      'tools/call',
      { name: 'name', arguments: {}, requestState },
      { capabilities: {} },
    )

    expect(JSON.stringify(again.message.result)).toContain(comment)
    expect(server.comments).toEqual([comment])
  },
)
