import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, test } from 'vitest'
import { closeAfterTest } from '../../../../test-kit/close-after-test.ts'
import { openCluster, type Replica } from '../../../../test-kit/gateway/cluster.ts'
import { type AskingServer, anAskingServer } from '../../../../test-kit/mcp/asking-servers.ts'
import { whichRegion } from '../../../../test-kit/mcp/asking-tools.ts'
import { eventsOf, messagesOf } from '../../../../test-kit/mcp/messages.ts'
import { personHeader } from '../../../../test-kit/person-header.ts'
import { until } from '../../../../test-kit/until.ts'
import { clientLimits, setLimits } from '../limits.ts'
import { aSession, nextOf, post, type Wire } from './wire.suite.ts'

const inEurope = { action: 'accept', content: { region: 'eu' } }
const done = { id: 1, result: { content: [{ text: 'done' }] } }

afterEach(setLimits(clientLimits, {}))

/** A call to a 2026-07-28 server whose connection breaks while the client is asked, and whose replica counts as dead. */
async function anOrphanedCall(questions: object[] = [whichRegion]) {
  setLimits(clientLimits, { callKeptAfterMs: 0 })
  const server = await anAskingServer('2026-07-28')
  const cluster = await openCluster({ deploy: { url: server.url } }, { replicas: 3, gateway: { unseenAfterMs: 0 } })
  const [first, second, third] = cluster.replicas as readonly [Replica, Replica, Replica]
  const session = await aSession(first.url)
  const connection = new AbortController()
  const headers = { 'mcp-session-id': session.id }
  const params = { name: 'ask', arguments: { questions } }
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
  const response = await post(first.url, call, { headers, signal: connection.signal })
  const { last, question } = await firstMessage(response)
  await until(async () => ((await rows(cluster)).length === 1 ? true : undefined))
  connection.abort()
  await cluster.isolate(question.id)
  const answer = ({ url }: Replica, id: unknown, result: Wire) => post(url, { jsonrpc: '2.0', id, result }, { headers })
  return { server, cluster, first, second, third, session, question, last, answer }
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

async function reconnect({ url }: Replica, session: string, last: string, person = 'ann') {
  const ending = new AbortController()
  closeAfterTest(() => ending.abort())
  const headers = { 'mcp-session-id': session, 'last-event-id': last, [personHeader]: person }
  return messagesOf(await fetch(url, { headers, signal: ending.signal }))
}

/** The client's first messages after it reconnects: the earlier question is cancelled, and a copy is sent. */
async function askedAnew(stream: AsyncGenerator<Wire>, before: Wire): Promise<Wire> {
  expect(await nextOf(stream)).toMatchObject({ method: 'notifications/cancelled', params: { requestId: before.id } })
  const anew = await nextOf(stream)
  expect(anew).toEqual({ ...before, id: anew.id })
  expect(anew.id).not.toBe(before.id)
  return anew
}

const ranOnce = (server: AskingServer) => expect(server).toMatchObject({ begun: 1, ended: 1, saw: [inEurope] })

test('[RUN-18] a call whose process is gone continues at another: the client is asked again, and the server gets one answer', async () => {
  const { server, second, session, question, last, answer } = await anOrphanedCall()

  const stream = await reconnect(second, session.id, last)
  const anew = await askedAnew(stream, question)
  await answer(second, anew.id, inEurope)

  expect(await nextOf(stream)).toMatchObject(done)
  ranOnce(server)
})

test('[RUN-18] an answer to the earlier question counts, before the client reconnects and after', async () => {
  const early = await anOrphanedCall()
  // A client may send its answer before it has reopened its stream.
  await early.answer(early.second, early.question.id, inEurope)
  const stream = await reconnect(early.second, early.session.id, early.last)
  expect(await nextOf(stream)).toMatchObject(done)
  ranOnce(early.server)

  const late = await anOrphanedCall()
  const again = await reconnect(late.second, late.session.id, late.last)
  await askedAnew(again, late.question)
  await late.answer(late.second, late.question.id, inEurope)
  let said = await nextOf(again)
  while (!('result' in said)) said = await nextOf(again)
  expect(said).toMatchObject(done)
  ranOnce(late.server)
})

test('[RUN-18] a process that was only slow sends nothing after another one has continued its call', async () => {
  const { server, first, second, session, question, last, answer } = await anOrphanedCall()
  const stream = await reconnect(second, session.id, last)
  const anew = await askedAnew(stream, question)

  await answer(first, question.id, inEurope)
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(server.saw).toEqual([])
  await answer(second, anew.id, inEurope)

  expect(await nextOf(stream)).toMatchObject(done)
  ranOnce(server)
})

test('[RUN-18] the call continues again when the second process is gone too, through all rounds', async () => {
  const call = await anOrphanedCall([whichRegion, whichRegion])
  const { server, cluster, second, third, session, question, last, answer } = call
  const anew = await askedAnew(await reconnect(second, session.id, last), question)
  await until(async () => ((await rows(cluster)).length === 2 ? true : undefined))
  await cluster.isolate(anew.id)

  const stream = await reconnect(third, session.id, last)
  const again = await askedAnew(stream, anew)
  await answer(second, anew.id, { action: 'decline' })
  await answer(third, again.id, inEurope)
  const next = await nextOf(stream)
  await answer(third, next.id, inEurope)

  expect(await nextOf(stream)).toMatchObject(done)
  expect(server).toMatchObject({ begun: 1, ended: 1, saw: [inEurope, inEurope] })
})

test('[RUN-18] a request that was being sent when its process died is never sent again', async () => {
  const { server, cluster, second, session, last } = await anOrphanedCall()
  await cluster.tamper(`update deferred_calls set claimed_at = 1, claimed_by = '${randomUUID()}'`)

  const said = await nextOf(await reconnect(second, session.id, last))

  expect(said).toMatchObject({
    id: 1,
    error: { message: expect.stringContaining('The gateway process that held this call has stopped') },
  })
  expect(server).toMatchObject({ ended: 0, saw: [] })
})

describe('another caller cannot continue the call', () => {
  test('[RUN-18] another person and another session of the same person get nothing', async () => {
    const { server, cluster, second, last } = await anOrphanedCall()
    const [own, others] = [await aSession(second.url), await aSession(second.url, { person: 'bob' })]

    for (const [session, person] of [
      [own.id, 'ann'],
      [others.id, 'bob'],
    ] as const)
      expect(await nextOf(await reconnect(second, session, last, person))).toMatchObject({ id: 1, error: {} })
    expect(await cluster.tamper('select 1 from deferred_calls where claimed_at is not null')).toEqual([])
    expect(server.saw).toEqual([])
  })

  test('[RUN-18] a call whose row was changed in the database is not continued', async () => {
    const { server, cluster, second, session, last } = await anOrphanedCall()
    await cluster.tamper(`update deferred_calls set state = replace(state, substr(state, 40, 4), 'AAAA')`)

    expect(await nextOf(await reconnect(second, session.id, last))).toMatchObject({ id: 1, error: {} })
    expect(server.saw).toEqual([])
  })
})

test('[RUN-18] a call that is answered at once leaves nothing in the store', async () => {
  setLimits(clientLimits, { callKeptAfterMs: 60_000 })
  const server = await anAskingServer('2026-07-28')
  const cluster = await openCluster({ deploy: { url: server.url } }, { gateway: { unseenAfterMs: 0 } })
  const session = await aSession(cluster.replicas[0].url)
  const stream = await session.ask('tools/call', { name: 'ask', arguments: { questions: [whichRegion] } })
  const question = await nextOf(stream)

  await session.post({ jsonrpc: '2.0', id: question.id, result: inEurope })

  expect(await nextOf(stream)).toMatchObject(done)
  expect(await rows(cluster)).toEqual([])
})
