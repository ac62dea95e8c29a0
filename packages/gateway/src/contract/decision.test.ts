import { askLimits, decisionForm, encodeForm } from '@assent/core'
import { expect, test } from 'vitest'
import { answerInInbox, firstAsk, openAsks } from '../../../../test-kit/gateway/answer-in-inbox.ts'
import { openTestEnv } from '../../../../test-kit/gateway/test-env.ts'
import { anAskingServer } from '../../../../test-kit/mcp/asking-servers.ts'
import type { Question } from '../../../../test-kit/mcp/asking-tools.ts'
import { aClient } from '../../../../test-kit/mcp/scripted-client.ts'
import type { Revision } from '../../../../test-kit/revisions.ts'
import { raiseAsk } from '../call/route/inbox-asks.ts'
import { aRawServer, asks, call, request } from './wire.suite.ts'

const encoded = encodeForm(decisionForm, '2026-07-28')
const mayI: Question = { mode: 'form', message: 'May I?', requestedSchema: encoded.ok ? encoded.schema : {} }
const yes = { action: 'accept', content: { decision: 'approve' } }

for (const generation of ['2025-11-25', '2026-07-28'] satisfies Revision[]) {
  const askedWith = async (args: Record<string, unknown>, question: Question, answer: unknown = yes) => {
    const server = await anAskingServer(generation)
    const testEnv = await openTestEnv()
    const gateway = await testEnv.gateway({ deploy: { url: server.url } }, { surfaces: ['client', 'inbox'] })
    const client = await aClient(generation, gateway.url, { elicitation: 'none' })
    const calling = client.call('ask', { questions: [question], ...args })
    const ask = await firstAsk(testEnv.store)
    await answerInInbox(testEnv.store, ask, answer)
    await calling
    return { question: ask.question, saw: server.saw }
  }

  test(`[CARD-1] when a server asks for permission, its call is stored with the ask (${generation})`, async () => {
    const { question, saw } = await askedWith({ env: 'production' }, mayI)
    expect(question).toMatchObject({ call: { tool: 'ask', arguments: { questions: [mayI], env: 'production' } } })
    expect(saw).toEqual([yes])
  })

  test(`[CARD-1] arguments that are too large to show in full are not stored in part (${generation})`, async () => {
    const { question } = await askedWith({ pad: 'x'.repeat(131_072) }, mayI)
    expect(question).toMatchObject({ kind: 'form', call: { tool: 'ask' } })
    expect(question).not.toHaveProperty('call.arguments')
  })

  const sure: Question = {
    ...mayI,
    requestedSchema: { type: 'object', properties: { sure: { type: 'boolean' } } },
  }
  const noFields: Question = { ...mayI, requestedSchema: { type: 'object', properties: {} } }
  const signIn: Question = { mode: 'url', message: 'Sign in.', url: 'https://example.com/' }
  const no = { action: 'decline' }

  test.each([
    ['a form', sure],
    ['a form without fields', noFields],
    ['a link', signIn],
  ])(`[CARD-5] the call is stored with %s that it asks (${generation})`, async (_, asked) => {
    const { question } = await askedWith({ path: '/', recursive: true }, asked, no)
    const args = { questions: [asked], path: '/', recursive: true }
    expect(question).toMatchObject({ call: { tool: 'ask', arguments: args } })
    expect(question).not.toHaveProperty('call.kind')
  })

  test(`[CARD-5] arguments of a call with a plain form are stored up to a smaller size (${generation})`, async () => {
    const pad = 'x'.repeat(askLimits.formCallBytes)
    const plain = await askedWith({ pad }, sure, no)
    expect(plain.question).toMatchObject({ kind: 'form', call: { tool: 'ask' } })
    expect(plain.question).not.toHaveProperty('call.arguments')
    const approval = await askedWith({ pad }, noFields, no)
    expect(approval.question).toMatchObject({ call: { arguments: { pad } } })
  })
}

test.each([
  [
    'prompts/get',
    { name: 'summary', arguments: { path: '/' } },
    { kind: 'prompt', tool: 'summary', arguments: { path: '/' } },
  ],
  ['resources/read', { uri: 'file:///etc/passwd' }, { kind: 'resource', tool: 'file:///etc/passwd', arguments: {} }],
])(
  '[CARD-5] a question asked in %s is stored with the name or URI of the request',
  async (method, params, expected) => {
    const server = await aRawServer(() => asks({ may: mayI }))
    const testEnv = await openTestEnv()
    const gateway = await testEnv.gateway({ deploy: { url: server.url } }, { surfaces: ['inbox'], holdMs: 30 })
    await request(gateway.url, method, params, { capabilities: {} })
    expect((await firstAsk(testEnv.store)).question).toMatchObject({ call: expected })
  },
)

test('[CARD-5] a URI that is too large to store with the question is omitted', async () => {
  const { store } = await openTestEnv()
  const uri = `file:///${'x'.repeat(askLimits.actionBytes)}`
  const reading = { tenant: 'default', principal: 'ann', method: 'resources/read', params: { uri } }
  const wanted = { kind: 'url', message: 'Sign in.', url: 'https://example.com/', params: {} } as const
  await raiseAsk(store, reading, wanted, { server: 'deploy', waitMs: 60_000 })
  expect((await firstAsk(store)).question).toEqual({ kind: 'url', message: 'Sign in.', url: 'https://example.com/' })
})

test('[CARD-7] a form with two options that look the same is refused and not shown', async () => {
  const options = [
    { const: 'yes', title: 'Keep' },
    { const: 'no', title: 'Kеep ' },
  ]
  const schema = { type: 'object', properties: { answer: { type: 'string', oneOf: options } } }
  const server = await aRawServer(() => asks({ may: { ...mayI, requestedSchema: schema } }))
  const testEnv = await openTestEnv()
  const gateway = await testEnv.gateway({ deploy: { url: server.url } }, { surfaces: ['client', 'inbox'] })
  const { message } = await call(gateway.url, {})
  expect(message.error.message).toContain('Two options of "answer" read the same to a person')
  expect(await openAsks(testEnv.store)).toEqual([])
})
