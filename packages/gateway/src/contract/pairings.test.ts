import { describe, expect, test } from 'vitest'
import { openTestEnv } from '../../../../test-kit/gateway/test-env.ts'
import { anAskingServer } from '../../../../test-kit/mcp/asking-servers.ts'
import { howMany, signIn, whichRegion } from '../../../../test-kit/mcp/asking-tools.ts'
import { aClient, accepts } from '../../../../test-kit/mcp/scripted-client.ts'
import type { Revision } from '../../../../test-kit/revisions.ts'

const generations: readonly Revision[] = ['2025-11-25', '2026-07-28']
const pairings = generations.flatMap((client) => generations.map((server) => ({ client, server })))
const done = { content: [{ type: 'text', text: 'done' }] }

describe.each(pairings)('a $client client and a $server server', ({ client: clientSpeaks, server: serverSpeaks }) => {
  const aPairing = async (visit = {}) => {
    const server = await anAskingServer(serverSpeaks)
    const gateway = await (await openTestEnv()).gateway({ deploy: { url: server.url } })
    return { server, gateway, client: await aClient(clientSpeaks, gateway.url, visit) }
  }

  test('[RELAY-1] [RELAY-2] a form and a link reach the person, the answers the server, and the tool runs once', async () => {
    const { server, client } = await aPairing()

    const result = await client.call('ask', { questions: [whichRegion, signIn, howMany] })

    expect(result).toMatchObject(done)
    expect(client.asked.map(({ message }) => message)).toEqual([whichRegion, signIn, howMany].map((q) => q.message))
    expect(client.asked[0]).toMatchObject(whichRegion)
    expect(client.asked[1]).toMatchObject(signIn)
    expect(server.saw).toEqual([whichRegion, signIn, howMany].map(accepts))
    expect(server).toMatchObject({ begun: 1, ended: 1 })
  })

  test('[RELAY-1] a decline and a cancel reach the server unchanged', async () => {
    const { server, client } = await aPairing({
      says: ({ mode }: { mode?: string }) => ({ action: mode === 'url' ? 'cancel' : 'decline' }),
    })

    await client.call('ask', { questions: [whichRegion, signIn] })

    expect(server.saw).toEqual([{ action: 'decline' }, { action: 'cancel' }])
  })

  test('[RELAY-1] with concurrent calls, each person gets the question of their own call', async () => {
    const { server, gateway } = await aPairing()
    const people = ['ann', 'ben', 'cleo']

    const all = await Promise.all(
      people.map(async (person) => {
        const client = await aClient(clientSpeaks, gateway.url, { person })
        const questions = [1, 2].map((n) => ({ ...howMany, message: `${n} for ${person}` }))
        await Promise.all(questions.map((question) => client.call('ask', { questions: [question] })))
        return client.asked.map(({ message }) => message).sort()
      }),
    )

    expect(all).toEqual(people.map((person) => [`1 for ${person}`, `2 for ${person}`]))
    expect(server).toMatchObject({ begun: 6, ended: 6 })
  })

  test('[RELAY-3] a mode that the client did not declare is not sent to it, and the asker gets an error', async () => {
    const { server, client } = await aPairing({ elicitation: { form: {} } })

    const outcome = await client.call('ask', { questions: [signIn] }).catch((error: Error) => error)

    expect(client.asked).toEqual([])
    expect(server.saw).not.toContainEqual(expect.objectContaining({ action: 'accept' }))
    if (serverSpeaks === '2025-11-25') expect(server.saw).toEqual([{ error: expect.stringContaining('declare') }])
    else expect(outcome).toMatchObject({ code: -32_021 })
  })

  const forbidden = [
    {
      what: 'a form that asks for a secret',
      question: {
        mode: 'form' as const,
        message: 'Sign in',
        requestedSchema: { type: 'object', properties: { password: { type: 'string' } } },
      },
      why: /password/i,
    },
    {
      what: 'a form outside the subset',
      question: {
        mode: 'form' as const,
        message: 'Where?',
        requestedSchema: { type: 'object', properties: { place: { type: 'object', properties: {} } } },
      },
      why: /\/properties\/place/,
    },
    {
      what: 'an unsafe link',
      question: { mode: 'url' as const, message: 'Look here', url: 'http://example.com/page' },
      why: /https/,
    },
  ]
  test.each(forbidden)('[RELAY-4] $what is not shown, and the asker gets the reason', async ({ question, why }) => {
    const { server, client } = await aPairing()

    const outcome = await client.call('ask', { questions: [question] }).catch((error: Error) => error)

    expect(client.asked).toEqual([])
    expect(server.saw).not.toContainEqual(expect.objectContaining({ action: 'accept' }))
    if (serverSpeaks === '2025-11-25') expect(server.saw).toEqual([{ error: expect.stringMatching(why) }])
    else expect(String(outcome)).toMatch(why)
  })

  test('[RELAY-5] an accept that is invalid for its form does not count', async () => {
    const { server, client } = await aPairing({ says: () => ({ action: 'accept', content: { region: 'mars' } }) })

    await client.call('ask', { questions: [whichRegion] }).catch(() => undefined)

    expect(server.saw).not.toContainEqual(expect.objectContaining({ action: 'accept' }))
  })
})

test('[RELAY-2] a call is started again only if the server reports that it did not start it', async () => {
  const server = await anAskingServer('2025-11-25')
  const gateway = await (await openTestEnv()).gateway({ deploy: { url: server.url } })
  const client = await aClient('2026-07-28', gateway.url)
  await client.call('ask', { questions: [] })
  server.forget()

  const result = await client.call('ask', { questions: [whichRegion] })

  expect(result).toMatchObject(done)
  expect(server).toMatchObject({ begun: 2, ended: 2 })
})
