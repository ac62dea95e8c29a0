// Which open ask the same call joins, and which action an ask shows.

import { randomBytes } from 'node:crypto'
import { type Action, actionDigest, actionMeta, decisionForm, encodeForm, type JsonObject, newId } from '@assent/core'
import { expect, test } from 'vitest'
import type { InputRequest, WantedApproval } from '../model.ts'
import { raiseAsk } from './inbox-asks.ts'
import { callOf, openRounds } from './sample-rounds.suite.ts'

const definitionDigest = `sha256:${'0'.repeat(64)}`
const release: WantedApproval = {
  title: 'Run deploy',
  definitionDigest,
  policySetDigest: `sha256:${'2'.repeat(64)}`,
  policies: ['release'],
  requirements: [{ anyOf: [[{ from: ['group:release'], approvals: 1 }]], excluded: [] }],
  declines: 1,
}
const encoded = encodeForm(decisionForm, '2025-11-25')
const schema = encoded.ok ? encoded.schema : {}
const approvalOf = (changes: Partial<WantedApproval> = {}, more: object = {}): InputRequest => ({
  ...{ kind: 'form', message: 'Run deploy', schema, params: {} },
  approval: { ...release, ...changes },
  ...more,
})
const raising = { server: 'deploy', waitMs: 60_000 }

test('[POLICY-34] a call joins the open ask of the same action only with the same rule, policies, title and passkey', async () => {
  const { store } = await openRounds()
  const raise = (wanted: InputRequest, more = {}) => raiseAsk(store, callOf(more), wanted, raising)
  const first = await raise(approvalOf())

  expect(await raise(approvalOf())).toBe(first)
  // Another set of policies, with the same rule for this call.
  expect(await raise(approvalOf({ policySetDigest: `sha256:${'3'.repeat(64)}` }))).toBe(first)
  const security = { anyOf: [[{ from: ['group:security'], approvals: 1 }]], excluded: [] } as const
  const others = [
    await raise(approvalOf({ requirements: [...release.requirements, security] })),
    await raise(approvalOf({ declines: 2 })),
    await raise(approvalOf({ policies: ['other'] })),
    await raise(approvalOf({ title: 'Run it' })),
    await raise(approvalOf({ needsReason: true })),
    await raise(approvalOf({}, { needsPresence: true })),
    await raise(approvalOf({ definitionDigest: `sha256:${'1'.repeat(64)}` })),
    await raise(approvalOf(), { principal: 'eve' }),
    await raise(approvalOf(), { params: { name: 'deploy', arguments: { env: 'test' } } }),
  ]
  for (const other of others) expect(other).not.toBe(first)
})

test('[POLICY-34] an ask whose id its call knows already is stored under this id, and joins no other', async () => {
  const { store, read } = await openRounds()
  const first = await raiseAsk(store, callOf(), approvalOf(), raising)
  const assigned = newId('ask', 1, randomBytes)

  expect(await raiseAsk(store, callOf(), approvalOf(), { ...raising, id: assigned })).toBe(assigned)
  expect((await read(assigned))?.state).toEqual({ kind: 'open' })
  expect(first).not.toBe(assigned)
})

test('[POLICY-34] an ask that has ended is not joined', async () => {
  const { store } = await openRounds()
  const first = await raiseAsk(store, callOf(), approvalOf(), raising)
  await store.asks.withdraw('default', first ?? '', 'call-cancelled')

  expect(await raiseAsk(store, callOf(), approvalOf(), raising)).not.toBe(first)
})

test('[GATE-6] an action that is too large to be shown with its question is not shown as the declared one', async () => {
  const { store, read } = await openRounds()
  const declaredWith = async (text: string) => {
    const action: Action = { server: 'bank', tool: 'pay', definitionDigest, arguments: { text } }
    const _meta = actionMeta({ title: 'Pay', action, digest: actionDigest(action) })
    const wanted: InputRequest = { kind: 'form', message: 'Pay?', schema, params: { _meta } as JsonObject }
    const { question } = (await read(await raiseAsk(store, callOf(), wanted, raising))) ?? {}
    return question?.kind === 'form' ? question.declared?.title : 'no form'
  }
  expect(await declaredWith('x')).toBe('Pay')
  // The action alone is just within the limit.
  expect(await declaredWith('x'.repeat(262_144 - 200))).toBeUndefined()
})
