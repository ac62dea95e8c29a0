import { randomBytes } from 'node:crypto'
import { type Ask, createKeyRing, type KeyRing } from '@assent/core'
import { afterAll, expect, test } from 'vitest'
import { answerInInbox } from '../../../../test-kit/gateway/answer-in-inbox.ts'
import { openCluster, type Replica, type TestCluster } from '../../../../test-kit/gateway/cluster.ts'
import { anAskingServer } from '../../../../test-kit/mcp/asking-servers.ts'
import { whichRegion } from '../../../../test-kit/mcp/asking-tools.ts'
import { aClient } from '../../../../test-kit/mcp/scripted-client.ts'
import { relayLimits, setLimits } from '../limits.ts'
import { call } from './wire.suite.ts'

// On a busy machine no lease expires, and a slow database does not count as unavailable.
afterAll(setLimits(relayLimits, { leaseMs: 60_000, storeGraceMs: 60_000 }))

const args = { questions: [whichRegion] }
const inEurope = { action: 'accept', content: { region: 'eu' } }
const done = { content: [{ type: 'text', text: 'done' }] }
const keysOf = { k1: randomBytes(32), k2: randomBytes(32) }
type KeyName = keyof typeof keysOf

function ring(...names: KeyName[]): KeyRing {
  return createKeyRing(names.map((id) => ({ id, secret: keysOf[id] })))
}

/** The steps of a key rotation in the production guide. Each step is a rolling restart. */
const steps: readonly (readonly KeyName[])[] = [['k1', 'k2'], ['k2', 'k1'], ['k2']]

/** Finishes, at any replica, the call that was begun. */
type Finish = (at: Replica) => Promise<unknown>
type Begin = (at: Replica) => Promise<Finish>

/** A call whose state is kept by the client. */
const passing: Begin = async (at) => {
  const { requestState } = (await callOf('newest', at.url)).message.result
  return async ({ url }) =>
    (await callOf('newest', url, { requestState, inputResponses: { question: inEurope } })).message
}

/** A held call: its server waits at the replica where it began, and the others send messages to that replica. */
const held: Begin = async (at) => {
  const { requestState } = (await callOf('older', at.url)).message.result
  return async ({ url }) => (await callOf('older', url, { requestState, inputResponses: { ask_1: inEurope } })).message
}

/** A deferred call: its state is kept in the store. */
const deferred: Begin = async (at) => {
  const caller = await aClient('2025-11-25', at.url, { elicitation: 'none' })
  const { structuredContent } = (await caller.call('newest__ask', args)) as { structuredContent: { askId: string } }
  const { askId } = structuredContent
  return async ({ url, store }) => {
    await answerInInbox(store, { id: askId } as Ask, inEurope)
    const other = await aClient('2025-11-25', url, { elicitation: 'none' })
    return { result: await other.call('assent__await_answer', { ask_id: askId }) }
  }
}

function callOf(server: string, url: string, rounds = {}) {
  return call(url, args, { name: `${server}__ask`, ...rounds }, { headers: { 'mcp-name': `${server}__ask` } })
}

async function aClusterOf(first: KeyRing): Promise<TestCluster> {
  const [older, newest] = [await anAskingServer('2025-11-25'), await anAskingServer('2026-07-28')]
  // `unseenAfterMs` is 0 because the clients here answer at once.
  const gateway = { surfaces: ['client', 'inbox'], patienceMs: 100, unseenAfterMs: 0, keys: first } as const
  return openCluster({ older: { url: older.url }, newest: { url: newest.url } }, { gateway })
}

test('[FLEET-7] in every step of a rotation, both replicas open what either sealed, before and after its restart', async () => {
  const cluster = await aClusterOf(ring('k1'))
  let [first, second] = cluster.replicas as readonly [Replica, Replica]
  const both = async (check: (from: Replica, to: Replica) => Promise<void>) => {
    await check(first, second)
    await check(second, first)
  }
  for (const names of steps) {
    for (let turn = 0; turn < 2; turn++) {
      const open: Finish[] = []
      await both(async (from) => {
        open.push(await passing(from), await deferred(from))
      })
      await first.drain(20_000)
      await first.close()
      ;[first, second] = [second, await cluster.another({ keys: ring(...names) })]
      const ends = await Promise.all(open.map((finish, at) => finish(at % 4 < 2 ? first : second)))
      await both(async (from, to) => {
        for (const begin of [passing, held, deferred]) ends.push(await (await begin(from))(to))
      })
      for (const end of ends) expect([names, turn, end]).toMatchObject([names, turn, { result: done }])
    }
  }
}, 300_000)

test('[FLEET-7] if a step is skipped, a replica refuses what was sealed with a key that it does not have yet', async () => {
  const cluster = await aClusterOf(ring('k1'))
  const replica = await cluster.another({ keys: ring('k2', 'k1') })
  const finish = await passing(replica)

  const refused = { error: { message: expect.stringContaining('not valid') } }
  expect(await finish(cluster.replicas[0])).toMatchObject(refused)
  expect(await finish(replica)).toMatchObject({ result: done })
})
