import { expect, test } from 'vitest'
import type { NeedsInput, Outcome } from '../model.ts'
import { callOf } from '../route/sample-rounds.suite.ts'
import { approvedIn } from './approved-state.ts'
import { aGate, allowAll, anApprovedCall, aServer, askBen, needsInput, refusedText } from './sample-gate.suite.ts'

const callAgain: NeedsInput = { kind: 'input-required', wanted: {}, state: { again: true } }

/** A server that asks in the approved call, and again each time that it gets an answer. */
async function anAskingCall(state: NeedsInput['state'] = callAgain.state) {
  const asking: Outcome = { ...callAgain, state }
  const tool = { name: 'deploy', inputSchema: { type: 'object' }, description: 'first' }
  const listed = (): Outcome => ({ kind: 'finished', result: { tools: [{ ...tool }] } })
  const server = aServer({ 'tools/call': () => asking, 'tools/list': listed })
  let continued = 0
  const upstream = {
    ...server.upstream,
    continue: async () => {
      continued++
      return asking
    },
  }
  const made = await anApprovedCall({ ...server, upstream })
  const first = needsInput(await made.proceed())
  return {
    ...made,
    tool,
    first,
    proceedWith: (from: NeedsInput) => made.gated.continue(callOf(), from.state, {}),
    continued: () => continued,
  }
}

test('[POLICY-38] each later round of an approved call has its own id', async () => {
  const { first, proceedWith } = await anAskingCall()

  const second = needsInput(await proceedWith(first))

  const ids = [first, second].map(({ state }) => approvedIn(state)?.round)
  expect(ids).toEqual([expect.any(String), expect.any(String)])
  expect(new Set(ids).size).toBe(2)
  expect(second.state).toMatchObject({ again: true })
})

test('[POLICY-38] the rounds of a call that needed no approval have no id', async () => {
  const { gated } = await aGate([allowAll], aServer({ 'tools/call': () => callAgain }))

  expect(approvedIn(needsInput(await gated.start(callOf())).state)).toBeUndefined()
})

test('[POLICY-39] a later round is not sent if the policies became stricter or deny', async () => {
  const { first, proceedWith, continued, reload } = await anAskingCall()

  await reload(allowAll, askBen, { name: 'cleo', effect: { ask: { ask: 'person:cleo' } } })
  expect(refusedText(await proceedWith(first))).toContain('needs an approval now')
  await reload({ name: 'closed', effect: 'deny' })
  expect(refusedText(await proceedWith(first))).toContain('closed')

  expect(continued()).toBe(0)
})

test('[POLICY-39] a later round is not sent if the definition of its tool changed, and the caller gets this reason', async () => {
  const { first, proceedWith, continued, gate, tool } = await anAskingCall()

  tool.description = 'second'
  gate.forgetDefinitions()

  expect(refusedText(await proceedWith(first))).toBe(
    'While this call waited for answers, the policies or the definition of its tool changed, and it needs an approval now. The call was stopped: call the tool again to ask for approval.',
  )
  expect(continued()).toBe(0)
})

test('[POLICY-39] a later round of a call that was allowed is not sent if it needs an approval by then', async () => {
  const { gated, reload, server } = await aGate([allowAll], aServer({ 'tools/call': () => callAgain }))
  const { state } = needsInput(await gated.start(callOf()))

  await reload(allowAll, askBen)
  expect(refusedText(await gated.continue(callOf(), state, {}))).toContain('needs an approval now')
  await reload()

  expect(await gated.continue(callOf(), state, {})).toMatchObject({ result: { continued: true } })
  expect(server.runs()).toBe(1)
})

test('[POLICY-39] a server that runs the call while it asks gets its answers', async () => {
  const { first, proceedWith, continued, reload } = await anAskingCall({ held: 'call_1' })

  await reload({ name: 'closed', effect: 'deny' })
  await proceedWith(first)

  expect(continued()).toBe(1)
})
