import { decisionForm, encodeForm } from '@assent/core'
import { expect, test } from 'vitest'
import type { Question } from './asking.suite.ts'
import { aClient } from './clients.suite.ts'
import { answerInInbox, firstAsk } from './inbox.suite.ts'
import { anAskingServer, type Generation } from './servers.suite.ts'
import { aStage } from './stage.suite.ts'

const encoded = encodeForm(decisionForm, '2026-07-28')
const mayI: Question = { mode: 'form', message: 'May I?', requestedSchema: encoded.ok ? encoded.schema : {} }
const yes = { action: 'accept', content: { decision: 'approve' } }

for (const generation of ['2025-11-25', '2026-07-28'] satisfies Generation[]) {
  const askedWith = async (args: Record<string, unknown>, question: Question, answer: unknown = yes) => {
    const server = await anAskingServer(generation)
    const stage = await aStage()
    const gateway = await stage.gateway({ deploy: { url: server.url } }, { surfaces: ['client', 'inbox'] })
    const client = await aClient(generation, gateway.url, { elicitation: 'none' })
    const calling = client.call('ask', { questions: [question], ...args })
    const ask = await firstAsk(stage.store)
    await answerInInbox(stage.store, ask, answer)
    await calling
    return { question: ask.question, saw: server.saw }
  }

  test(`[CARD-1] whoever asks whether it may go on has its call kept with the ask (${generation})`, async () => {
    const { question, saw } = await askedWith({ env: 'production' }, mayI)
    expect(question).toMatchObject({ call: { tool: 'ask', arguments: { questions: [mayI], env: 'production' } } })
    expect(saw).toEqual([yes])
  })

  test(`[CARD-1] arguments that could not be shown whole are not kept in part (${generation})`, async () => {
    const { question } = await askedWith({ pad: 'x'.repeat(131_072) }, mayI)
    expect(question).toMatchObject({ kind: 'form', call: { tool: 'ask' } })
    expect(question).not.toHaveProperty('call.arguments')
  })

  test(`[CARD-1] of a call that asks anything else nothing is kept (${generation})`, async () => {
    const other = { type: 'object', properties: { sure: { type: 'boolean' } } }
    const { question } = await askedWith(
      { env: 'production' },
      { ...mayI, requestedSchema: other },
      { action: 'decline' },
    )
    expect(question).not.toHaveProperty('call')
  })
}
