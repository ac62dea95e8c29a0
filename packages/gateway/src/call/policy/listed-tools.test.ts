// Which definition of a tool a call is judged by, and calls whose tool has none.

import type { JsonObject } from '@assent/core'
import { expect, onTestFinished, test } from 'vitest'
import { policyLimits, setLimits } from '../../limits.ts'
import type { Outcome } from '../model.ts'
import { callOf } from '../route/sample-rounds.suite.ts'
import { aGate, allowAll, aServer, ran, refusedText } from './sample-gate.suite.ts'
import { ToolDefinitions } from './tool-definitions.ts'

const deploy = { name: 'deploy', inputSchema: { type: 'object' } }
const page = (tools: readonly unknown[], nextCursor?: string): Outcome => ({
  kind: 'finished',
  result: { tools, ...(nextCursor === undefined ? {} : { nextCursor }) } as JsonObject,
})
const listing = (list: (params: JsonObject) => Outcome) => aServer({ 'tools/list': list })

test('[POLICY-40] a tool on a later page of the list is found', async () => {
  const server = listing(({ cursor }) => (cursor === 'p2' ? page([deploy]) : page([{ name: 'other' }], 'p2')))
  const { gated } = await aGate([allowAll], server)

  expect(await gated.start(callOf())).toEqual(ran)
  expect(server.calls.map(({ params }) => params.cursor)).toEqual([undefined, 'p2', undefined])
})

test('[POLICY-40] a list that never ends is read up to its limit, and the tool does not run', async () => {
  onTestFinished(setLimits(policyLimits, { definitionPages: 3 }))
  const server = listing(() => page([{ name: 'other' }], 'more'))
  const { gated } = await aGate([allowAll], server)

  expect(refusedText(await gated.start(callOf()))).toContain('does not list a tool with this name')
  expect(server.methods()).toEqual(['tools/list', 'tools/list', 'tools/list'])
})

test('[POLICY-40] a tool that is listed twice has no definition and does not run', async () => {
  for (const times of [2, 3]) {
    const { gated, server } = await aGate(
      [allowAll],
      listing(() => page(Array(times).fill(deploy))),
    )
    expect(refusedText(await gated.start(callOf()))).toContain('does not list a tool')
    expect(server.runs()).toBe(0)
  }
})

test('[POLICY-40] entries of a list that are no tools are not tools', async () => {
  const server = listing(() => page(['deploy', null, { title: 'deploy' }, { name: 7 }]))
  const { gated } = await aGate([allowAll], server)

  expect(refusedText(await gated.start(callOf()))).toContain('does not list a tool')
  expect(server.runs()).toBe(0)
})

test('[POLICY-40] an unknown tool is looked for again, but not in a list that was just read', async () => {
  const server = listing(() => page([{ name: 'other' }]))
  const { gated } = await aGate([allowAll], server)

  await gated.start(callOf())
  await gated.start(callOf())
  expect(server.methods()).toEqual(['tools/list'])
  onTestFinished(setLimits(policyLimits, { listAgainMs: 0 }))
  await gated.start(callOf())
  expect(server.methods()).toEqual(['tools/list', 'tools/list'])
})

test('[POLICY-40] after a list that could not be read, the next call reads it again', async () => {
  let isBroken = true
  const server = listing(() => (isBroken ? { kind: 'finished', result: {} } : page([deploy])))
  const { gated } = await aGate([allowAll], server)

  await expect(gated.start(callOf())).rejects.toThrow('The list of tools could not be read.')
  expect(server.runs()).toBe(0)
  isBroken = false
  expect(await gated.start(callOf())).toEqual(ran)
})

test('[POLICY-40] the list of one person is not used for another, and the number of lists is limited', async () => {
  onTestFinished(setLimits(policyLimits, { definitionLists: 2 }))
  const server = aServer()
  const definitions = new ToolDefinitions()
  const findFor = (principal: string) => definitions.find(server.upstream, callOf({ principal }), 'deploy')

  for (const person of ['ann', 'ben', 'ann', 'cleo', 'cleo', 'ben']) expect(await findFor(person)).toEqual(deploy)
  expect(server.calls.map(({ principal }) => principal)).toEqual(['ann', 'ben', 'cleo'])
  // The oldest list was dropped for the third person.
  await findFor('ann')
  expect(server.calls.map(({ principal }) => principal)).toEqual(['ann', 'ben', 'cleo', 'ann'])
})
