// Calls that are held while the database cannot keep what happens to them: for a moment it refuses, and says that it
// cannot do it now.

import { expect, test } from 'vitest'
import { relayLimits } from '../limits.ts'
import { howMany, whichRegion } from './asking.suite.ts'
import { aClient } from './clients.suite.ts'
import { aFleet, type Fleet, type FleetOptions } from './fleet.suite.ts'
import { answerInInbox, firstAsk, openAsks } from './inbox.suite.ts'
import { anAskingServer } from './servers.suite.ts'
import { until } from './stage.suite.ts'
import { call } from './wire.suite.ts'

const inEurope = { action: 'accept', content: { region: 'eu' } }
const three = { action: 'accept', content: { replicas: 3 } }
const done = { content: [{ type: 'text', text: 'done' }] }
const args = { questions: [whichRegion] }
const withInbox = { gateway: { surfaces: ['client', 'inbox'] } } as const

async function aHeldCall(questions: object[] = [whichRegion], options: FleetOptions = {}) {
  const server = await anAskingServer('2025-11-25')
  const fleet = await aFleet({ deploy: { url: server.url } }, { replicas: 1, ...options })
  const [{ url, store }] = fleet.replicas
  const { requestState } = (await call(url, { questions })).message.result
  return { server, fleet, url, store, requestState }
}

/** From now on the database refuses this, as one does that is about to stop; returns how to end it. */
async function refuses({ tamper }: Fleet, what: string): Promise<() => Promise<unknown>> {
  await tamper(
    `create or replace function refuse() returns trigger language plpgsql as $$ begin
       raise exception 'not now' using errcode = '57P03'; end $$`,
  )
  await tamper(`create trigger refusing before ${what} execute function refuse()`)
  const table = /on (\w+)/.exec(what)?.[1]
  return () => tamper(`drop trigger refusing on ${table}`)
}

test('[RELAY-7] an outcome that could not be kept is kept when the database can, for a caller who comes again', async () => {
  const { server, fleet, url, requestState } = await aHeldCall()
  const rounds = { requestState, inputResponses: { ask_1: inEurope } }
  const again = await refuses(fleet, `update on calls for each row when (new.state = 'finished')`)

  const [first, second] = [await call(url, args, rounds), await call(url, args, rounds)]
  await again()
  const last = await until(async () => {
    const heard = await call(url, args, rounds)
    return heard.status === 503 ? undefined : heard
  })

  expect([first, second].map(({ status }) => status)).toEqual([503, 503])
  expect(first.message.error.message).toContain('send the same again')
  expect(last.message.result).toMatchObject(done)
  expect(server).toMatchObject({ begun: 1, ended: 1, saw: [inEurope] })
})

test('[RELAY-7] a server whose question cannot be put on record is not kept waiting for an answer', async () => {
  const server = await anAskingServer('2025-11-25')
  const fleet = await aFleet({ deploy: { url: server.url } }, { replicas: 1 })
  const again = await refuses(fleet, 'insert on asks for each row')

  const { message } = await call(fleet.url, args)
  await again()

  expect(message.error.message).toContain('cannot reach its database')
  await until(async () => (server.begun === 1 && server.ended === 1 ? true : undefined))
  await until(async () => ((await running(fleet)).length === 0 ? true : undefined), relayLimits.leaseMs + 10_000)
  expect(await openAsks(fleet.replicas[0].store)).toEqual([])
})

test('[RELAY-7] a later question that cannot be put on record is put when its caller comes again', async () => {
  const questions = [whichRegion, howMany]
  const { server, fleet, url, requestState } = await aHeldCall(questions)
  const rounds = { requestState, inputResponses: { ask_1: inEurope } }
  const again = await refuses(fleet, 'insert on asks for each row')

  const { status } = await call(url, { questions }, rounds)
  await again()
  const { result } = (await call(url, { questions }, rounds)).message

  expect(status).toBe(503)
  expect(Object.keys(result.inputRequests as object)).toEqual(['ask_2'])
  const last = { requestState: result.requestState, inputResponses: { ask_2: three } }
  expect((await call(url, { questions }, last)).message.result).toMatchObject(done)
  expect(server).toMatchObject({ begun: 1, ended: 1, saw: [inEurope, three] })
})

test('[STORE-16] a call that cannot be put off is not held for a caller who could never come back', async () => {
  const server = await anAskingServer('2025-11-25')
  const impatient = { replicas: 1, gateway: { ...withInbox.gateway, patienceMs: 300 } }
  const fleet = await aFleet({ deploy: { url: server.url } }, impatient)
  const caller = await aClient('2025-11-25', fleet.url, { elicitation: 'none' })
  const again = await refuses(fleet, 'insert on deferred_calls for each row')

  await expect(caller.call('ask', args)).rejects.toThrow('cannot reach its database')
  await again()

  await until(async () => (server.ended === 1 ? true : undefined))
  await until(async () => ((await running(fleet)).length === 0 ? true : undefined), 15_000)
  await until(async () => ((await openAsks(fleet.replicas[0].store)).length === 0 ? true : undefined), 15_000)
})

test('[FLEET-4] a call that came on record after its process gave up on it is given up, with what it asked', async () => {
  const { fleet, store } = await aHeldCall()
  const ask = await firstAsk(store)
  await fleet.tamper(
    `insert into calls select tenant, 'call_late', principal, server, method, request_digest, owner, state, started_at, lease_until from calls`,
  )
  await fleet.tamper(`update asks set call_id = 'call_late'`)

  const ended = await until(async () => {
    const found = await store.asks.read('default', ask.id)
    return found?.state.kind === 'open' ? undefined : found
  }, 15_000)

  expect(ended?.state).toMatchObject({ kind: 'withdrawn', reason: 'owner-lost' })
  expect(await running(fleet)).toEqual([{ id: ask.callId }])
})

test('[STORE-16] a caller who was put off is told to come again while the database is away, and gets the one outcome', async () => {
  const server = await anAskingServer('2026-07-28')
  const impatient = { replicas: 1, gateway: { ...withInbox.gateway, patienceMs: 300 } }
  const fleet = await aFleet({ deploy: { url: server.url } }, impatient)
  const caller = await aClient('2025-11-25', fleet.url, { elicitation: 'none' })
  const { structuredContent } = (await caller.call('ask', args)) as { structuredContent: { askId: string } }
  const { askId } = structuredContent
  const [{ store }] = fleet.replicas
  await answerInInbox(store, await firstAsk(store), inEurope)
  const fetch = () => caller.call('assent__await_answer', { ask_id: askId })
  const again = await refuses(fleet, 'update on deferred_calls for each row when (new.outcome is not null)')

  const away = await fetch()
  await again()

  expect(away).toMatchObject({ isError: true, structuredContent: { status: 'pending', askId } })
  expect(await fetch()).toMatchObject(done)
  expect(server).toMatchObject({ ended: 1, saw: [inEurope] })
})

async function running({ tamper }: Fleet): Promise<unknown[]> {
  return tamper(`select id from calls where state = 'running'`)
}
