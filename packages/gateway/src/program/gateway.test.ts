import { spawn } from 'node:child_process'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, test } from 'vitest'
import { closeAfterTest } from '../../../../test-kit/close-after-test.ts'
import { howMany, whichRegion } from '../../../../test-kit/mcp/asking-tools.ts'
import { messagesOf } from '../../../../test-kit/mcp/messages.ts'
import { aClient } from '../../../../test-kit/mcp/scripted-client.ts'
import { postgresPort } from '../../../../test-kit/postgres.ts'
import { until } from '../../../../test-kit/until.ts'
import { aRawServer, aSession, asks, call, complete, nextOf, request } from '../contract/wire.suite.ts'
import { aDatabase, aFolder, aKey, aProcessOf, aRunningGateway, asking } from './process.suite.ts'
import { aWireTo } from './wire-to.suite.ts'

const done = { content: [{ type: 'text', text: 'done' }] }
const both = ['2025-11-25', '2026-07-28'] as const

test.each(both)(
  '[PROG-7] a %s client is asked by servers of both generations, through a program run from its file',
  async (generation) => {
    const gateway = await aRunningGateway(
      `servers: { older: ${aProcessOf('2025-11-25')}, newest: ${aProcessOf('2026-07-28')} }`,
    )
    const client = await aClient(generation, gateway.url)

    const results = [
      await client.call('older__ask', { questions: [whichRegion] }),
      await client.call('newest__ask', { questions: [howMany] }),
    ]

    expect(results).toMatchObject([done, done])
    expect(client.asked.map(({ message }) => message)).toEqual([whichRegion.message, howMany.message])
  },
)

test('[PROG-7] a client that starts the program speaks to it on standard input and output', async () => {
  const folder = await aFolder({ 'a.yaml': `store: sqlite:a.db\nservers: { newest: ${aProcessOf('2026-07-28')} }` })
  const main = asking.replace('contract/stdio-server.suite.ts', 'program/main.ts')
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: ['--conditions=assent-source', main, 'gateway', '--config', join(folder, 'a.yaml'), '--stdio'],
    stderr: 'ignore',
  })
  const client = new Client(
    { name: 'c', version: '1' },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: { pin: '2026-07-28' } } },
  )
  client.setRequestHandler('elicitation/create', async () => ({ action: 'accept', content: { region: 'eu' } }))
  await client.connect(transport)
  closeAfterTest(() => client.close())

  expect(await client.callTool({ name: 'ask', arguments: { questions: [whichRegion] } })).toMatchObject(done)
})

test('[PROG-7] without keys one is created that only this user can read, and a restart uses it again', async () => {
  const server = await aRawServer(({ params }) =>
    params.inputResponses === undefined ? asks({ where: whichRegion }) : complete,
  )
  const config = `servers: { a: { url: ${server.url} } }`
  const first = await aRunningGateway(config)
  const { requestState } = (await call(first.url, {})).message.result
  await first.stop()
  const second = await aRunningGateway(config, { ASSENT_STORE: `sqlite:${first.folder}/assent.db` })

  const inputResponses = { where: { action: 'accept', content: { region: 'eu' } } }
  const { message } = await call(second.url, {}, { requestState, inputResponses })

  expect(message.result).toMatchObject(complete.result)
  for (const file of ['assent.db', 'assent.db.key']) {
    expect((await stat(join(first.folder, file))).mode & 0o077).toBe(0)
  }
  expect(second.received.err).not.toContain((await readFile(join(first.folder, 'assent.db.key'), 'utf8')).trim())
})

test('[PROG-8] SIGHUP adds a new server, and a question that was open before can still be answered', async () => {
  const open = await aRawServer(({ params }) =>
    params.inputResponses === undefined ? asks({ where: whichRegion }) : complete,
  )
  const gateway = await aRunningGateway(`servers: { a: { url: ${open.url} }, held: ${aProcessOf('2025-11-25')} }`)
  const args = { questions: [whichRegion] }
  const inputResponses = { where: { action: 'accept', content: { region: 'eu' } } }
  const held = await request(gateway.url, 'tools/call', { name: 'held__ask', arguments: args })
  const passing = await request(gateway.url, 'tools/call', { name: 'a__ask', arguments: {} })
  const session = await aSession(gateway.url)
  const pushed = await session.ask('tools/call', { name: 'held__ask', arguments: args }, 5)
  const question = await nextOf(pushed)

  // The server with the open call gets another environment, one server is removed, and one is added.
  const changed = aProcessOf('2025-11-25').replace('{ ', '{ env: { A: b }, ')
  await gateway.reload(`servers: { held: ${changed}, fresh: ${aProcessOf('2026-07-28')} }`)

  const finished = await request(gateway.url, 'tools/call', {
    name: 'held__ask',
    arguments: args,
    requestState: held.message.result.requestState,
    inputResponses: { ask_1: inputResponses.where },
  })
  const passed = await request(gateway.url, 'tools/call', {
    name: 'a__ask',
    arguments: {},
    requestState: passing.message.result.requestState,
    inputResponses,
  })
  await session.post({ jsonrpc: '2.0', id: question.id, result: inputResponses.where })
  const names = (await request(gateway.url, 'tools/list', {})).message.result.tools as { name: string }[]

  expect(finished.message.result).toMatchObject(done)
  expect(passed.message.result).toMatchObject(complete.result)
  expect(await nextOf(pushed)).toMatchObject({ id: 5, result: done })
  expect(names.map(({ name }) => name)).toEqual(['held__ask', 'fresh__ask'])
  expect((await request(gateway.url, 'tools/call', { name: 'a__ask', arguments: {} })).message.error.code).toBe(-32_602)
})

test('[PROG-8] clients with an open stream are notified that the lists have changed', async () => {
  const gateway = await aRunningGateway(`servers: { a: ${aProcessOf('2026-07-28')} }`)
  const session = await aSession(gateway.url)
  const headers = { accept: 'text/event-stream', 'mcp-session-id': session.id }
  const response = await fetch(gateway.url, { headers })
  const received = messagesOf(response)
  const first = nextOf(received)
  // The headers arrive before the subscription is active.
  await new Promise((resolve) => setTimeout(resolve, 300))

  await gateway.reload(`servers: { a: ${aProcessOf('2026-07-28')}, b: ${aProcessOf('2026-07-28')} }`)

  expect(await first).toMatchObject({ method: 'notifications/tools/list_changed' })
})

test('[PROG-8] an invalid configuration is refused with a message, and the previous one stays in force', async () => {
  const server = await aRawServer(() => complete)
  const gateway = await aRunningGateway(`servers: { a: { url: ${server.url} } }`)

  await gateway.reload('servers: { a: { ulr: x } }')

  const errors = gateway.lines().filter(({ level }) => level === 'error')
  expect(errors[0]?.msg).toContain('assent.yaml:1:17: Unknown setting `servers.a.ulr`. Did you mean `url`?')
  expect((await call(gateway.url, {})).message.result).toMatchObject(complete.result)
})

test('[PROG-8] a reload changes limits and ask settings, and logs the settings that need a restart', async () => {
  const server = await aRawServer(() => asks({ where: whichRegion }))
  const servers = `servers: { a: { url: ${server.url} } }`
  const gateway = await aRunningGateway(servers)
  expect((await call(gateway.url, {})).message.result.resultType).toBe('input_required')

  await gateway.reload(`${servers}\nasks: { enabled: false }\nlimits: { message_size: 1KiB, connections: 5 }`)

  expect((await call(gateway.url, {})).message.error.code).toBe(-32_601)
  expect((await call(gateway.url, { a: 'x'.repeat(1_000) })).status).toBe(413)
  expect(gateway.lines()).toContainEqual(expect.objectContaining({ level: 'warn', settings: 'limits.connections' }))
})

const statusOf = async (url: string, path: string) => (await fetch(new URL(path, url))).status

test('[PROG-9] without its store the gateway is live but not ready', async () => {
  const { name } = await aDatabase()
  const wire = await aWireTo(postgresPort)
  const gateway = await aRunningGateway(`keys: { k1: "${aKey}" }\nservers: { a: { command: b } }`, {
    ASSENT_STORE: `postgres://root@127.0.0.1:${wire.port}/${name}`,
  })
  const look = async () => [await statusOf(gateway.url, '/healthz'), await statusOf(gateway.url, '/readyz')]

  const untilReadiness = (wanted: number) =>
    until(async () => {
      const found = await look()
      return found[1] === wanted ? found : undefined
    })

  expect(await untilReadiness(200)).toEqual([200, 200])
  wire.cut()
  expect(await untilReadiness(503)).toEqual([200, 503])
  wire.repair()
  await untilReadiness(200)
})

test('[PROG-10] after SIGTERM new calls are refused, open questions can be answered, and it exits with 0', async () => {
  const gateway = await aRunningGateway(`servers: { a: ${aProcessOf('2025-11-25')} }`)
  const args = { questions: [whichRegion] }
  const session = await aSession(gateway.url)
  const pushed = await session.ask('tools/call', { name: 'ask', arguments: args }, 5)
  const question = await nextOf(pushed)
  const held = await call(gateway.url, args)

  const stopped = gateway.stop()
  await until(async () => {
    const { status } = (await (await fetch(new URL('/readyz', gateway.url))).json()) as { status: string }
    return status === 'draining' ? true : undefined
  })
  const refused = await call(gateway.url, args)
  const answer = { action: 'accept', content: { region: 'eu' } }
  const { requestState } = held.message.result
  const finished = await call(gateway.url, args, { requestState, inputResponses: { ask_1: answer } })
  await session.post({ jsonrpc: '2.0', id: question.id, result: answer })

  expect(refused).toMatchObject({
    status: 503,
    message: { error: { message: expect.stringContaining('shutting down') } },
  })
  expect(finished.message.result).toMatchObject(done)
  expect(await nextOf(pushed)).toMatchObject({ id: 5, result: done })
  expect(await stopped).toBe(0)
})

test('[PROG-10] calls that exceed the drain time are abandoned, and the exit code is still 0', async () => {
  const gateway = await aRunningGateway(`servers: { a: ${aProcessOf('2025-11-25')} }`, { ASSENT_LIMITS_DRAIN: '200ms' })
  await call(gateway.url, { questions: [whichRegion] })

  expect(await gateway.stop()).toBe(0)
})

test.each([
  ['a terminal without colours', '', 'Answer questions at http'],
  ['a file', ' 2>err', undefined],
])(
  '[PROG-22] standard error is %s: a link that signs in is printed only to a terminal',
  async (_, redirected, link) => {
    const folder = await aFolder({
      'a.yaml': 'asks: { surfaces: [client, inbox] }\nservers: { a: { url: "http://127.0.0.1:9/mcp" } }',
    })
    const main = asking.replace('contract/stdio-server.suite.ts', 'program/main.ts')
    const command = `exec ${process.execPath} --conditions=assent-source ${main} gateway --config a.yaml${redirected}`
    const env = { PATH: process.env.PATH, NO_COLOR: '1', ASSENT_LISTEN: '127.0.0.1:0', ASSENT_STORE: 'sqlite:a.db' }
    const child = spawn('script', ['-qefc', `echo process $$; ${command}`, '/dev/null'], { cwd: folder, env })
    let seen = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      seen += text
    })
    const ended = new Promise((resolve) => child.once('close', resolve))
    closeAfterTest(() => void child.kill())

    await until(() => (seen.includes('Assent is at') ? true : undefined), 60_000)
    if (link !== undefined) await until(() => (seen.includes(link) ? true : undefined))
    process.kill(Number(/process (\d+)/.exec(seen)?.[1]))
    await ended

    const everything = redirected === '' ? seen : seen + (await readFile(join(folder, 'err'), 'utf8'))
    expect(everything.includes('Answer questions at')).toBe(link !== undefined)
  },
)
