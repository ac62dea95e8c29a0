import { expect, test } from 'vitest'
import { openTestEnv } from '../../../../test-kit/gateway/test-env.ts'
import { anAskingServer } from '../../../../test-kit/mcp/asking-servers.ts'
import { howMany, signIn, whichRegion } from '../../../../test-kit/mcp/asking-tools.ts'
import { until } from '../../../../test-kit/until.ts'
import { aRawServer, aSession, asks, call, complete, nextOf, request } from './wire.suite.ts'

const inEurope = { action: 'accept', content: { region: 'eu' } }

/** A server that asks for a region and then returns the answer that it received. */
async function aRound(question: unknown = whichRegion, state = 'round 1') {
  const server = await aRawServer(({ params }) =>
    params.inputResponses === undefined ? asks({ where: question }, state) : complete,
  )
  // The answers come from a program. A person's invalid answer would be asked for again.
  const gateway = await (await openTestEnv()).gateway({ deploy: { url: server.url } }, { unseenAfterMs: 60_000 })
  const first = await call(gateway.url, { env: 'live' })
  return { server, gateway, first, requestState: first.message.result.requestState as string }
}

test("[RELAY-6] a server's own state is returned to it byte for byte, and the client cannot read it", async () => {
  const state = 'Grüße, \u{1f30d} "quoted" \\ and \u0000'
  const { server, gateway, requestState } = await aRound(whichRegion, state)

  const { message } = await call(gateway.url, { env: 'live' }, { requestState, inputResponses: { where: inEurope } })

  expect(message.result).toMatchObject(complete.result)
  expect(requestState).not.toContain('quoted')
  expect(server.requests[1]?.params).toMatchObject({ requestState: state, inputResponses: { where: inEurope } })
})

test('[RELAY-6] a call with arguments as large as a message can ask, and continues only with exactly those arguments', async () => {
  const server = await aRawServer(({ params }) =>
    params.inputResponses === undefined ? asks({ where: whichRegion }) : complete,
  )
  const gateway = await (await openTestEnv()).gateway({ deploy: { url: server.url } })
  const args = { file: 'é'.repeat(1_000_000) }
  const { requestState } = (await call(gateway.url, args)).message.result
  const rounds = { requestState, inputResponses: { where: inEurope } }

  const [same, other] = [
    await call(gateway.url, args, rounds),
    await call(gateway.url, { file: `${args.file.slice(1)}e` }, rounds),
  ]

  expect(same.message.result).toMatchObject(complete.result)
  expect(other.message.error.code).toBe(-32_602)
})

test('[RELAY-6] a server that sent no state gets none back', async () => {
  const server = await aRawServer(({ params }) =>
    params.inputResponses === undefined ? asks({ where: whichRegion }) : complete,
  )
  const gateway = await (await openTestEnv()).gateway({ deploy: { url: server.url } })
  const { requestState } = (await call(gateway.url, {})).message.result

  await call(gateway.url, {}, { requestState, inputResponses: { where: inEurope } })

  expect(typeof requestState).toBe('string')
  expect(server.requests[1]?.params).not.toHaveProperty('requestState')
})

test('[RELAY-5] answers in a call that has no state do not reach the server, which asks the person', async () => {
  const server = await aRawServer(({ params }) =>
    params.inputResponses === undefined ? asks({ where: whichRegion }) : complete,
  )
  const gateway = await (await openTestEnv()).gateway(
    { deploy: { url: server.url } },
    { surfaces: ['inbox'], holdMs: 50 },
  )
  const rounds = { inputResponses: { where: inEurope } }

  const { message } = await call(gateway.url, {}, rounds)
  const session = await aSession(gateway.url, { capabilities: {} })
  const inSession = nextOf(
    await session.ask('tools/call', { name: 'ask', arguments: {}, ...rounds, requestState: 'x' }),
  )
  await until(() => server.requests[1])
  void inSession.catch(() => undefined)

  expect(message.result.resultType).toBe('input_required')
  expect(server.requests).toHaveLength(2)
  for (const { params } of server.requests) {
    expect(params).not.toHaveProperty('inputResponses')
    expect(params).not.toHaveProperty('requestState')
  }
})

test.each([
  [
    'was altered',
    (state: string) => ({ requestState: state.replace(/.(?=.$)/, (one) => (one === 'A' ? 'B' : 'A')) }),
    {},
  ],
  ['was cut', (state: string) => ({ requestState: state.slice(0, 40) }), {}],
  ['is not a string', () => ({ requestState: 7 }), {}],
  ['comes from another person', (state: string) => ({ requestState: state }), { person: 'ben' }],
])('[RELAY-6] state that %s is refused, and the server gets no request', async (_why, rounds, sender) => {
  const { server, gateway, requestState } = await aRound()

  const retry = { ...rounds(requestState), inputResponses: { where: inEurope } }
  const { status, message } = await call(gateway.url, { env: 'live' }, retry, sender)

  expect({ status, code: message.error.code }).toEqual({ status: 400, code: -32_602 })
  expect(server.requests).toHaveLength(1)
})

test('[RELAY-6] state is refused for other arguments and for another tool', async () => {
  const { server, gateway, requestState } = await aRound()
  const rounds = { requestState, inputResponses: { where: inEurope } }

  const otherArguments = await call(gateway.url, { env: 'test' }, rounds)
  const otherTool = await request(gateway.url, 'tools/call', { name: 'drop', arguments: { env: 'live' }, ...rounds })

  expect([otherArguments.message.error.code, otherTool.message.error.code]).toEqual([-32_602, -32_602])
  expect(server.requests).toHaveLength(1)
})

test('[RELAY-6] state is refused for another resource, also if the request has a name that reads do not use', async () => {
  const server = await aRawServer(
    ({ params }) => (params.inputResponses === undefined ? asks({ where: whichRegion }) : complete),
    { resources: {} },
  )
  const gateway = await (await openTestEnv()).gateway({ deploy: { url: server.url } }, { unseenAfterMs: 0 })
  const read = (uri: string, rounds = {}) =>
    request(gateway.url, 'resources/read', { name: 'x', uri, ...rounds }, { headers: { 'mcp-name': uri } })
  const { requestState } = (await read('file:///public')).message.result
  const rounds = { requestState, inputResponses: { where: inEurope } }

  const other = await read('file:///private', rounds)
  expect(other.message).toMatchObject({ error: { code: -32_602 } })
  expect(server.requests).toHaveLength(1)

  expect((await read('file:///public', rounds)).message.result).toMatchObject(complete.result)
})

test.each([
  ['is invalid for its form', { action: 'accept', content: { region: 'mars' } }],
  ['has no content', { action: 'accept' }],
  ['has an unknown action', { action: 'approve', content: { region: 'eu' } }],
  ['has no action', { content: { region: 'eu' } }],
  ['is empty', {}],
])('[RELAY-5] an answer that %s does not count', async (_what, answer) => {
  const { server, gateway, requestState } = await aRound()

  await call(gateway.url, { env: 'live' }, { requestState, inputResponses: { where: answer } })

  const _meta = { 'assent/no-answer': 'malformed', 'assent/reason': expect.any(String) }
  expect(server.requests[1]?.params.inputResponses).toEqual({ where: { action: 'cancel', _meta } })
})

test.each([
  { where: { action: 'decline' } },
  { where: { action: 'cancel' } },
  { where: { ...inEurope, _meta: { seen: true } } },
])('[RELAY-5] a valid answer is forwarded unchanged: %j', async (inputResponses) => {
  const { server, gateway, requestState } = await aRound()

  await call(gateway.url, { env: 'live' }, { requestState, inputResponses })

  expect(server.requests[1]?.params.inputResponses).toEqual(inputResponses)
})

test.each([
  ['a list', []],
  ['a list of answers', { where: [inEurope] }],
  ['text', { where: 'eu' }],
])('[RELAY-5] answers in the shape of %s are refused', async (_shape, inputResponses) => {
  const { server, gateway, requestState } = await aRound()

  const { status } = await call(gateway.url, { env: 'live' }, { requestState, inputResponses })

  expect(status).toBe(400)
  expect(server.requests).toHaveLength(1)
})

test('[RELAY-5] an answer after the deadline does not count', async () => {
  const server = await aRawServer(({ params }) =>
    params.inputResponses === undefined ? asks({ where: whichRegion }, 's') : complete,
  )
  const gateway = await (await openTestEnv()).gateway({ deploy: { url: server.url } }, { askWaitMs: 20 })
  const { requestState } = (await call(gateway.url, {})).message.result
  await new Promise((resolve) => setTimeout(resolve, 30))

  await call(gateway.url, {}, { requestState, inputResponses: { where: inEurope } })

  expect(server.requests[1]?.params.inputResponses).toEqual({ where: { action: 'cancel' } })
})

test('[RELAY-3] a mode that this call did not declare is refused, whatever another call declared', async () => {
  const { gateway, server } = await aRound(signIn)

  const bare = await call(gateway.url, { env: 'live' }, {}, { capabilities: { elicitation: {} } })
  const none = await call(gateway.url, { env: 'live' }, {}, { capabilities: {} })

  for (const { status, message } of [bare, none]) {
    expect({ status, code: message.error.code }).toEqual({ status: 400, code: -32_021 })
    expect(message.error.data).toEqual({ requiredCapabilities: { elicitation: { url: {} } } })
  }
  expect(server.requests).toHaveLength(3)
})

test('[RELAY-3] a session that declared elicitation without a mode gets only forms', async () => {
  const server = await aRawServer(({ params }) =>
    params.inputResponses === undefined ? asks({ where: whichRegion, first: signIn }, 's') : complete,
  )
  const gateway = await (await openTestEnv()).gateway({ deploy: { url: server.url } })
  const session = await aSession(gateway.url, { capabilities: { elicitation: {} } })
  const stream = await session.ask('tools/call', { name: 'ask', arguments: {} })
  const question = await nextOf(stream)

  await session.post({ jsonrpc: '2.0', id: question.id, result: inEurope })
  const reply = await nextOf(stream)

  expect(question.params).toEqual(whichRegion)
  expect(reply.result).toEqual({ content: complete.result.content })
  expect(server.requests[1]?.params.inputResponses).toEqual({ where: inEurope, first: { action: 'cancel' } })
})

test('[RELAY-4] a call whose server asks too many questions at once is refused', async () => {
  const many = Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`q${n}`, howMany]))
  const server = await aRawServer(() => asks(many))
  const gateway = await (await openTestEnv()).gateway({ deploy: { url: server.url } })

  const { message } = await call(gateway.url, {})

  expect(message.error.message).toContain('At most 16 questions')
})

test.each([
  ['of an unknown kind', { result: { resultType: 'input_required', inputRequests: { a: { method: 'x/y' } } } }],
  ['that is not a request', { result: { resultType: 'input_required', inputRequests: { a: 'Which region?' } } }],
  ['without a message', asks({ a: { requestedSchema: whichRegion.requestedSchema } })],
  ['in an unknown mode', asks({ a: { mode: 'voice', message: 'Which region?' } })],
])('[RELAY-4] a question %s is not shown', async (_what, reaction) => {
  const server = await aRawServer(() => reaction)
  const gateway = await (await openTestEnv()).gateway({ deploy: { url: server.url } })

  const { message } = await call(gateway.url, {})

  expect(message.error).toEqual({ code: -32_603, message: 'The server asked for input of an unknown kind.' })
})

test('[RELAY-1] sampling and roots requests are forwarded like questions to a client that declared them', async () => {
  const inputRequests = {
    text: { method: 'sampling/createMessage', params: { messages: [], maxTokens: 5 } },
    places: { method: 'roots/list' },
  }
  const server = await aRawServer(({ params }) =>
    params.inputResponses === undefined ? { result: { resultType: 'input_required', inputRequests } } : complete,
  )
  const gateway = await (await openTestEnv()).gateway({ deploy: { url: server.url } })
  const sender = { capabilities: { sampling: {}, roots: {} } }
  const { result } = (await call(gateway.url, {}, {}, sender)).message
  const inputResponses = { text: { role: 'assistant', content: { type: 'text', text: 'hi' } }, places: { roots: [] } }

  await call(gateway.url, {}, { requestState: result.requestState, inputResponses }, sender)

  expect(result.inputRequests).toEqual(inputRequests)
  expect(server.requests[1]?.params.inputResponses).toEqual(inputResponses)
})

test('[RELAY-1] a client of 2025-06-18 gets the question in the format of that revision', async () => {
  const labelled = {
    mode: 'form',
    message: 'Which region?',
    requestedSchema: {
      type: 'object',
      properties: { region: { type: 'string', oneOf: [{ const: 'eu', title: 'Europe' }] } },
      required: ['region'],
    },
  }
  const server = await aRawServer(({ params }) =>
    params.inputResponses === undefined ? asks({ where: labelled, page: signIn }, 's') : complete,
  )
  const gateway = await (await openTestEnv()).gateway({ deploy: { url: server.url } })
  const session = await aSession(gateway.url, { revision: '2025-06-18', capabilities: { elicitation: {} } })
  const stream = await session.ask('tools/call', { name: 'ask', arguments: {} })
  const question = await nextOf(stream)

  await session.post({ jsonrpc: '2.0', id: question.id, result: inEurope })
  await nextOf(stream)

  expect(session.opened.protocolVersion).toBe('2025-06-18')
  expect(question.params).toMatchObject({
    message: 'Which region?',
    requestedSchema: { properties: { region: { type: 'string', enum: ['eu'], enumNames: ['Europe'] } } },
  })
  expect(question.params).not.toHaveProperty('mode')
  expect(server.requests[1]?.params.inputResponses).toEqual({ where: inEurope, page: { action: 'cancel' } })
})

test('[RELAY-5] an error instead of an answer is forwarded to a 2025 server, and is a cancel for a 2026-07-28 server', async () => {
  const older = await anAskingServer('2025-11-25')
  const newest = await aRawServer(({ params }) =>
    params.inputResponses === undefined ? asks({ where: whichRegion }, 's') : complete,
  )
  const testEnv = await openTestEnv()
  for (const { url } of [older, newest]) {
    const gateway = await testEnv.gateway({ deploy: { url } })
    const session = await aSession(gateway.url)
    const stream = await session.ask('tools/call', { name: 'ask', arguments: { questions: [whichRegion] } })
    const { id } = await nextOf(stream)
    await session.post({ jsonrpc: '2.0', id, error: { code: -32_603, message: 'The screen broke.' } })
    await nextOf(stream)
  }

  expect(older.saw).toEqual([{ error: expect.stringContaining('The screen broke.') }])
  expect(newest.requests[1]?.params.inputResponses).toEqual({ where: { action: 'cancel' } })
})

test('[RELAY-5] an answer to a question that was not asked does not reach the server', async () => {
  const { server, gateway, requestState } = await aRound()
  const inputResponses = { where: inEurope, approve: { action: 'accept' }, constructor: inEurope }

  await call(gateway.url, { env: 'live' }, { requestState, inputResponses })

  expect(server.requests[1]?.params.inputResponses).toEqual({ where: inEurope })
})

test.each([
  ['has no tool name', { arguments: {} }],
  ['has a lone surrogate in its arguments', { name: 'ask', arguments: { a: '\ud800' } }],
])('[RELAY-2] a call that could not be continued, because it %s, is not started', async (_why, params) => {
  const server = await aRawServer(() => complete)
  const gateway = await (await openTestEnv()).gateway({ deploy: { url: server.url } })

  const { status, message } = await request(gateway.url, 'tools/call', params)

  expect({ status, code: message.error.code }).toEqual({ status: 400, code: -32_602 })
  expect(server.requests).toEqual([])
})

test('[RELAY-4] a request that does not allow questions is refused if its server asks one', async () => {
  const server = await aRawServer(() => asks({ where: whichRegion }, 's'))
  const gateway = await (await openTestEnv()).gateway({ deploy: { url: server.url } })

  const { message } = await request(gateway.url, 'tools/list', {})

  expect(message.error.message).toContain('that does not allow questions')
})
