// Held calls while the database is temporarily unavailable: it refuses writes with the error code 57P03
// (cannot_connect_now).

import { AssentError } from '@assent/core'
import { expect, onTestFinished, test } from 'vitest'
import { answerInInbox, firstAsk, openAsks } from '../../../../test-kit/gateway/answer-in-inbox.ts'
import { type ClusterOptions, openCluster, type TestCluster } from '../../../../test-kit/gateway/cluster.ts'
import { anAskingServer } from '../../../../test-kit/mcp/asking-servers.ts'
import { howMany, whichRegion } from '../../../../test-kit/mcp/asking-tools.ts'
import { aClient } from '../../../../test-kit/mcp/scripted-client.ts'
import { until } from '../../../../test-kit/until.ts'
import { relayLimits, setLimits } from '../limits.ts'
import { call } from './wire.suite.ts'

const inEurope = { action: 'accept', content: { region: 'eu' } }
const three = { action: 'accept', content: { replicas: 3 } }
const done = { content: [{ type: 'text', text: 'done' }] }
const args = { questions: [whichRegion] }
const withInbox = { gateway: { surfaces: ['client', 'inbox'] } } as const

async function aHeldCall(questions: object[] = [whichRegion], options: ClusterOptions = {}) {
  const server = await anAskingServer('2025-11-25')
  const cluster = await openCluster({ deploy: { url: server.url } }, { replicas: 1, ...options })
  const [{ url, store }] = cluster.replicas
  const { requestState } = (await call(url, { questions })).message.result
  return { server, cluster, url, store, requestState }
}

/** Makes the database refuse this write with 57P03; returns a function that ends it. */
async function refuses({ tamper }: TestCluster, what: string): Promise<() => Promise<unknown>> {
  await tamper(
    `create or replace function refuse() returns trigger language plpgsql as $$ begin
       raise exception 'not now' using errcode = '57P03'; end $$`,
  )
  await tamper(`create trigger refusing before ${what} execute function refuse()`)
  const table = /on (\w+)/.exec(what)?.[1]
  return () => tamper(`drop trigger refusing on ${table}`)
}

test('[RELAY-7] an outcome that could not be stored is stored when the database is available, and a retry gets it', async () => {
  const { server, cluster, url, requestState } = await aHeldCall()
  const rounds = { requestState, inputResponses: { ask_1: inEurope } }
  const again = await refuses(cluster, `update on calls for each row when (new.state = 'finished')`)

  const [first, second] = [await call(url, args, rounds), await call(url, args, rounds)]
  await again()
  const last = await until(async () => {
    const received = await call(url, args, rounds)
    return received.status === 503 ? undefined : received
  })

  expect([first, second].map(({ status }) => status)).toEqual([503, 503])
  expect(first.message.error.message).toContain('retry later')
  expect(last.message.result).toMatchObject(done)
  expect(server).toMatchObject({ begun: 1, ended: 1, saw: [inEurope] })
})

test('[RELAY-7] a server whose question cannot be stored is not kept waiting for an answer', async () => {
  const server = await anAskingServer('2025-11-25')
  const cluster = await openCluster({ deploy: { url: server.url } }, { replicas: 1 })
  const again = await refuses(cluster, 'insert on asks for each row')

  const { message } = await call(cluster.url, args)
  await again()

  expect(message.error.message).toContain('cannot reach its database')
  await until(async () => (server.begun === 1 && server.ended === 1 ? true : undefined))
  await until(async () => ((await running(cluster)).length === 0 ? true : undefined))
  expect(await openAsks(cluster.replicas[0].store)).toEqual([])
})

test('[RELAY-7] a later question that cannot be stored is stored when its caller retries', async () => {
  const questions = [whichRegion, howMany]
  const { server, cluster, url, requestState } = await aHeldCall(questions)
  const rounds = { requestState, inputResponses: { ask_1: inEurope } }
  const again = await refuses(cluster, 'insert on asks for each row')

  const { status } = await call(url, { questions }, rounds)
  await again()
  const { result } = (await call(url, { questions }, rounds)).message

  expect(status).toBe(503)
  expect(Object.keys(result.inputRequests as object)).toEqual(['ask_2'])
  const last = { requestState: result.requestState, inputResponses: { ask_2: three } }
  expect((await call(url, { questions }, last)).message.result).toMatchObject(done)
  expect(server).toMatchObject({ begun: 1, ended: 1, saw: [inEurope, three] })
})

test('[STORE-16] a call that cannot be deferred is not held, because its caller could not fetch the result', async () => {
  const server = await anAskingServer('2025-11-25')
  const impatient = { replicas: 1, gateway: { ...withInbox.gateway, patienceMs: 300 } }
  const cluster = await openCluster({ deploy: { url: server.url } }, impatient)
  const caller = await aClient('2025-11-25', cluster.url, { elicitation: 'none' })
  const again = await refuses(cluster, 'insert on deferred_calls for each row')

  await expect(caller.call('ask', args)).rejects.toThrow('cannot reach its database')
  await again()

  await until(async () => (server.ended === 1 ? true : undefined))
  await until(async () => ((await running(cluster)).length === 0 ? true : undefined))
  await until(async () => ((await openAsks(cluster.replicas[0].store)).length === 0 ? true : undefined))
})

test('[FLEET-4] a call whose row arrives at the database after its caller got an error is ended', async () => {
  onTestFinished(setLimits(relayLimits, { recordSettlesMs: 5_000 }))
  const { cluster, url, store } = await aHeldCall()
  const { calls } = store
  const [held] = await running(cluster)
  let isLate = false
  calls.begin = async (draft) => {
    // The connection breaks, and the statement is committed three seconds later.
    setTimeout(() => void Calls.begin.call(calls, draft).then(() => (isLate = true)), 3_000)
    throw new AssentError('store_unavailable', 'The connection broke.')
  }
  const Calls = Object.getPrototypeOf(calls) as typeof calls

  const { message } = await call(url, args)
  expect(message.error.message).toContain('cannot reach its database')
  await until(() => (isLate ? true : undefined))
  expect(await running(cluster)).toHaveLength(2)

  await until(async () => ((await running(cluster)).length === 1 ? true : undefined))
  expect(await running(cluster)).toEqual([held])
})

test('[STORE-16] a deferred call stays pending while the database is unavailable, and is then fetched with its one outcome', async () => {
  const server = await anAskingServer('2026-07-28')
  const impatient = { replicas: 1, gateway: { ...withInbox.gateway, patienceMs: 300 } }
  const cluster = await openCluster({ deploy: { url: server.url } }, impatient)
  const caller = await aClient('2025-11-25', cluster.url, { elicitation: 'none' })
  const { structuredContent } = (await caller.call('ask', args)) as { structuredContent: { askId: string } }
  const { askId } = structuredContent
  const [{ store }] = cluster.replicas
  await answerInInbox(store, await firstAsk(store), inEurope)
  const fetch = () => caller.call('assent__await_answer', { ask_id: askId })
  const again = await refuses(cluster, 'update on deferred_calls for each row when (new.outcome is not null)')

  const away = await fetch()
  await again()

  expect(away).toMatchObject({ isError: true, structuredContent: { status: 'pending', askId } })
  expect(await fetch()).toMatchObject(done)
  expect(server).toMatchObject({ ended: 1, saw: [inEurope] })
})

async function running({ tamper }: TestCluster): Promise<unknown[]> {
  return tamper(`select id from calls where state = 'running'`)
}
