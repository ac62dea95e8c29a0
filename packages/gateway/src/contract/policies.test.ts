import { describe, expect, test, vi } from 'vitest'
import { answerInInbox, firstAsk, openAsks } from '../../../../test-kit/gateway/answer-in-inbox.ts'
import { anAskingServer } from '../../../../test-kit/mcp/asking-servers.ts'
import { aClient } from '../../../../test-kit/mcp/scripted-client.ts'
import type { Revision } from '../../../../test-kit/revisions.ts'
import { until } from '../../../../test-kit/until.ts'
import {
  aGatewayWithPolicies,
  allowAll,
  ann,
  ben,
  cleo,
  dave,
  identifyWithGroups,
  type PolicyText,
  policiesOf,
  twoOfRelease,
} from './policies.suite.ts'
import { call, request } from './wire.suite.ts'

const generations: readonly Revision[] = ['2025-11-25', '2026-07-28']
const pairings = generations.flatMap((client) => generations.map((server) => ({ client, server })))
const done = { content: [{ type: 'text', text: 'done' }] }
const accept = { action: 'accept' }
const noQuestions = { questions: [] }

describe.each(pairings)('a $client client and a $server server that never asks', ({ client: clientSpeaks, server }) => {
  const aPairing = async (policies: readonly PolicyText[], options = {}) => {
    const behind = await anAskingServer(server)
    const started = await aGatewayWithPolicies({ deploy: { url: behind.url } }, policies, options)
    return { ...started, server: behind, client: await aClient(clientSpeaks, started.gateway.url, {}) }
  }

  test('[POLICY-30] a call that needs two approvals runs once, after the second', async () => {
    const { store, server, client } = await aPairing([allowAll, twoOfRelease])

    const calling = client.call('ask', noQuestions)
    const ask = await firstAsk(store, ben)
    expect(ask).toMatchObject({
      principal: 'ann',
      asker: { server: 'deploy', tool: 'ask' },
      question: { kind: 'approval', action: { server: 'deploy', tool: 'ask', arguments: noQuestions } },
    })
    expect(await answerInInbox(store, ask, accept, ben)).toMatchObject({ kind: 'counted' })
    expect(server.begun).toBe(0)
    expect(await answerInInbox(store, ask, accept, cleo)).toMatchObject({ kind: 'settled' })

    expect(await calling).toMatchObject(done)
    expect(server).toMatchObject({ begun: 1, ended: 1 })
    expect(client.asked).toEqual([])
    expect(await store.grants.read('default', ask.id)).toMatchObject({ usedAtMs: expect.any(Number) })
    expect(await store.audit.verify('default')).toMatchObject({ ok: true })
  })

  test('[POLICY-31] the requester sees the ask, and cannot approve it, and neither can a stranger', async () => {
    const { store, server, client } = await aPairing([allowAll, twoOfRelease])

    void client.call('ask', noQuestions).catch(() => undefined)
    const ask = await firstAsk(store, ann)
    await answerInInbox(store, ask, accept, ben)

    expect(await answerInInbox(store, ask, accept, ann)).toEqual({ kind: 'not-found' })
    expect(await answerInInbox(store, ask, accept, dave)).toEqual({ kind: 'not-found' })
    expect(await answerInInbox(store, ask, accept, ben)).toEqual({ kind: 'already-voted' })
    expect(await openAsks(store, dave)).toEqual([])
    expect(server.begun).toBe(0)
  })

  test('[POLICY-32] one decline ends it: nothing runs, and the caller gets the reason and the name', async () => {
    const { store, server, client } = await aPairing([allowAll, twoOfRelease])

    const calling = client.call('ask', noQuestions)
    const ask = await firstAsk(store, ben)
    await answerInInbox(store, ask, { action: 'decline', comment: 'Not on a Friday.' }, ben)

    expect(await calling).toMatchObject({
      isError: true,
      content: [{ text: 'ben declined this call. Nothing ran. Not on a Friday.' }],
    })
    expect(server.begun).toBe(0)
  })

  test('[POLICY-33] a denied call does not reach the server, and the caller gets the name of the policy', async () => {
    const { server, client } = await aPairing([
      allowAll,
      { name: 'no asking', effect: 'deny', targets: ['deploy/ask'] },
    ])

    expect(await client.call('ask', noQuestions)).toMatchObject({
      isError: true,
      content: [
        {
          text: 'The policy "no asking" denies this call. Nothing ran. Do not repeat the call; the person can ask the operator of the gateway.',
        },
      ],
    })
    expect(server.begun).toBe(0)
  })

  test('[POLICY-33] once a policy is about tools, a call that none permits is denied', async () => {
    const { server, client } = await aPairing([{ ...allowAll, targets: ['deploy/other'] }])

    expect(await client.call('ask', noQuestions)).toMatchObject({
      isError: true,
      content: [
        {
          text: 'No policy permits this call. Nothing ran. Do not repeat the call; the person can ask the operator of the gateway.',
        },
      ],
    })
    expect(server.begun).toBe(0)
  })

  test('[POLICY-34] the same call again joins the open ask, and both get the result of one run', async () => {
    const { store, server, client, gateway } = await aPairing([allowAll, twoOfRelease])
    const second = await aClient(clientSpeaks, gateway.url, {})

    const calls = [client.call('ask', noQuestions)]
    const ask = await firstAsk(store, ben)
    const joins = vi.spyOn(store.asks, 'openApproval')
    calls.push(second.call('ask', noQuestions))
    await until(() => joins.mock.results.length > 0 || undefined)
    await joins.mock.results[0]?.value
    await answerInInbox(store, ask, accept, ben)
    await answerInInbox(store, ask, accept, cleo)

    expect(await Promise.all(calls)).toMatchObject([done, done])
    expect(await openAsks(store, ben)).toEqual([])
    expect(server.begun).toBe(1)
  })

  test('[POLICY-35] a policy in dry run changes nothing and is recorded', async () => {
    const { store, client, server } = await aPairing([allowAll, { ...twoOfRelease, isDryRun: true }])

    expect(await client.call('ask', noQuestions)).toMatchObject(done)

    expect(server.begun).toBe(1)
    const entry = await until(async () => {
      for await (const { body } of store.audit.entries('default')) {
        if (body.includes('dry-run')) return JSON.parse(body)
      }
      return undefined
    })
    expect(entry.passed).toContainEqual(
      expect.objectContaining({ event: 'policy', mode: 'dry-run', effect: 'ask', policies: ['release'] }),
    )
  })

  test('[POLICY-36] a client cannot approve for itself unless the policy says so', async () => {
    const own: PolicyText = { name: 'own', effect: { ask: { ask: 'requester', surfaces: 'client' } } }
    const asking = await aPairing([allowAll, twoOfRelease])
    const allowed = await aPairing([allowAll, own], { unseenAfterMs: 0 })
    const approving = await aClient(clientSpeaks, allowed.gateway.url, {
      says: () => ({ action: 'accept', content: { decision: 'approve' } }),
    })

    void asking.client.call('ask', noQuestions).catch(() => undefined)
    await firstAsk(asking.store, ben)
    expect(asking.client.asked).toEqual([])

    expect(await approving.call('ask', noQuestions)).toMatchObject(done)
    expect(approving.asked).toHaveLength(1)
  })
})

test('[POLICY-41] a tool that a person can never call is not in their list, and the list is private', async () => {
  const server = await anAskingServer('2026-07-28')
  const forRelease: PolicyText = { ...allowAll, people: ['group:release'] }
  const { gateway } = await aGatewayWithPolicies({ deploy: { url: server.url } }, [forRelease])
  const listFor = async (person: string) => (await request(gateway.url, 'tools/list', {}, { person })).message.result

  const named = expect.objectContaining({ name: 'ask' })

  const forBen = await listFor('ben')
  expect(forBen.tools).toContainEqual(named)
  expect(forBen.cacheScope).toBe('private')
  expect((await listFor('dave')).tools).not.toContainEqual(named)
})

test('[POLICY-37] a forged answer of the client to an approval in the inbox does not count', async () => {
  const server = await anAskingServer('2026-07-28')
  const { gateway, store } = await aGatewayWithPolicies({ deploy: { url: server.url } }, [allowAll, twoOfRelease], {
    holdMs: 10,
  })
  const first = (await call(gateway.url, noQuestions)).message.result
  const forged = { action: 'accept', content: { decision: 'approve' }, approval: { askId: 'x' } }

  for (const inputResponses of [{ approval: forged }, { approval: { result: forged } }]) {
    const { message } = await call(gateway.url, noQuestions, { requestState: first.requestState, inputResponses })
    expect(message.result).toMatchObject({ resultType: 'input_required' })
  }
  expect(server.begun).toBe(0)
  expect(await openAsks(store, ben)).toHaveLength(1)
})

test('[POLICY-38] an approval holds for exactly its arguments, and for one run', async () => {
  const { server, gateway, requestState } = await anApprovedCall()

  const changed = await call(gateway.url, { questions: [], other: 1 }, { requestState })
  expect(changed.message.error).toBeDefined()
  expect(server.begun).toBe(0)

  const runs = await Promise.all([1, 2, 3].map(() => resultOf(gateway.url, noQuestions, requestState)))
  for (const result of runs) expect(result).toMatchObject(done)
  expect(server.begun).toBe(1)
  expect((await call(gateway.url, noQuestions)).message.result).toMatchObject({ resultType: 'input_required' })
})

/** A call whose approval has been given, and which has not been continued. */
async function anApprovedCall() {
  const server = await anAskingServer('2026-07-28')
  const servers = { deploy: { url: server.url } }
  const { gateway, store } = await aGatewayWithPolicies(servers, [allowAll, twoOfRelease], { holdMs: 10 })
  const { requestState } = (await call(gateway.url, noQuestions)).message.result
  const ask = await firstAsk(store, ben)
  await answerInInbox(store, ask, accept, ben)
  await answerInInbox(store, ask, accept, cleo)
  const reload = async (...policies: readonly PolicyText[]) =>
    gateway.reload({
      servers,
      identify: identifyWithGroups,
      surfaces: ['client', 'inbox'],
      policies: await policiesOf(...policies),
    })
  return { server, gateway, store, requestState, reload }
}

/** The result of a call whose caller retries as long as it has to wait. */
async function resultOf(url: string, args: object, requestState: unknown) {
  let state = requestState
  return until(async () => {
    const { result } = (await call(url, { ...args }, { requestState: state })).message
    if (result.resultType !== 'input_required') return result
    state = result.requestState
    return undefined
  })
}

test('[POLICY-39] when the approval is used, stricter policies ask again', async () => {
  const { server, gateway, store, requestState, reload } = await anApprovedCall()

  await reload(allowAll, twoOfRelease, { name: 'security', effect: { ask: { ask: 'group:security' } } })
  const again = (await call(gateway.url, noQuestions, { requestState })).message.result

  expect(again).toMatchObject({ resultType: 'input_required' })
  expect((await firstAsk(store, cleo)).approvalRule.requirements).toHaveLength(2)
  expect(server.begun).toBe(0)
})

test('[POLICY-39] when the approval is used, a deny denies, and with weaker policies the call continues', async () => {
  const denied = await anApprovedCall()
  await denied.reload(allowAll, { name: 'closed', effect: 'deny' })
  expect(await resultOf(denied.gateway.url, noQuestions, denied.requestState)).toMatchObject({ isError: true })
  expect(denied.server.begun).toBe(0)

  const weaker = await anApprovedCall()
  await weaker.reload(allowAll)
  expect(await resultOf(weaker.gateway.url, noQuestions, weaker.requestState)).toMatchObject(done)
  expect(weaker.server.begun).toBe(1)
})

test('[POLICY-40] what cannot be judged or approved does not run', async () => {
  const server = await anAskingServer('2026-07-28')
  const servers = { deploy: { url: server.url } }
  const named = { name: 'named', effect: { ask: { ask: '2 of person:ann', exclude: 'requester' } } } as const
  const { gateway } = await aGatewayWithPolicies(servers, [allowAll, named])
  const noInbox = await aGatewayWithPolicies(servers, [allowAll, twoOfRelease], { surfaces: ['client'] })
  const large = { text: 'x'.repeat(300_000) }
  const big = await aGatewayWithPolicies(servers, [allowAll, twoOfRelease])

  expect((await call(gateway.url, noQuestions)).message.result).toMatchObject({
    content: [{ text: expect.stringContaining('cannot be given') }],
  })
  expect((await call(noInbox.gateway.url, noQuestions)).message.result).toMatchObject({
    content: [{ text: expect.stringContaining('inbox, which is not configured') }],
  })
  expect((await call(big.gateway.url, large)).message.result).toMatchObject({
    content: [{ text: expect.stringContaining('too large') }],
  })
  expect(server.begun).toBe(0)
})
