// Answers that are invalid for their form, between real clients and servers of both generations.

import { describe, expect, test } from 'vitest'
import { answerInInbox, firstAsk } from '../../../../test-kit/gateway/answer-in-inbox.ts'
import { openTestEnv } from '../../../../test-kit/gateway/test-env.ts'
import { anAskingServer } from '../../../../test-kit/mcp/asking-servers.ts'
import { howMany, type Question, whichRegion } from '../../../../test-kit/mcp/asking-tools.ts'
import { aClient, type Says } from '../../../../test-kit/mcp/scripted-client.ts'
import type { Revision } from '../../../../test-kit/revisions.ts'

const generations: readonly Revision[] = ['2025-11-25', '2026-07-28']
const pairings = generations.flatMap((client) => generations.map((server) => ({ client, server })))
const four = { action: 'accept', content: { replicas: 4 } }
const none = { action: 'accept', content: { replicas: 0 } }
const tooFew = 'replicas: Must be 1 or more.'
const notFitting = { action: 'cancel', _meta: { 'assent/no-answer': 'malformed', 'assent/reason': tooFew } }

/** Returns the answers in order, and then repeats the last one. */
function inTurn(...answers: unknown[]): Says {
  let at = 0
  return () => answers[Math.min(at++, answers.length - 1)]
}

describe.each(pairings)('a $client client and a $server server', ({ client: clientSpeaks, server: serverSpeaks }) => {
  const aPairing = async (says: Says, options = {}) => {
    const server = await anAskingServer(serverSpeaks)
    const testEnv = await openTestEnv()
    const gateway = await testEnv.gateway({ deploy: { url: server.url } }, { unseenAfterMs: 0, ...options })
    return { server, store: testEnv.store, client: await aClient(clientSpeaks, gateway.url, { says }) }
  }

  test('[FORM-22] after an invalid answer the question is repeated with the reason, and the second answer counts', async () => {
    const { server, client } = await aPairing(inTurn(none, four))

    await client.call('ask', { questions: [howMany] })

    expect(client.asked.map(({ message }) => message)).toEqual([
      howMany.message,
      `Your last answer is not valid. ${tooFew}\n\n${howMany.message}`,
    ])
    expect(client.asked[1]).toMatchObject({ requestedSchema: howMany.requestedSchema })
    expect(server.saw).toEqual([four])
    expect(server).toMatchObject({ begun: 1, ended: 1 })
  })

  test('[FORM-22] after two repetitions the server gets a cancel with the reason', async () => {
    const { server, client } = await aPairing(inTurn(none))

    await client.call('ask', { questions: [howMany, whichRegion] })

    expect(client.asked.filter(({ message }) => message.includes('replicas?'))).toHaveLength(3)
    expect(server.saw[0]).toEqual(notFitting)
    expect(server).toMatchObject({ begun: 1, ended: 1 })
  })

  test('[FORM-22] a decline of the repeated question is a decline', async () => {
    const { server, client } = await aPairing(inTurn(none, { action: 'decline' }))

    await client.call('ask', { questions: [howMany] })

    expect(client.asked).toHaveLength(2)
    expect(server.saw).toEqual([{ action: 'decline' }])
  })

  test('[FORM-22] a question is not repeated after an invalid answer that no person gave', async () => {
    const { server, client } = await aPairing(inTurn(none, four), { unseenAfterMs: 60_000 })

    await client.call('ask', { questions: [howMany] })

    expect(client.asked).toHaveLength(1)
    expect(server.saw).toEqual([notFitting])
  })

  test('[FORM-21] unknown properties of an answer are dropped, or the question is repeated if the schema forbids them', async () => {
    const more = { action: 'accept', content: { replicas: 4, note: 'fast' } }
    const closed: Question = {
      ...howMany,
      requestedSchema: { ...(howMany.requestedSchema as object), additionalProperties: false },
    }
    const { server, client } = await aPairing(inTurn(more, more, four))

    await client.call('ask', { questions: [howMany, closed] })

    expect(server.saw).toEqual([four, four])
    expect(client.asked).toHaveLength(3)
    expect(client.asked[2]?.message).toContain('note: This was not asked for.')
  })

  test('[FORM-22] with an inbox, an invalid answer of the client is asked for again in the client first', async () => {
    const { server, client } = await aPairing(inTurn(none, four), { surfaces: ['client', 'inbox'] })

    await client.call('ask', { questions: [howMany] })

    expect(client.asked).toHaveLength(2)
    expect(server.saw).toEqual([four])
  })

  test('[FORM-22] if the inbox shows the question too, an invalid answer of the client leaves it open there', async () => {
    const slowly: Says = () => new Promise((resolve) => setTimeout(resolve, 400, none))
    const { server, store, client } = await aPairing(slowly, { surfaces: ['client', 'inbox'], silentAfterMs: 50 })

    const calling = client.call('ask', { questions: [howMany] })
    const ask = await firstAsk(store)
    await new Promise((resolve) => setTimeout(resolve, 700))
    await answerInInbox(store, ask, four)
    await calling

    expect(server.saw).toEqual([four])
    expect(server).toMatchObject({ begun: 1, ended: 1 })
  })
})
