// Approvals that count as destructive: by the definition of the tool, or by a policy that asks.

import { askView, type JsonObject } from '@assent/core'
import { expect, test } from 'vitest'
import type { NeedsInput, Outcome } from '../model.ts'
import { markedForPresence } from '../presence.ts'
import { raiseAsk } from '../route/inbox-asks.ts'
import { callOf } from '../route/sample-rounds.suite.ts'
import { aGate, allowAll, aServer, askBen, askClient, needsInput, type PolicyChanges } from './sample-gate.suite.ts'

const tenant = 'default'
const names = { nameOf: String, describe: () => ({}) }
const riskyAsk: PolicyChanges = { name: 'ben', effect: { ask: { ask: 'person:ben', risk: 'destructive' } } }
const ofDestructiveTools: PolicyChanges = { ...askBen, annotations: { destructive: true } }

/** A server whose only tool has these annotations, which a test can change. */
function aToolWith(annotations: JsonObject) {
  let current = annotations
  const tools = () => [{ name: 'deploy', inputSchema: { type: 'object' }, annotations: current }]
  const server = aServer({ 'tools/list': (): Outcome => ({ kind: 'finished', result: { tools: tools() } }) })
  return { server, change: (to: JsonObject) => (current = to) }
}

async function storedAsk({ store }: Awaited<ReturnType<typeof aGate>>, { wanted }: NeedsInput) {
  const { approval } = markedForPresence('destructive', wanted)
  if (approval === undefined) throw new Error('No approval is needed.')
  const id = await raiseAsk(store, callOf(), approval, { server: 'ops', waitMs: 60_000 })
  const ask = await store.asks.read(tenant, id ?? '')
  if (ask === undefined) throw new Error('The ask was not stored.')
  return ask
}

test.each<[string, JsonObject, PolicyChanges, object | undefined]>([
  ['a tool with an explicit hint', { destructiveHint: true }, askBen, { isInDestructiveTool: true }],
  ['a tool without a hint', {}, askBen, undefined],
  ['a tool that denies it', { destructiveHint: false }, askBen, undefined],
  ['a policy that marks it', { destructiveHint: false }, riskyAsk, { isDestructive: true }],
  ['a policy about destructive tools', {}, ofDestructiveTools, { isDestructive: true }],
])('[CARD-15] [PRESENCE-1] an approval for %s is stored with its marks', async (_, annotations, policy, marks) => {
  const made = await aGate([allowAll, policy], aToolWith(annotations).server)

  const ask = await storedAsk(made, needsInput(await made.gated.start(callOf())))

  const { isDestructive, isInDestructiveTool } = ask.question as unknown as JsonObject
  expect({ isDestructive, isInDestructiveTool }).toEqual({
    isDestructive: undefined,
    isInDestructiveTool: undefined,
    ...marks,
  })
  expect(ask.needsPresence).toBe(marks === undefined ? undefined : true)
  const { needsPresence: _needed, ...unmarked } = ask
  const view = askView(unmarked, { principal: 'ben', groups: [] }, names)
  expect(view.undoMs).toBe(marks === undefined ? undefined : 5_000)
})

test('[PRESENCE-1] a definition that loses its hint and is not accepted stays destructive', async () => {
  const { server, change } = aToolWith({ destructiveHint: true })
  const made = await aGate([allowAll, askBen], server)
  await made.gated.start(callOf())
  change({})

  // Another replica reads the list again.
  const outcome = needsInput(await made.replica().start(callOf()))

  expect(await storedAsk(made, outcome)).toMatchObject({
    needsPresence: true,
    question: { isInDestructiveTool: true },
  })
})

test('[PRESENCE-1] an approval from before a policy marked it as destructive does not count', async () => {
  const made = await aGate([allowAll, askBen])
  const asked = needsInput(await made.gated.start(callOf()))
  const approval = await made.answered(asked, { action: 'accept' })
  await made.reload(allowAll, riskyAsk)

  const again = needsInput(await made.gated.continue(callOf(), asked.state, { approval }))

  expect(again.wanted.approval).toMatchObject({ approval: { isDestructive: true } })
  expect(made.server.runs()).toBe(0)
})

test('[PRESENCE-1] the client is not asked about something destructive that needs a passkey', async () => {
  const made = await aGate([allowAll, askClient], aToolWith({ destructiveHint: true }).server)
  const { wanted } = needsInput(await made.gated.start(callOf()))

  expect(markedForPresence('destructive', wanted).approval).toMatchObject({ needsPresence: true })
  expect(markedForPresence('none', wanted).approval).not.toHaveProperty('needsPresence')
})
