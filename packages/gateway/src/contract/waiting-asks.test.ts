import { randomBytes } from 'node:crypto'
import { newId } from '@assent/core'
import type { Store } from '@assent/store'
import { afterAll, describe, expect, test } from 'vitest'
import { answerInInbox, firstAsk, openAsks } from '../../../../test-kit/gateway/answer-in-inbox.ts'
import { openCluster } from '../../../../test-kit/gateway/cluster.ts'
import { openTestEnv } from '../../../../test-kit/gateway/test-env.ts'
import { anAskingServer } from '../../../../test-kit/mcp/asking-servers.ts'
import { whichRegion } from '../../../../test-kit/mcp/asking-tools.ts'
import { until } from '../../../../test-kit/until.ts'
import { relayLimits, setLimits } from '../limits.ts'
import { aStdioClient } from './stdio-client.suite.ts'
import { aRawServer, aSession, asks, call, complete, nextOf } from './wire.suite.ts'

// A database that is slow for a moment must not count as unavailable: then a caller would have to retry once more.
afterAll(setLimits(relayLimits, { storeGraceMs: 60_000 }))

const generations = ['2025-11-25', '2026-07-28'] as const
const args = { questions: [whichRegion] }
const inEurope = { action: 'accept', content: { region: 'eu' } }
const done = { content: [{ type: 'text', text: 'done' }] }
const withoutForms = { capabilities: {} }
const inbox = { surfaces: ['inbox'], holdMs: 100 } as const
const local = { principal: 'local', groups: [] }

function endOf({ asks: all }: Store, id: string) {
  return until(async () => {
    const ask = await all.read('default', id)
    return ask?.state.kind === 'open' ? undefined : ask
  })
}

test('[RUN-13] an ask of a dead replica stays open if its caller holds a state, and continues elsewhere; others are withdrawn', async () => {
  const server = await anAskingServer('2026-07-28')
  const cluster = await openCluster({ deploy: { url: server.url } }, { gateway: inbox })
  const [first, second] = cluster.replicas
  const { requestState } = (await call(first.url, args, {}, withoutForms)).message.result
  const held = await firstAsk(first.store)
  const dying = await cluster.another({ holdMs: 60_000 })
  void call(dying.url, args, {}, withoutForms).catch(() => undefined)
  const orphan = await until(async () => (await openAsks(first.store)).find(({ id }) => id !== held.id))
  // Simulates kill -9: neither of the two renews its lease.
  for (const replica of [first, dying]) replica.store.replicas.renew = async () => true
  await cluster.tamper('update replicas set lease_until = 0')

  const withdrawn = await endOf(second.store, orphan.id)
  const state = (await second.store.asks.read('default', held.id))?.state
  await answerInInbox(second.store, held, inEurope)
  const outcome = await call(second.url, args, { requestState }, withoutForms)

  expect(withdrawn.state).toMatchObject({ kind: 'withdrawn', reason: 'owner-lost' })
  expect(state).toEqual({ kind: 'open' })
  expect(outcome.message.result).toMatchObject(done)
})

test('[RUN-13] a replica that lost the store for a while does not declare the others dead before they could renew', async () => {
  const server = await anAskingServer('2026-07-28')
  const cluster = await openCluster({ deploy: { url: server.url } }, { gateway: { ...inbox, holdMs: 60_000 } })
  const [living, other] = cluster.replicas
  void call(living.url, args, {}, withoutForms).catch(() => undefined)
  const ask = await firstAsk(living.store)
  const unavailable = () => Promise.reject(new Error('The store is unavailable.'))
  // An outage of writes that is longer than the lease, so that no replica could renew.
  for (const { store } of cluster.replicas) store.replicas.renew = unavailable
  await cluster.tamper('update replicas set lease_until = 0')
  await new Promise((resolve) => setTimeout(resolve, 2 * relayLimits.renewEveryMs + 500))
  for (const { store } of cluster.replicas) Reflect.deleteProperty(store.replicas, 'renew')
  // A dead replica, so that there is something to sweep.
  const orphan = await anAskOfADeadReplica(other.store)

  await endOf(other.store, orphan)

  expect((await living.store.asks.read('default', ask.id))?.state).toEqual({ kind: 'open' })
  expect(await other.store.replicas.owners()).toMatchObject([{ isAlive: true }])
})

async function anAskOfADeadReplica(store: Store): Promise<string> {
  const ask = (await openAsks(store))[0]
  if (ask === undefined) throw new Error('No ask is open.')
  const id = newId('ask', Date.now(), randomBytes)
  await store.replicas.renew('dead', 1)
  const { tenant, asker, principal, question, approvalRule } = ask
  const draft = { tenant, id, asker, principal, question, approvalRule, decideWithinMs: 60_000, useWithinMs: 60_000 }
  await store.asks.raise(draft, undefined, 'dead')
  return id
}

describe.each(generations)('a client on standard input and a %s server', (generation) => {
  test('[RUN-15] when the client disconnects, its states end with the process: their asks are withdrawn', async () => {
    const server = await anAskingServer(generation)
    const { store } = await openTestEnv()
    const client = aStdioClient(store, { deploy: { url: server.url } }, inbox)
    client.send(1, args)
    expect((await client.reply(1)).result).toMatchObject({ resultType: 'input_required' })
    const ask = await firstAsk(store, local)

    await client.leave()

    expect((await store.asks.read('default', ask.id))?.state).toMatchObject({ kind: 'withdrawn' })
    expect(await answerInInbox(store, ask, inEurope, local)).toMatchObject({ kind: 'ended' })
  })

  test('[RUN-14] ending a session withdraws the asks of its handles, and no others', async () => {
    const server = await anAskingServer(generation)
    const { store, gateway } = await openTestEnv()
    const { url } = await gateway({ deploy: { url: server.url } }, { surfaces: ['inbox'], patienceMs: 100 })
    const sessions = [await aSession(url, withoutForms), await aSession(url, withoutForms)]
    const handles: string[] = []
    for (const session of sessions) {
      const { result } = await nextOf(await session.ask('tools/call', { name: 'ask', arguments: args }))
      handles.push((result as { structuredContent: { askId: string } }).structuredContent.askId)
    }
    const [ended, other] = handles.map((id) => ({ id }))

    await fetch(url, { method: 'DELETE', headers: { 'mcp-session-id': sessions[0]?.id ?? '', 'x-person': 'ann' } })

    expect((await endOf(store, ended?.id ?? '')).state).toMatchObject({ kind: 'withdrawn', reason: 'caller-gone' })
    expect((await store.asks.read('default', other?.id ?? ''))?.state).toEqual({ kind: 'open' })
  })
})

test('[RUN-1] an ask that a dropped retry raised is withdrawn if no returned state refers to it', async () => {
  const server = await aRawServer(({ params }) =>
    params.inputResponses === undefined ? asks({ where: whichRegion }, 's') : complete,
  )
  const { store, gateway } = await openTestEnv()
  const surfaces = ['client', 'inbox'] as const
  const { url } = await gateway({ deploy: { url: server.url } }, { surfaces, holdMs: 20_000, unseenAfterMs: 60_000 })
  const { requestState } = (await call(url, {})).message.result
  const drop = new AbortController()
  const rounds = { requestState, inputResponses: { where: { action: 'decline' } } }
  const retry = call(url, {}, rounds, { signal: drop.signal }).catch(() => undefined)
  const ask = await firstAsk(store)

  drop.abort()
  await retry

  expect((await endOf(store, ask.id)).state).toMatchObject({ kind: 'withdrawn', reason: 'call-cancelled' })
})
