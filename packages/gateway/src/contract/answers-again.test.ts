// Answers that do not fit their form, between real clients and servers of both generations.

import { describe, expect, test } from 'vitest'
import { howMany, type Question, whichRegion } from './asking.suite.ts'
import { aClient, type Says } from './clients.suite.ts'
import { answerInInbox, firstAsk } from './inbox.suite.ts'
import { anAskingServer, type Generation } from './servers.suite.ts'
import { aStage } from './stage.suite.ts'

const generations: readonly Generation[] = ['2025-11-25', '2026-07-28']
const pairings = generations.flatMap((client) => generations.map((server) => ({ client, server })))
const four = { action: 'accept', content: { replicas: 4 } }
const none = { action: 'accept', content: { replicas: 0 } }
const tooFew = 'replicas: Must be 1 or more.'
const notFitting = { action: 'cancel', _meta: { 'assent/no-answer': 'malformed', 'assent/reason': tooFew } }

/** One answer after the other; the last one stays. */
function inTurn(...answers: unknown[]): Says {
  let at = 0
  return () => answers[Math.min(at++, answers.length - 1)]
}

describe.each(pairings)('a $client client and a $server server', ({ client: clientSpeaks, server: serverSpeaks }) => {
  const aPairing = async (says: Says, options = {}) => {
    const server = await anAskingServer(serverSpeaks)
    const stage = await aStage()
    const gateway = await stage.gateway({ deploy: { url: server.url } }, { unseenAfterMs: 0, ...options })
    return { server, store: stage.store, client: await aClient(clientSpeaks, gateway.url, { says }) }
  }

  test('[FORM-22] an answer that does not fit is asked for again, with the reason, and the second one counts', async () => {
    const { server, client } = await aPairing(inTurn(none, four))

    await client.call('ask', { questions: [howMany] })

    expect(client.asked.map(({ message }) => message)).toEqual([
      howMany.message,
      `Your last answer does not fit. ${tooFew}\n\n${howMany.message}`,
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

  test('[FORM-22] an answer that no person gave is not asked for again', async () => {
    const { server, client } = await aPairing(inTurn(none, four), { unseenAfterMs: 60_000 })

    await client.call('ask', { questions: [howMany] })

    expect(client.asked).toHaveLength(1)
    expect(server.saw).toEqual([notFitting])
  })

  test('[FORM-21] other properties of an answer are dropped, or asked about where the schema forbids them', async () => {
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

  test('[FORM-22] with an inbox an answer that does not fit is asked for again at the client first', async () => {
    const { server, client } = await aPairing(inTurn(none, four), { surfaces: ['client', 'inbox'] })

    await client.call('ask', { questions: [howMany] })

    expect(client.asked).toHaveLength(2)
    expect(server.saw).toEqual([four])
  })

  test('[FORM-22] where the inbox asks too, it keeps asking', async () => {
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
