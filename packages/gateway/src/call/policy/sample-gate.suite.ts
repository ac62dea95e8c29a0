// A gate in front of a scripted server, with real policies and a real store, for the tests of this folder.

import type { Ask, JsonObject, Person } from '@assent/core'
import { Policies, type ShortPolicy } from '@assent/policy'
import { closeAfterTest } from '../../../../../test-kit/close-after-test.ts'
import { aShortPolicy } from '../../../../../test-kit/policy/short-policy.ts'
import { openTestStore } from '../../../../../test-kit/store/open.ts'
import type { Answers, Call, Failed, InputResponse, NeedsInput, Outcome, Upstream } from '../model.ts'
import { givenOf, raiseAsk } from '../route/inbox-asks.ts'
import { callOf } from '../route/sample-rounds.suite.ts'
import { type Decided, PolicyGate } from './policy-gate.ts'

export type PolicyChanges = Partial<ShortPolicy> & Pick<ShortPolicy, 'name' | 'effect'>

export const allowAll: PolicyChanges = { name: 'everything else', effect: 'allow' }
export const askBen: PolicyChanges = { name: 'ben', effect: { ask: { ask: 'person:ben' } } }
export const askClient: PolicyChanges = { name: 'own', effect: { ask: { ask: 'requester', surfaces: 'client' } } }

const tenant = 'default'
const ben: Person = { principal: 'ben', groups: ['release'] }
export const ran: Outcome = { kind: 'finished', result: { content: [{ type: 'text', text: 'ran' }] } }
export const approves: InputResponse = { result: { action: 'accept', content: { decision: 'approve' } } }

async function openPolicies(...changes: readonly PolicyChanges[]): Promise<Policies> {
  const shortForm = changes.map((policy, index) => ({
    place: { line: index + 1, column: 1 },
    policy: aShortPolicy(policy.name, policy.effect, policy),
  }))
  const opened = await Policies.open({ shortForm, cedarFiles: [], groups: {}, timeZone: 'UTC' })
  if (!(opened instanceof Policies)) throw new Error(JSON.stringify(opened))
  return opened
}

/** A server that lists `deploy`, and counts what reaches it. Other replies by method. */
export function aServer(replies: Readonly<Record<string, (params: JsonObject) => Outcome>> = {}) {
  const calls: Call[] = []
  const listed: Outcome = { kind: 'finished', result: { tools: [{ name: 'deploy', inputSchema: { type: 'object' } }] } }
  const events: string[] = []
  const upstream: Upstream = {
    name: 'ops',
    start: async (call) => {
      calls.push(call)
      const reply = Object.hasOwn(replies, call.method) ? replies[call.method] : undefined
      if (reply !== undefined) return reply(call.params)
      return call.method === 'tools/list' ? listed : ran
    },
    continue: async () => ({ kind: 'finished', result: { continued: true } }),
    describe: async () => ({ capabilities: {}, info: { name: 'ops' } }),
    listen: async () => void events.push('listen'),
    leave: (principal, scope) => void events.push(`leave ${principal} ${scope}`),
    close: async () => void events.push('close'),
  }
  const methods = () => calls.map(({ method }) => method)
  return { upstream, calls, events, methods, runs: () => methods().filter((method) => method !== 'tools/list').length }
}

export async function aGate(policies: readonly PolicyChanges[], server = aServer(), hasInbox = true) {
  const { store, close } = await openTestStore()
  closeAfterTest(close)
  const decided: Decided[] = []
  let current: Policies | undefined = await openPolicies(...policies)
  const newGate = () =>
    new PolicyGate({
      store,
      policies: () => current,
      hasInbox: () => hasInbox,
      announces: () => false,
      limits: () => ({ perCaller: 100, perServer: 100, perTenant: 1_000, total: 1_000 }),
      onDecided: ({ entry }, _server, one) => {
        decided.push(one)
        entry?.decided(one.effect, one.policies)
      },
      onChanged: () => undefined,
    })
  const gate = newGate()
  return {
    store,
    server,
    decided,
    gated: gate.over(server.upstream),
    gate,
    /** The same server behind the gate of another replica. */
    replica: (upstream = server.upstream) => newGate().over(upstream),
    reload: async (...changes: readonly PolicyChanges[]) => {
      current = changes.length === 0 ? undefined : await openPolicies(...changes)
    },
    digest: () => current?.digest,
    /** The ask of an approval, as the inbox stores it, answered by Ben. */
    answered: async (
      outcome: NeedsInput,
      answer: JsonObject,
      call = callOf(),
      waitMs = 60_000,
    ): Promise<InputResponse> => {
      const wanted = outcome.wanted.approval
      if (wanted === undefined) throw new Error('No approval is needed.')
      const id = await raiseAsk(store, call, wanted, { server: 'ops', waitMs })
      await store.asks.answer({ tenant, id: id ?? '', person: ben, via: 'inbox', answer })
      return givenOf((await store.asks.read(tenant, id ?? '')) as Ask)
    },
  }
}

/** The outcome of a call that needs an approval. */
export function needsInput(outcome: Outcome): NeedsInput {
  if (outcome.kind !== 'input-required') throw new Error(`The call needs no approval: ${JSON.stringify(outcome)}`)
  return outcome
}

/** The text that the caller gets instead of a result. */
export function refusedText(outcome: Outcome): string {
  if (outcome.kind === 'input-required') throw new Error('The call was not refused.')
  if (outcome.kind === 'failed') return (outcome satisfies Failed).error.message
  const [first] = outcome.result.content as readonly { text?: string }[]
  if (outcome.result.isError !== true) throw new Error('The call was not refused.')
  return first?.text ?? ''
}

/** Part of the text about an approval that cannot be used. */
export const notUsable = 'was already used'

/** A call that Ben approved, who is in the group release. */
export async function anApprovedCall(server = aServer(), asks: PolicyChanges = askBen) {
  const made = await aGate([allowAll, asks], server)
  const asked = needsInput(await made.gated.start(callOf()))
  const given: Answers = { approval: await made.answered(asked, { action: 'accept' }) }
  const proceed = (gated = made.gated, call = callOf()) => gated.continue(call, asked.state, given)
  return { ...made, asked, given, proceed }
}
