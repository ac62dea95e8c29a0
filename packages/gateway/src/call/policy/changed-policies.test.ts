// An approval that is used after the policies changed: they are evaluated again, and its votes are compared with what they require.

import { expect, test } from 'vitest'
import type { GivenApproval, NeedsInput, Outcome } from '../model.ts'
import { callOf } from '../route/sample-rounds.suite.ts'
import {
  aGate,
  allowAll,
  anApprovedCall,
  approves,
  aServer,
  askClient,
  needsInput,
  type PolicyChanges,
  ran,
  refusedText,
} from './sample-gate.suite.ts'

const asks = (from: string, more: object = {}): PolicyChanges => ({
  name: 'release',
  effect: { ask: { ask: from, ...more } },
})
const askRelease = asks('group:release')

const weaker: readonly [string, readonly PolicyChanges[]][] = [
  ['another group can approve too', [allowAll, asks('group:release, group:security')]],
  ['another way to approve is added', [allowAll, asks('group:release | 2 of group:security')]],
  ['the approver is named', [allowAll, asks('person:ben')]],
  ['somebody else is excluded', [allowAll, asks('group:release', { exclude: 'person:cleo' })]],
  ['a policy has another name', [allowAll, { ...askRelease, name: 'renamed' }]],
  ['nothing asks', [allowAll]],
  ['there are no policies', []],
]
const stricter: readonly [string, readonly PolicyChanges[]][] = [
  ['another group is needed', [allowAll, asks('group:security')]],
  ['two approvals are needed', [allowAll, asks('2 of group:release')]],
  ['the approver is excluded', [allowAll, asks('group:release', { exclude: 'person:ben' })]],
  ['a reason is needed', [allowAll, asks('group:release', { reason: 'required' })]],
  ['a passkey is needed', [allowAll, asks('group:release', { presence: 'required' })]],
  ['the approvers have to be warned', [allowAll, asks('group:release', { risk: 'destructive' })]],
  ['each of two policies needs an approver', [allowAll, askRelease, { ...asks('person:ben'), name: 'second' }]],
  ['another policy asks too', [allowAll, askRelease, { ...asks('group:security'), name: 'security' }]],
]

test.each(weaker)('[POLICY-39] an approval is used if %s', async (_why, policies) => {
  const { reload, proceed, server, store } = await anApprovedCall(aServer(), askRelease)

  await reload(...policies)

  expect(await proceed()).toEqual(ran)
  expect(server.runs()).toBe(1)
  expect(await store.audit.verify('default')).toMatchObject({ ok: true })
})

test.each(stricter)('[POLICY-39] an approval is asked for again if %s', async (_why, policies) => {
  const { reload, proceed, server, store, asked } = await anApprovedCall(aServer(), askRelease)

  await reload(...policies)

  const again = needsInput(await proceed())
  expect(again.wanted.approval).not.toEqual(asked.wanted.approval)
  expect(server.runs()).toBe(0)
  // The first approval is not used up.
  await reload(allowAll, askRelease)
  expect(await proceed()).toEqual(ran)
  expect(await store.audit.verify('default')).toMatchObject({ ok: true })
})

test('[POLICY-39] an approval in the client has no votes, so any other rule asks again', async () => {
  const { reload, gated, server } = await aGate([allowAll, askClient])
  const asked = needsInput(await gated.start(callOf()))
  const proceed = () => gated.continue(callOf(), asked.state, { approval: approves })

  await reload(allowAll, { ...askClient, effect: { ask: { ask: 'requester, group:release', surfaces: 'client' } } })

  needsInput(await proceed())
  expect(server.runs()).toBe(0)
})

test('[POLICY-39] later rounds of an approved call are sent under weaker policies, and not under stricter ones', async () => {
  const asking: Outcome = { kind: 'input-required', wanted: {}, state: { again: true } }
  const server = aServer({ 'tools/call': () => asking })
  const { reload, proceed, gated } = await anApprovedCall(server, askRelease)
  const first: NeedsInput = needsInput(await proceed())
  const goOn = () => gated.continue(callOf(), first.state, {})

  await reload(allowAll, asks('group:security'))
  expect(refusedText(await goOn())).toContain('needs an approval now')
  await reload(allowAll, asks('group:release, group:security'))
  expect(await goOn()).toMatchObject({ result: { continued: true } })
})

test('[POLICY-71] an ask names the set of policies in its question and its entry, and so do its signatures', async () => {
  const { asked, digest, given, store } = await anApprovedCall(aServer(), askRelease)
  const { approval } = given.approval as { approval: GivenApproval }
  const ask = await store.asks.read('default', approval.askId)

  expect(asked.wanted.approval).toMatchObject({ approval: { policySetDigest: digest() } })
  expect(ask?.question).toMatchObject({ kind: 'approval', policySetDigest: digest() })
  const entries = []
  for await (const { kind, body } of store.audit.entries('default')) if (kind === 'ask.raised') entries.push(body)
  expect(entries.map((body) => JSON.parse(body).policySetDigest)).toEqual([digest()])
  expect(await store.record.verify('default')).toMatchObject({ ok: true })
})
