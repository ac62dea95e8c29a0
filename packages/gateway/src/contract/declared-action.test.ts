// The exact action that a server written with our SDK declares for an approval, as it reaches the inbox.

import {
  type Action,
  actionDigest,
  actionMeta,
  askView,
  decisionForm,
  encodeForm,
  type JsonObject,
  toolDefinitionDigest,
} from '@assent/core'
import { describe, expect, test } from 'vitest'
import { answerInInbox, firstAsk } from '../../../../test-kit/gateway/answer-in-inbox.ts'
import { openTestEnv } from '../../../../test-kit/gateway/test-env.ts'
import { anAskingServer } from '../../../../test-kit/mcp/asking-servers.ts'
import type { Question } from '../../../../test-kit/mcp/asking-tools.ts'
import { aClient } from '../../../../test-kit/mcp/scripted-client.ts'
import type { Revision } from '../../../../test-kit/revisions.ts'
import { anSdk2Session, anSdkServer } from './sdk-servers.suite.ts'

const generations: readonly Revision[] = ['2025-11-25', '2026-07-28']
const pairings = generations.flatMap((client) => generations.map((server) => ({ client, server })))
const withInbox = { surfaces: ['client', 'inbox'] } as const
const names = { nameOf: (principal: string) => principal, describe: () => ({}) }
const yes = { action: 'accept', content: { decision: 'approve' } }

const action: Action = {
  server: 'ops',
  tool: 'wipe',
  definitionDigest: toolDefinitionDigest({ name: 'wipe' }),
  arguments: { disk: 'sda', force: true },
}
const declared = { title: 'Wipe the disk', action, digest: actionDigest(action) }
const encoded = encodeForm(decisionForm, '2026-07-28')
const mayI: Question = { mode: 'form', message: 'May I?', requestedSchema: encoded.ok ? encoded.schema : {} }

describe.each(pairings)('a $client client and a $server server', ({ client: clientSpeaks, server: serverSpeaks }) => {
  test.each([
    [yes, ['deleted ada']],
    [{ action: 'decline' }, ['declined']],
    [{ action: 'cancel' }, ['cancelled']],
  ])('[CARD-14] a gate of our SDK is drawn from its action, and %j decides about it', async (answer, ended) => {
    const server = await anSdkServer(serverSpeaks)
    const { store, gateway } = await openTestEnv()
    const { url } = await gateway({ people: { url: server.url } }, withInbox)
    const client = await aClient(clientSpeaks, url, { elicitation: 'none' })

    const calling = client.call('name', { deletes: 'ada' })
    const ask = await firstAsk(store)
    const { headline, question, buttons, undoMs } = askView(ask, { principal: 'ann', groups: [] }, names)
    expect(headline).toBe('Delete a name')
    expect(undoMs).toBe(5_000)
    expect(question).toMatchObject({
      isDestructive: true,
      claim: 'It is *old*.\n\nWhy: It is unused.',
      declared: {
        title: 'Delete a name',
        tool: 'name',
        arguments: [{ name: 'deletes', value: 'ada' }],
        isCall: true,
        digest: expect.stringMatching(/^sha256:/),
      },
    })
    expect(buttons.map(({ label }) => label)).toEqual(['Approve', 'Decline'])
    await answerInInbox(store, ask, answer)
    await calling

    expect(server.ended).toEqual(ended)
  })

  test('[CARD-14] a client that shows the question itself does not get the action', async () => {
    const server = await anSdkServer(serverSpeaks)
    const { gateway } = await openTestEnv()
    const { url } = await gateway({ people: { url: server.url } }, { ...withInbox, unseenAfterMs: 0 })
    const client = await aClient(clientSpeaks, url, { says: () => yes })

    await client.call('name', { deletes: 'ada' })

    const [asked] = client.asked as readonly (Question & { _meta?: JsonObject })[]
    expect(asked?.message).toContain('deletes: ada')
    expect(asked?._meta ?? {}).not.toHaveProperty('assent/action')
    expect(server.ended).toEqual(['deleted ada'])
  })
})

test.each(generations)(
  '[CARD-14] [WAIT-2] an SDK that does not know its %s client sends its action and timeout',
  async (generation) => {
    const server = await anSdk2Session()
    const { store, gateway } = await openTestEnv()
    const { url } = await gateway({ people: { url: server.url } }, withInbox)
    const client = await aClient(generation, url, { elicitation: 'none' })

    const calling = client.call('name', { deletes: 'ada' })
    const ask = await firstAsk(store)
    expect(ask).not.toHaveProperty('isWaitUnknown')
    expect(ask.question).toMatchObject({ declared: { title: 'Delete a name' } })
    // Slowly enough for a person: this server measures it too.
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    await answerInInbox(store, ask, yes)
    await calling

    expect(server.ended).toEqual(['deleted ada'])
  },
)

test.each(generations)(
  '[CARD-14] the inbox of a chained gateway draws the action of a %s server',
  async (generation) => {
    const server = await anSdkServer(generation)
    const near = await (await openTestEnv()).gateway({ people: { url: server.url } }, { unseenAfterMs: 0 })
    const outer = await openTestEnv()
    const far = await outer.gateway({ inner: { url: near.url } }, withInbox)
    const client = await aClient('2025-11-25', far.url, { elicitation: 'none' })

    const calling = client.call('name', { deletes: 'ada' })
    const ask = await firstAsk(outer.store)
    expect(ask.question).toMatchObject({
      declared: { title: 'Delete a name', action: { arguments: { deletes: 'ada' } } },
    })
    await answerInInbox(outer.store, ask, yes)
    await calling

    expect(server.ended).toEqual(['deleted ada'])
  },
)

async function askedBy(generation: Revision, question: Question & { _meta?: JsonObject }) {
  const server = await anAskingServer(generation)
  const { store, gateway } = await openTestEnv()
  const { url } = await gateway({ deploy: { url: server.url } }, withInbox)
  const client = await aClient(generation, url, { elicitation: 'none' })
  const calling = client.call('ask', { questions: [question] })
  const ask = await firstAsk(store)
  await answerInInbox(store, ask, { action: 'decline' })
  await calling
  return askView(ask, { principal: 'ann', groups: [] }, names)
}

describe.each(generations)('an action that any %s server sends', (generation) => {
  const member = actionMeta(declared)['assent/action'] as JsonObject & { action: string }
  const sent = (changed: object) => ({
    ...mayI,
    _meta: { 'assent/ask': {}, 'assent/action': { ...member, ...changed } },
  })

  test('[CARD-14] it is drawn, with the call in which the server asks', async () => {
    const { question } = await askedBy(generation, sent({}))
    expect(question).toMatchObject({ claim: '', declared: { title: declared.title, digest: declared.digest } })
    expect(question).not.toHaveProperty('declared.isCall')
    expect(question).toMatchObject({ call: { name: 'ask' } })
  })

  test.each<[string, object]>([
    ['that is not canonical', { action: ` ${member.action}` }],
    ['with other bytes for the same value', { action: member.action.replace('sda', '\\u0073da') }],
    ['with a member twice', { action: member.action.replace('{"arguments"', '{"tool":"wipe","arguments"') }],
    ['with another member', { action: member.action.replace('"tool"', '"extra":1,"tool"') }],
    ['without arguments', { action: '{"definitionDigest":"x","server":"ops","tool":"wipe"}' }],
    ['that is not JSON', { action: 'wipe' }],
    ['that is no text', { action }],
    ['without a title', { title: ' ' }],
    ['with a title that is too long', { title: 'x'.repeat(8_193) }],
    ['with a claim that is no text', { claim: 7 }],
    ['with a reason that is no text', { reason: ['x'] }],
  ])('[CARD-14] an action %s is ignored: the question is drawn from its text', async (_, changed) => {
    const { question } = await askedBy(generation, sent(changed))
    expect(question).not.toHaveProperty('declared')
    expect(question).toMatchObject({ claim: 'May I?' })
  })

  test('[CARD-14] an action beside another form than that of an approval is ignored', async () => {
    const other = { type: 'object', properties: { sure: { type: 'boolean' } } }
    const { question } = await askedBy(generation, { ...sent({}), requestedSchema: other })
    expect(question).not.toHaveProperty('declared')
  })
})

describe.each(generations)('a tool of a %s server', (generation) => {
  test.each([
    [{ destructiveHint: true }, 1, 5_000],
    [{ destructiveHint: true }, 2, 5_000],
    [{ destructiveHint: false }, 1, undefined],
    [{}, 1, undefined],
  ])('[CARD-15] with %j, beside %i servers, can be undone after a yes for %s ms', async (hints, servers, undoMs) => {
    const server = await anAskingServer(generation, hints)
    const { store, gateway } = await openTestEnv()
    const other = { other: { url: (await anAskingServer(generation)).url } }
    const { url } = await gateway({ disk: { url: server.url }, ...(servers > 1 ? other : {}) }, withInbox)
    const client = await aClient(generation, url, { elicitation: 'none' })
    await client.tools()

    const calling = client.call(servers > 1 ? 'disk__ask' : 'ask', { questions: [mayI] })
    const ask = await firstAsk(store)

    const view = askView(ask, { principal: 'ann', groups: [] }, names)
    expect(view.undoMs).toBe(undoMs)
    // The definition of the tool says nothing about this one action.
    expect(view.question).not.toHaveProperty('isDestructive')
    await answerInInbox(store, ask, yes)
    await calling
  })
})
