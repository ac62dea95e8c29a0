import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, test } from 'vitest'
import { downstreamLimits, relayLimits } from '../limits.ts'
import { whichRegion } from './asking.suite.ts'
import { aFleet, type Replica } from './fleet.suite.ts'
import { eventsOf, messagesOf } from './messages-of.suite.ts'
import { type AskingServer, anAskingServer } from './servers.suite.ts'
import { personHeader, putAwayLater, until } from './stage.suite.ts'
import { aSession, nextOf, post, type Wire } from './wire.suite.ts'

const limits = { downstream: { ...downstreamLimits }, relay: { ...relayLimits } }
const inEurope = { action: 'accept', content: { region: 'eu' } }
const done = { id: 1, result: { content: [{ text: 'done' }] } }

afterEach(() => {
  Object.assign(downstreamLimits, limits.downstream)
  Object.assign(relayLimits, limits.relay)
})

/**
 * A call to a server that keeps no state whose connection breaks while the client is asked, and whose gateway nobody hears of any
 * more: the name that the client comes back with leads to a process that is not there.
 */
async function anOrphanedCall(questions: object[] = [whichRegion]) {
  Object.assign(relayLimits, { leaseMs: 300 })
  Object.assign(downstreamLimits, { callKeptAfterMs: 0 })
  const server = await anAskingServer('2026-07-28')
  const fleet = await aFleet({ deploy: { url: server.url } }, { replicas: 3, gateway: { unseenAfterMs: 0 } })
  const [first, second, third] = fleet.replicas as readonly [Replica, Replica, Replica]
  const session = await aSession(first.url)
  const connection = new AbortController()
  const headers = { 'mcp-session-id': session.id }
  const params = { name: 'ask', arguments: { questions } }
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
  const response = await post(first.url, call, { headers, signal: connection.signal })
  const { last, question } = await firstMessage(response)
  await until(async () => ((await rows(fleet)).length === 1 ? true : undefined))
  connection.abort()
  const [number, , ...rest] = last.split('.')
  const orphaned = [number, randomUUID(), ...rest].join('.')
  const answer = ({ url }: Replica, id: unknown, result: Wire) => post(url, { jsonrpc: '2.0', id, result }, { headers })
  return { server, fleet, first, second, third, session, question, last: orphaned, answer }
}

function rows({ tamper }: { tamper(sql: string): Promise<unknown[]> }): Promise<unknown[]> {
  return tamper('select id from deferred_calls')
}

async function firstMessage(response: Response): Promise<{ last: string; question: Wire }> {
  for await (const { id = '', data } of eventsOf(response)) {
    if (data !== '') return { last: id, question: JSON.parse(data) as Wire }
  }
  throw new Error('The stream ended before its first message.')
}

async function comesBack({ url }: Replica, session: string, last: string, person = 'ann') {
  const ending = new AbortController()
  putAwayLater(() => ending.abort())
  const headers = { 'mcp-session-id': session, 'last-event-id': last, [personHeader]: person }
  return messagesOf(await fetch(url, { headers, signal: ending.signal }))
}

/** What the client gets first when it comes back: the earlier question is over, and the same is asked anew. */
async function askedAnew(stream: AsyncGenerator<Wire>, before: Wire): Promise<Wire> {
  expect(await nextOf(stream)).toMatchObject({ method: 'notifications/cancelled', params: { requestId: before.id } })
  const anew = await nextOf(stream)
  expect(anew).toEqual({ ...before, id: anew.id })
  expect(anew.id).not.toBe(before.id)
  return anew
}

const ranOnce = (server: AskingServer) => expect(server).toMatchObject({ begun: 1, ended: 1, saw: [inEurope] })

test('[RUN-18] a call whose process is gone goes on at another one: the client is asked again, and the server gets one answer', async () => {
  const { server, second, session, question, last, answer } = await anOrphanedCall()

  const stream = await comesBack(second, session.id, last)
  const anew = await askedAnew(stream, question)
  await answer(second, anew.id, inEurope)

  expect(await nextOf(stream)).toMatchObject(done)
  ranOnce(server)
})

test('[RUN-18] an answer to the earlier question counts, before the client comes back and after', async () => {
  const early = await anOrphanedCall()
  // As one does whose gateway is there again before its stream is.
  await early.answer(early.second, early.question.id, inEurope)
  // The process of the call is not gone in truth, and was told too: only one of the two sends the answer.
  const stream = await comesBack(early.second, early.session.id, early.last)
  expect(await nextOf(stream)).toMatchObject(done)
  ranOnce(early.server)

  const late = await anOrphanedCall()
  const again = await comesBack(late.second, late.session.id, late.last)
  await askedAnew(again, late.question)
  await late.answer(late.second, late.question.id, inEurope)
  let said = await nextOf(again)
  while (!('result' in said)) said = await nextOf(again)
  expect(said).toMatchObject(done)
  ranOnce(late.server)
})

test('[RUN-18] a process that was only slow sends nothing once another one has gone on with its call', async () => {
  const { server, first, second, session, question, last, answer } = await anOrphanedCall()
  const stream = await comesBack(second, session.id, last)
  const anew = await askedAnew(stream, question)

  await answer(first, question.id, inEurope)
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(server.saw).toEqual([])
  await answer(second, anew.id, inEurope)

  expect(await nextOf(stream)).toMatchObject(done)
  ranOnce(server)
})

test('[RUN-18] it goes on again when the second process is gone too, and through all rounds', async () => {
  const call = await anOrphanedCall([whichRegion, whichRegion])
  const { server, fleet, second, third, session, question, last, answer } = call
  const anew = await askedAnew(await comesBack(second, session.id, last), question)
  await until(async () => ((await rows(fleet)).length === 2 ? true : undefined))

  const stream = await comesBack(third, session.id, last)
  const again = await askedAnew(stream, anew)
  await answer(second, anew.id, { action: 'decline' })
  await answer(third, again.id, inEurope)
  const next = await nextOf(stream)
  await answer(third, next.id, inEurope)

  expect(await nextOf(stream)).toMatchObject(done)
  expect(server).toMatchObject({ begun: 1, ended: 1, saw: [inEurope, inEurope] })
})

test('[RUN-18] what was being sent when its process died is never sent again', async () => {
  const { server, fleet, second, session, last } = await anOrphanedCall()
  await fleet.tamper(`update deferred_calls set claimed_at = 1, claimed_call = '${randomUUID()}'`)

  const said = await nextOf(await comesBack(second, session.id, last))

  expect(said).toMatchObject({
    id: 1,
    error: { message: expect.stringContaining('The process that held this call is gone') },
  })
  expect(server).toMatchObject({ ended: 0, saw: [] })
})

describe('no other caller continues it', () => {
  test('[RUN-18] another person gets nothing, and another session of the same person neither', async () => {
    const { server, fleet, second, last } = await anOrphanedCall()
    const [own, others] = [await aSession(second.url), await aSession(second.url, { person: 'bob' })]

    for (const [session, person] of [
      [own.id, 'ann'],
      [others.id, 'bob'],
    ] as const)
      expect(await nextOf(await comesBack(second, session, last, person))).toMatchObject({ id: 1, error: {} })
    expect(await fleet.tamper('select 1 from deferred_calls where claimed_at is not null')).toEqual([])
    expect(server.saw).toEqual([])
  })

  test('[RUN-18] a row that somebody changed is not gone on with', async () => {
    const { server, fleet, second, session, last } = await anOrphanedCall()
    await fleet.tamper(`update deferred_calls set state = replace(state, substr(state, 40, 4), 'AAAA')`)

    expect(await nextOf(await comesBack(second, session.id, last))).toMatchObject({ id: 1, error: {} })
    expect(server.saw).toEqual([])
  })
})

test('[RUN-18] a call that is answered at once leaves nothing in the store', async () => {
  const server = await anAskingServer('2026-07-28')
  const fleet = await aFleet({ deploy: { url: server.url } }, { gateway: { unseenAfterMs: 0 } })
  const session = await aSession(fleet.replicas[0].url)
  const stream = await session.ask('tools/call', { name: 'ask', arguments: { questions: [whichRegion] } })
  const question = await nextOf(stream)

  await session.post({ jsonrpc: '2.0', id: question.id, result: inEurope })

  expect(await nextOf(stream)).toMatchObject(done)
  expect(await rows(fleet)).toEqual([])
})
