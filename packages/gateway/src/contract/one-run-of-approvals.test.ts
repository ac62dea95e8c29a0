// Servers that ask questions of their own after a call was approved: the approval is still for one run.

import { describe, expect, test, vi } from 'vitest'
import { answerInInbox, firstAsk } from '../../../../test-kit/gateway/answer-in-inbox.ts'
import { anAskingServer } from '../../../../test-kit/mcp/asking-servers.ts'
import { whichRegion } from '../../../../test-kit/mcp/asking-tools.ts'
import { aClient } from '../../../../test-kit/mcp/scripted-client.ts'
import type { Revision } from '../../../../test-kit/revisions.ts'
import { until } from '../../../../test-kit/until.ts'
import {
  aGatewayWithPolicies,
  allowAll,
  ben,
  identifyWithGroups,
  type PolicyText,
  policiesOf,
} from './policies.suite.ts'
import { aRawServer, call, type Received, type Wire } from './wire.suite.ts'

const args = { env: 'live' }
const accept = { action: 'accept' }
const byBen: PolicyText = { name: 'ben', effect: { ask: { ask: 'person:ben' } } }
const bySelf: PolicyText = { name: 'own', effect: { ask: { ask: 'requester', surfaces: 'client' } } }
const sender = { capabilities: { elicitation: { form: {}, url: {} }, roots: {} } }

const form = { method: 'elicitation/create', params: whichRegion }
const roots = { method: 'roots/list' }
const answers: Readonly<Record<string, (run: number) => Wire>> = {
  form: (run) => ({ action: 'accept', content: { region: run % 2 === 0 ? 'eu' : 'us' } }),
  'list of roots': () => ({ roots: [] }),
}

/** A server that asks in each call, as often as `rounds`, before it runs. */
async function aServerThatAsks(question: Wire, rounds = 1) {
  const runs: unknown[] = []
  const { url } = await aRawServer(({ method, params }) => {
    if (method === 'tools/list')
      return {
        result: {
          resultType: 'complete',
          tools: [{ name: 'ask', inputSchema: { type: 'object' } }],
          ttlMs: 0,
          cacheScope: 'public',
        },
      }
    const { requestState = 0, inputResponses } = params as { requestState?: string; inputResponses?: unknown }
    const answered = inputResponses === undefined ? 0 : Number(requestState)
    if (answered < rounds)
      return {
        result: { resultType: 'input_required', inputRequests: { q: question }, requestState: String(answered + 1) },
      }
    runs.push(inputResponses)
    return { result: { resultType: 'complete', content: [{ type: 'text', text: `run ${runs.length}` }] } }
  })
  return { url, runs }
}

async function anApprovedCall(question: Wire, options: Parameters<typeof aGatewayWithPolicies>[2], rounds?: number) {
  const server = await aServerThatAsks(question, rounds)
  const servers = { deploy: { url: server.url } }
  const started = await aGatewayWithPolicies(servers, [allowAll, byBen], { holdMs: 1, ...options })
  const { url } = started.gateway
  const first = await call(url, args, {}, sender)
  await answerInInbox(started.store, await firstAsk(started.store, ben), accept, ben)
  const asked = await asking(url, first)
  return { ...started, server, servers, url, asked }
}

/** Retries until the server's own question arrives. */
async function asking(url: string, { message }: Received): Promise<Wire> {
  const { requestState, inputRequests } = message.result
  if (Object.keys(inputRequests ?? {}).length > 0) return { requestState }
  return asking(url, await call(url, args, { requestState }, sender))
}

/** Retries for as long as the server runs the call. */
async function finished(url: string, rounds: Wire): Promise<Received> {
  const reply = await call(url, args, rounds, sender)
  const { result } = reply.message
  const isRunning = result?.resultType === 'input_required' && Object.keys(result.inputRequests ?? {}).length === 0
  return isRunning ? finished(url, { requestState: result.requestState }) : reply
}

const surfaces = { 'client and inbox': ['client', 'inbox'], inbox: ['inbox'] } as const

describe.each(['form', 'list of roots'])('a server that asks the client for a %s after the approval', (kind) => {
  const question = kind === 'form' ? form : roots
  const asked = kind === 'form' ? ['client and inbox'] : ['client and inbox', 'inbox']

  test.each(asked as (keyof typeof surfaces)[])(
    '[POLICY-38] runs the call once, however often the answer is sent, with surfaces: %s',
    async (shown) => {
      const made = await anApprovedCall(question, { surfaces: surfaces[shown], unseenAfterMs: 0 })
      const answer = (run: number) => ({ ...made.asked, inputResponses: { q: answers[kind]?.(run) ?? {} } })

      const together = await Promise.all([0, 1, 2].map((run) => finished(made.url, answer(run))))
      const later = await finished(made.url, answer(3))

      expect(made.server.runs).toHaveLength(1)
      for (const { message } of [...together, later])
        expect(message.result).toMatchObject({ content: [{ text: 'run 1' }] })
    },
  )

  test('[POLICY-38] runs it once after several questions', async () => {
    const made = await anApprovedCall(question, { surfaces: ['client', 'inbox'], unseenAfterMs: 0 }, 2)
    const answer = (run: number) => ({ inputResponses: { q: answers[kind]?.(run) ?? {} } })

    const seconds = await Promise.all([0, 1].map((run) => finished(made.url, { ...made.asked, ...answer(run) })))
    const states = seconds.map(({ message }) => message.result.requestState)
    const ends = await Promise.all(
      states.map((requestState, run) => finished(made.url, { requestState, ...answer(run) })),
    )

    expect(made.server.runs).toHaveLength(1)
    for (const { message } of ends) expect(message.result).toMatchObject({ content: [{ text: 'run 1' }] })
  })

  test('[POLICY-38] runs it once if the client itself approved it', async () => {
    const server = await aServerThatAsks(question)
    const { gateway } = await aGatewayWithPolicies({ deploy: { url: server.url } }, [allowAll, bySelf], {
      surfaces: ['client'],
      unseenAfterMs: 0,
    })
    const first = (await call(gateway.url, args, {}, sender)).message.result
    const approval = { action: 'accept', content: { decision: 'approve' } }
    const { requestState } = (
      await call(gateway.url, args, { requestState: first.requestState, inputResponses: { approval } }, sender)
    ).message.result
    const answer = (run: number) => ({ requestState, inputResponses: { q: answers[kind]?.(run) ?? {} } })

    const all = await Promise.all([0, 1, 2].map((run) => finished(gateway.url, answer(run))))

    expect(server.runs).toHaveLength(1)
    for (const { message } of all) expect(message.result).toMatchObject({ content: [{ text: 'run 1' }] })
  })

  test('[POLICY-39] does not get the answer if the policies deny the call by then', async () => {
    const made = await anApprovedCall(question, { surfaces: ['client', 'inbox'], unseenAfterMs: 0 })
    made.gateway.reload({
      servers: made.servers,
      identify: identifyWithGroups,
      surfaces: ['client', 'inbox'],
      policies: await policiesOf({ name: 'closed', effect: 'deny' }),
    })

    const reply = await finished(made.url, { ...made.asked, inputResponses: { q: answers[kind]?.(0) ?? {} } })

    expect(reply.message.result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('closed') }],
    })
    expect(made.server.runs).toEqual([])
  })
})

const generations: readonly Revision[] = ['2025-11-25', '2026-07-28']

test.each(generations.flatMap((client) => generations.map((server) => ({ client, server }))))(
  '[POLICY-38] two calls of a $client client that share an approval run once at a $server server that asks afterwards',
  async ({ client: speaks, server: serves }) => {
    const server = await anAskingServer(serves)
    const { store, gateway } = await aGatewayWithPolicies({ deploy: { url: server.url } }, [allowAll, byBen], {
      unseenAfterMs: 0,
    })
    const questions = { questions: [whichRegion] }
    const [first, second] = [await aClient(speaks, gateway.url, {}), await aClient(speaks, gateway.url, {})]

    const calls = [first.call('ask', questions)]
    const ask = await firstAsk(store, ben)
    const joins = vi.spyOn(store.asks, 'openApproval')
    calls.push(second.call('ask', questions))
    await until(() => joins.mock.results.length > 0 || undefined)
    await joins.mock.results[0]?.value
    await answerInInbox(store, ask, accept, ben)

    const done = { content: [{ type: 'text', text: 'done' }] }
    expect(await Promise.all(calls)).toMatchObject([done, done])
    expect(server.ended).toBe(1)
  },
)
