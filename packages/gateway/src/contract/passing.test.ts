import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import { listening } from '../../../../test-kit/close-after-test.ts'
import { openTestEnv } from '../../../../test-kit/gateway/test-env.ts'
import { signIn, whichRegion } from '../../../../test-kit/mcp/asking-tools.ts'
import { messagesOf } from '../../../../test-kit/mcp/messages.ts'
import { personHeader } from '../../../../test-kit/person-header.ts'
import { until } from '../../../../test-kit/until.ts'
import {
  anOlderRawServer,
  aRawServer,
  aSession,
  call,
  complete,
  nextOf,
  type OlderCall,
  request,
  untilTheEnd,
  type Wire,
} from './wire.suite.ts'

const done = { result: { content: [], 'x-unknown': { kept: [1, null] }, _meta: { 'example.com/trace': 'abc' } } }
const asking = { name: 'ask', arguments: { deep: { er: [1, 'ü', null] }, region: 'eu' }, 'x-unknown': true }
const traced = { 'example.com/trace': 'xyz' }

async function inFront(url: string, options = {}) {
  return (await (await openTestEnv()).gateway({ deploy: { url, headers: { 'x-key': 'k' } } }, options)).url
}

test('[RELAY-11] unknown fields and _meta are forwarded both ways between two sessions', async () => {
  const server = await anOlderRawServer(({ end }) => end(done))
  const session = await aSession(await inFront(server.url))

  const reply = await nextOf(await session.ask('tools/call', { ...asking, _meta: traced }))

  expect(reply.result).toEqual(done.result)
  expect(server.received.find(({ method }) => method === 'tools/call')?.params).toEqual({ ...asking, _meta: traced })
})

test('[RELAY-11] unknown fields, _meta and headers are forwarded both ways without a session', async () => {
  const keys: unknown[] = []
  const server = await aRawServer((_request, _response, { headers }) => {
    keys.push(headers['x-key'], headers['mcp-param-region'])
    return done
  })
  const url = await inFront(server.url)
  const sender = { meta: traced, headers: { 'mcp-param-region': 'eu' } }

  const { message } = await request(url, 'tools/call', asking, sender)

  expect(message.result).toEqual({ resultType: 'complete', ...done.result })
  expect(server.requests[0]?.params).toMatchObject({ ...asking, _meta: traced })
  expect(keys).toEqual(['k', 'eu'])
})

test('[RELAY-11] an error is forwarded with its code and its data', async () => {
  const error = { code: -31_999, message: 'Out of stock.', data: { left: [0] } }
  const older = await inFront((await anOlderRawServer(({ end }) => end({ error }))).url)
  const newest = await inFront((await aRawServer(() => ({ error }))).url)

  for (const url of [older, newest]) {
    const inSession = await nextOf(await (await aSession(url)).ask('tools/call', asking))
    expect(inSession).toEqual({ jsonrpc: '2.0', id: 1, error })
    expect((await request(url, 'tools/call', asking)).message).toEqual({ jsonrpc: '2.0', id: 1, error })
  }
})

test("[RELAY-11] progress notifications carry the caller's own token", async () => {
  const report = (token: unknown) => ({
    jsonrpc: '2.0',
    method: 'notifications/progress',
    params: { progressToken: token, progress: 1, total: 2, note: 'x' },
  })
  const tokenOf = ({ params }: { params: Wire }) => (params._meta as Wire).progressToken
  const older = await anOlderRawServer((one) => {
    one.say(report(tokenOf(one)))
    one.end(done)
  })
  const newest = await aRawServer((one, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(`data: ${JSON.stringify(report(tokenOf(one)))}\n\n`)
    response.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id: one.id, ...done })}\n\n`)
  })
  for (const { url } of [older, newest]) {
    const gateway = await inFront(url)
    const session = await aSession(gateway)
    const inSession = await session.ask('tools/call', { ...asking, _meta: { progressToken: 'mine' } })
    const { said } = await request(gateway, 'tools/call', asking, { meta: { progressToken: 7 } })

    expect(await nextOf(inSession)).toEqual(report('mine'))
    expect(said[0]).toEqual(report(7))
    expect(said).toHaveLength(2)
  }
})

test('[RELAY-11] when a caller disconnects, a waiting server gets a cancellation', async () => {
  const server = await anOlderRawServer(() => undefined)
  const receivedOf = (method: string) => until(() => server.received.find((message) => message.method === method))
  const cancelled = new AbortController()
  const left = request(await inFront(server.url), 'tools/call', asking, { signal: cancelled.signal }).catch(
    () => 'left',
  )
  const begun = await receivedOf('tools/call')

  cancelled.abort()

  expect(await left).toBe('left')
  expect((await receivedOf('notifications/cancelled')).params).toMatchObject({ requestId: begun.id })
})

test('[RELAY-11] when a caller disconnects, the request to a server without sessions is closed', async () => {
  const gone = Promise.withResolvers<string>()
  const server = await aRawServer((_request, response) => {
    response.on('close', () => gone.resolve('gone'))
  })
  const cancelled = new AbortController()
  const left = request(await inFront(server.url), 'tools/call', asking, { signal: cancelled.signal }).catch(
    () => 'left',
  )
  await until(() => server.requests[0])

  cancelled.abort()

  expect(await Promise.all([left, gone.promise])).toEqual(['left', 'gone'])
})

test('[RELAY-11] when a server cancels its question, the question is cancelled at the client', async () => {
  const calls: OlderCall[] = []
  const server = await anOlderRawServer((one) => {
    calls.push(one)
    one.say({ id: 5, method: 'elicitation/create', params: whichRegion })
  })
  const cancels = (one: OlderCall | undefined) =>
    one?.say({ method: 'notifications/cancelled', params: { requestId: 5 } })
  const { url, standing } = await (await openTestEnv()).gateway({ deploy: { url: server.url } })
  const stream = await (await aSession(url)).ask('tools/call', asking)
  const question = await nextOf(stream)
  cancels(calls[0])
  const withdrawn = await nextOf(stream)
  calls[0]?.end(done)
  const reply = await nextOf(stream)
  const first = await request(url, 'tools/call', asking)
  cancels(calls[1])
  await new Promise((resolve) => setTimeout(resolve, 20))
  calls[1]?.end(done)
  await until(() => (standing().heldCalls === 0 ? true : undefined))
  const inputResponses = { ask_1: { action: 'accept', content: { region: 'eu' } } }
  const { requestState } = first.message.result
  const late = await request(url, 'tools/call', { ...asking, requestState, inputResponses })

  expect(withdrawn).toMatchObject({ method: 'notifications/cancelled', params: { requestId: question.id } })
  expect(reply.result).toEqual(done.result)
  expect(late.message.result).toMatchObject(done.result)
  expect(server.received.filter(({ id, result }) => id === 5 && result !== undefined)).toEqual([])
})

test('[RELAY-5] [FORM-22] an invalid answer reaches an older server as a cancel with the reason', async () => {
  const server = await anOlderRawServer(({ say }) =>
    say({ id: 'q', method: 'elicitation/create', params: whichRegion }),
  )
  // A person's invalid answer would be asked for again.
  const byProgram = { unseenAfterMs: 60_000 }
  const gateway = await (await openTestEnv()).gateway({ deploy: { url: server.url } }, byProgram)
  const session = await aSession(gateway.url)
  const question = await nextOf(await session.ask('tools/call', { name: 'ask', arguments: {} }))

  await session.post({ jsonrpc: '2.0', id: question.id, result: { action: 'accept', content: { region: 'nowhere' } } })

  const answer = await until(() => server.received.find(({ id, method }) => id === 'q' && method === undefined))
  const _meta = { 'assent/no-answer': 'malformed', 'assent/reason': 'region: Choose one of the options.' }
  expect(answer).toEqual({ jsonrpc: '2.0', id: 'q', result: { action: 'cancel', _meta } })
})

test('[RELAY-1] three questions sent at once arrive in one round, and each gets its own answer', async () => {
  const calls: OlderCall[] = []
  const server = await anOlderRawServer((one) => {
    calls.push(one)
    for (const id of ['a', 'b', 'c']) {
      one.say({ id, method: 'elicitation/create', params: { ...whichRegion, message: `Question ${id}` } })
    }
  })
  const url = await inFront(server.url)
  const { result } = (await call(url, {})).message
  const inputResponses = { ask_1: { action: 'cancel' }, ask_2: { action: 'decline' }, ask_3: inEurope }
  const last = call(url, {}, { requestState: result.requestState, inputResponses })
  await until(() => (server.received.filter((message) => message.result !== undefined).length === 3 ? true : undefined))
  calls[0]?.end(done)

  expect((await last).message.result).toMatchObject(done.result)
  expect(Object.keys(result.inputRequests as object)).toEqual(['ask_1', 'ask_2', 'ask_3'])
  expect(
    Object.fromEntries(server.received.filter(({ result }) => result).map(({ id, result }) => [id, result])),
  ).toEqual({
    a: { action: 'cancel' },
    b: { action: 'decline' },
    c: inEurope,
  })
})

test('[RELAY-1] a link that an older server requires first is shown to the person, and an accept repeats the call', async () => {
  let ran = 0
  const server = await anOlderRawServer(({ end }) => {
    ran += 1
    const data = { elicitations: [{ ...signIn, elicitationId: 'e1' }] }
    end(ran === 1 ? { error: { code: -32_042, message: 'Sign in first.', data } } : done)
  })
  const url = await inFront(server.url)
  const { result } = (await call(url, {})).message

  const inputResponses = { url_1: { action: 'accept' } }
  const { message } = await call(url, {}, { requestState: result.requestState, inputResponses })

  expect(result.inputRequests).toEqual({ url_1: { method: 'elicitation/create', params: signIn } })
  expect(message.result).toMatchObject(done.result)
  expect(ran).toBe(2)
})

test.each([
  ['declined', { url_1: { action: 'decline' } }],
  ['left unanswered', {}],
])('[RELAY-2] a call whose link was %s is not repeated', async (_how, inputResponses) => {
  let ran = 0
  const data = { elicitations: [{ ...signIn, elicitationId: 'e1' }] }
  const server = await anOlderRawServer(({ end }) => {
    ran += 1
    end({ error: { code: -32_042, message: 'Sign in first.', data } })
  })
  const url = await inFront(server.url)
  const { requestState } = (await call(url, {})).message.result

  const { message } = await call(url, {}, { requestState, inputResponses })

  expect(message.error.code).toBe(-32_000)
  expect(ran).toBe(1)
})

test('[RELAY-1] a question that a server asks after its call was cancelled is not assigned to the next call', async () => {
  const calls: OlderCall[] = []
  const server = await anOlderRawServer((one) => void calls.push(one))
  const session = await aSession(await inFront(server.url))
  const first = await session.ask('tools/call', asking, 1)
  await until(() => calls[0])
  await session.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })
  await nextOf(first)
  const second = await session.ask('tools/call', asking, 2)
  await until(() => calls[1])

  calls[0]?.say({ id: 'late', method: 'elicitation/create', params: whichRegion })
  await new Promise((resolve) => setTimeout(resolve, 50))
  calls[1]?.end(done)

  expect(await nextOf(second)).toMatchObject({ id: 2, result: done.result })
})

test('[RELAY-11] the same error is forwarded unchanged to a client whose revision defines it', async () => {
  const data = { elicitations: [{ ...signIn, elicitationId: 'e1' }] }
  const error = { code: -32_042, message: 'Sign in first.', data }
  const server = await anOlderRawServer(({ end }) => end({ error }))
  const session = await aSession(await inFront(server.url))

  expect((await nextOf(await session.ask('tools/call', asking))).error).toEqual(error)
})

test('[RELAY-2] a call whose server disconnects in the middle is not repeated', async () => {
  let ran = 0
  const vanish = ({ response }: { response: { destroy(): unknown } }) => {
    ran += 1
    setTimeout(() => response.destroy(), 20)
  }
  const older = await inFront((await anOlderRawServer(vanish)).url)
  const newest = await inFront((await aRawServer((_one, response) => vanish({ response }))).url)

  const outcomes = [await call(older, {}), await call(newest, {})]

  expect(outcomes.map(({ message }) => message.error.code)).toEqual([-32_000, -32_000])
  expect(ran).toBe(2)
})

test('[RELAY-4] a question outside any call, or with an unknown method, gets an error', async () => {
  const server = await anOlderRawServer(({ say, end, id }) => {
    say({ id: 'odd', method: 'example/other', params: {} })
    say({ id: 'here', method: 'ping' })
    setTimeout(() => {
      say({ id, ...done })
      say({ id: 'late', method: 'elicitation/create', params: whichRegion })
      setTimeout(() => end({ ignored: true }), 50)
    }, 50)
  })
  const url = await inFront(server.url)

  expect((await call(url, {})).message.result).toMatchObject(done.result)
  const replyTo = (id: string) => until(() => server.received.find((message) => message.id === id))
  expect((await replyTo('odd')).error).toMatchObject({ code: -32_601 })
  expect((await replyTo('here')).result).toEqual({})
  expect((await replyTo('late')).error).toMatchObject({ code: -32_000 })
})

test('[RELAY-11] a stream that breaks is resumed after its last event', async () => {
  const reply = (id: unknown) => `id: 2\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, ...done })}\n\n`
  const resumed: unknown[] = []
  let waiting: unknown
  const server = createServer(async (message, response) => {
    const stream = { 'content-type': 'text/event-stream', 'mcp-session-id': 's' }
    const last = message.headers['last-event-id']
    if (message.method === 'GET' && last !== undefined) {
      resumed.push(last)
      return void response.writeHead(200, stream).end(reply(waiting))
    }
    if (message.method !== 'POST') return void response.writeHead(405).end()
    let body = ''
    for await (const chunk of message.setEncoding('utf8')) body += chunk
    const { id, method } = JSON.parse(body)
    if (method === 'server/discover') return void response.writeHead(404).end()
    if (id === undefined) return void response.writeHead(202).end()
    const opened = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: {} }
    if (method === 'initialize')
      return void response
        .writeHead(200, stream)
        .end(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result: opened })}\n\n`)
    waiting = id
    response.writeHead(200, stream).end('id: 1\nretry: 10\ndata: \n\n')
  })
  const url = await inFront((await listening(server)).url)

  expect((await call(url, {})).message.result).toMatchObject(done.result)
  expect(resumed).toEqual(['1'])
})

test('[RELAY-11] change notifications reach clients that listen, with and without a session', async () => {
  const listeners: { id: unknown; params: Wire; notify(message: object): void }[] = []
  const server = await aRawServer(({ id, method, params }, response) => {
    if (method !== 'subscriptions/listen') return complete
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    const notify = (message: object) => {
      const said = {
        jsonrpc: '2.0',
        ...message,
        params: { _meta: { 'io.modelcontextprotocol/subscriptionId': String(id) } },
      }
      response.write(`data: ${JSON.stringify(said)}\n\n`)
    }
    listeners.push({ id, params, notify })
    return undefined
  })
  const url = await inFront(server.url)
  const ending = untilTheEnd()
  const session = await aSession(url)
  const headers = { 'mcp-session-id': session.id, [personHeader]: 'ann' }
  const getStream = messagesOf(await fetch(url, { headers, signal: ending.signal }))
  await until(() => listeners[0])
  listeners[0]?.notify({ method: 'notifications/tools/list_changed' })
  const inSession = await nextOf(getStream)

  expect(inSession).toEqual({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })
  expect(listeners[0]?.params.notifications).toMatchObject({ toolsListChanged: true })
})

const inEurope = { action: 'accept', content: { region: 'eu' } }

test('[RELAY-1] sampling and roots requests are forwarded during a call between two sessions', async () => {
  const questions = [
    { id: 's', method: 'sampling/createMessage', params: { messages: [], maxTokens: 5 } },
    { id: 'r', method: 'roots/list', params: {} },
  ]
  const calls: OlderCall[] = []
  const server = await anOlderRawServer((one) => {
    calls.push(one)
    for (const question of questions) one.say(question)
  })
  const session = await aSession(await inFront(server.url), { capabilities: { sampling: {}, roots: {} } })
  const stream = await session.ask('tools/call', asking)
  const asked = [await nextOf(stream), await nextOf(stream)]
  for (const { id, method } of asked) await session.post({ jsonrpc: '2.0', id, result: { to: method } })
  const answerTo = (id: string) => until(() => server.received.find((message) => message.id === id)?.result)

  expect(asked.map(({ id: _id, jsonrpc: _version, ...question }) => question)).toEqual(
    questions.map(({ id: _id, ...question }) => question),
  )
  expect([await answerTo('s'), await answerTo('r')]).toEqual([{ to: 'sampling/createMessage' }, { to: 'roots/list' }])
  calls[0]?.end(done)
  expect((await nextOf(stream)).result).toEqual(done.result)
})

test('[RELAY-11] a log level set in a session is set at an older server', async () => {
  const server = await anOlderRawServer(({ end }) => end({ result: {} }))
  const session = await aSession(await inFront(server.url))

  await nextOf(await session.ask('logging/setLevel', { level: 'error' }))
  await nextOf(await session.ask('tools/call', asking, 2))

  expect(server.received.filter(({ method }) => method === 'logging/setLevel')).toMatchObject([
    { params: { level: 'error' } },
  ])
})
