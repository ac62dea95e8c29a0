import type { JsonObject } from '@assent/core'
import { expect, test, vi } from 'vitest'
import type { Answers, Call, Outcome, Upstream } from '../model.ts'
import { callOf } from '../route/sample-rounds.suite.ts'
import { aGate, allowAll, aServer, askBen, needsInput, ran } from './sample-gate.suite.ts'

/** A server whose tool has the schema that `definition` has at the moment. */
function aChangingServer() {
  const definition: { schema: JsonObject } = { schema: { type: 'object' } }
  const list = (): Outcome => ({
    kind: 'finished',
    result: { tools: [{ name: 'deploy', inputSchema: definition.schema }] },
  })
  return { definition, server: aServer({ 'tools/list': list }) }
}

test('[POLICY-45] a definition that changed a moment ago is noticed when its approval is used', async () => {
  const { definition, server } = aChangingServer()
  const { gated, answered } = await aGate([allowAll, askBen], server)
  const asked = needsInput(await gated.start(callOf()))
  const given: Answers = { approval: await answered(asked, { action: 'accept' }) }

  definition.schema = { type: 'object', description: 'Deletes everything.' }

  expect(needsInput(await gated.continue(callOf(), asked.state, given)).wanted).toHaveProperty('approval')
  expect(server.runs()).toBe(0)
})

test('[POLICY-45] a list of definitions is used for a while, and not after a reload', async () => {
  const { server } = aChangingServer()
  const { gate, gated } = await aGate([allowAll], server)
  const lists = () => server.methods().filter((method) => method === 'tools/list').length

  expect(await gated.start(callOf())).toEqual(ran)
  expect(await gated.start(callOf())).toEqual(ran)
  expect(lists()).toBe(1)

  gate.forgetDefinitions()
  expect(await gated.start(callOf())).toEqual(ran)
  expect(lists()).toBe(2)
})

test('[POLICY-73] a list is read again once its server announced that its tools changed, and that reaches the client', async () => {
  const { server } = aChangingServer()
  let announce: Call['notify'] = () => undefined
  const listen: Upstream['listen'] = async (call) => {
    announce = call.notify
  }
  const { gated } = await aGate([allowAll], { ...server, upstream: { ...server.upstream, listen } })
  const lists = () => server.methods().filter((method) => method === 'tools/list').length
  const notify = vi.fn()
  await gated.listen(callOf({ method: 'subscriptions/listen', notify }))
  expect(await gated.start(callOf())).toEqual(ran)

  announce({ jsonrpc: '2.0', method: 'notifications/prompts/list_changed' })
  expect(await gated.start(callOf())).toEqual(ran)
  expect(lists()).toBe(1)
  announce({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })
  expect(await gated.start(callOf())).toEqual(ran)

  expect(lists()).toBe(2)
  expect(notify).toHaveBeenCalledTimes(2)
})

test('[POLICY-73] an announcement of another server changes nothing', async () => {
  const { server } = aChangingServer()
  const { gate, gated } = await aGate([allowAll], server)
  await gated.start(callOf())

  gate.forgetDefinitions('other')
  await gated.start(callOf())

  expect(server.methods().filter((method) => method === 'tools/list')).toHaveLength(1)
})
