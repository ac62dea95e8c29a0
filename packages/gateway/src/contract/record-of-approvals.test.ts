import type { Store, StoredRecordedCall } from '@assent/store'
import { describe, expect, test, vi } from 'vitest'
import { allItems } from '../../../../test-kit/all-items.ts'
import { answerInInbox, firstAsk } from '../../../../test-kit/gateway/answer-in-inbox.ts'
import { anAskingServer } from '../../../../test-kit/mcp/asking-servers.ts'
import { whichRegion } from '../../../../test-kit/mcp/asking-tools.ts'
import { aClient } from '../../../../test-kit/mcp/scripted-client.ts'
import type { Revision } from '../../../../test-kit/revisions.ts'
import { until } from '../../../../test-kit/until.ts'
import { aGatewayWithPolicies, allowAll, ann, ben, cleo, type PolicyText, twoOfRelease } from './policies.suite.ts'
import { aRawServer, call, complete, type RawRequest } from './wire.suite.ts'

const record = { isOn: true, keepsArguments: false }
const generations: readonly Revision[] = ['2025-11-25', '2026-07-28']
const accept = { action: 'accept' }
const approve = { action: 'accept', content: { decision: 'approve' } }
const listed = {
  result: { resultType: 'complete', ttlMs: 0, tools: [{ name: 'ask', inputSchema: { type: 'object' } }] },
}

function recordedIn(store: Store): Promise<StoredRecordedCall[]> {
  return allItems(store.recordedCalls.since('default', { atMs: 0, id: '' }, 0))
}

function endedIn(store: Store, count = 1): Promise<StoredRecordedCall[]> {
  return until(async () => {
    const calls = await recordedIn(store)
    return calls.length >= count && calls.every(({ outcome }) => outcome !== undefined) ? calls : undefined
  })
}

/** A call that its own client may approve, of a server that runs until the test ends it. */
async function aCallForTheClient() {
  const begun = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<void>()
  const server = await aRawServer(async ({ method }: RawRequest) => {
    if (method === 'tools/list') return listed
    begun.resolve()
    await ended.promise
    return complete
  })
  const own: PolicyText = { name: 'own', effect: { ask: { ask: 'requester', surfaces: 'client' } } }
  const options = { record, unseenAfterMs: 0 }
  const { gateway, store } = await aGatewayWithPolicies({ notes: { url: server.url } }, [allowAll, own], options)
  const { requestState } = (await call(gateway.url, {})).message.result
  const answer = (given?: object) =>
    call(gateway.url, {}, { requestState, ...(given === undefined ? {} : { inputResponses: { approval: given } }) })
  const runs = () => server.requests.filter(({ method }) => method === 'tools/call').length
  return { store, answer, begun: begun.promise, end: ended.resolve, runs }
}

test.each<[how: string, given: object]>([
  ['the same answer', approve],
  ['a decline', { action: 'decline' }],
  ['a cancel', { action: 'cancel' }],
])('[RECORD-12] a request that repeats an approval with %s does not replace the outcome', async (_, given) => {
  const { store, answer, begun, end, runs } = await aCallForTheClient()
  const running = answer(approve)
  await begun

  const again = answer(given)
  // Longer than a group of rows waits.
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(await recordedIn(store)).toMatchObject([{ outcome: undefined, effect: 'ask' }])
  end()

  expect((await again).message.result).toEqual((await running).message.result)
  expect(await endedIn(store)).toMatchObject([{ outcome: 'ok', effect: 'ask', policies: ['own'] }])
  expect(runs()).toBe(1)
})

test('[RECORD-12] a decline of the client ends the call; a later approval runs nothing', async () => {
  const { store, answer, end, runs } = await aCallForTheClient()
  end()

  await answer({ action: 'decline' })
  const later = (await answer(approve)).message

  expect(JSON.stringify(later)).toContain('Nothing ran')
  expect(await endedIn(store)).toMatchObject([{ outcome: 'declined' }])
  expect(runs()).toBe(0)
})

describe.each(generations)('calls of %s clients with the same approval', (clientSpeaks) => {
  /** Two calls that wait for one ask. */
  async function twoCalls(args: object) {
    const server = await anAskingServer('2026-07-28')
    const policies = [allowAll, twoOfRelease]
    const { store, gateway } = await aGatewayWithPolicies({ deploy: { url: server.url } }, policies, { record })
    const clients = [await aClient(clientSpeaks, gateway.url, {}), await aClient(clientSpeaks, gateway.url, {})]
    const calls = [clients[0]?.call('ask', { ...args })]
    const ask = await firstAsk(store, ben)
    const joins = vi.spyOn(store.asks, 'openApproval')
    calls.push(clients[1]?.call('ask', { ...args }))
    await until(() => joins.mock.results.length > 0 || undefined)
    await joins.mock.results[0]?.value
    return { store, server, ask, calls }
  }

  test('[RECORD-13] both rows get the outcome of the one run', async () => {
    const { store, server, ask, calls } = await twoCalls({ questions: [] })
    await answerInInbox(store, ask, accept, ben)
    await answerInInbox(store, ask, accept, cleo)
    await Promise.all(calls)

    const ended = {
      outcome: 'ok',
      effect: 'ask',
      policies: ['release'],
      askId: ask.id,
      target: 'ask',
      server: 'deploy',
    }
    expect(await endedIn(store, 2)).toMatchObject([ended, ended])
    expect(server.begun).toBe(1)
  })

  test('[RECORD-13] both rows are declined if the approval is', async () => {
    const { store, ask, calls } = await twoCalls({ questions: [] })
    await answerInInbox(store, ask, { action: 'decline' }, ben)
    await Promise.all(calls)

    const declined = { outcome: 'declined', askId: ask.id }
    expect(await endedIn(store, 2)).toMatchObject([declined, declined])
  })

  test('[RECORD-13] both rows get the outcome of a run in which the server asks', async () => {
    const { store, ask, calls } = await twoCalls({ questions: [whichRegion] })
    await answerInInbox(store, ask, accept, ben)
    await answerInInbox(store, ask, accept, cleo)
    const question = await until(async () => {
      const found = await firstAsk(store, ann)
      return found.id === ask.id ? undefined : found
    })
    await answerInInbox(store, question, { action: 'accept', content: { region: 'eu' } })
    await Promise.all(calls)

    expect(await endedIn(store, 2)).toMatchObject([{ outcome: 'ok' }, { outcome: 'ok' }])
  })
})
