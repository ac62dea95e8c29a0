import { expect, test } from 'vitest'
import { type Failed, failed, NotSent, type Outcome, unsent } from '../model.ts'
import { callOf } from '../route/sample-rounds.suite.ts'
import {
  aGate,
  allowAll,
  anApprovedCall,
  approves,
  aServer,
  askClient,
  needsInput,
  notUsable,
  ran,
  refusedText,
} from './sample-gate.suite.ts'

const unsentOnce: readonly [string, () => Outcome][] = [
  ['the server could not be reached', () => unsent(0, 'The connection was refused.')],
  [
    'the connection failed with an error before anything was sent',
    () => {
      throw new NotSent(new Error('The connection was refused.'))
    },
  ],
]

test.each(unsentOnce)('[POLICY-67] an approved call runs once at a retry, if %s', async (_, refuse) => {
  const replies = [refuse, refuse]
  const { proceed, server, store } = await anApprovedCall(aServer({ 'tools/call': () => replies.shift()?.() ?? ran }))
  for (const _attempt of [1, 2]) {
    const outcome = await proceed().catch((error: unknown) => error)
    expect(outcome instanceof NotSent || (outcome as Failed).isUnsent).toBe(true)
  }

  expect(await proceed()).toEqual(ran)
  expect(refusedText(await proceed())).toContain(notUsable)
  expect(server.runs()).toBe(3)
  expect(await store.audit.verify('default')).toMatchObject({ ok: true })
})

test.each([
  ['an error of the server', () => failed(0, 'It failed.')],
  [
    'an error after it may have been sent',
    (): Outcome => {
      throw new Error('The connection broke.')
    },
  ],
])('[POLICY-67] an approved call that ended with %s does not run again', async (_, end) => {
  const { proceed, server } = await anApprovedCall(aServer({ 'tools/call': end }))
  await proceed().catch(() => undefined)

  expect(refusedText(await proceed())).toContain(notUsable)
  expect(server.runs()).toBe(1)
})

test('[POLICY-67] another replica does not run an approved call that was not sent', async () => {
  const { proceed, replica, server } = await anApprovedCall(aServer({ 'tools/call': () => unsent(0, 'Refused.') }))
  await proceed()

  expect(refusedText(await proceed(replica()))).toContain(notUsable)
  expect(server.runs()).toBe(1)
})

test('[POLICY-67] a yes of the client is used up, although the call was not sent', async () => {
  const { server, gated } = await aGate([allowAll, askClient], aServer({ 'tools/call': () => unsent(0, 'Refused.') }))
  const asked = needsInput(await gated.start(callOf()))
  const proceed = () => gated.continue(callOf(), asked.state, { approval: approves })
  await proceed()

  expect(refusedText(await proceed())).toContain(notUsable)
  expect(server.runs()).toBe(1)
})
