import type { Ask } from '@assent/core'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { answerInInbox, firstAsk, openAsks } from '../../../../test-kit/gateway/answer-in-inbox.ts'
import { type ClusterOptions, openCluster, type Replica } from '../../../../test-kit/gateway/cluster.ts'
import { anAskingServer } from '../../../../test-kit/mcp/asking-servers.ts'
import { howMany, whichRegion } from '../../../../test-kit/mcp/asking-tools.ts'
import { aClient } from '../../../../test-kit/mcp/scripted-client.ts'
import { until } from '../../../../test-kit/until.ts'
import { relayLimits, setLimits } from '../limits.ts'
import { call, type Received, type Wire } from './wire.suite.ts'

const inEurope = { action: 'accept', content: { region: 'eu' } }
const three = { action: 'accept', content: { replicas: 3 } }
const done = { content: [{ type: 'text', text: 'done' }] }
const withInbox = { gateway: { surfaces: ['client', 'inbox'] } } as const

// A database that is slow for a moment must not count as unavailable, and a caller must not get its handle again.
afterAll(setLimits(relayLimits, { storeGraceMs: 60_000 }))

/** A call of a program that this replica serves: a held call is continued at another replica by a request to its holder. */
async function callAt(replica: Replica | undefined, args: Wire, rounds: Wire = {}): Promise<Received> {
  return call(replica?.url ?? '', args, rounds, await replica?.program())
}

async function aHeldCall(questions: object[] = [whichRegion], options: ClusterOptions = {}) {
  const server = await anAskingServer('2025-11-25')
  const cluster = await openCluster({ deploy: { url: server.url } }, options)
  const { result } = (await callAt(cluster.replicas[0], { questions })).message
  return { server, cluster, owner: cluster.replicas[0], other: cluster.replicas[1], requestState: result.requestState }
}

test('[FLEET-3] a retry at another replica continues the call at its owner, and every replica returns the stored outcome', async () => {
  const { server, owner, other, requestState } = await aHeldCall()
  const rounds = { requestState, inputResponses: { ask_1: inEurope } }
  const args = { questions: [whichRegion] }

  const outcomes = [
    await callAt(other, args, rounds),
    await callAt(other, args, rounds),
    await callAt(owner, args, rounds),
  ]

  expect(outcomes.map(({ message }) => message.result)).toMatchObject([done, done, done])
  expect(server).toMatchObject({ begun: 1, ended: 1, saw: [inEurope] })
})

test('[FLEET-3] later questions of a held call are returned by the replica that its caller retries at', async () => {
  const questions = [whichRegion, howMany, whichRegion]
  const { server, cluster, requestState } = await aHeldCall(questions, { replicas: 3 })
  let state = requestState
  for (const [round, answer] of [inEurope, three].entries()) {
    const rounds = { requestState: state, inputResponses: { [`ask_${round + 1}`]: answer } }
    const { message } = await callAt(cluster.replicas[round + 1], { questions }, rounds)
    expect(Object.keys(message.result.inputRequests as object)).toEqual([`ask_${round + 2}`])
    state = message.result.requestState
  }
  const rounds = { requestState: state, inputResponses: { ask_3: { action: 'decline' } } }

  expect((await call(cluster.url, { questions }, rounds)).message.result).toMatchObject(done)
  expect(server).toMatchObject({ begun: 1, ended: 1, saw: [inEurope, three, { action: 'decline' }] })
})

test('[FLEET-3] when every signal between replicas is lost, a retry at another replica only takes longer', async () => {
  const lost = { store: { pollMs: 200, wake: 'nats://127.0.0.1:9' } }
  const { server, other, requestState } = await aHeldCall([whichRegion], lost)
  const rounds = { requestState, inputResponses: { ask_1: inEurope } }

  expect((await callAt(other, { questions: [whichRegion] }, rounds)).message.result).toMatchObject(done)
  expect(server).toMatchObject({ begun: 1, ended: 1, saw: [inEurope] })
})

test('[FLEET-3] of concurrent retries at all replicas one delivers the answer, and all get the same outcome', async () => {
  const { server, cluster, requestState } = await aHeldCall([whichRegion], { replicas: 3 })
  const answers = [inEurope, { action: 'decline' }, { action: 'accept', content: { region: 'us' } }]
  const retries = answers.map((answer, at) =>
    callAt(cluster.replicas[at], { questions: [whichRegion] }, { requestState, inputResponses: { ask_1: answer } }),
  )

  for (const { message } of await Promise.all(retries)) expect(message.result).toMatchObject(done)
  expect(server).toMatchObject({ begun: 1, ended: 1 })
  expect(server.saw).toHaveLength(1)
})

describe.each(['2025-11-25', '2026-07-28'] as const)(
  'a %s client that cannot be asked, behind a balancer',
  (client) => {
    test.each(['2025-11-25', '2026-07-28'] as const)(
      '[FLEET-3] gets the result of a %s server when the person answers in the inbox of any replica',
      async (generation) => {
        const server = await anAskingServer(generation)
        const cluster = await openCluster({ deploy: { url: server.url } }, { replicas: 3, ...withInbox })
        const caller = await aClient(client, cluster.url, { elicitation: 'none' })
        const calling = caller.call('ask', { questions: [whichRegion, howMany] })
        const answering = cluster.replicas[2]?.store ?? cluster.replicas[0].store

        await answerInInbox(answering, await firstAsk(answering), inEurope)
        const second = await until(async () => (await openAsks(answering)).find(asksHowMany))
        await answerInInbox(cluster.replicas[1].store, second, three)

        expect(await calling).toMatchObject(done)
        expect(server).toMatchObject({ begun: 1, ended: 1, saw: [inEurope, three] })
      },
    )
  },
)

test('[FLEET-3] a caller of a deferred call fetches the result at another replica than the one that holds the call', async () => {
  const server = await anAskingServer('2025-11-25')
  const impatient = { gateway: { ...withInbox.gateway, patienceMs: 300 } }
  const cluster = await openCluster({ deploy: { url: server.url } }, impatient)
  const caller = await aClient('2025-11-25', cluster.url, { elicitation: 'none' })
  const { structuredContent } = (await caller.call('ask', { questions: [whichRegion] })) as {
    structuredContent: { askId: string }
  }
  await answerInInbox(cluster.replicas[1].store, await firstAsk(cluster.replicas[1].store), inEurope)

  const fetched = []
  for (let turn = 0; turn < 2; turn++)
    fetched.push(await caller.call('assent__await_answer', { ask_id: structuredContent.askId }))

  expect(fetched).toMatchObject([done, done])
  expect(server).toMatchObject({ begun: 1, ended: 1, saw: [inEurope] })
})

test('[FLEET-4] a caller who waits at another replica gets an error within seconds when the owner is gone', async () => {
  const { server, cluster, other, requestState } = await aHeldCall([whichRegion, howMany])
  const ask = await firstAsk(other.store)
  // Simulates a killed process: its lease is not renewed.
  const owner = (await other.store.calls.read('default', ask.callId ?? '', 'ann'))?.owner
  await cluster.isolate(`.${owner}`)
  const startedAt = performance.now()

  const { message } = await callAt(
    other,
    { questions: [whichRegion, howMany] },
    { requestState, inputResponses: { ask_1: inEurope } },
  )

  expect(message.error.message).toContain('The gateway process that held this call has stopped')
  expect(message.error.message).toContain('Whether the call did anything is not known')
  expect(performance.now() - startedAt).toBeLessThan(relayLimits.leaseMs + 40_000)
  const ended = await until(async () => endedOf(await other.store.asks.read('default', ask.id)))
  expect(ended).toMatchObject({ kind: 'withdrawn', reason: 'owner-lost' })
  expect(server).toMatchObject({ begun: 1, saw: [] })
})

test.each(['2025-11-25', '2026-07-28'] as const)(
  '[FLEET-4] the ask of a waiting 2025 client is withdrawn when its replica is gone, with a %s server',
  async (generation) => {
    const server = await anAskingServer(generation)
    const cluster = await openCluster({ deploy: { url: server.url } }, withInbox)
    const caller = await aClient('2025-11-25', cluster.url, { elicitation: 'none' })
    const calling = caller.call('ask', { questions: [whichRegion] }).catch((error: Error) => error)
    const ask = await firstAsk(cluster.replicas[0].store)
    const row = await cluster.replicas[0].store.calls.read('default', ask.callId ?? '', 'ann')
    // The process lives on, but its renewals do not reach the database.
    await cluster.tamper(`create function never() returns trigger language plpgsql as 'begin return null; end'`)
    await cluster.tamper(
      `create trigger silent before update on replicas for each row when (old.id = '${row?.owner}') execute function never()`,
    )

    const ended = await until(async () => endedOf(await cluster.replicas[0].store.asks.read('default', ask.id)))
    expect(ended).toMatchObject({ kind: 'withdrawn', reason: 'owner-lost' })
    // Its caller gets the cause; or a server that waits gets it, and returns a result of its own. No choice is made up.
    expect(`${await calling} ${JSON.stringify(server.saw)}`).toContain('could not reach its database')
    expect(server.saw).not.toContainEqual(expect.objectContaining({ action: expect.anything() }))
  },
)

test('[FLEET-4] a replica that could not renew its lease drops the calls that others ended, and delivers nothing for them', async () => {
  const { server, cluster, owner, requestState } = await aHeldCall([whichRegion], { replicas: 1 })
  expect(owner.standing().heldCalls).toBe(1)
  // As another replica does when the lease of this one has ended.
  await cluster.tamper('update replicas set lease_until = 0')
  await cluster.tamper(`update calls set state = 'lost', ended_at = 1`)
  await until(() => (owner.standing().heldCalls === 0 ? true : undefined))

  const rounds = { requestState, inputResponses: { ask_1: inEurope } }
  const { message } = await call(owner.url, { questions: [whichRegion] }, rounds)

  expect(message.error.message).toContain('The gateway could not reach its database for too long')
  expect(message.error.message).toContain('Whether the call did anything is not known')
  // Its question is cancelled, so that it does not wait until the question expires.
  await until(() => (server.saw.length > 0 ? true : undefined))
  expect(server.saw).toEqual([{ error: expect.stringContaining('The caller disconnected') }])
})

test('[FLEET-4] a heartbeat renews one row, however many calls a replica holds', async () => {
  const { cluster, owner } = await aHeldCall([whichRegion], { replicas: 1 })
  for (let more = 0; more < 2; more++) await call(owner.url, { questions: [whichRegion] })
  await cluster.tamper('create table updates (name text)')
  await cluster.tamper(
    `create function count_update() returns trigger language plpgsql as
       $$ begin insert into updates values (tg_table_name); return null; end $$`,
  )
  for (const table of ['calls', 'replicas'])
    await cluster.tamper(`create trigger counted after update on ${table} for each row execute function count_update()`)
  const updates = async () => (await cluster.tamper('select name from updates')) as { name: string }[]
  const startedAt = performance.now()

  await until(async () => ((await updates()).length >= 3 ? true : undefined))

  expect(owner.standing().heldCalls).toBe(3)
  expect(new Set((await updates()).map(({ name }) => name))).toEqual(new Set(['replicas']))
  expect(performance.now() - startedAt).toBeGreaterThan(1.5 * relayLimits.renewEveryMs)
})

test('[FLEET-4] fetching a deferred call fails when the replica that continued it is gone', async () => {
  const server = await anAskingServer('2026-07-28')
  const impatient = { ...withInbox.gateway, patienceMs: 100 }
  const cluster = await openCluster({ deploy: { url: server.url } }, { gateway: impatient })
  const [{ store }] = cluster.replicas
  const caller = await aClient('2025-11-25', cluster.url, { elicitation: 'none' })
  await caller.call('ask', { questions: [whichRegion] })
  const ask = await firstAsk(store)
  await answerInInbox(store, ask, inEurope)
  // Simulates a replica that died right after it claimed the round.
  for (const { store } of cluster.replicas) {
    const claim = store.rounds.claim.bind(store.rounds)
    vi.spyOn(store.rounds, 'claim').mockImplementationOnce(async (name, _replica, keepMs) => {
      await store.replicas.renew('gone', 1_000)
      await claim(name, 'gone', keepMs)
      return false
    })
  }
  const fetch = () => caller.call('assent__await_answer', { ask_id: ask.id })

  await until(() => fetch().then(() => undefined, String), 20_000)

  await expect(fetch()).rejects.toThrow('The gateway process that ran this call stopped')
  expect(server).toMatchObject({ ended: 0, saw: [] })
})

test('[FLEET-3] a call whose caller waited for the answer leaves no running call in the store', async () => {
  const server = await anAskingServer('2026-07-28')
  const cluster = await openCluster({ deploy: { url: server.url } }, withInbox)
  const caller = await aClient('2025-11-25', cluster.url, { elicitation: 'none' })
  const calling = caller.call('ask', { questions: [whichRegion] })
  await answerInInbox(cluster.replicas[0].store, await firstAsk(cluster.replicas[0].store), inEurope)
  await calling

  const running = () => cluster.tamper(`select id from calls where state = 'running'`)
  await until(async () => ((await running()).length === 0 ? true : undefined))
})

function asksHowMany({ question }: Ask): boolean {
  return question.kind === 'form' && question.message === 'How many replicas?'
}

function endedOf(ask: Ask | undefined): Ask['state'] | undefined {
  return ask === undefined || ask.state.kind === 'open' ? undefined : ask.state
}
