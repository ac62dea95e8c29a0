import { expect, test } from 'vitest'
import { failed } from '../model.ts'
import { callOf } from '../route/sample-rounds.suite.ts'
import { cancelAtServer, draftOf, isHeld, leaseLost, lost } from './lost-calls.ts'
import { asked, done, scripted, stateOf } from './sample-calls.suite.ts'

test('[RELAY-7] a call is held while a server waits inside it, and only then', () => {
  const { over: _over, ...carried } = asked()

  expect([asked(), carried, done, failed(0, 'Failed.')].map(isHeld)).toEqual([true, false, false, false])
})

test('[RELAY-7] the error of a lost call states that its effect is unknown', () => {
  for (const { kind, error } of [lost, leaseLost]) {
    expect(kind).toBe('failed')
    expect(error.message).toMatch(/^The gateway .*\. Whether the call did anything is not known: check/)
  }
})

test('[RELAY-11] a cancellation reaches the server without answers, and its caller gets no more notifications', async () => {
  const { relay, sent, cancelled } = scripted()
  const notified: unknown[] = []

  await cancelAtServer(relay, callOf({ notify: (one) => notified.push(one) }), stateOf())

  expect(sent).toEqual([])
  expect(cancelled).toMatchObject([{ state: stateOf(), given: {}, call: { principal: 'ann', method: 'tools/call' } }])
  cancelled[0]?.call.notify({ jsonrpc: '2.0', method: 'notifications/progress' })
  expect(notified).toEqual([])
})

test('[RELAY-8] the row of a call names its person, its tenant and its request', () => {
  expect(draftOf(callOf(), 'call_1', 'deploy', 'digest')).toEqual({
    tenant: 'default',
    id: 'call_1',
    principal: 'ann',
    server: 'deploy',
    method: 'tools/call',
    requestDigest: 'digest',
  })
})
