import { expect, test } from 'vitest'
import type { Call } from '../model.ts'
import { callOf } from '../route/sample-rounds.suite.ts'
import { aGate, aServer, type PolicyChanges, ran, refusedText } from './sample-gate.suite.ts'

const readAll: PolicyChanges = { name: 'reading', kind: 'resources', effect: 'allow' }
const secret: PolicyChanges = { name: 'secret', kind: 'resources', targets: ['ops/notes://secret'], effect: 'deny' }
const asked: PolicyChanges = {
  name: 'asked',
  kind: 'resources',
  targets: ['ops/notes://asked'],
  effect: { ask: { ask: 'person:ben' } },
}

/** The parameters with which the server is asked for notifications. */
async function listened(policies: readonly PolicyChanges[], notifications: Call['params']) {
  const server = aServer()
  const params: Call['params'][] = []
  const upstream = { ...server.upstream, listen: async (call: Call) => void params.push(call.params) }
  const { gate } = await aGate(policies, server)
  await gate.over(upstream).listen(callOf({ method: 'subscriptions/listen', params: { notifications } }))
  return params[0]?.notifications
}

test('[POLICY-65] a stream of notifications is opened only for resources that the policies allow to read', async () => {
  const uris = ['notes://plan', 'notes://secret', 'notes://asked', 7]
  const policies = [readAll, secret, asked]

  expect(await listened(policies, { toolsListChanged: true, resourceSubscriptions: uris })).toEqual({
    toolsListChanged: true,
    resourceSubscriptions: ['notes://plan'],
  })
  expect(await listened(policies, { resourceSubscriptions: ['notes://secret'] })).toEqual({})
  expect(await listened(policies, { resourceSubscriptions: true })).toEqual({})
  expect(await listened(policies, { toolsListChanged: true })).toEqual({ toolsListChanged: true })
  // No policy permits reading.
  expect(await listened([secret], { resourceSubscriptions: ['notes://plan'] })).toEqual({})
})

test('[POLICY-65] a request in a session, which has no such streams, cannot open one', async () => {
  const { gated, server, reload } = await aGate([readAll, secret])
  const params = { notifications: { resourceSubscriptions: ['notes://secret'] } }
  const listen = () => gated.start(callOf({ method: 'subscriptions/listen', params }))

  expect(refusedText(await listen())).toContain('does not support')
  expect(server.calls).toEqual([])
  await reload()
  expect(await listen()).toEqual(ran)
})

test('[POLICY-65] without a policy about resources a stream is opened for all of them', async () => {
  const notifications = { resourceSubscriptions: ['notes://plan', 'notes://secret'] }
  expect(await listened([{ name: 'tools', effect: 'allow' }], notifications)).toEqual(notifications)
})
