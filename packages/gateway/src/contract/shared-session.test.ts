import { createServer } from 'node:http'
import { afterEach, expect, test } from 'vitest'
import { listening } from '../../../../test-kit/close-after-test.ts'
import { openTestEnv } from '../../../../test-kit/gateway/test-env.ts'
import { isRunning } from '../../../../test-kit/is-running.ts'
import { messagesOf } from '../../../../test-kit/mcp/messages.ts'
import { until } from '../../../../test-kit/until.ts'
import { serverLimits, setLimits } from '../limits.ts'
import { type Counted, callTool, countedIn, inSession, replyOf, stateful, textOf } from './shared-session.suite.ts'
import { anOlderRawServer, aSession, nextOf, request, untilTheEnd, type Wire } from './wire.suite.ts'

afterEach(setLimits(serverLimits, {}))

test('[SHARE-1] the calls of one session share one process and its state, and another session has a separate process', async () => {
  const { url } = await (await openTestEnv()).gateway({ deploy: stateful })
  const [one, two] = [await aSession(url), await aSession(url)]

  const counts = await Promise.all([1, 2, 3].map((id) => countedIn(one, id)))
  const other = await countedIn(two, 1)

  expect(counts.map(({ counted }) => counted).toSorted()).toEqual([1, 2, 3])
  expect(new Set(counts.map((count) => count.process)).size).toBe(1)
  expect(other.counted).toBe(1)
  expect(other.process).not.toBe(counts[0]?.process)
})

test('[SHARE-1] a client without sessions has one process for each name, and it is stopped when idle', async () => {
  setLimits(serverLimits, { idleLookMs: 50 })
  const { url } = await (await openTestEnv()).gateway({ deploy: stateful })
  const count = async (client: string): Promise<Counted> =>
    JSON.parse(textOf((await callTool(url, 'count', {}, { client })).result))

  const first = await count('one')
  const again = await count('one')
  const other = await count('two')

  expect(again).toEqual({ counted: 2, process: first.process })
  expect(other).toMatchObject({ counted: 1 })
  expect(other.process).not.toBe(first.process)
  setLimits(serverLimits, { idleMs: 300 })
  await until(() => (isRunning(first.process) ? undefined : true))
  expect(await count('one')).toMatchObject({ counted: 1 })
})

test('[SHARE-1] with identity a client without sessions has one process for each OAuth client of a person', async () => {
  const testEnv = await openTestEnv()
  const identify = ({ headers }: { headers: Record<string, unknown> }) => {
    const [principal = 'ann', client = 'app'] = String(headers['x-person'] ?? '').split('/')
    return { principal, groups: [], client }
  }
  const { url } = await testEnv.gateway({ deploy: stateful }, { identify: identify as never })
  const count = async (person: string, name: string): Promise<Counted> => {
    const meta = { 'io.modelcontextprotocol/clientInfo': { name, version: '1' } }
    const { message } = await request(url, 'tools/call', { name: 'count', arguments: {} }, { person, meta })
    return JSON.parse(textOf(message.result))
  }

  const counts = [
    await count('ann/app', 'x'),
    await count('ann/app', 'y'),
    await count('ann/cli', 'x'),
    await count('bob/app', 'x'),
  ]

  expect(counts.map(({ counted }) => counted)).toEqual([1, 2, 1, 1])
  expect(new Set(counts.map((one) => one.process)).size).toBe(3)
})

test('[SHARE-1] the process of an idle session stays as long as the session', async () => {
  setLimits(serverLimits, { idleMs: 50, idleLookMs: 20 })
  const { url } = await (await openTestEnv()).gateway({ deploy: stateful })
  const session = await aSession(url)
  await countedIn(session, 1)

  await new Promise((resolve) => setTimeout(resolve, 400))

  expect(await countedIn(session, 2)).toMatchObject({ counted: 2 })
})

test('[SHARE-5] with `isolation: call` each call has its own process', async () => {
  const { url } = await (await openTestEnv()).gateway({ deploy: { ...stateful, isolation: 'call' } })
  const session = await aSession(url)
  await inSession(session, 1, 'hang')

  const second = await inSession(session, 2, 'ask', { message: 'mine' })

  expect(await nextOf(second)).toMatchObject({ method: 'elicitation/create', params: { message: 'mine' } })
  expect(await countedIn(session, 3)).toMatchObject({ counted: 1 })
})

test.each([
  ['all servers', { processesTotal: 1 }, {}, 'limits.processes'],
  ['one server', {}, { processes: 1 }, 'its setting processes'],
] as const)(
  '[SHARE-5] more processes than %s may have are refused, and the error names the setting',
  async (_which, limits, setting, words) => {
    setLimits(serverLimits, limits)
    const { url } = await (await openTestEnv()).gateway({ deploy: { ...stateful, ...setting } })
    const session = await aSession(url)
    await countedIn(session, 1)

    const refused = await callTool(url, 'count')

    expect(refused.error.message).toContain(words)
    expect(await countedIn(session, 2)).toMatchObject({ counted: 2 })
  },
)

test('[SHARE-6] a stream that breaks fails only its own call, and the session is reused if the server still has it', async () => {
  let hasLostSession = false
  const server = await anOlderRawServer(({ method, params, end, response }) => {
    if (method === 'ping') return hasLostSession ? void response.destroy() : end({ result: {} })
    if (params.name === 'break') return void response.destroy()
    if (params.name === 'quick') end({ result: { content: [] } })
  })
  const { url } = await (await openTestEnv()).gateway({ deploy: { url: server.url } })
  const session = await aSession(url)
  const initialized = () => server.received.filter(({ method }) => method === 'initialize').length
  const waiting = await inSession(session, 1, 'wait')
  let hasEnded = false
  void waiting.next().then(() => {
    hasEnded = true
  })

  const broken = await replyOf(await inSession(session, 2, 'break'))
  const quick = await replyOf(await inSession(session, 3, 'quick'))

  expect(broken).toHaveProperty('error')
  expect(quick).toHaveProperty('result')
  expect(hasEnded).toBe(false)
  expect(initialized()).toBe(1)
  hasLostSession = true
  await replyOf(await inSession(session, 4, 'break'))
  expect(await replyOf(await inSession(session, 5, 'quick'))).toHaveProperty('result')
  expect(initialized()).toBe(2)
})

test('[SHARE-6] a response that is too large fails only its own call, and the process keeps running', async () => {
  const { url } = await (await openTestEnv()).gateway({ deploy: stateful })
  const session = await aSession(url)
  const before = await countedIn(session, 1)
  const asking = await inSession(session, 2, 'ask', { message: 'open' })
  expect(await nextOf(asking)).toMatchObject({ method: 'elicitation/create' })

  const big = await replyOf(await inSession(session, 3, 'big'))

  expect(big.error).toMatchObject({ message: expect.stringContaining('limits.message_size') })
  expect(await countedIn(session, 4)).toEqual({ counted: 2, process: before.process })
  const nameless = await replyOf(await inSession(session, 5, 'big and nameless'))
  expect(nameless.error).toMatchObject({ message: expect.stringContaining('limits.message_size') })
  expect(await countedIn(session, 6)).toMatchObject({ counted: 1 })
})

test.each(['a client that listens', 'the next call'])(
  '[SHARE-7] a server that asks for roots outside calls gets them through %s',
  async (through) => {
    const program = `
      const lines = require('node:readline').createInterface({ input: process.stdin })
      const say = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }))
      let [roots, called] = []
      const reply = () => {
        if (roots === undefined || called === undefined) return
        say({ id: called, result: { content: [{ type: 'text', text: JSON.stringify(roots) }] } })
      }
      lines.on('line', (line) => {
        const { id, method, params, result } = JSON.parse(line)
        if (method === 'initialize')
          say({ id, result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } } })
        else if (method === 'notifications/initialized') say({ id: 'r', method: 'roots/list' })
        else if (id === 'r') { roots = result; reply() }
        else if (method === 'tools/call') { called = id; reply() }
        else if (method !== undefined) say({ id, error: { code: -32601, message: 'unknown' } })
      })`
    const gateway = await (await openTestEnv()).gateway({
      deploy: { command: process.execPath, args: ['-e', program] },
    })
    const session = await aSession(gateway.url, { capabilities: { roots: {} } })
    const roots = [{ uri: 'file:///work', name: 'work' }]
    const answer = ({ id }: Wire) => session.post({ jsonrpc: '2.0', id, result: { roots } })
    if (through === 'a client that listens') {
      const headers = { 'mcp-session-id': session.id, 'x-person': 'ann' }
      const stream = messagesOf(await fetch(gateway.url, { headers, signal: untilTheEnd().signal }))
      await answer(await nextOf(stream))
    }
    const calling = await inSession(session, 1, 'x')
    if (through === 'the next call') await answer(await nextOf(calling))

    expect(JSON.parse(textOf((await replyOf(calling)).result))).toEqual({ roots })
  },
)

test('[SHARE-6] a notification stream that the server closed is opened again', async () => {
  let opened = 0
  const changed = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' }
  const server = createServer(async (message, response) => {
    if (message.method === 'GET') {
      opened += 1
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
      if (opened === 1) return void setTimeout(() => response.end(': closed for lack of traffic\n\n'), 50)
      return void response.write(`data: ${JSON.stringify(changed)}\n\n`)
    }
    let body = ''
    for await (const chunk of message.setEncoding('utf8')) body += chunk
    const { id, method } = body === '' ? ({} as Wire) : JSON.parse(body)
    if (method !== 'initialize') return void response.writeHead(id === undefined ? 202 : 400).end()
    const result = { protocolVersion: '2025-11-25', capabilities: { tools: { listChanged: true } }, serverInfo: {} }
    response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 'raw' })
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
  })
  const { url } = await (await openTestEnv()).gateway({ deploy: await listening(server) })
  const session = await aSession(url)
  const headers = { 'mcp-session-id': session.id, 'x-person': 'ann' }
  const stream = messagesOf(await fetch(url, { headers, signal: untilTheEnd().signal }))

  expect(await nextOf(stream)).toMatchObject({ method: changed.method })
  expect(opened).toBe(2)
})

test('[START-1] a server that sends nothing on its notification stream before its first event is used at once', async () => {
  const server = createServer(async (message, response) => {
    // Keeps the request open and sends no status, as a server that waits for its first event does.
    if (message.method === 'GET') return
    let body = ''
    for await (const chunk of message.setEncoding('utf8')) body += chunk
    const { id, method } = body === '' ? ({} as Wire) : JSON.parse(body)
    if (method === 'server/discover') return void response.writeHead(400).end()
    if (id === undefined) return void response.writeHead(202).end()
    const opened = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: {} }
    const result = method === 'initialize' ? opened : { content: [] }
    response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 'raw' })
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
  })
  const { url } = await (await openTestEnv()).gateway({ deploy: await listening(server) })
  const began = performance.now()

  expect((await callTool(url, 'x')).result).toMatchObject({ content: [] })

  expect(performance.now() - began).toBeLessThan(20_000)
})
