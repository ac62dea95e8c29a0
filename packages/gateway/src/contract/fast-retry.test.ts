// An accept that was too fast to be a person's, sent again when enough time has passed.

import { decisionForm, encodeForm } from '@assent/core'
import { describe, expect, test } from 'vitest'
import type { Question } from './asking.suite.ts'
import { answerInInbox, firstAsk, openAsks } from './inbox.suite.ts'
import { anAskingServer, type Generation } from './servers.suite.ts'
import { aStage } from './stage.suite.ts'
import { call } from './wire.suite.ts'

const encoded = encodeForm(decisionForm, '2026-07-28')
const mayI: Question = { mode: 'form', message: 'May I?', requestedSchema: encoded.ok ? encoded.schema : {} }
const approve = { action: 'accept', content: { decision: 'approve' } }
const args = { questions: [mayI] }
const unseenAfterMs = 3_000

async function aFastApproval(generation: Generation, surfaces: readonly ('client' | 'inbox')[]) {
  const server = await anAskingServer(generation)
  const { store, gateway } = await aStage()
  const { url } = await gateway({ deploy: { url: server.url } }, { surfaces, unseenAfterMs, holdMs: 50 })
  const { result } = (await call(url, args)).message
  const [key = ''] = Object.keys(result.inputRequests as object)
  const again = () => call(url, args, { requestState: result.requestState, inputResponses: { [key]: approve } })
  const first = (await again()).message
  return { server, store, url, again, first }
}

const later = () => new Promise((resolve) => setTimeout(resolve, unseenAfterMs + 200))

describe.each<Generation>(['2025-11-25', '2026-07-28'])('a %s server', (generation) => {
  test('[ROUTE-12] with an inbox, the same accept sent again later does not count: one ask is open for it, and its answer does', async () => {
    const { server, store, url, again, first } = await aFastApproval(generation, ['client', 'inbox'])
    const ask = await firstAsk(store)
    await later()

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

  test('[ROUTE-13] without an inbox, the same accept of an approval sent again later is no approval either', async () => {
    const { server, again } = await aFastApproval(generation, ['client'])
    await later()

    await again()

    expect(server.saw).not.toContainEqual(approve)
  })
})
