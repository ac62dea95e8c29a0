// The gateway does not support tasks: it removes them from the messages of both sides.

import { expect, test } from 'vitest'
import { openTestEnv } from '../../../../test-kit/gateway/test-env.ts'
import { noTelemetry } from '../call/telemetry-port.ts'
import { anOlderRawServer, aRawServer, aSession, call, complete, nextOf, request, type Wire } from './wire.suite.ts'

const extension = 'io.modelcontextprotocol/tasks'
const newestTasks = { extensions: { [extension]: {}, 'example/other': {} } }
const olderTasks = { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} }, elicitation: { create: {} } } } }
const tools = [
  { name: 'plain', inputSchema: { type: 'object' } },
  { name: 'either', inputSchema: { type: 'object' }, execution: { taskSupport: 'optional' } },
  { name: 'only', inputSchema: { type: 'object' }, execution: { taskSupport: 'required' } },
]

async function twoOf(server: { url: string }, leftOut: string[] = []) {
  const other = await aRawServer(() => complete)
  const watch = { ...noTelemetry, toolLeftOut: (name: string, tool: string) => leftOut.push(`${name} ${tool}`) }
  return (await openTestEnv()).gateway({ deploy: { url: server.url }, other: { url: other.url } }, { watch })
}

async function oneOf(server: { url: string }, leftOut: string[] = []) {
  const watch = { ...noTelemetry, toolLeftOut: (name: string, tool: string) => leftOut.push(`${name} ${tool}`) }
  return (await openTestEnv()).gateway({ deploy: { url: server.url } }, { watch })
}

for (const [what, open, name] of [
  ['one server', oneOf, 'plain'],
  ['several servers', twoOf, 'deploy__plain'],
] as const) {
  test(`[TASK-1] with ${what}, a 2026-07-28 server sees no tasks extension and its own is not shown`, async () => {
    const server = await aRawServer(() => complete, { tools: {}, ...newestTasks })
    const { url } = await open(server)
    const capabilities = { elicitation: { form: {} }, ...newestTasks }

    const discovered = await request(url, 'server/discover', {}, { capabilities })
    await request(url, 'tools/call', { name, arguments: {}, task: { ttl: 1_000 } }, { capabilities })

    expect(JSON.stringify(discovered.message.result)).not.toContain(extension)
    expect(discovered.message.result.capabilities).toMatchObject({ extensions: { 'example/other': {} } })
    const seen = server.requests.find(({ method }) => method === 'tools/call')?.params
    expect(seen).toBeDefined()
    expect(JSON.stringify(seen)).not.toContain('task')
    expect(JSON.stringify(seen)).toContain('example/other')
  })

  test(`[TASK-2] with ${what}, tasks/get reaches no server and gives -32601 with status 404`, async () => {
    const secret = { type: 'object', properties: { password: { type: 'string' } } }
    const asking = {
      method: 'elicitation/create',
      params: { mode: 'form', message: 'Root password', requestedSchema: secret },
    }
    const server = await aRawServer(() => ({
      result: { resultType: 'complete', taskId: 't', status: 'input_required', inputRequests: { q: asking } },
    }))
    const { url } = await open(server)

    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel', 'tasks/list', 'tasks/result']) {
      const { status, message } = await request(url, method, { taskId: 't' })
      expect([method, status, message.error.code]).toEqual([method, 404, -32_601])
    }
    expect(server.requests).toEqual([])
  })
}

test('[TASK-2] a 2025-11-25 client that calls tasks/get gets -32601', async () => {
  const server = await anOlderRawServer(({ end }) => end({ result: { taskId: 't' } }), { tools: {}, ...olderTasks })
  const session = await aSession((await oneOf(server)).url)

  const reply = await nextOf(await session.ask('tasks/get', { taskId: 't' }))

  expect(reply).toMatchObject({ error: { code: -32_601 } })
  expect(server.received.map(({ method }) => method)).not.toContain('tasks/get')
})

test('[TASK-1] a 2025-11-25 server and client see no tasks capability of each other, and params.task is removed', async () => {
  const server = await anOlderRawServer(({ end }) => end({ result: { content: [] } }), { tools: {}, ...olderTasks })
  const session = await aSession((await oneOf(server)).url, { capabilities: { elicitation: {}, ...olderTasks } })

  await nextOf(await session.ask('tools/call', { name: 'plain', arguments: {}, task: { ttl: 5 } }))

  expect(session.opened.capabilities).toEqual({ tools: {} })
  const initialize = server.received.find(({ method }) => method === 'initialize') as { params: Wire }
  expect(initialize.params.capabilities).not.toHaveProperty('tasks')
  const called = server.received.find(({ method }) => method === 'tools/call') as { params: Wire }
  expect(called.params).not.toHaveProperty('task')
})

for (const [what, open, prefix] of [
  ['one server', oneOf, ''],
  ['several servers', twoOf, 'deploy__'],
] as const) {
  test(`[TASK-3] with ${what}, a tool that requires tasks is left out of the list and reported once`, async () => {
    const server = await anOlderRawServer(({ end }) => end({ result: { tools } }))
    const leftOut: string[] = []
    const { url } = await open(server, leftOut)

    const lists = [await request(url, 'tools/list', {}), await request(url, 'tools/list', {})]

    for (const { message } of lists) {
      const listed = message.result.tools as Wire[]
      expect(listed.map(({ name }) => name)).toEqual([`${prefix}plain`, `${prefix}either`])
      expect(JSON.stringify(listed)).not.toContain('taskSupport')
    }
    expect(leftOut).toEqual(['deploy only'])
  })
}

test.each([
  ['2026-07-28', { resultType: 'task', taskId: 't-1', status: 'working', ttlMs: 60_000 }],
  ['2025-11-25', { task: { taskId: 't-1', status: 'working', ttl: 60_000 } }],
])('[TASK-4] if a %s server starts a task anyway, the call fails with the reason', async (_revision, result) => {
  const server =
    'task' in result ? await anOlderRawServer(({ end }) => end({ result })) : await aRawServer(() => ({ result }))
  const { url } = await oneOf(server)

  const { message } = await call(url, {})

  expect(message.error.message).toMatch(/started a task although this gateway did not offer tasks/)
  expect(JSON.stringify(message)).not.toContain('t-1')
})

test('[TASK-1] a subscription to tasks is not acknowledged and no task notification is passed on', async () => {
  const server = await aRawServer((received, response) => {
    if (received.method !== 'subscriptions/listen') return complete
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const say = (message: object) => response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`)
    say({ method: 'notifications/tasks', params: { taskId: 't-1', status: 'input_required' } })
    say({ method: 'notifications/tools/list_changed' })
    response.end()
    return undefined
  })
  const { url } = await oneOf(server)

  const { said } = await request(url, 'subscriptions/listen', {
    notifications: { taskIds: ['t-1'], toolsListChanged: true },
  })

  expect(said.map(({ method }) => method)).toContain('notifications/tools/list_changed')
  expect(JSON.stringify(said)).not.toContain('t-1')
  expect(JSON.stringify(server.requests)).not.toContain('t-1')
})
