// Servers that start slowly, respond partially or not at all, and what is reported to clients and operators.

import { readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { closeAfterTest, listening } from '../../../../test-kit/close-after-test.ts'
import { openTestEnv } from '../../../../test-kit/gateway/test-env.ts'
import { isRunning } from '../../../../test-kit/is-running.ts'
import { aLegacyServer } from '../../../../test-kit/mcp/asking-servers.ts'
import { whichRegion } from '../../../../test-kit/mcp/asking-tools.ts'
import { messagesOf } from '../../../../test-kit/mcp/messages.ts'
import { aClient, accepts } from '../../../../test-kit/mcp/scripted-client.ts'
import { personHeader } from '../../../../test-kit/person-header.ts'
import { removeFolder } from '../../../../test-kit/remove-folder.ts'
import { until } from '../../../../test-kit/until.ts'
import { noTelemetry, type Telemetry } from '../call/telemetry-port.ts'
import { protocolLimits, serverLimits, setLimits } from '../limits.ts'
import { aRawServer, aSession, nextOf, post, type Received, request, untilTheEnd } from './wire.suite.ts'

const script = fileURLToPath(new URL('imperfect-process.suite.ts', import.meta.url))

async function aProcess(how: string, env: Record<string, string> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'assent-start-'))
  closeAfterTest(() => removeFolder(folder))
  const boots = join(folder, 'boots')
  writeFileSync(boots, '')
  const server = { command: process.execPath, args: [script, how, boots], env }
  return { server, boots: () => readFileSync(boots, 'utf8').split('boot').length - 1 }
}

/** What is reported to operators: each change of a server's health, with the reason. */
function aLog() {
  const lines: string[] = []
  const watch: Telemetry = {
    ...noTelemetry,
    health: (server, isUp, reason) => {
      const line = isUp ? `${server} is ready` : `${server}: ${reason}`
      if (lines.at(-1) !== line) lines.push(line)
    },
  }
  return { lines, watch }
}

const count = (url: string, args: object = {}) => request(url, 'tools/call', { name: 'count', arguments: args })
const toolNames = ({ message }: Received) => (message.result.tools as { name: string }[]).map(({ name }) => name)
const textOf = ({ message }: Received) => (message.result.content as { text: string }[])[0]?.text

test.each(['silent', 'chatty', 'ends-at-unknown', 'slow-older', 'slow-newest', 'slow-newest-strict', 'old', 'batches'])(
  '[START-1] a process that is %s serves clients of both generations',
  async (how) => {
    const { server } = await aProcess(how)
    const gateway = await (await openTestEnv()).gateway({ one: server })

    const called = await count(gateway.url)
    const session = await aSession(gateway.url)
    const inSession = await nextOf(await session.ask('tools/call', { name: 'count', arguments: {} }, 2))

    expect(called.message.error).toBeUndefined()
    expect(called.message.result).toMatchObject({ content: [{ text: expect.stringMatching(/^\d+$/) }] })
    expect(JSON.stringify(inSession)).toMatch(/result|in a batch/)
  },
)

test.each(['2025-11-25', '2026-07-28'] as const)(
  '[START-1] a slow process of the official SDK that supports both generations asks a %s client',
  async (generation) => {
    const script = fileURLToPath(new URL('stdio-server.suite.ts', import.meta.url))
    const server = { command: process.execPath, args: ['--conditions=assent-source', script, 'both, slowly'] }
    const gateway = await (await openTestEnv()).gateway({ one: server })
    const client = await aClient(generation, gateway.url)

    expect(await client.call('ask', { questions: [whichRegion] })).toMatchObject({ content: [{ text: 'done' }] })
  },
)

test.each(['silent', 'ordinary', 'slow-older', 'slow-newest', 'slow-newest-strict'])(
  '[START-2] a process that is %s is started once for its first client',
  async (how) => {
    const { server, boots } = await aProcess(how)
    const gateway = await (await openTestEnv()).gateway({ one: server })

    await request(gateway.url, 'tools/list', {})
    await count(gateway.url)

    expect(boots()).toBe(1)
  },
)

test('[START-3] the first list waits for a server that is starting, and a failed server delays later lists only briefly', async () => {
  closeAfterTest(setLimits(serverLimits, { listDelayMs: 300 }))
  const [slow, mute] = [await aProcess('slow-older'), await aProcess('mute')]
  const { lines, watch } = aLog()
  const servers = { slow: slow.server, mute: { ...mute.server, timeouts: { openMs: 10_000 } } }
  const gateway = await (await openTestEnv()).gateway(servers, { watch })

  const first = await request(gateway.url, 'tools/list', {})
  const startedAt = performance.now()
  const second = await request(gateway.url, 'tools/list', {})
  const tookMs = performance.now() - startedAt

  expect(toolNames(first)).toEqual(['slow__count'])
  expect(toolNames(second)).toEqual(['slow__count'])
  expect(tookMs).toBeLessThan(8_000)
  expect(lines).toContain('mute: The server did not respond in time.')
})

test('[START-3] a process that does not respond is reported as failed after its start timeout', async () => {
  closeAfterTest(setLimits(serverLimits, { probeMs: 300, openMs: 3_000 }))
  const mute = { command: process.execPath, args: ['-e', 'process.stdin.resume()'] }
  const gateway = await (await openTestEnv()).gateway({ mute })
  const began = performance.now()

  const { message } = await request(gateway.url, 'tools/list', {})

  expect(message.error.message).toContain('did not respond in time')
  expect(performance.now() - began).toBeLessThan(20_000)
})

test('[START-4] a server that comes up later is announced to clients that listed without it', async () => {
  const [late, good] = [await aProcess('fails-twice'), await aProcess('ordinary')]
  const gateway = await (await openTestEnv()).gateway({ late: late.server, good: good.server })
  const session = await aSession(gateway.url)
  const headers = { 'mcp-session-id': session.id, [personHeader]: 'ann' }
  const getStream = messagesOf(await fetch(gateway.url, { headers, signal: untilTheEnd().signal }))
  await request(gateway.url, 'tools/list', {})

  let announced: unknown
  while (announced !== 'notifications/tools/list_changed') announced = (await nextOf(getStream)).method

  expect(toolNames(await request(gateway.url, 'tools/list', {}))).toEqual(['late__count', 'good__count'])
})

test('[START-5] the client and the log get the reason why a process cannot be used, without its secrets', async () => {
  // Long, so that the last call certainly comes before the next attempt.
  closeAfterTest(setLimits(serverLimits, { restartFirstMs: 60_000, restartLastMs: 60_000 }))
  const { server } = await aProcess('fails', { KEY: 'hunter2-hunter2' })
  const { lines, watch } = aLog()
  const missing = { command: 'no-such-program-here' }
  const nowhere = { command: process.execPath, cwd: '/no/such/folder' }
  const gateway = await (await openTestEnv()).gateway({ fails: server, missing, nowhere }, { watch })

  const errors: string[] = []
  for (const name of ['fails', 'missing', 'nowhere', 'missing'])
    errors.push((await request(gateway.url, 'tools/call', { name: `${name}__x` })).message.error.message)

  expect(errors[0]).toContain('exit code 7')
  expect(errors[0]).toContain('npm ERR! 404 Not Found | the key is [secret]')
  expect(errors[1]).toContain('the program no-such-program-here was not found')
  expect(errors[2]).toContain('there is no folder /no/such/folder')
  // Before the next attempt, the error still has the reason.
  expect(errors[3]).toContain('the program no-such-program-here was not found')
  const log = lines.join('\n')
  expect(log).toContain('exit code 7')
  expect(log).toContain('no-such-program-here was not found')
  expect(lines.filter((line) => line.startsWith('missing'))).toHaveLength(1)
  expect(log).not.toContain('is ready')
  expect(`${log}${errors}`).not.toContain('hunter2')
})

test('[START-1] a server with the HTTP+SSE transport can ask questions', async () => {
  const { url } = await aLegacyServer()
  const gateway = await (await openTestEnv()).gateway({ one: { url } })

  for (const generation of ['2025-11-25', '2026-07-28'] as const) {
    const client = await aClient(generation, gateway.url)
    expect(await client.call('ask', { questions: [whichRegion] })).toMatchObject({ content: [{ text: 'done' }] })
    expect(client.asked.map(accepts)).toEqual([whichRegion].map(accepts))
  }
})

test('[START-1] an HTTP+SSE server that names another origin for messages gets no messages there', async () => {
  const elsewhere = await aRawServer(() => ({ result: {} }))
  const http = createServer((message, response) => {
    if (message.method !== 'GET') return void response.writeHead(405).end()
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(`event: endpoint\ndata: ${elsewhere.url}\n\n`)
  })
  const { url } = await listening(http)
  const gateway = await (await openTestEnv()).gateway({
    one: { url, headers: { Authorization: 'Bearer hunter2-hunter2' } },
  })

  const { message } = await request(gateway.url, 'tools/list', {})

  expect(message.error.code).toBe(-32_000)
  expect(elsewhere.requests).toEqual([])
})

test('[START-5] a server that requires authentication is reported with its challenge', async () => {
  const challenge = 'Bearer resource_metadata="https://example.test/.well-known/oauth-protected-resource"'
  const http = createServer((_request, response) => {
    response.writeHead(401, { 'www-authenticate': challenge }).end()
  })
  const { url } = await listening(http)
  const { lines, watch } = aLog()
  const gateway = await (await openTestEnv()).gateway({ one: { url } }, { watch })

  const { message } = await request(gateway.url, 'tools/list', {})

  expect(message.error.message).toContain('HTTP status 401')
  expect(message.error.message).toContain(challenge)
  expect(lines.join()).toContain('HTTP status 401')
  expect(lines.join()).not.toContain('is ready')
})

test('[START-6] a message on standard output that is slightly too large fails its call at once, with the limit', async () => {
  const { server } = await aProcess('ordinary')
  const gateway = await (await openTestEnv()).gateway({ one: server })
  const frame = Buffer.byteLength('{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":""}]}}')

  const fitting = await count(gateway.url, { bytes: protocolLimits.messageBytes - frame })
  const large = await count(gateway.url, { bytes: protocolLimits.messageBytes - frame + 10 })

  expect(textOf(fitting)).toHaveLength(protocolLimits.messageBytes - frame)
  expect(large.message.error.message).toContain(`${protocolLimits.messageBytes} bytes`)
  expect(large.message.error.message).toContain('limits.message_size')
})

test.each(['json', 'sse'])('[START-6] over HTTP as %s, bytes are counted too, not characters', async (how) => {
  const text = (characters: number) => ({ content: [{ type: 'text', text: 'é'.repeat(characters) }] })
  const server = await aRawServer(({ id, params }, response) => {
    const result = { resultType: 'complete', ...text((params.arguments as { characters: number }).characters) }
    if (how === 'json') return { result }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`)
    return undefined
  })
  const gateway = await (await openTestEnv()).gateway({ one: { url: server.url } })
  const ask = (characters: number) => request(gateway.url, 'tools/call', { name: 'x', arguments: { characters } })

  const fitting = await ask(protocolLimits.messageBytes / 2 - 1_000)
  const large = await ask(protocolLimits.messageBytes / 2 + 1_000)

  expect(textOf(fitting)).toHaveLength(protocolLimits.messageBytes / 2 - 1_000)
  expect(large.message.error.message).toContain('limits.message_size')
})

test('[START-5] a server is named once in the error, whichever layer detected it', async () => {
  const gateway = await (await openTestEnv()).gateway({
    one: { url: 'http://127.0.0.1:9/mcp' },
    two: { command: 'no-such-program-here' },
  })

  const errors: string[] = []
  for (const name of ['one', 'two'])
    errors.push((await request(gateway.url, 'tools/call', { name: `${name}__x` })).message.error.message)

  expect(errors[0]).toBe('The server one cannot be used now. connect ECONNREFUSED 127.0.0.1:9')
  expect(errors[1]).toMatch(/^The server two cannot be used now\. The server could not be started:/)
})

test('[START-8] if the only server cannot be used, its client gets the reason instead of a session', async () => {
  const gateway = await (await openTestEnv()).gateway({ one: { url: 'http://127.0.0.1:9/mcp' } })
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } }

  const response = await post(gateway.url, { jsonrpc: '2.0', id: 1, method: 'initialize', params })
  const discovered = await request(gateway.url, 'server/discover', {})

  const error = { code: -32_000, message: 'The server one cannot be used now. connect ECONNREFUSED 127.0.0.1:9' }
  expect(response.headers.get('mcp-session-id')).toBeNull()
  expect(await response.json()).toEqual({ jsonrpc: '2.0', id: 1, error })
  expect(discovered.message.error).toEqual(error)
  expect(gateway.standing().sessions).toBe(0)
  await expect(aClient('2025-11-25', gateway.url)).rejects.toThrow('cannot be used now')
})

test('[START-8] while the only server is being retried, its clients get the reason of the last failure', async () => {
  closeAfterTest(setLimits(serverLimits, { openMs: 3_000, probeMs: 100, listDelayMs: 100 }))
  const { server } = await aProcess('mute')
  const gateway = await (await openTestEnv()).gateway({ one: server })

  const first = await request(gateway.url, 'server/discover', {})
  const second = await request(gateway.url, 'server/discover', {})

  expect(first.message.error.message).toBe('The server one cannot be used now. The server did not respond in time.')
  expect(second.message.error.message).toBe(
    'The server one cannot be used now. The server has not responded yet. The last attempt failed: The server did not respond in time.',
  )
})

test('[START-8] with several servers, none of which can be used, clients connect and get each server’s reason', async () => {
  const away = { url: 'http://127.0.0.1:9/mcp' }
  const gateway = await (await openTestEnv()).gateway({ one: away, two: away })

  const { opened } = await aSession(gateway.url)
  const { message } = await request(gateway.url, 'server/discover', {})

  const unavailable = ['one', 'two'].map((server) => ({ server, reason: 'connect ECONNREFUSED 127.0.0.1:9' }))
  expect(opened._meta).toEqual({ 'assent/unavailable': unavailable })
  expect(message.result._meta).toMatchObject({ 'assent/unavailable': unavailable })
})

test('[START-9] closing does not wait for a server that is starting, and stops its process', async () => {
  const { server } = await aProcess('mute-stubborn')
  const gateway = await (await openTestEnv()).gateway({ one: server })
  const asked = request(gateway.url, 'tools/list', {}).catch(() => undefined)
  const pid = await until(() => pidIn(server.args[2] ?? ''))

  const began = performance.now()
  await gateway.close()
  const tookMs = performance.now() - began
  await asked

  expect(tookMs).toBeLessThan(20_000)
  await until(() => (isRunning(pid) ? undefined : true))
})

/** Each start of a process writes its id into this file. */
function pidIn(boots: string): number | undefined {
  const pid = /boot (\d+)/.exec(readFileSync(boots, 'utf8'))?.[1]
  return pid === undefined ? undefined : Number(pid)
}
