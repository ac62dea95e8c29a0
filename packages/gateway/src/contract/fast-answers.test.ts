// Accepts that arrive before a person can have read the question.

import { decisionForm, encodeForm } from '@assent/core'
import { describe, expect, test } from 'vitest'
import { answerInInbox, firstAsk, openAsks } from '../../../../test-kit/gateway/answer-in-inbox.ts'
import { openTestEnv } from '../../../../test-kit/gateway/test-env.ts'
import { anAskingServer } from '../../../../test-kit/mcp/asking-servers.ts'
import { type Question, signIn, whichRegion } from '../../../../test-kit/mcp/asking-tools.ts'
import { aClient, type Says } from '../../../../test-kit/mcp/scripted-client.ts'
import type { Revision } from '../../../../test-kit/revisions.ts'
import { until } from '../../../../test-kit/until.ts'
import { noTelemetry } from '../call/telemetry-port.ts'
import { aRawServer, asks, call, complete } from './wire.suite.ts'

const generations: readonly Revision[] = ['2025-11-25', '2026-07-28']
const pairings = generations.flatMap((client) => generations.map((server) => ({ client, server })))
const encoded = encodeForm(decisionForm, '2026-07-28')
const mayI: Question = { mode: 'form', message: 'May I?', requestedSchema: encoded.ok ? encoded.schema : {} }
const justYes: Question = { mode: 'form', message: 'Wipe it?', requestedSchema: { type: 'object', properties: {} } }
const inEurope = { action: 'accept', content: { region: 'eu' } }
const approve = { action: 'accept', content: { decision: 'approve' } }
/** A generous value, because on a busy machine an immediate answer arrives late. */
const longMs = 60_000
const unseen = { action: 'cancel', _meta: { 'assent/no-answer': 'unseen' } }

async function aPairing(client: Revision, server: Revision, says: Says, options = {}) {
  const counted: string[] = []
  const watch = {
    ...noTelemetry,
    unseen: (name: string) => void counted.push(`unseen ${name}`),
    unattended: (name: string) => void counted.push(`unattended ${name}`),
  }
  const asking = await anAskingServer(server)
  const testEnv = await openTestEnv()
  const gateway = await testEnv.gateway({ deploy: { url: asking.url } }, { watch, unseenAfterMs: longMs, ...options })
  return { server: asking, store: testEnv.store, counted, client: await aClient(client, gateway.url, { says }) }
}

const afterMs =
  (ms: number, answer: unknown): Says =>
  () =>
    new Promise((resolve) => setTimeout(resolve, ms, answer))

async function recorded(store: Awaited<ReturnType<typeof aPairing>>['store'], event: string): Promise<true> {
  return until(async () => {
    for await (const { body } of store.audit.entries('default')) if (body.includes(`"event":"${event}"`)) return true
    return undefined
  })
}

describe.each(pairings)('a $client client and a $server server', ({ client: clientSpeaks, server: serverSpeaks }) => {
  const withInbox = { surfaces: ['client', 'inbox'] } as const

  test.each([
    ['a plain form', whichRegion, inEurope, { action: 'decline' }],
    ['an approval', mayI, approve, { action: 'accept', content: { decision: 'decline' } }],
    ['a form without fields', justYes, { action: 'accept', content: {} }, { action: 'decline' }],
    ['a link', signIn, { action: 'accept' }, { action: 'decline' }],
  ])(
    '[ROUTE-12] with an inbox, %s that is accepted too fast is asked in the inbox, whose answer counts',
    async (_, question, fast, slow) => {
      const { server, store, client, counted } = await aPairing(clientSpeaks, serverSpeaks, () => fast, withInbox)

      const calling = client.call('ask', { questions: [question] })
      const ask = await firstAsk(store)
      expect(server.saw).toEqual([])
      await answerInInbox(store, ask, slow)
      await calling

      expect(client.asked).toHaveLength(1)
      expect(server.saw).toEqual([slow])
      expect(counted).toEqual(['unseen deploy'])
      await recorded(store, 'unseen')
    },
  )

  test('[CLIENT-7] an immediate accept that is read late, because this process was busy, is asked in the inbox', async () => {
    const says: Says = () => {
      const endsAt = performance.now() + 1_500
      while (performance.now() < endsAt);
      return approve
    }
    const options = { ...withInbox, unseenAfterMs: 600 }
    const { server, store, client } = await aPairing(clientSpeaks, serverSpeaks, says, options)

    const calling = client.call('ask', { questions: [mayI] })
    const ask = await firstAsk(store)
    expect(server.saw).toEqual([])
    await answerInInbox(store, ask, { action: 'decline' })
    await calling

    expect(server.saw).toMatchObject([{ action: 'decline' }])
  })

  test('[ROUTE-12] an accept after a plausible time counts, and the question is not asked again', async () => {
    const options = { ...withInbox, unseenAfterMs: 20 }
    const { server, store, client } = await aPairing(clientSpeaks, serverSpeaks, afterMs(120, approve), options)

    await client.call('ask', { questions: [mayI] })

    expect(server.saw).toEqual([approve])
    expect(await openAsks(store)).toEqual([])
  })

  test.each([
    ['our decision form', mayI, approve],
    ['a form without fields', justYes, { action: 'accept', content: {} }],
    ['a form without fields, accepted without content', justYes, { action: 'accept' }],
  ])(
    '[ROUTE-13] without an inbox, an approval by %s that is accepted too fast is a cancel for the server',
    async (_, question, fast) => {
      const { server, store, client, counted } = await aPairing(clientSpeaks, serverSpeaks, () => fast)

      await client.call('ask', { questions: [question] })

      expect(server.saw).toEqual([unseen])
      expect(counted).toEqual(['unseen deploy'])
      await recorded(store, 'unseen')
    },
  )

  test('[ROUTE-13] without an inbox, a plain form and a link that are accepted too fast pass and are recorded as unattended', async () => {
    const says: Says = ({ mode }) => (mode === 'url' ? { action: 'accept' } : inEurope)
    const { server, store, client, counted } = await aPairing(clientSpeaks, serverSpeaks, says)

    await client.call('ask', { questions: [whichRegion, signIn] })

    expect(server.saw).toEqual([inEurope, { action: 'accept' }])
    expect(counted).toEqual(['unattended deploy', 'unattended deploy'])
    await recorded(store, 'unattended')
  })

  test('[ROUTE-13] without an inbox, an approval after a plausible time passes and is not recorded as unattended', async () => {
    const { server, client, counted } = await aPairing(clientSpeaks, serverSpeaks, afterMs(60, approve), {
      unseenAfterMs: 20,
    })

    await client.call('ask', { questions: [mayI] })

    expect(server.saw).toEqual([approve])
    expect(counted).toEqual([])
  })
})

test('[ROUTE-13] the time is read from the state, so a reload with a longer timeout does not make a fast accept count', async () => {
  const server = await aRawServer(({ params }) =>
    params.inputResponses === undefined ? asks({ may: mayI }, 's') : complete,
  )
  const servers = { deploy: { url: server.url } }
  const gateway = await (await openTestEnv()).gateway(servers, { askWaitMs: 60_000, unseenAfterMs: longMs })

  const { requestState } = (await call(gateway.url, {})).message.result
  gateway.reload({ servers, askWaitMs: 600_000, identify: () => ({ principal: 'ann', groups: [] }) })
  await call(gateway.url, {}, { requestState, inputResponses: { may: approve } })

  expect(server.requests[1]?.params.inputResponses).toEqual({ may: unseen })
})
