import type { Person } from '@assent/core'
import { describe, expect, test } from 'vitest'
import { answerInInbox, firstAsk, openAsks } from '../../../../test-kit/gateway/answer-in-inbox.ts'
import { openTestEnv } from '../../../../test-kit/gateway/test-env.ts'
import { anAskingServer } from '../../../../test-kit/mcp/asking-servers.ts'
import { howMany, whichRegion } from '../../../../test-kit/mcp/asking-tools.ts'
import { aClient } from '../../../../test-kit/mcp/scripted-client.ts'
import type { Revision } from '../../../../test-kit/revisions.ts'
import { until } from '../../../../test-kit/until.ts'

const generations: readonly Revision[] = ['2025-11-25', '2026-07-28']
const pairings = generations.flatMap((client) => generations.map((server) => ({ client, server })))
const done = { content: [{ type: 'text', text: 'done' }] }
const inEurope = { action: 'accept', content: { region: 'eu' } }
const four = { action: 'accept', content: { replicas: 4 } }
const tool = 'assent__await_answer'

interface Pending {
  readonly isError: true
  readonly structuredContent: { readonly status: 'pending'; readonly askId: string; readonly askUrl: string }
}

describe.each(pairings)('a $client client and a $server server', ({ client: clientSpeaks, server: serverSpeaks }) => {
  /** A client with a short timeout whose call has been deferred. */
  const aDeferredCall = async (questions = [whichRegion]) => {
    const server = await anAskingServer(serverSpeaks)
    const { store, gateway } = await openTestEnv()
    const options = {
      surfaces: ['client', 'inbox'],
      patienceMs: 100,
      holdMs: 10,
      inboxUrl: 'http://127.0.0.1:1/',
    } as const
    const { url } = await gateway({ deploy: { url: server.url } }, options)
    const client = await aClient(clientSpeaks, url, { elicitation: 'none' })
    const pending = (await client.call('ask', { questions })) as Pending
    const fetchIt = (id = pending.structuredContent.askId) => client.call(tool, { ask_id: id })
    return { server, store, url, pending, fetchIt }
  }

  test('[ROUTE-8] a caller that cannot wait gets a handle, and fetches the result after the person has answered', async () => {
    const { server, store, pending, fetchIt } = await aDeferredCall()
    const ask = await firstAsk(store)
    const tooEarly = (await fetchIt()) as Pending
    await answerInInbox(store, ask, inEurope)

    const results = [await fetchIt(), await fetchIt()]

    expect(pending).toMatchObject({ isError: true, structuredContent: { status: 'pending', askId: ask.id } })
    expect(JSON.stringify(pending)).toContain('http://127.0.0.1:1/')
    expect(tooEarly.structuredContent).toMatchObject({ status: 'pending', askId: ask.id })
    expect(results).toMatchObject([done, done])
    expect(server).toMatchObject({ begun: 1, ended: 1, saw: [inEurope] })
  })

  test('[ROUTE-8] a deferred call that asks again returns another handle', async () => {
    const { server, store, pending, fetchIt } = await aDeferredCall([whichRegion, howMany])
    await answerInInbox(store, await firstAsk(store), inEurope)
    const second = (await fetchIt()) as Pending
    await answerInInbox(store, await firstAsk(store), four)

    const result = await fetchIt(second.structuredContent.askId)

    expect(second.structuredContent.status).toBe('pending')
    expect(second.structuredContent.askId).not.toBe(pending.structuredContent.askId)
    expect(result).toMatchObject(done)
    expect(server).toMatchObject({ begun: 1, ended: 1, saw: [inEurope, four] })
  })

  test('[ROUTE-9] concurrent fetches all get the same result, and nothing runs twice', async () => {
    const { server, store, fetchIt } = await aDeferredCall()
    await answerInInbox(store, await firstAsk(store), inEurope)

    // This client's timeout is so short that a request may get the handle again while another one continues the call.
    const fetched = () =>
      until(async () => {
        const result = await fetchIt()
        return (result as Partial<Pending>).structuredContent?.status === 'pending' ? undefined : result
      }, 60_000)
    const results = await Promise.all([fetched(), fetched(), fetched()])

    expect(results).toMatchObject([done, done, done])
    expect(server).toMatchObject({ begun: 1, ended: 1, saw: [inEurope] })
  })

  test('[ROUTE-9] another person’s handle and an invented handle are refused', async () => {
    const { server, store, url, pending, fetchIt } = await aDeferredCall()
    const ben: Person = { principal: 'ben', groups: [] }
    const other = await aClient(clientSpeaks, url, { person: 'ben', elicitation: 'none' })
    await answerInInbox(store, await firstAsk(store), inEurope)

    const borrowed = await other.call(tool, { ask_id: pending.structuredContent.askId })
    const madeUp = await fetchIt(
      pending.structuredContent.askId.replace(/.$/, (last: string) => (last === '0' ? '1' : '0')),
    )

    expect(borrowed).toMatchObject({ isError: true })
    expect(madeUp).toEqual(borrowed)
    expect(server.ended).toBe(0)
    expect(await answerInInbox(store, { id: pending.structuredContent.askId } as never, inEurope, ben)).toEqual({
      kind: 'not-found',
    })
  })
})

test.each(generations)(
  '[ROUTE-8] a %s client finds the tool that fetches results in the tool list',
  async (generation) => {
    const server = await anAskingServer('2026-07-28')
    const { gateway } = await openTestEnv()
    const servers = { deploy: { url: server.url } }
    const [plain, withInbox] = [await gateway(servers), await gateway(servers, { surfaces: ['client', 'inbox'] })]

    const namesAt = async ({ url }: { url: string }) => (await aClient(generation, url)).tools()

    expect(await namesAt(plain)).toEqual(['ask'])
    expect(await namesAt(withInbox)).toEqual(['ask', tool])
  },
)

test.each(generations)(
  '[ROUTE-8] a call of a %s client that is too large to defer fails with an explanation',
  async (generation) => {
    const server = await anAskingServer('2026-07-28')
    const { store, gateway } = await openTestEnv()
    const options = { surfaces: ['client', 'inbox'], patienceMs: 100, holdMs: 10 } as const
    const { url } = await gateway({ deploy: { url: server.url } }, options)
    const client = await aClient(generation, url, { elicitation: 'none' })

    const filler = 'x'.repeat(300_000)
    await expect(client.call('ask', { questions: [whichRegion], filler })).rejects.toThrow('too large to be stored')

    expect(await openAsks(store)).toEqual([])
    expect(server.ended).toBe(0)
  },
)
