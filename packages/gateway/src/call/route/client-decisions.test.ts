// The client's answers to an approval that the inbox asks as well.

import { actionDigest, decisionForm, encodeForm, type JsonObject } from '@assent/core'
import { expect, test, vi } from 'vitest'
import { actionOf } from '../policy/action-of.ts'
import { OpenAskLimits } from '../screen/open-limits.ts'
import { InboxFallback, type Put } from './inbox-fallback.ts'
import { callOf, form, openRounds } from './sample-rounds.suite.ts'

const encoded = encodeForm(decisionForm, '2025-11-25')
const schema = encoded.ok ? encoded.schema : {}
const definitionDigest = `sha256:${'0'.repeat(64)}`
const call = callOf({ groups: ['release'] })
const ofRelease: Put = {
  call,
  server: 'deploy',
  wanted: {
    ...{ kind: 'form', message: 'Run deploy', schema, params: {} },
    approval: {
      ...{ title: 'Run deploy', definitionDigest, policySetDigest: definitionDigest, policies: ['release'] },
      requirements: [{ anyOf: [[{ from: ['group:release'], approvals: 1 }]], excluded: [] }],
      ...{ declines: 1, isOnClient: true },
    },
  },
}

/** An approval that the client was asked, and that the inbox asks too. */
async function shown(put = ofRelease) {
  const { store, read, onError } = await openRounds()
  const raise = vi.spyOn(store.asks, 'raise')
  const asking = new OpenAskLimits({ isEnabled: true, askWaitMs: 60_000 })
  const settings = { askWaitMs: 60_000, silentAfterMs: 3_600_000, announces: () => true }
  const fallback = new InboxFallback(store, settings, asking, onError)
  const begin = () => fallback.begin(put) ?? ''
  const id = begin()
  await fallback.show(put, id)
  const isAnnounced = () => raise.mock.calls.map(([, , , announced]) => announced)
  return {
    store,
    fallback,
    id,
    answered: (result: JsonObject) => fallback.answered(put, id, { result }),
    read,
    isAnnounced,
  }
}

test.each<[what: string, result: JsonObject]>([
  ['an accept without a decision', { action: 'accept' }],
  ['an accept with another decision', { action: 'accept', content: { decision: 'yes' } }],
  ['an accept with more than a decision', { action: 'accept', content: { decision: 'approve', also: 1 } }],
  ['an unknown action', { action: 'approve', content: { decision: 'approve' } }],
])('[POLICY-38] %s is not stored as an approval, and the inbox still asks', async (_what, result) => {
  const { answered, read, id } = await shown()

  expect(await answered(result)).toBeUndefined()
  expect((await read(id))?.state).toEqual({ kind: 'open' })
})

test('[ROUTE-10] an approval of the client, who is in the group that may approve, is used by its grant', async () => {
  const { answered, store, id } = await shown()
  const approves = { action: 'accept', content: { decision: 'approve' } }
  const given = { approval: { askId: id, by: 'ann' }, result: approves }

  expect(await answered(approves)).toEqual({ given })
  // Sent again, or changed afterwards: the stored decision counts.
  expect(await answered(approves)).toEqual({ given })
  expect(await answered({ action: 'decline' })).toEqual({ given })
  const digest = actionDigest(actionOf('deploy', call, definitionDigest))
  expect(await store.grants.read('default', id)).toMatchObject({ digest })
})

test.each<[what: string, result: JsonObject]>([
  ['the choice to decline', { action: 'accept', content: { decision: 'decline' } }],
  ['a decline', { action: 'decline' }],
])('[ROUTE-10] %s ends the ask, and approves nothing', async (_what, result) => {
  const { answered, read, id, store } = await shown()

  expect(await answered(result)).toEqual({
    given: { approval: { askId: id, by: 'ann' }, result: { action: 'decline' } },
  })
  expect((await read(id))?.state).toMatchObject({ kind: 'settled', via: 'client', answer: { action: 'decline' } })
  expect(await store.grants.read('default', id)).toBeUndefined()
})

test('[ROUTE-10] a cancel does not dismiss an approval that others can give too', async () => {
  const { answered, read, id } = await shown()

  expect(await answered({ action: 'cancel' })).toBeUndefined()
  expect((await read(id))?.state).toEqual({ kind: 'open' })
})

test('[MESSAGE-2] approvers get messages about an approval that reaches the inbox later, unless the client ends it at once', async () => {
  const { fallback, isAnnounced } = await shown()
  await fallback.show(ofRelease, fallback.begin(ofRelease) ?? '', true)

  expect(isAnnounced()).toEqual([true, false])
})

test('[MESSAGE-2] no messages are sent about a question of a server', async () => {
  const { isAnnounced } = await shown({ ...ofRelease, wanted: form('Which?') })
  expect(isAnnounced()).toEqual([false])
})
