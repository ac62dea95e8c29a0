// An accept that arrived too fast for a person, sent again after enough time has passed.

import { decisionForm, encodeForm } from '@assent/core'
import { afterAll, describe, expect, test } from 'vitest'
import { answerInInbox, firstAsk, openAsks } from '../../../../test-kit/gateway/answer-in-inbox.ts'
import { openTestEnv } from '../../../../test-kit/gateway/test-env.ts'
import { anAskingServer } from '../../../../test-kit/mcp/asking-servers.ts'
import type { Question } from '../../../../test-kit/mcp/asking-tools.ts'
import type { Revision } from '../../../../test-kit/revisions.ts'
import { relayLimits, setLimits } from '../limits.ts'
import { call } from './wire.suite.ts'

const encoded = encodeForm(decisionForm, '2026-07-28')
const mayI: Question = { mode: 'form', message: 'May I?', requestedSchema: encoded.ok ? encoded.schema : {} }
const approve = { action: 'accept', content: { decision: 'approve' } }
const args = { questions: [mayI] }
const unseenAfterMs = 60_000

// The tests advance the clock of the store, by which leases expire too.
afterAll(setLimits(relayLimits, { leaseMs: 600_000 }))

async function aFastApproval(generation: Revision, surfaces: readonly ('client' | 'inbox')[]) {
  const server = await anAskingServer(generation)
  let aheadMs = 0
  const { store, gateway } = await openTestEnv({ clock: () => Date.now() + aheadMs })
  const { url } = await gateway({ deploy: { url: server.url } }, { surfaces, unseenAfterMs, holdMs: 50 })
  const { result } = (await call(url, args)).message
  const [key = ''] = Object.keys(result.inputRequests as object)
  const again = () => call(url, args, { requestState: result.requestState, inputResponses: { [key]: approve } })
  const first = (await again()).message
  const later = () => {
    aheadMs = unseenAfterMs + 200
  }
  return { server, store, url, again, first, later }
}

describe.each<Revision>(['2025-11-25', '2026-07-28'])('a %s server', (generation) => {
  test('[ROUTE-12] with an inbox, the same accept sent again later does not count: one ask is open, and its answer counts', async () => {
    const { server, store, url, again, first, later } = await aFastApproval(generation, ['client', 'inbox'])
    const ask = await firstAsk(store)
    later()

    await again()
    await again()

    expect(server.saw).toEqual([])
    expect((await openAsks(store)).map(({ id }) => id)).toEqual([ask.id])
    await answerInInbox(store, ask, approve)
    const { requestState } = first.result
    expect((await call(url, args, { requestState })).message.result).toMatchObject({ content: [{ text: 'done' }] })
    await again()
    expect(server.saw).toEqual([approve])
  })

  test('[ROUTE-13] without an inbox, the same accept of an approval sent again later does not approve it either', async () => {
    const { server, again, later } = await aFastApproval(generation, ['client'])
    later()

    await again()

    expect(server.saw).not.toContainEqual(approve)
  })
})
