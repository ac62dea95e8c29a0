// Calls and lists that a policy cannot judge, and what passes through the gate unchanged.

import { actionDigest, approvalProblem, type JsonObject, toolDefinitionDigest } from '@assent/core'
import { expect, test } from 'vitest'
import { errorCodes } from '../../protocol/messages.ts'
import { failed, type Outcome } from '../model.ts'
import { callOf } from '../route/sample-rounds.suite.ts'
import { actionOf } from './action-of.ts'
import { requiredApproval } from './required-approval.ts'
import {
  aGate,
  allowAll,
  aServer,
  askBen,
  needsInput,
  type PolicyChanges,
  ran,
  refusedText,
} from './sample-gate.suite.ts'

const readAll: PolicyChanges = { name: 'reading', kind: 'resources', effect: 'allow' }
const finished = (result: JsonObject): Outcome => ({ kind: 'finished', result })

test.each<[string, JsonObject]>([
  ['no name', { arguments: {} }],
  ['a name that is no text', { name: 7 }],
  ['arguments that are a list', { name: 'deploy', arguments: [] }],
  ['arguments that are null', { name: 'deploy', arguments: null }],
])('[POLICY-40] a call with %s does not run', async (_, params) => {
  const { gated, server } = await aGate([allowAll])

  expect(refusedText(await gated.start(callOf({ params })))).toContain('no valid name or arguments')
  expect(server.methods()).toEqual([])
})

test('[POLICY-40] a request about a resource without an address is not sent', async () => {
  const { gated, server } = await aGate([{ ...readAll, targets: ['ops/notes://*'] }])

  for (const method of ['resources/read', 'resources/subscribe', 'completion/complete'])
    expect(refusedText(await gated.start(callOf({ method, params: {} })))).toMatch(/no valid name|No policy permits/)
  expect(server.methods()).toEqual([])
})

test('[POLICY-40] a resource that needs approval is asked about by its address, and cannot be followed', async () => {
  const { gated, server } = await aGate([readAll, { ...askBen, kind: 'resources' }])
  const params = { uri: 'notes://plan' }

  const asked = needsInput(await gated.start(callOf({ method: 'resources/read', params })))
  expect(asked.wanted.approval).toMatchObject({ message: 'Read notes://plan of ops' })
  expect(refusedText(await gated.start(callOf({ method: 'resources/subscribe', params })))).toContain(
    'request it directly instead',
  )
  expect(server.methods()).toEqual([])
})

test('[POLICY-33] a denied call has the names of all policies that deny it', async () => {
  const closed = { name: 'closed', effect: 'deny' } as const
  const { gated, server } = await aGate([allowAll, closed, { ...closed, name: 'frozen' }])

  expect(refusedText(await gated.start(callOf()))).toMatch(/^The policies "(closed", "frozen|frozen", "closed)" deny/)
  expect(server.runs()).toBe(0)
})

test('[POLICY-2] a policy that fails denies, and the caller gets its name', async () => {
  const path = ['env']
  const when = [{ path, comparison: { is: 'text', anyOf: ['prod'] } }] as const
  const { gated, server, decided } = await aGate([allowAll, { name: 'no prod', effect: 'deny', when }])

  const params = { name: 'deploy', arguments: { env: 1 } }
  expect(refusedText(await gated.start(callOf({ params })))).toBe(
    'The policy "no prod" could not be evaluated for this call, so it is denied. Nothing ran. Do not repeat the call; the person can ask the operator of the gateway.',
  )
  expect(server.runs()).toBe(0)
  expect(decided).toEqual([{ mode: 'enforce', effect: 'deny', policies: ['no prod'] }])
})

test('[POLICY-2] if no policy can be evaluated at all, the call is denied, and lists still work', async () => {
  // Cedar cannot read a name that is not valid Unicode.
  const tools = [{ name: 'deploy\ud800' }, { name: 'deploy' }]
  const { gated, server } = await aGate([allowAll], aServer({ 'tools/list': () => finished({ tools }) }))

  const params = { name: 'deploy\ud800', arguments: {} }
  expect(refusedText(await gated.start(callOf({ params })))).toContain('not valid JSON, so no policy can decide')
  const prompts = await aGate([{ ...allowAll, kind: 'prompts' }])
  expect(await prompts.gated.start(callOf({ method: 'prompts/get', params }))).toMatchObject({
    kind: 'failed',
    error: {
      message:
        'The policies could not be evaluated for this call, so it is denied. Nothing ran. Do not repeat the call; the person can ask the operator of the gateway.',
    },
  })
  expect(server.runs() + prompts.server.runs()).toBe(0)
  expect(await gated.start(callOf({ method: 'tools/list', params: {} }))).toMatchObject({ result: { tools } })
})

test('[POLICY-40] without an inbox, or with approvers that cannot be met, the call does not run', async () => {
  const noInbox = await aGate([allowAll, askBen], aServer(), false)
  const impossible = { name: 'two', effect: { ask: { ask: '2 of person:ben' } } } as const
  const unmet = await aGate([allowAll, impossible])

  expect(refusedText(await noInbox.gated.start(callOf()))).toContain('which is not configured for this server')
  expect(refusedText(await unmet.gated.start(callOf()))).toContain('cannot be given')
  expect(noInbox.server.runs() + unmet.server.runs()).toBe(0)
})

const people = (from: number) => Array.from({ length: 40 }, (_, at) => `person:p${from + at}`).join(', ')

test('[POLICY-40] a call that needs more approvers than an ask can have does not run', async () => {
  const both: PolicyChanges = { name: 'both', effect: { ask: { ask: `${people(0)} & ${people(40)}` } } }
  const apart = [0, 40].map((from): PolicyChanges => ({ name: `from ${from}`, effect: { ask: { ask: people(from) } } }))

  for (const policies of [[both], apart]) {
    const { gated } = await aGate([allowAll, ...policies])
    expect(refusedText(await gated.start(callOf()))).toContain('cannot be given: An ask has at most 64 approvers.')
  }
})

test.each<[what: string, tool: JsonObject, args: JsonObject, text: string]>([
  ['a large definition', { name: 'deploy', description: 'x'.repeat(300_000) }, {}, 'The definition of this tool'],
  ['large arguments', { name: 'deploy' }, { text: 'x'.repeat(300_000) }, 'The arguments are too large'],
  // The action is just within the limit, and the question about it is not.
  ['arguments at the limit', { name: 'deploy' }, { text: 'x'.repeat(262_144 - 300) }, 'The arguments are too large'],
  ['a name that is too long to be shown', { name: 'x'.repeat(257) }, {}, 'The call has no valid name'],
])('[POLICY-40] a call with %s does not run, and the caller gets the reason', async (_, tool, args, text) => {
  const tools = [{ inputSchema: { type: 'object' }, ...tool }]
  const { gated, answered } = await aGate([allowAll, askBen], aServer({ 'tools/list': () => finished({ tools }) }))
  const call = callOf({ params: { name: tool.name ?? '', arguments: args } })

  const outcome = await gated.start(call)
  // What is not refused can be stored.
  if (outcome.kind === 'input-required') await answered(outcome, {}, call)
  expect(refusedText(outcome)).toContain(text)
})

test('[POLICY-40] nothing can be approved without a name, and no approval is given without a requirement', () => {
  const action = actionOf('ops', callOf({ params: {} }), toolDefinitionDigest({ name: 'deploy' }))
  expect(() => actionDigest(action)).toThrow('An action must have exactly')
  const { requirements } = requiredApproval([], [], { principal: 'ann', groups: [] })
  expect(approvalProblem(requirements, 1)).toBe('An approval needs at least one requirement.')
})

test('[POLICY-41] what has no name is left out of a list that policies are about', async () => {
  const list = { resources: [{ uri: 'notes://plan' }, { name: 'no address' }, 'text', null, { uri: 7 }] }
  const { gated } = await aGate([readAll], aServer({ 'resources/list': () => finished(list) }))

  expect(await gated.start(callOf({ method: 'resources/list', params: {} }))).toEqual(
    finished({ resources: [{ uri: 'notes://plan' }], cacheScope: 'private' }),
  )
})

test.each<[string, Outcome]>([
  ['an error', failed(errorCodes.internal, 'broken')],
  ['a result without a list', finished({})],
])('[POLICY-41] %s in place of a list is passed on', async (_, outcome) => {
  const { gated } = await aGate([readAll], aServer({ 'resources/list': () => outcome }))

  expect(await gated.start(callOf({ method: 'resources/list', params: {} }))).toEqual(outcome)
})

test('[POLICY-33] without policies, or for methods that none can be about, every request passes', async () => {
  const { gated, server, reload } = await aGate([allowAll])

  expect(await gated.start(callOf({ method: 'logging/setLevel', params: {} }))).toEqual(ran)
  expect(await gated.start(callOf({ method: 'constructor', params: {} }))).toEqual(ran)
  await reload()
  expect(await gated.start(callOf())).toEqual(ran)
  expect(server.methods()).toEqual(['logging/setLevel', 'constructor', 'tools/call'])
})

test('[POLICY-30] a state of the server itself, and everything around calls, passes through the gate', async () => {
  const { gate, gated, server } = await aGate([allowAll])
  const call = callOf()

  expect(gate.over(server.upstream)).toBe(gated)
  expect(await gated.continue(call, { own: 1 }, {})).toEqual(finished({ continued: true }))
  expect(await gated.continue(call, { policy: 'text' }, {})).toEqual(finished({ continued: true }))
  expect(await gated.describe(call)).toEqual({ capabilities: {}, info: { name: 'ops' } })
  await gated.listen(call)
  gated.leave('ann', 's1')
  await gated.close()
  expect(server.events).toEqual(['listen', 'leave ann s1', 'close'])
  // Only servers with sessions get notifications.
  expect(gated).not.toHaveProperty('notify')
})
