import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { openTestEnv } from '../../../../test-kit/gateway/test-env.ts'
import { isRunning } from '../../../../test-kit/is-running.ts'
import { howMany, signIn, whichRegion } from '../../../../test-kit/mcp/asking-tools.ts'
import { aClient, accepts } from '../../../../test-kit/mcp/scripted-client.ts'
import { personHeader } from '../../../../test-kit/person-header.ts'
import type { Revision } from '../../../../test-kit/revisions.ts'
import { until } from '../../../../test-kit/until.ts'
import { aSession, call, nextOf, request, untilTheEnd } from './wire.suite.ts'

const script = fileURLToPath(new URL('stdio-server.suite.ts', import.meta.url))

function aProcess(generation: Revision) {
  return { command: process.execPath, args: [script, generation] }
}

test.each(['2025-11-25', '2026-07-28'] as const)(
  '[RELAY-1] questions of a %s server on standard output are forwarded, and its log output is not parsed as messages',
  async (generation) => {
    const logged: string[] = []
    const options = { onServerLog: (server: string, line: string) => logged.push(`${server}: ${line}`) }
    const gateway = await (await openTestEnv()).gateway({ deploy: aProcess(generation) }, options)
    const [older, newest] = [await aClient('2025-11-25', gateway.url), await aClient('2026-07-28', gateway.url)]

    const results = await Promise.all(
      [older, newest].map((client) => client.call('ask', { questions: [whichRegion, signIn] })),
    )

    const done = { content: [{ type: 'text', text: 'done' }] }
    expect(results).toMatchObject([done, done])
    for (const { asked } of [older, newest]) expect(asked.map(accepts)).toEqual([whichRegion, signIn].map(accepts))
    expect(logged).toContain('deploy: a line for the log')
  },
)

test('[SHARE-1] two calls of one person that ask at once get their own questions', async () => {
  const gateway = await (await openTestEnv()).gateway({ deploy: aProcess('2025-11-25') })
  const questions = ['one', 'two'].map((message) => ({ ...howMany, message }))

  const received = await Promise.all(questions.map((question) => call(gateway.url, { questions: [question] })))

  const messages = received.map(({ message }) => JSON.stringify(message.result.inputRequests))
  expect(messages[0]).toContain('"one"')
  expect(messages[1]).toContain('"two"')
})

test('[RELAY-11] a log message of a 2026-07-28 process reaches the session that set a level', async () => {
  const program = `
    const lines = require('node:readline').createInterface({ input: process.stdin })
    const say = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }))
    lines.on('line', (line) => {
      const { id, method, params } = JSON.parse(line)
      const capabilities = { tools: {}, logging: {} }
      if (method === 'server/discover')
        say({ id, result: { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities } })
      if (method !== 'tools/call') return
      const level = params._meta['io.modelcontextprotocol/logLevel']
      if (level !== undefined) say({ method: 'notifications/message', params: { level, data: 'a line' } })
      say({ id, result: { resultType: 'complete', content: [] } })
    })`
  const gateway = await (await openTestEnv()).gateway({ deploy: { command: process.execPath, args: ['-e', program] } })
  const session = await aSession(gateway.url)
  const headers = { 'mcp-session-id': session.id, [personHeader]: 'ann' }
  // Every client of the official SDK opens a notification stream, which is a request to the process too.
  await fetch(gateway.url, { headers, signal: untilTheEnd().signal })
  await nextOf(await session.ask('logging/setLevel', { level: 'warning' }))

  const said = await nextOf(await session.ask('tools/call', { name: 'x', arguments: {} }, 2))

  expect(said).toMatchObject({ method: 'notifications/message', params: { level: 'warning', data: 'a line' } })
})

test('[RELAY-9] a call to a server that cannot be started gets an error with the reason', async () => {
  const gateway = await (await openTestEnv()).gateway({ deploy: { command: '/nowhere/to/be/found' } })

  const { message } = await request(gateway.url, 'tools/list', {})

  expect(message.error).toMatchObject({ code: -32_000, message: expect.stringContaining('deploy') })
})

test.each(['2025-11-25', '2026-07-28'])(
  '[RELAY-2] a %s process that ended after its last call is started again for the next one, also while its output stays open',
  async (revision) => {
    const program = `
      const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n')
      require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
        const { id, method } = JSON.parse(line)
        const capabilities = { tools: {} }
        if (method === 'server/discover') say('${revision}' === '2026-07-28'
          ? { id, result: { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities } }
          : { id, error: { code: -32601, message: 'unknown' } })
        if (method === 'initialize')
          say({ id, result: { protocolVersion: '2025-11-25', capabilities, serverInfo: { name: 'x', version: '1' } } })
        if (method !== 'tools/call') return
        require('node:child_process').spawn(process.execPath, ['-e', 'setTimeout(() => {}, 2000)'], { stdio: 'inherit' }).unref()
        say({ id, result: { resultType: 'complete', content: [{ type: 'text', text: String(process.pid) }] } })
        setTimeout(() => process.exit(0), 20)
      })`
    const gateway = await (await openTestEnv()).gateway({
      deploy: { command: process.execPath, args: ['-e', program] },
    })
    const first = await call(gateway.url, {})
    const pid = Number((first.message.result.content as { text: string }[])[0]?.text)
    await until(() => (isRunning(pid) ? undefined : true))

    const second = await call(gateway.url, {})

    expect(second.message).toHaveProperty('result')
  },
)

test('[RELAY-2] a process that ends in the middle of a call is started again for the next call, not for this one', async () => {
  const program = `
    const lines = require('node:readline').createInterface({ input: process.stdin })
    lines.on('line', (line) => {
      const { id, method, params } = JSON.parse(line)
      const reply = (about) => console.log(JSON.stringify({ jsonrpc: '2.0', id, ...about }))
      const serverInfo = { name: 'x', version: '1' }
      if (method === 'initialize') reply({ result: { protocolVersion: '2025-11-25', capabilities: {}, serverInfo } })
      else if (method === 'server/discover') reply({ error: { code: -32601, message: 'unknown' } })
      else if (method === 'tools/call' && params.arguments.last) process.exit(3)
      else if (method === 'tools/call') reply({ result: { content: [] } })
    })`
  const gateway = await (await openTestEnv()).gateway({ deploy: { command: process.execPath, args: ['-e', program] } })

  const outcomes = []
  for (const last of [true, false]) outcomes.push((await call(gateway.url, { last })).message)

  expect(outcomes[0]?.error).toMatchObject({ code: -32_000, message: expect.stringContaining('code 3') })
  expect(outcomes[1]?.result).toMatchObject({ content: [] })
})
