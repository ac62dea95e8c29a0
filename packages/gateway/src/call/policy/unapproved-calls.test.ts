// Every way in which a call that needs an approval is continued without a valid one. Nothing may reach the server.

import { expect, onTestFinished, test, vi } from 'vitest'
import type { Answers, Outcome } from '../model.ts'
import { callOf } from '../route/sample-rounds.suite.ts'
import { aGate, allowAll, approves, askBen, askClient, needsInput, ran, refusedText } from './sample-gate.suite.ts'

const notUsable = 'was already used, has expired, or is for another call. Nothing ran'
const accept = { action: 'accept' }

/** A call that waits for Ben's approval. */
async function aWaitingCall() {
  const made = await aGate([allowAll, askBen])
  const asked = needsInput(await made.gated.start(callOf()))
  const proceed = (given: Answers, call = callOf()): Promise<Outcome> => made.gated.continue(call, asked.state, given)
  return { ...made, asked, proceed }
}

test('[POLICY-38] an approval from the inbox runs the call once', async () => {
  const { proceed, answered, asked, server } = await aWaitingCall()
  const approval = await answered(asked, accept)

  expect(await proceed({ approval })).toEqual(ran)
  expect(refusedText(await proceed({ approval }))).toContain(notUsable)
  expect(server.runs()).toBe(1)
})

test('[POLICY-40] a call that is continued without its approval does not run', async () => {
  const { proceed, server } = await aWaitingCall()

  expect(refusedText(await proceed({}))).toBe('The call still needs its approval. Nothing ran.')
  expect(refusedText(await proceed({ other: approves }))).toContain('still needs its approval')
  // A name that every object has is no answer either.
  expect(refusedText(await proceed(JSON.parse('{"__proto__": {}}')))).toContain('still needs its approval')
  expect(server.runs()).toBe(0)
})

test('[POLICY-40] an error in place of the approval is passed on, and the call does not run', async () => {
  const { proceed, server } = await aWaitingCall()

  const outcome = await proceed({ approval: { error: { code: -32_001, message: 'The deadline has passed.' } } })

  expect(outcome).toEqual({
    kind: 'failed',
    isUnsent: true,
    error: { code: -32_001, message: 'The deadline has passed.' },
  })
  expect(server.runs()).toBe(0)
})

test.each<[string, Answers[string]]>([
  ['a decline', { result: { action: 'decline' } }],
  ['a cancel', { result: { action: 'cancel' } }],
  ['an accept without a decision', { result: { action: 'accept' } }],
  ['an accept with another decision', { result: { action: 'accept', content: { decision: 'decline' } } }],
  ['an unknown action', { result: { action: 'yes', content: { decision: 'approve' } } }],
])('[POLICY-40] %s in place of the approval does not run the call', async (_, approval) => {
  const { proceed, server } = await aWaitingCall()

  expect(refusedText(await proceed({ approval }))).toBe('The call was not approved. Nothing ran.')
  expect(server.runs()).toBe(0)
})

const askedAgain = { kind: 'input-required' }

test('[POLICY-37] a yes of the client does not count where only the inbox may approve', async () => {
  const { proceed, server, reload } = await aWaitingCall()

  expect(refusedText(await proceed({ approval: approves }))).toContain(notUsable)
  // Also if the policies are removed, or allow the call meanwhile: this call was stopped by one that asks.
  await reload()
  expect(refusedText(await proceed({ approval: approves }))).toContain(notUsable)
  await reload(allowAll)
  expect(refusedText(await proceed({ approval: approves }))).toContain(notUsable)
  expect(server.runs()).toBe(0)
})

test('[POLICY-38] an approval that the store does not have, or of another ask, does not run the call', async () => {
  const { proceed, answered, gated, server, reload } = await aWaitingCall()
  const other = callOf({ params: { name: 'deploy', arguments: { env: 'test' } } })
  const ofOther = await answered(needsInput(await gated.start(other)), accept, other)
  const unknown = { ...approves, approval: { askId: 'ask_unknown', by: 'ben' } }

  for (const approval of [unknown, ofOther]) expect(await proceed({ approval })).toMatchObject(askedAgain)
  await reload()
  for (const approval of [unknown, ofOther]) expect(refusedText(await proceed({ approval }))).toContain(notUsable)
  expect(server.runs()).toBe(0)
})

test('[POLICY-38] the approval of one person’s call does not run the same call of another person', async () => {
  const { proceed, answered, asked, server, reload } = await aWaitingCall()
  const approval = await answered(asked, accept)
  const others = [callOf({ principal: 'eve' }), callOf({ tenant: 'other' })]

  for (const other of others) expect(await proceed({ approval }, other)).toMatchObject(askedAgain)
  await reload()
  for (const other of others) expect(refusedText(await proceed({ approval }, other))).toContain(notUsable)
  expect(server.runs()).toBe(0)
})

test('[POLICY-38] an approval that was used too late does not run the call', async () => {
  const made = await aGate([allowAll, { name: 'ben', effect: { ask: { ask: 'person:ben', use_within: '1s' } } }])
  const asked = needsInput(await made.gated.start(callOf()))
  const approval = await made.answered(asked, accept)
  await new Promise((resolve) => setTimeout(resolve, 1_100))

  expect(await made.gated.continue(callOf(), asked.state, { approval })).toMatchObject(askedAgain)
  await made.reload()
  expect(refusedText(await made.gated.continue(callOf(), asked.state, { approval }))).toContain(notUsable)
  expect(made.server.runs()).toBe(0)
})

test('[POLICY-39] an approval is used up even if the policies were removed meanwhile', async () => {
  const { proceed, answered, asked, server, reload, store } = await aWaitingCall()
  const approval = await answered(asked, accept)
  await reload()

  expect(await proceed({ approval })).toEqual(ran)
  expect(refusedText(await proceed({ approval }))).toContain(notUsable)
  expect(server.runs()).toBe(1)
  expect(await store.audit.verify('default')).toMatchObject({ ok: true })
})

test('[POLICY-38] arguments that were changed after the approval are asked about again', async () => {
  const { proceed, answered, asked, server } = await aWaitingCall()
  const approval = await answered(asked, accept)

  const changed = callOf({ params: { name: 'deploy', arguments: { env: 'prod', force: true } } })
  expect(await proceed({ approval }, changed)).toMatchObject({ kind: 'input-required' })
  expect(server.runs()).toBe(0)
})

test('[POLICY-36] a yes of the client runs the call once, where every policy lets the client approve', async () => {
  const { gated, server, decided } = await aGate([allowAll, askClient])
  const asked = needsInput(await gated.start(callOf()))

  expect(await gated.continue(callOf(), asked.state, { approval: approves })).toEqual(ran)
  expect(refusedText(await gated.continue(callOf(), asked.state, { approval: approves }))).toContain(notUsable)
  expect(server.runs()).toBe(1)
  expect(decided[0]).toEqual({ mode: 'enforce', effect: 'ask', policies: ['own'] })
})

test('[POLICY-38] if the store cannot be read, the call does not run', async () => {
  const { proceed, answered, asked, server, store } = await aWaitingCall()
  const approval = await answered(asked, accept)
  const using = vi.spyOn(store.grants, 'use').mockRejectedValue(new Error('The database is gone.'))
  onTestFinished(() => using.mockRestore())

  await expect(proceed({ approval })).rejects.toThrow('The database is gone.')
  expect(server.runs()).toBe(0)
})

test('[POLICY-32] a decline has the name of the person and their reason, also if they never signed in', async () => {
  const { proceed, answered, asked, server } = await aWaitingCall()
  const approval = await answered(asked, { action: 'decline', comment: 'Not today.' })

  expect(refusedText(await proceed({ approval }))).toBe('ben declined this call. Nothing ran. Not today.')
  expect(server.runs()).toBe(0)
})

test('[POLICY-44] the terms of the policy are in the request: deadline, passkey, reason', async () => {
  const terms = { ask: 'person:ben', within: '30m', presence: 'required', reason: 'required' }
  const strict = await aGate([allowAll, { name: 'ben', effect: { ask: terms } }])
  const usual = await aGate([allowAll, askBen])

  const asked = needsInput(await strict.gated.start(callOf()))
  expect(asked.wanted.approval).toMatchObject({ needsPresence: true, approval: { needsReason: true } })
  expect(JSON.stringify(asked.wanted.approval?.params)).toContain('1800000')
  const { wanted } = needsInput(await usual.gated.start(callOf()))
  expect(wanted.approval).not.toHaveProperty('needsPresence')
  expect(JSON.stringify(wanted.approval?.params)).toContain('86400000')
})
