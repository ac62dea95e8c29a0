import { randomBytes } from 'node:crypto'
import { type Ask, createKeyRing, type KeyRing } from '@assent/core'
import { expect, test } from 'vitest'
import { whichRegion } from './asking.suite.ts'
import { aClient } from './clients.suite.ts'
import { aFleet, type Fleet, type Replica } from './fleet.suite.ts'
import { answerInInbox } from './inbox.suite.ts'
import { anAskingServer } from './servers.suite.ts'
import { call } from './wire.suite.ts'

const args = { questions: [whichRegion] }
const inEurope = { action: 'accept', content: { region: 'eu' } }
const done = { content: [{ type: 'text', text: 'done' }] }
const keysOf = { k1: randomBytes(32), k2: randomBytes(32) }
type KeyName = keyof typeof keysOf

function ring(...names: KeyName[]): KeyRing {
  return createKeyRing(names.map((id) => ({ id, secret: keysOf[id] })))
}

/** Every step of a rotation, as the production guide has it: each is one restart, of one replica after the other. */
const steps: readonly (readonly KeyName[])[] = [['k1', 'k2'], ['k2', 'k1'], ['k2']]

/** Ends, at any replica, what was begun. */
type Finish = (at: Replica) => Promise<unknown>
type Begin = (at: Replica) => Promise<Finish>

/** What continues it travels with the client. */
const passing: Begin = async (at) => {
  const { requestState } = (await callOf('newest', at.url)).message.result
  return async ({ url }) =>
    (await callOf('newest', url, { requestState, inputResponses: { question: inEurope } })).message
}

/** Its server waits at the replica where it began, to which the others write letters. */
const held: Begin = async (at) => {
  const { requestState } = (await callOf('older', at.url)).message.result
  return async ({ url }) => (await callOf('older', url, { requestState, inputResponses: { ask_1: inEurope } })).message
}

/** What continues it is kept in the store. */
const putOff: Begin = async (at) => {
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

async function aFleetOf(first: KeyRing): Promise<Fleet> {
  const [older, newest] = [await anAskingServer('2025-11-25'), await anAskingServer('2026-07-28')]
  // The clients here answer at once.
  const gateway = { surfaces: ['client', 'inbox'], patienceMs: 100, unseenAfterMs: 0, keys: first } as const
  return aFleet({ older: { url: older.url }, newest: { url: newest.url } }, { gateway })
}

test('[FLEET-7] in every step of a rotation, what either replica sealed opens at both, before and after its restart', async () => {
  const fleet = await aFleetOf(ring('k1'))
  let [first, second] = fleet.replicas as readonly [Replica, Replica]
  const both = async (check: (from: Replica, to: Replica) => Promise<void>) => {
    await check(first, second)
    await check(second, first)
  }
  for (const names of steps) {
    for (let turn = 0; turn < 2; turn++) {
      const open: Finish[] = []
      await both(async (from) => {
        open.push(await passing(from), await putOff(from))
      })
      await first.drain(5_000)
      await first.close()
      ;[first, second] = [second, await fleet.another({ keys: ring(...names) })]
      const ends = await Promise.all(open.map((finish, at) => finish(at % 4 < 2 ? first : second)))
      await both(async (from, to) => {
        for (const begin of [passing, held, putOff]) ends.push(await (await begin(from))(to))
      })
      for (const end of ends) expect([names, turn, end]).toMatchObject([names, turn, { result: done }])
    }
  }
}, 120_000)

test('[FLEET-7] a step left out is what it guards against: a key that seals before all know it is refused', async () => {
  const fleet = await aFleetOf(ring('k1'))
  const hasty = await fleet.another({ keys: ring('k2', 'k1') })
  const finish = await passing(hasty)

  const refused = { error: { message: expect.stringContaining('not valid') } }
  expect(await finish(fleet.replicas[0])).toMatchObject(refused)
  expect(await finish(hasty)).toMatchObject({ result: done })
})
