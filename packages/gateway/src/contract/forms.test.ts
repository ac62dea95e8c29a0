// Forms as the SDKs of other languages write them, between real clients and servers of both generations.

import { describe, expect, test } from 'vitest'
import { answerInInbox, firstAsk } from '../../../../test-kit/gateway/answer-in-inbox.ts'
import { openTestEnv } from '../../../../test-kit/gateway/test-env.ts'
import { anAskingServer } from '../../../../test-kit/mcp/asking-servers.ts'
import type { Question } from '../../../../test-kit/mcp/asking-tools.ts'
import { aClient, type Visit } from '../../../../test-kit/mcp/scripted-client.ts'
import type { Revision } from '../../../../test-kit/revisions.ts'

const generations: readonly Revision[] = ['2025-11-25', '2026-07-28']
const pairings = generations.flatMap((client) => generations.map((server) => ({ client, server })))

/** A schema in the form that pydantic generates. */
const booking: Question = {
  mode: 'form',
  message: 'Which table?',
  requestedSchema: {
    type: 'object',
    title: 'Booking',
    properties: {
      name: { type: 'string', pattern: '^[A-Za-z]+$', title: 'Name', examples: ['Ann'] },
      seats: { anyOf: [{ type: 'integer' }, { type: 'null' }], default: null, title: 'Seats' },
      tags: { type: 'array', items: { type: 'string' }, title: 'Tags' },
      price: { type: 'number', exclusiveMinimum: 0, default: -1 },
      room: { enum: ['inside', 'garden'], title: 'Room' },
    },
    required: ['name', 'tags'],
  },
}
const content = { name: 'Ann', tags: ['quiet', 'window'], price: 2.5, room: 'garden' }

describe.each(pairings)('a $client client and a $server server', ({ client: clientSpeaks, server: serverSpeaks }) => {
  const aPairing = async (visit: Visit, options = {}) => {
    const server = await anAskingServer(serverSpeaks)
    const testEnv = await openTestEnv()
    const gateway = await testEnv.gateway({ deploy: { url: server.url } }, options)
    return { server, store: testEnv.store, client: await aClient(clientSpeaks, gateway.url, visit) }
  }

  test('[FORM-16] [FORM-19] the client gets a form that its SDK accepts, and the server the answer it asked for', async () => {
    const says = () => ({ action: 'accept', content: { ...content, tags: 'quiet, window' } })
    const { server, client } = await aPairing({ says })

    await client.call('ask', { questions: [booking] })

    expect(client.asked).toHaveLength(1)
    expect(client.asked[0]?.requestedSchema).toMatchObject({
      properties: {
        name: { type: 'string', title: 'Name' },
        seats: { type: 'integer', title: 'Seats' },
        tags: { type: 'string', description: expect.stringContaining('separate the entries with commas') },
        price: { type: 'number', minimum: 0 },
        room: { type: 'string', enum: ['inside', 'garden'] },
      },
      required: ['name', 'tags'],
    })
    expect(server.saw).toMatchObject([{ action: 'accept', content }])
  })

  test('[FORM-16] [FORM-20] in the inbox an answer that does not match the pattern leaves the question open', async () => {
    const { server, store, client } = await aPairing({ elicitation: 'none' }, { surfaces: ['inbox'] })

    const calling = client.call('ask', { questions: [booking] })
    const ask = await firstAsk(store)
    const wrong = await answerInInbox(store, ask, { action: 'accept', content: { ...content, name: 'Ann 1' } })
    const right = await answerInInbox(store, ask, { action: 'accept', content })
    await calling

    expect(wrong).toMatchObject({
      kind: 'invalid',
      issues: [{ field: 'name', message: expect.stringContaining('pattern') }],
    })
    expect(right).toMatchObject({ kind: 'settled' })
    expect(server.saw).toMatchObject([{ action: 'accept', content }])
  })

  test('[FORM-9] labels in a second list, which every revision defines, reach the client unchanged', async () => {
    const { client } = await aPairing({ says: () => ({ action: 'accept', content: { size: 's' } }) })
    const properties = { size: { type: 'string', enum: ['s', 'l'], enumNames: ['Small', 'Large'] } }

    await client.call('ask', { questions: [{ ...booking, requestedSchema: { type: 'object', properties } }] })

    expect(client.asked[0]?.requestedSchema).toMatchObject({ properties })
  })

  test('[FORM-2] [FORM-20] a pattern that cannot be checked is refused with the reason and the location', async () => {
    const { server, client } = await aPairing({})
    const property = { type: 'string', pattern: '^(?=.*[0-9]).{8,}$' }
    const question = { ...booking, requestedSchema: { type: 'object', properties: { code: property } } }

    const result = await client.call('ask', { questions: [question] }).catch((error: Error) => error.message)

    const received = JSON.stringify([server.saw, result])
    expect(received).toContain('cannot be checked in linear time')
    expect(received).toContain('/properties/code/pattern')
    expect(client.asked).toEqual([])
  })
})
