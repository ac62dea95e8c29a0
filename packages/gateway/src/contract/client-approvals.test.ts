// Approvals in the caller's own client that the inbox asks too once the client has not answered for a while.

import type { Surface } from '@assent/core'
import type { Store } from '@assent/store'
import { expect, test } from 'vitest'
import { firstAsk, openAsks } from '../../../../test-kit/gateway/answer-in-inbox.ts'
import { aClient } from '../../../../test-kit/mcp/scripted-client.ts'
import type { Revision } from '../../../../test-kit/revisions.ts'
import { aGatewayWithPolicies, allowAll, ann, type PolicyText } from './policies.suite.ts'
import { aRawServer, call, type Received, type Wire } from './wire.suite.ts'

const args = { env: 'live' }
const approves = { action: 'accept', content: { decision: 'approve' } }
const declines = { action: 'accept', content: { decision: 'decline' } }
const neverMs = 3_600_000

const byOwner = (ask: string): PolicyText => ({ name: 'own', effect: { ask: { ask, surfaces: 'inbox, client' } } })

interface Asked {
  readonly ask?: string
  readonly surfaces?: readonly Surface[]
  readonly silentAfterMs?: number
}

const both: readonly Surface[] = ['client', 'inbox']

/** A gateway in front of a server that runs each call at once. */
async function aGatewayFor({ ask = 'requester', surfaces = both, silentAfterMs }: Asked) {
  let runs = 0
  const { url } = await aRawServer(({ method }) => {
    if (method === 'tools/list')
      return { result: { resultType: 'complete', tools: [{ name: 'ask', inputSchema: { type: 'object' } }] } }
    if (method !== 'tools/call') return { error: { code: -32_601, message: 'Not supported.' } }
    runs += 1
    return { result: { resultType: 'complete', content: [{ type: 'text', text: `run ${runs}` }] } }
  })
  const started = await aGatewayWithPolicies({ deploy: { url } }, [allowAll, byOwner(ask)], {
    surfaces,
    ...(silentAfterMs === undefined ? {} : { silentAfterMs }),
    unseenAfterMs: 0,
    holdMs: 10,
  })
  return { ...started, runs: () => runs }
}

/** A call whose approval the client shows, and its caller, which can send one state several times. */
async function aCall(asked: Asked) {
  const { gateway, store, runs } = await aGatewayFor(asked)
  const requestState = await stateOfAsking(gateway.url)
  const answer = (approval: Wire) => call(gateway.url, args, { requestState, inputResponses: { approval } })
  return { store, answer, end: (approval: Wire) => ended(gateway.url, answer(approval)), runs }
}

/** The state with which the client is asked. */
async function stateOfAsking(url: string, rounds: Wire = {}): Promise<unknown> {
  const { requestState, inputRequests } = (await call(url, args, rounds)).message.result
  const isAsked = Object.keys(inputRequests ?? {}).length > 0
  return isAsked ? requestState : stateOfAsking(url, { requestState })
}

/** Retries for as long as another request runs the call. */
async function ended(url: string, sent: Promise<Received>): Promise<Received> {
  const received = await sent
  const { resultType, requestState } = received.message.result
  return resultType === 'input_required' ? ended(url, call(url, args, { requestState })) : received
}

const stateOf = async (store: Store, id: string) => (await store.asks.read('default', id))?.state

const textOf = ({ message }: Received) => (message.result?.content as { text: string }[] | undefined)?.[0]?.text

test('[POLICY-38] an accept without a decision approves nothing, and a later decline runs nothing', async () => {
  const { store, answer, runs } = await aCall({ silentAfterMs: 50 })
  const { id } = await firstAsk(store, ann)

  expect((await answer({ action: 'accept' })).message.result).toMatchObject({ resultType: 'input_required' })
  expect(await stateOf(store, id)).toEqual({ kind: 'open' })

  expect(textOf(await answer({ action: 'decline' }))).toBe('ann declined this call. Nothing ran.')
  expect(await stateOf(store, id)).toMatchObject({ kind: 'settled', via: 'client', answer: { action: 'decline' } })
  expect(runs()).toBe(0)
})

test('[ROUTE-10] an approval of the client that the inbox asks too counts, for one run', async () => {
  const { store, end, runs } = await aCall({ silentAfterMs: 50 })
  const { id } = await firstAsk(store, ann)

  const replies = [...(await Promise.all([end(approves), end(approves)])), await end(approves)]

  expect(replies.map(textOf)).toEqual(['run 1', 'run 1', 'run 1'])
  expect(runs()).toBe(1)
  expect(await stateOf(store, id)).toMatchObject({ kind: 'settled', via: 'client', answer: { action: 'accept' } })
  expect(await store.grants.read('default', id)).toMatchObject({ usedAtMs: expect.any(Number) })
})

test('[ROUTE-11] so does one of a client that is asked because the inbox does not answer', async () => {
  const { store, answer, runs } = await aCall({ silentAfterMs: 50, surfaces: ['inbox', 'client'] })
  const { id } = await firstAsk(store, ann)

  expect(textOf(await answer(approves))).toBe('run 1')
  expect(runs()).toBe(1)
  expect(await stateOf(store, id)).toMatchObject({ kind: 'settled', via: 'client', answer: { action: 'accept' } })
})

test('[ROUTE-10] so does the choice to decline, also of a requester who may approve as a member of a group', async () => {
  const { store, answer, runs } = await aCall({ silentAfterMs: 50, ask: 'group:release' })
  const { id } = await firstAsk(store, ann)

  expect(textOf(await answer(declines))).toBe('ann declined this call. Nothing ran.')
  expect(textOf(await answer(approves))).toBe('ann declined this call. Nothing ran.')
  expect(await stateOf(store, id)).toMatchObject({ kind: 'settled', answer: { action: 'decline' } })
  expect(runs()).toBe(0)
})

test.each<[what: string, asked: Asked]>([
  ['the inbox would ask later', { silentAfterMs: neverMs }],
  ['the inbox never asks', {}],
  ['there is no inbox', { surfaces: ['client'] }],
])('[POLICY-38] the same approval, sent again after the call ran, gets the first outcome: %s', async (_what, asked) => {
  const { store, end, runs } = await aCall(asked)

  const first = await end(approves)
  const again = [await end(approves), await end({ action: 'decline' })]

  expect([first, ...again].map(textOf)).toEqual(['run 1', 'run 1', 'run 1'])
  expect(runs()).toBe(1)
  expect(await openAsks(store, ann)).toEqual([])
})

test.each<[revision: Revision, given: Wire, text: string, runs: number]>([
  ['2025-11-25', approves, 'run 1', 1],
  ['2025-11-25', declines, 'ann declined this call. Nothing ran.', 0],
  ['2026-07-28', approves, 'run 1', 1],
])(
  '[ROUTE-10] a person at a %s client who answers after the inbox asked decides',
  async (revision, given, text, runs) => {
    const made = await aGatewayFor({ silentAfterMs: 50 })
    const client = await aClient(revision, made.gateway.url, {
      says: async () => {
        await firstAsk(made.store, ann)
        return given
      },
    })

    expect(await client.call('ask', args)).toMatchObject({ content: [{ text }] })
    expect(made.runs()).toBe(runs)
    expect(client.asked).toHaveLength(1)
    expect(await openAsks(made.store, ann)).toEqual([])
  },
)
