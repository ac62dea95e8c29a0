import { randomBytes } from 'node:crypto'
import { type JsonObject, newId, type Person, pinnedDefinition } from '@assent/core'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { answerInInbox, firstAsk, openAsks } from '../../../../test-kit/gateway/answer-in-inbox.ts'
import { until } from '../../../../test-kit/until.ts'
import { noTelemetry } from '../call/telemetry-port.ts'
import { policyLimits, setLimits } from '../limits.ts'
import type { GatewayOptions } from '../program/gateway.ts'
import {
  aGatewayWithPolicies,
  allowAll,
  ann,
  ben,
  cleo,
  identifyWithGroups,
  type PolicyText,
  policiesWith,
  twoOfRelease,
} from './policies.suite.ts'
import { aRawServer, aSession, complete, nextOf, type RawRequest, request } from './wire.suite.ts'

const accept = { action: 'accept' }
const decline = { action: 'decline' }
const first: JsonObject = { name: 'ask', description: 'Asks.', inputSchema: { type: 'object' } }
const wider: JsonObject = { ...first, inputSchema: { type: 'object', properties: { force: { type: 'boolean' } } } }
const harmless: JsonObject = { ...first, annotations: { readOnlyHint: true } }
const reworded: JsonObject = { ...first, description: 'Asks, and more.' }
const owners = { owners: ['group:security'] }

/** A server whose tool has the definition that the test sets. */
async function aChangingServer(
  policies: readonly PolicyText[],
  pins: object = owners,
  options: Partial<GatewayOptions> = {},
) {
  onTestFinished(setLimits(policyLimits, { definitionsMs: 0 }))
  let definition = first
  const server = await aRawServer(
    ({ method }: RawRequest) =>
      method === 'tools/list' ? { result: { resultType: 'complete', tools: [definition] } } : complete,
    { tools: {} },
  )
  const servers = { deploy: { url: server.url } }
  const started = await aGatewayWithPolicies(servers, policies, { holdMs: 10, ...options }, pins)
  const { store, gateway } = started
  return {
    ...started,
    servers,
    change: (to: JsonObject) => {
      definition = to
    },
    runs: () => server.requests.filter(({ method }) => method === 'tools/call').length,
    call: async (params: JsonObject = {}, url = gateway.url) =>
      (await request(url, 'tools/call', { name: 'ask', arguments: {}, ...params })).message.result,
    /** The ask to the owners, which names the definition. */
    ownersAsk: (person: Person = cleo) =>
      until(async () =>
        (await openAsks(store, person)).find(
          ({ question }) => question.kind === 'approval' && question.action.kind === 'definition',
        ),
      ),
  }
}

const waits = { resultType: 'input_required' }
const done = complete.result

test('[PIN-5] a tool whose definition did not change runs as the policies say, without an ask', async () => {
  const { call, runs, store } = await aChangingServer([allowAll])

  for (let run = 1; run <= 3; run++) expect(await call()).toMatchObject(done)

  expect(runs()).toBe(3)
  expect(await openAsks(store, ann)).toEqual([])
})

test.each([
  ['the input schema', wider],
  ['the annotations', harmless],
])('[PIN-6] after a change of %s an allowed tool asks the requester each time', async (_, changed) => {
  const { call, change, runs, store } = await aChangingServer([allowAll])
  await call()
  change(changed)

  for (const run of [2, 3]) {
    const { requestState } = await call()
    const ask = await firstAsk(store, ann)
    expect(ask).toMatchObject({
      question: {
        title: 'Run ask on deploy. The definition of this tool changed since it was accepted.',
        policies: ['changed tool definition'],
      },
      approvalRule: { approvers: ['person:ann'] },
    })
    expect(runs()).toBe(run - 1)
    await answerInInbox(store, ask, accept, ann)
    const result = await until(async () => {
      const next = await call({ requestState: String(requestState) })
      return next.resultType === 'input_required' ? undefined : next
    })
    expect(result).toMatchObject(done)
    expect(runs()).toBe(run)
  }
})

test('[PIN-6] a requester who declines, an owner who does not answer, and another person run nothing', async () => {
  const { call, change, runs, store, ownersAsk } = await aChangingServer([allowAll])
  await call()
  change(wider)

  const { requestState } = await call()
  await ownersAsk()
  const ask = await firstAsk(store, ann)
  expect(await answerInInbox(store, ask, accept, ben)).toEqual({ kind: 'not-found' })
  expect(await answerInInbox(store, ask, accept, cleo)).toEqual({ kind: 'not-found' })
  await answerInInbox(store, ask, decline, ann)

  const refused = await until(async () => {
    const next = await call({ requestState: String(requestState) })
    return next.resultType === 'input_required' ? undefined : next
  })
  expect(refused).toMatchObject({ isError: true, content: [{ text: 'ann declined this call. Nothing ran.' }] })
  expect(runs()).toBe(1)
})

test('[PIN-7] an owner accepts a changed definition once for all', async () => {
  const { call, change, runs, store, ownersAsk } = await aChangingServer([allowAll])
  await call()
  change(wider)
  expect(await call()).toMatchObject(waits)
  const ask = await ownersAsk()
  expect(ask).toMatchObject({
    principal: 'assent',
    asker: { server: 'deploy', tool: 'ask' },
    question: {
      title: 'Accept the changed definition of ask on deploy',
      action: { kind: 'definition', server: 'deploy', tool: 'ask', arguments: { accepted: first, new: wider } },
    },
  })

  expect(await answerInInbox(store, ask, accept, ann)).toEqual({ kind: 'not-found' })
  expect(await answerInInbox(store, ask, accept, ben)).toEqual({ kind: 'not-found' })
  expect(await call()).toMatchObject(waits)
  expect(await answerInInbox(store, ask, accept, cleo)).toMatchObject({ kind: 'settled' })

  expect(await call()).toMatchObject(done)
  expect(await call()).toMatchObject(done)
  expect(runs()).toBe(3)
  expect(await store.audit.verify('default')).toMatchObject({ ok: true })
})

test('[PIN-7] owners are asked once, however often and at which replica the tool is called', async () => {
  const { call, change, start, store, ownersAsk } = await aChangingServer([allowAll])
  await call()
  const second = await start()
  change(wider)

  await Promise.all([call(), call(), call({}, second.url), call({}, second.url)])
  await call()

  const ask = await ownersAsk()
  const asks = (await openAsks(store, cleo)).filter(({ id }) => id !== ask.id)
  expect(asks).toEqual([])
  await answerInInbox(store, ask, accept, cleo)
  expect(await call({}, second.url)).toMatchObject(done)
})

test('[PIN-8] the accepted definition needs no acceptance when the server returns to it', async () => {
  const { call, change, runs } = await aChangingServer([allowAll])
  await call()
  change(wider)
  expect(await call()).toMatchObject(waits)
  change(first)

  expect(await call()).toMatchObject(done)
  expect(runs()).toBe(2)
})

test('[PIN-8] accepting one change accepts no other', async () => {
  const { call, change, store, ownersAsk } = await aChangingServer([allowAll])
  await call()
  change(wider)
  await call()
  await answerInInbox(store, await ownersAsk(), accept, cleo)
  change(harmless)

  expect(await call()).toMatchObject(waits)
  expect((await ownersAsk()).question).toMatchObject({ action: { arguments: { new: harmless } } })
})

test('[PIN-9] a declined definition stays unaccepted, and owners are asked again a day later', async () => {
  const { call, change, store, ownersAsk } = await aChangingServer([allowAll])
  await call()
  change(wider)
  await call()
  const ask = await ownersAsk()
  await answerInInbox(store, ask, decline, cleo)

  expect(await call()).toMatchObject(waits)
  expect((await openAsks(store, cleo)).length).toBe(0)
  onTestFinished(setLimits(policyLimits, { askOwnersAgainMs: 0 }))
  expect(await call()).toMatchObject(waits)
  const again = await ownersAsk()
  expect(again.id).not.toBe(ask.id)
  await answerInInbox(store, again, accept, cleo)
  expect(await call()).toMatchObject(done)
})

test('[PIN-10] a changed description counts only with the setting', async () => {
  const without = await aChangingServer([allowAll])
  await without.call()
  without.change(reworded)
  expect(await without.call()).toMatchObject(done)

  const withSetting = await aChangingServer([allowAll], { ...owners, pinsDescriptions: true })
  await withSetting.call()
  withSetting.change(reworded)
  expect(await withSetting.call()).toMatchObject(waits)
  await answerInInbox(withSetting.store, await withSetting.ownersAsk(), accept, cleo)
  expect(await withSetting.call()).toMatchObject(done)
})

test('[PIN-11] a tool that asks keeps asking its approvers, who read that the definition changed', async () => {
  const { call, change, store, runs } = await aChangingServer([allowAll, twoOfRelease])
  await call()
  await answerInInbox(store, await firstAsk(store, ben), decline, ben)
  change(wider)

  expect(await call()).toMatchObject(waits)

  const ask = await firstAsk(store, ben)
  expect(ask).toMatchObject({
    question: { title: expect.stringContaining('changed since it was accepted'), policies: ['release'] },
  })
  expect(runs()).toBe(0)
})

test('[PIN-11] a denied tool stays denied after a change', async () => {
  const { call, change, store } = await aChangingServer([allowAll, { name: 'closed', effect: 'deny' }])
  change(wider)

  expect(await call()).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('"closed"') }] })
  expect(await openAsks(store, ann)).toEqual([])
})

test('[PIN-12] without an inbox a changed tool does not run', async () => {
  const { call, change, runs } = await aChangingServer([allowAll], {}, { surfaces: ['client'] })
  await call()
  change(wider)

  expect(await call()).toMatchObject({
    isError: true,
    content: [{ text: expect.stringMatching(/definition of this tool changed.*not configured.*Nothing ran/) }],
  })
  expect(runs()).toBe(1)
})

test('[PIN-12] without the store, or with a definition that has no canonical form, nothing runs', async () => {
  const { call, change, runs, store } = await aChangingServer([allowAll])
  const reading = vi.spyOn(store.definitions, 'of').mockRejectedValue(new Error('The database is down.'))
  expect(await call()).not.toMatchObject(done)
  reading.mockRestore()
  change({ ...first, inputSchema: { type: 'object', title: '\ud800' } })

  expect(await call()).toMatchObject({ isError: true })
  expect(runs()).toBe(0)
})

describe('an ask that does not accept this definition', () => {
  const noted = async (env: Awaited<ReturnType<typeof aChangingServer>>, askId: string, definition: JsonObject) => {
    const name = { tenant: 'default', server: 'deploy', tool: 'ask' }
    const pinned = pinnedDefinition(definition)
    const before = (await env.store.definitions.of(name)).find(({ digest }) => digest === pinned.digest)?.askId
    expect(
      await env.store.definitions.setAsk(
        name,
        { ...pinned, ...(before === undefined ? {} : { askId: before }) },
        askId,
      ),
    ).toBe(true)
  }

  test('[PIN-8] the acceptance of another definition does not count, also if the row names its ask', async () => {
    const env = await aChangingServer([allowAll])
    await env.call()
    env.change(wider)
    await env.call()
    const accepted = await env.ownersAsk()
    await answerInInbox(env.store, accepted, accept, cleo)
    env.change(harmless)
    expect(await env.call()).toMatchObject(waits)
    await noted(env, accepted.id, harmless)

    expect(await env.call()).toMatchObject(waits)
    expect(env.runs()).toBe(1)
  })

  test('[PIN-8] the approval of a call does not accept a definition', async () => {
    const env = await aChangingServer([allowAll])
    await env.call()
    env.change(wider)
    await env.call()
    const approval = await firstAsk(env.store, ann)
    await answerInInbox(env.store, approval, accept, ann)
    await noted(env, approval.id, wider)

    expect(await env.call()).toMatchObject(waits)
    expect(env.runs()).toBe(1)
  })

  test('[PIN-7] an ask that was noted and not raised, by a replica that died, is raised by the next call', async () => {
    const env = await aChangingServer([allowAll], {})
    await env.call()
    env.change(wider)
    await env.call()
    const id = newId('ask', Date.now(), randomBytes)
    await noted(env, id, wider)
    env.gateway.reload({
      servers: env.servers,
      identify: identifyWithGroups,
      surfaces: ['client', 'inbox'],
      policies: await policiesWith(owners, allowAll),
    })

    expect(await env.call()).toMatchObject(waits)

    const ask = await env.ownersAsk()
    expect(ask.id).toBe(id)
    await answerInInbox(env.store, ask, accept, cleo)
    expect(await env.call()).toMatchObject(done)
  })
})

describe('what is reported', () => {
  test('[PIN-13] a change is reported once in each process, with what can be done about it', async () => {
    const definitionChanged = vi.fn()
    const { call, change } = await aChangingServer([allowAll], {}, { watch: { ...noTelemetry, definitionChanged } })
    await call()
    expect(definitionChanged).not.toHaveBeenCalled()
    change(wider)
    await call()
    await call()

    expect(definitionChanged.mock.calls).toEqual([['deploy', 'ask', 'no-owners']])
  })

  test('[PIN-13] a definition that is too large to be shown cannot be accepted', async () => {
    const definitionChanged = vi.fn()
    const { call, change, store } = await aChangingServer([allowAll], owners, {
      watch: { ...noTelemetry, definitionChanged },
    })
    await call()
    change({ ...wider, description: 'x'.repeat(200_000) })
    await call()

    expect(definitionChanged.mock.calls).toEqual([['deploy', 'ask', 'not-shown']])
    expect(await openAsks(store, cleo)).toEqual([])
  })
})

test('[PIN-14] without room in memory, definitions are read again and the decisions stay the same', async () => {
  onTestFinished(setLimits(policyLimits, { acceptedDefinitions: 0 }))
  const { call, change } = await aChangingServer([allowAll])
  expect(await call()).toMatchObject(done)
  change(wider)
  expect(await call()).toMatchObject(waits)
  change(first)
  expect(await call()).toMatchObject(done)
})

test('[PIN-14] a definition that was accepted before is not read from the database at each call', async () => {
  const { call, store } = await aChangingServer([allowAll])
  const reading = vi.spyOn(store.definitions, 'of')
  await call()
  await call()
  await call()

  expect(reading).toHaveBeenCalledTimes(1)
})

test('[PIN-6] a client with a session waits for the approval of a changed tool, too', async () => {
  const { change, gateway, store, call, runs } = await aChangingServer([allowAll])
  await call()
  change(wider)
  const session = await aSession(gateway.url)

  const replies = await session.ask('tools/call', { name: 'ask', arguments: {} })
  await answerInInbox(store, await firstAsk(store, ann), accept, ann)

  expect(JSON.stringify(await nextOf(replies))).toContain('content')
  expect(runs()).toBe(2)
})
