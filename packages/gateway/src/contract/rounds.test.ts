import { expect, test } from 'vitest'
import { howMany, signIn, whichRegion } from './asking.suite.ts'
import { anAskingServer } from './servers.suite.ts'
import { aStage } from './stage.suite.ts'
import { aRawServer, aSession, asks, call, complete, nextOf, request } from './wire.suite.ts'

const inEurope = { action: 'accept', content: { region: 'eu' } }

/** A server that asks for a region and then says what it heard. */
async function aRound(question: unknown = whichRegion, state = 'round 1') {
  const server = await aRawServer(({ params }) =>
    params.inputResponses === undefined ? asks({ where: question }, state) : complete,
  )
  const gateway = await (await aStage()).gateway({ deploy: { url: server.url } })
  const first = await call(gateway.url, { env: 'live' })
  return { server, gateway, first, requestState: first.message.result.requestState as string }
}

test("[RELAY-6] a server's own state comes back to it byte for byte, and cannot be read on the way", async () => {
  const state = 'Grüße, \u{1f30d} "quoted" \\ and \u0000'
  const { server, gateway, requestState } = await aRound(whichRegion, state)

  const { message } = await call(gateway.url, { env: 'live' }, { requestState, inputResponses: { where: inEurope } })

  expect(message.result).toMatchObject(complete.result)
  expect(requestState).not.toContain('quoted')
  expect(server.requests[1]?.params).toMatchObject({ requestState: state, inputResponses: { where: inEurope } })
})

test('[RELAY-6] a call may ask with arguments as large as a message, and is continued for exactly those', async () => {
  const server = await aRawServer(({ params }) =>
    params.inputResponses === undefined ? asks({ where: whichRegion }) : complete,
  )
  const gateway = await (await aStage()).gateway({ deploy: { url: server.url } })
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

test('[RELAY-6] a server that gave no state gets none back', async () => {
  const server = await aRawServer(({ params }) =>
    params.inputResponses === undefined ? asks({ where: whichRegion }) : complete,
  )
  const gateway = await (await aStage()).gateway({ deploy: { url: server.url } })
  const { requestState } = (await call(gateway.url, {})).message.result

  await call(gateway.url, {}, { requestState, inputResponses: { where: inEurope } })

  expect(typeof requestState).toBe('string')
  expect(server.requests[1]?.params).not.toHaveProperty('requestState')
})

test.each([
  ['was altered', (state: string) => ({ requestState: `${state.slice(0, -2)}AA` }), {}],
  ['was cut', (state: string) => ({ requestState: state.slice(0, 40) }), {}],
  ['is no text', () => ({ requestState: 7 }), {}],
  ['comes from another person', (state: string) => ({ requestState: state }), { person: 'ben' }],
])('[RELAY-6] state that %s is refused, and the server hears nothing', async (_why, rounds, sender) => {
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

test.each([
  ['does not fit its form', { action: 'accept', content: { region: 'mars' } }],
  ['has no content', { action: 'accept' }],
  ['has an action that nobody knows', { action: 'approve', content: { region: 'eu' } }],
  ['has no action', { content: { region: 'eu' } }],
  ['is empty', {}],
])('[RELAY-5] an answer that %s is no answer', async (_what, answer) => {
  const { server, gateway, requestState } = await aRound()

  await call(gateway.url, { env: 'live' }, { requestState, inputResponses: { where: answer } })

  const _meta = { 'assent/no-answer': 'malformed', 'assent/reason': expect.any(String) }
  expect(server.requests[1]?.params.inputResponses).toEqual({ where: { action: 'cancel', _meta } })
})

test.each([
  { where: { action: 'decline' } },
  { where: { action: 'cancel' } },
  { where: { ...inEurope, _meta: { seen: true } } },
])('[RELAY-5] an answer that is one passes as it came: %j', async (inputResponses) => {
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

test('[RELAY-5] an answer that comes after the time is up is no answer', async () => {
  const server = await aRawServer(({ params }) =>
    params.inputResponses === undefined ? asks({ where: whichRegion }, 's') : complete,
  )
  const gateway = await (await aStage()).gateway({ deploy: { url: server.url } }, { askWaitMs: 20 })
  const { requestState } = (await call(gateway.url, {})).message.result
  await new Promise((resolve) => setTimeout(resolve, 30))

  await call(gateway.url, {}, { requestState, inputResponses: { where: inEurope } })

  expect(server.requests[1]?.params.inputResponses).toEqual({ where: { action: 'cancel' } })
})

test('[RELAY-3] a mode is refused where this call did not declare it, whatever another call declared', async () => {
  const { gateway, server } = await aRound(signIn)

  const bare = await call(gateway.url, { env: 'live' }, {}, { capabilities: { elicitation: {} } })
  const none = await call(gateway.url, { env: 'live' }, {}, { capabilities: {} })

  for (const { status, message } of [bare, none]) {
    expect({ status, code: message.error.code }).toEqual({ status: 400, code: -32_021 })
    expect(message.error.data).toEqual({ requiredCapabilities: { elicitation: { url: {} } } })
  }
  expect(server.requests).toHaveLength(3)
})

test('[RELAY-3] a session that declared elicitation and no mode is sent forms alone', async () => {
  const server = await aRawServer(({ params }) =>
    params.inputResponses === undefined ? asks({ where: whichRegion, first: signIn }, 's') : complete,
  )
  const gateway = await (await aStage()).gateway({ deploy: { url: server.url } })
  const session = await aSession(gateway.url, { capabilities: { elicitation: {} } })
  const stream = await session.ask('tools/call', { name: 'ask', arguments: {} })
  const question = await nextOf(stream)

  await session.post({ jsonrpc: '2.0', id: question.id, result: inEurope })
  const reply = await nextOf(stream)

  expect(question.params).toEqual(whichRegion)
  expect(reply.result).toEqual({ content: complete.result.content })
  expect(server.requests[1]?.params.inputResponses).toEqual({ where: inEurope, first: { action: 'cancel' } })
})

test('[RELAY-4] a server that asks for too much at once has its call refused', async () => {
  const many = Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`q${n}`, howMany]))
  const server = await aRawServer(() => asks(many))
  const gateway = await (await aStage()).gateway({ deploy: { url: server.url } })

  const { message } = await call(gateway.url, {})

  expect(message.error.message).toContain('At most 16 questions')
})

test.each([
  [
    'of a kind that nobody knows',
    { result: { resultType: 'input_required', inputRequests: { a: { method: 'x/y' } } } },
  ],
  ['that is no request', { result: { resultType: 'input_required', inputRequests: { a: 'Which region?' } } }],
  ['without words', asks({ a: { requestedSchema: whichRegion.requestedSchema } })],
  ['in a mode that nobody knows', asks({ a: { mode: 'voice', message: 'Which region?' } })],
])('[RELAY-4] a question %s reaches nobody', async (_what, reaction) => {
  const server = await aRawServer(() => reaction)
  const gateway = await (await aStage()).gateway({ deploy: { url: server.url } })

  const { message } = await call(gateway.url, {})

  expect(message.error).toEqual({ code: -32_603, message: 'The server asked for something in a form nobody knows.' })
})

test('[RELAY-1] sampling and roots pass like questions, to a client that declared them', async () => {
  const inputRequests = {
    text: { method: 'sampling/createMessage', params: { messages: [], maxTokens: 5 } },
    places: { method: 'roots/list' },
  }
  const server = await aRawServer(({ params }) =>
    params.inputResponses === undefined ? { result: { resultType: 'input_required', inputRequests } } : complete,
  )
  const gateway = await (await aStage()).gateway({ deploy: { url: server.url } })
  const sender = { capabilities: { sampling: {}, roots: {} } }
  const { result } = (await call(gateway.url, {}, {}, sender)).message
  const inputResponses = { text: { role: 'assistant', content: { type: 'text', text: 'hi' } }, places: { roots: [] } }

  await call(gateway.url, {}, { requestState: result.requestState, inputResponses }, sender)

  expect(result.inputRequests).toEqual(inputRequests)
  expect(server.requests[1]?.params.inputResponses).toEqual(inputResponses)
})

test('[RELAY-1] a client of 2025-06-18 is asked in the words that revision has', async () => {
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
  const gateway = await (await aStage()).gateway({ deploy: { url: server.url } })
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

test('[RELAY-5] an error in place of an answer is told to a waiting server, and is no answer to another', async () => {
  const older = await anAskingServer('2025-11-25')
  const newest = await aRawServer(({ params }) =>
    params.inputResponses === undefined ? asks({ where: whichRegion }, 's') : complete,
  )
  const stage = await aStage()
  for (const { url } of [older, newest]) {
    const gateway = await stage.gateway({ deploy: { url } })
    const session = await aSession(gateway.url)
    const stream = await session.ask('tools/call', { name: 'ask', arguments: { questions: [whichRegion] } })
    const { id } = await nextOf(stream)
    await session.post({ jsonrpc: '2.0', id, error: { code: -32_603, message: 'The screen broke.' } })
    await nextOf(stream)
  }

  expect(older.saw).toEqual([{ error: expect.stringContaining('The screen broke.') }])
  expect(newest.requests[1]?.params.inputResponses).toEqual({ where: { action: 'cancel' } })
})

test('[RELAY-5] an answer to what was not asked does not reach the server', async () => {
  const { server, gateway, requestState } = await aRound()
  const inputResponses = { where: inEurope, approve: { action: 'accept' }, constructor: inEurope }

  await call(gateway.url, { env: 'live' }, { requestState, inputResponses })

  expect(server.requests[1]?.params.inputResponses).toEqual({ where: inEurope })
})

test.each([
  ['names nothing', { arguments: {} }],
  ['has half a character in its arguments', { name: 'ask', arguments: { a: '\ud800' } }],
])('[RELAY-2] a call that could not be continued, because it %s, is not begun', async (_why, params) => {
  const server = await aRawServer(() => complete)
  const gateway = await (await aStage()).gateway({ deploy: { url: server.url } })

  const { status, message } = await request(gateway.url, 'tools/call', params)

  expect({ status, code: message.error.code }).toEqual({ status: 400, code: -32_602 })
  expect(server.requests).toEqual([])
})

test('[RELAY-4] a server that asks where nothing can be asked has its request refused', async () => {
  const server = await aRawServer(() => asks({ where: whichRegion }, 's'))
  const gateway = await (await aStage()).gateway({ deploy: { url: server.url } })

  const { message } = await request(gateway.url, 'tools/list', {})

  expect(message.error.message).toContain('in which nothing can be asked')
})
