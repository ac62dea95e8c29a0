import type { Ask, Person } from '@assent/core'
import type { Store } from '@assent/store'
import { expect, test } from 'vitest'
import { openTestEnv } from '../../../../test-kit/gateway/test-env.ts'
import { anAskingServer } from '../../../../test-kit/mcp/asking-servers.ts'
import { signIn, whichRegion } from '../../../../test-kit/mcp/asking-tools.ts'
import { until } from '../../../../test-kit/until.ts'
import { relayLimits } from '../limits.ts'
import { anOlderRawServer, call } from './wire.suite.ts'

const ann: Person = { principal: 'ann', groups: [] }
const inEurope = { ask_1: { action: 'accept', content: { region: 'eu' } } }
const args = { questions: [whichRegion] }
const done = { content: [{ type: 'text', text: 'done' }] }

async function aHeldCall(questions: object[] = [whichRegion], options = {}, clock = () => Date.now()) {
  const server = await anAskingServer('2025-11-25')
  const testEnv = await openTestEnv({ clock })
  const gateway = await testEnv.gateway({ deploy: { url: server.url } }, options)
  const { result } = (await call(gateway.url, { questions })).message
  return { server, testEnv, gateway, first: result, requestState: result.requestState as string }
}

async function asksOf({ inbox }: Store, show: 'open' | 'ended'): Promise<readonly Ask[]> {
  return (await inbox.page({ tenant: 'default', person: ann, show })).asks
}

function callOf(store: Store, id: string | undefined) {
  return store.calls.read('default', id ?? '', 'ann')
}

test('[RELAY-7] a held call and its question are stored before the question is sent', async () => {
  const { testEnv, first } = await aHeldCall()

  const [ask] = await asksOf(testEnv.store, 'open')
  const row = await callOf(testEnv.store, ask?.callId)

  expect(Object.keys(first.inputRequests as object)).toEqual(['ask_1'])
  expect(ask).toMatchObject({ principal: 'ann', asker: { server: 'deploy', tool: 'ask' } })
  expect(ask?.question).toMatchObject({ kind: 'form', message: 'Which region?' })
  expect(row).toMatchObject({ server: 'deploy', method: 'tools/call', state: { kind: 'running' } })
})

test('[RELAY-7] the outcome of a held call is stored, and the same retry gets it again and runs nothing', async () => {
  const { server, testEnv, gateway, requestState } = await aHeldCall()
  const rounds = { requestState, inputResponses: inEurope }

  const outcomes = [await call(gateway.url, args, rounds), await call(gateway.url, args, rounds)]

  const [ask] = await asksOf(testEnv.store, 'ended')
  const row = await callOf(testEnv.store, ask?.callId)
  expect(outcomes.map(({ message }) => message.result)).toMatchObject([done, done])
  expect(server).toMatchObject({ begun: 1, ended: 1, saw: [inEurope.ask_1] })
  expect(ask?.state).toMatchObject({ kind: 'settled' })
  expect(row?.state).toMatchObject({ kind: 'finished', delivered: true })
})

test('[RELAY-7] two concurrent retries deliver one answer and get the same outcome', async () => {
  const { server, gateway, requestState } = await aHeldCall()
  const rounds = { requestState, inputResponses: inEurope }

  const outcomes = await Promise.all([call(gateway.url, args, rounds), call(gateway.url, args, rounds)])

  expect(outcomes.map(({ message }) => message.result)).toMatchObject([done, done])
  expect(server).toMatchObject({ begun: 1, ended: 1, saw: [inEurope.ask_1] })
})

test('[RELAY-7] each question of a held call is a separate ask', async () => {
  const questions = [whichRegion, signIn]
  const { server, testEnv, gateway, requestState } = await aHeldCall(questions)
  const second = await call(gateway.url, { questions }, { requestState, inputResponses: inEurope })
  const answer = { requestState: second.message.result.requestState, inputResponses: { ask_2: { action: 'decline' } } }

  const { message } = await call(gateway.url, { questions }, answer)

  const ended = await asksOf(testEnv.store, 'ended')
  expect(message.result).toMatchObject(done)
  expect(server.saw).toEqual([inEurope.ask_1, { action: 'decline' }])
  expect(ended.map(({ question }) => question.kind).sort()).toEqual(['form', 'url'])
  expect(new Set(ended.map(({ callId }) => callId)).size).toBe(1)
})

test('[RELAY-5] [RELAY-7] an invalid answer is recorded as no answer, and the server gets a cancel', async () => {
  // A person's invalid answer would be asked for again.
  const byProgram = { unseenAfterMs: 60_000 }
  const { server, testEnv, gateway, requestState } = await aHeldCall([whichRegion], byProgram)

  await call(gateway.url, args, {
    requestState,
    inputResponses: { ask_1: { action: 'accept', content: { region: 'x' } } },
  })

  const [ask] = await asksOf(testEnv.store, 'ended')
  expect(server.saw).toEqual([
    { action: 'cancel', _meta: expect.objectContaining({ 'assent/no-answer': 'malformed' }) },
  ])
  expect(ask?.state).toMatchObject({ kind: 'settled', answer: { action: 'cancel' } })
})

test('[RELAY-7] without a retry in time the server gets a timeout, and a later retry gets the stored outcome', async () => {
  const { server, testEnv, gateway, requestState } = await aHeldCall([whichRegion], { askWaitMs: 1_000 })
  await until(async () => ((await asksOf(testEnv.store, 'ended')).length > 0 && server.ended === 1 ? true : undefined))

  const { message } = await call(gateway.url, args, { requestState, inputResponses: inEurope })

  expect(server.saw).toEqual([{ error: expect.stringContaining('No person answered in time') }])
  expect(message.result).toMatchObject(done)
})

test('[RELAY-7] a retry for a call whose process is gone gets an error, and nothing runs', async () => {
  let aheadMs = 0
  const { server, testEnv, gateway, requestState } = await aHeldCall([whichRegion], {}, () => Date.now() + aheadMs)
  await gateway.close()
  const another = await testEnv.gateway({ deploy: { url: server.url } })
  aheadMs = relayLimits.leaseMs

  const { message } = await call(another.url, args, { requestState, inputResponses: inEurope })

  expect(message.error.message).toContain('The gateway process that held this call has stopped')
  expect(server.begun).toBe(1)
})

test('[RELAY-7] a retry at a process that cannot reach the holder of the call gets an error that says so', async () => {
  const { server, testEnv, requestState } = await aHeldCall()
  const another = await testEnv.gateway({ deploy: { url: server.url } })

  const { message } = await call(another.url, args, { requestState, inputResponses: inEurope })

  expect(message.error.message).toContain('Another Assent process holds this call')
  expect(server).toMatchObject({ begun: 1, ended: 0, saw: [] })
})

test('[RELAY-7] a retry that reaches another process continues the call at its owner', async () => {
  const reachable = { cluster: { listen: { host: '127.0.0.1', port: 0 } } }
  const { server, testEnv, gateway, requestState } = await aHeldCall([whichRegion], reachable)
  const another = await testEnv.gateway({ deploy: { url: server.url } }, reachable)
  const rounds = { requestState, inputResponses: inEurope }

  const [astray, home] = [await call(another.url, args, rounds), await call(gateway.url, args, rounds)]

  expect([astray, home].map(({ message }) => message.result)).toMatchObject([done, done])
  expect(server).toMatchObject({ begun: 1, ended: 1, saw: [inEurope.ask_1] })
})

test('[RELAY-7] another process returns the outcome that the owner stored', async () => {
  const { server, testEnv, gateway, requestState } = await aHeldCall()
  const rounds = { requestState, inputResponses: inEurope }
  await call(gateway.url, args, rounds)
  await gateway.close()
  const another = await testEnv.gateway({ deploy: { url: server.url } })

  const { message } = await call(another.url, args, rounds)

  expect(message.result).toMatchObject(done)
  expect(server.begun).toBe(1)
})

test('[RELAY-7] a refused question of a held call gets an error at once, and the next one is asked', async () => {
  const requestedSchema = { type: 'object', properties: { password: { type: 'string' } } }
  const { server, first } = await aHeldCall([{ mode: 'form', message: 'Sign in', requestedSchema }, whichRegion])

  expect(server.saw).toEqual([{ error: expect.stringMatching(/password/i) }])
  expect(first.inputRequests).toMatchObject({ ask_2: { params: { message: 'Which region?' } } })
})

test('[RELAY-7] a call whose server withdraws its question ends with the server’s result, not with one of the gateway', async () => {
  const server = await anOlderRawServer(({ say, end }) => {
    say({ id: 'q', method: 'elicitation/create', params: whichRegion })
    setTimeout(() => say({ method: 'notifications/cancelled', params: { requestId: 'q' } }), 200)
    setTimeout(() => end({ result: done }), 250)
  })
  const testEnv = await openTestEnv()
  const { calls, asks } = testEnv.store
  const [finish, answer] = [calls.finish.bind(calls), asks.answer.bind(asks)]
  const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
  let isFirst = true
  // Simulates a busy database: when the caller continues, the server has ended the call, but the outcome is not stored.
  calls.finish = async (...kept) => {
    const waitsMs = isFirst ? 500 : 0
    isFirst = false
    await later(waitsMs)
    return finish(...kept)
  }
  asks.answer = async (request) => {
    await later(200)
    return answer(request)
  }
  const options = { surfaces: ['inbox'], holdMs: 10_000 } as const
  const { url } = await testEnv.gateway({ deploy: { url: server.url } }, options)

  expect((await call(url, args)).message).toMatchObject({ result: done })
})
