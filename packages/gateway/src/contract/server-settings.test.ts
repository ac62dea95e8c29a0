import { setTimeout as sleep } from 'node:timers/promises'
import type { Store } from '@assent/store'
import { describe, expect, test } from 'vitest'
import { listening } from '../../../../test-kit/close-after-test.ts'
import { answerInInbox, firstAsk, openAsks } from '../../../../test-kit/gateway/answer-in-inbox.ts'
import { openCluster } from '../../../../test-kit/gateway/cluster.ts'
import { openTestEnv } from '../../../../test-kit/gateway/test-env.ts'
import { aLegacyServer, anAskingServer } from '../../../../test-kit/mcp/asking-servers.ts'
import { whichRegion } from '../../../../test-kit/mcp/asking-tools.ts'
import { messagesOf } from '../../../../test-kit/mcp/messages.ts'
import { aClient } from '../../../../test-kit/mcp/scripted-client.ts'
import { until } from '../../../../test-kit/until.ts'
import { noTelemetry } from '../call/telemetry-port.ts'
import {
  anOlderRawServer,
  aRawServer,
  aSession,
  asks,
  complete,
  nextOf,
  post,
  request,
  untilTheEnd,
  type Wire,
} from './wire.suite.ts'

const generations = ['2025-11-25', '2026-07-28'] as const
const names = ['read', 'write', 'debug_dump']
const rules = { allow: ['*'], deny: ['debug_*'], rename: { read: 'look' } }

/** A server of either generation with these tools. `called` lists the names of the tools that were called. */
async function aServerWith(generation: (typeof generations)[number], tools: readonly string[] = names) {
  const called: unknown[] = []
  const listed = tools.map((name) => ({ name, inputSchema: { type: 'object' } }))
  if (generation === '2025-11-25') {
    const { url } = await anOlderRawServer(({ method, params, end }) => {
      if (method === 'tools/call') called.push(params.name)
      end({ result: method === 'tools/list' ? { tools: listed } : { content: [] } })
    })
    return { url, called }
  }
  const { url } = await aRawServer(({ method, params }) => {
    if (method === 'tools/call') called.push(params.name)
    return method === 'tools/list' ? { result: { tools: listed } } : complete
  })
  return { url, called }
}

async function toolsAt(url: string): Promise<unknown[]> {
  const { tools } = (await request(url, 'tools/list', {})).message.result as { tools: { name: string }[] }
  return tools.map(({ name }) => name)
}

/** The options of a reload, which replace all earlier options. */
const asAnn = { identify: () => ({ principal: 'ann', groups: [] }), unseenAfterMs: 0 }

const callAt = async (url: string, name: string) => (await request(url, 'tools/call', { name, arguments: {} })).message

describe.each(generations)('a server of %s', (generation) => {
  test('[SERVER-1] [SERVER-2] denied tools cannot be listed or called, and a renamed tool has only its new name', async () => {
    const server = await aServerWith(generation)
    const { url } = await (await openTestEnv()).gateway({ files: { url: server.url, tools: rules } })

    expect(await toolsAt(url)).toEqual(['look', 'write'])
    const unknown = { code: -32_602, message: 'No server offers anything with that name.' }
    for (const name of ['debug_dump', 'read']) expect((await callAt(url, name)).error).toEqual(unknown)
    expect((await callAt(url, 'look')).error).toBeUndefined()
    expect(server.called).toEqual(['read'])
  })

  test('[SERVER-1] [SERVER-2] [SERVER-3] the same applies with several servers and a configured prefix', async () => {
    const [server, other] = [await aServerWith(generation), await aServerWith(generation, ['list', 'f__x'])]
    const files = { url: server.url, tools: rules, prefix: 'f' }
    const { url } = await (await openTestEnv()).gateway({ files, other: { url: other.url, prefix: false } })

    expect(await toolsAt(url)).toEqual(['f__look', 'f__write', 'list', 'other__f__x'])
    for (const name of ['f__read', 'f__debug_dump', 'other__list', 'assent__list'])
      expect((await callAt(url, name)).error.code).toBe(-32_602)
    for (const name of ['f__look', 'f__write', 'list', 'other__f__x']) await callAt(url, name)
    expect([server.called, other.called]).toEqual([
      ['read', 'write'],
      ['list', 'f__x'],
    ])
  })

  test('[SERVER-4] a long name is shortened, and a gateway that never listed the server can map it back', async () => {
    const long = 'search_in_the_documents_of_all_teams_by_words_and_authors'
    const server = await aServerWith(generation, ['short', long])
    const testEnv = await openTestEnv()
    const servers = { documents: { url: server.url }, other: { url: (await aServerWith(generation, [])).url } }
    const [first, second] = [await testEnv.gateway(servers), await testEnv.gateway(servers)]
    const [, shortName = ''] = (await toolsAt(first.url)) as string[]

    expect(shortName).toMatch(/^documents__search_in_the_documents_of_all_t_[0-9a-f]{20}$/)
    expect(shortName).toHaveLength(64)
    await callAt(second.url, shortName)
    await callAt(second.url, shortName)
    expect(server.called).toEqual([long, long])
    expect((await callAt(second.url, `documents__${long}`)).error.code).toBe(-32_602)
    expect(
      (
        await callAt(
          second.url,
          shortName.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
        )
      ).error.code,
    ).toBe(-32_602)
    expect(server.called).toHaveLength(2)
  })
})

test('[SERVER-4] while its server is unavailable, a short name is not reported as unknown', async () => {
  const servers = { one: { url: 'http://127.0.0.1:9/mcp' }, other: { url: (await aServerWith('2026-07-28')).url } }
  const { url } = await (await openTestEnv()).gateway(servers)

  const { error } = await callAt(url, `one__${'x'.repeat(38)}_${'0'.repeat(20)}`)

  expect(error).toMatchObject({ code: -32_000, message: expect.stringContaining('The server one cannot be used now') })
})

describe.each(generations)('questions of a renamed tool, asked by a server of %s', (generation) => {
  test('[SERVER-2] the card and the audit log show the server and the tool’s original name', async () => {
    const server = await anAskingServer(generation)
    const { store, gateway } = await openTestEnv()
    const tools = { allow: ['ask'], deny: [], rename: { ask: 'inquire' } }
    const deploy = { url: server.url, tools }
    const other = { url: (await aServerWith(generation)).url }
    const { url } = await gateway({ deploy, other }, { surfaces: ['inbox'] })
    const clients = [await aClient('2025-11-25', url), await aClient('2026-07-28', url)]

    for (const client of clients) {
      const called = client.call('deploy__inquire', { questions: [whichRegion] })
      const ask = await firstAsk(store)
      expect(ask.asker).toEqual({ server: 'deploy', tool: 'ask' })
      expect(ask.question).toMatchObject({ call: { tool: 'ask' } })
      await answerInInbox(store, ask, { action: 'accept', content: { region: 'eu' } })
      expect(await called).toMatchObject({ content: [{ text: 'done' }] })
    }
    expect([server.begun, server.ended]).toEqual([2, 2])
    expect(await toolsInAudit(store)).toEqual(['ask', 'ask'])
  })
})

async function toolsInAudit({ audit }: Store): Promise<string[]> {
  const tools: string[] = []
  for await (const { kind, body } of audit.entries('default')) {
    if (kind === 'ask.raised') tools.push(JSON.parse(body).asker.tool)
  }
  return tools
}

test('[SERVER-1] a tool that is denied while a person decides is not called again', async () => {
  const server = await aRawServer(({ params }) => ('requestState' in params ? complete : asks({ q: whichRegion }, 's')))
  const gateway = await (await openTestEnv()).gateway({ deploy: { url: server.url } }, asAnn)
  const first = await request(gateway.url, 'tools/call', { name: 'ask', arguments: {} })
  const { requestState } = first.message.result

  const tools = { allow: ['*'], deny: ['ask'], rename: {} }
  gateway.reload({ ...asAnn, servers: { deploy: { url: server.url, tools } } })
  const inputResponses = { q: { action: 'accept', content: { region: 'eu' } } }
  const retry = await request(gateway.url, 'tools/call', { name: 'ask', arguments: {}, requestState, inputResponses })

  expect(retry.message.error.code).toBe(-32_602)
  expect(server.requests).toHaveLength(1)
})

test('[SERVER-2] a call continues under its first name after a reload renames the tool', async () => {
  const server = await aRawServer(({ params }) => ('requestState' in params ? complete : asks({ q: whichRegion }, 's')))
  const other = { url: (await aServerWith('2026-07-28')).url }
  const deploy = { url: server.url, prefix: 'd', tools: { allow: ['*'], deny: [], rename: { ask: 'inquire' } } }
  const gateway = await (await openTestEnv()).gateway({ deploy, other }, asAnn)
  const params = { name: 'd__inquire', arguments: {} }
  const { requestState } = (await request(gateway.url, 'tools/call', params)).message.result

  gateway.reload({ ...asAnn, servers: { deploy: { url: server.url }, other } })
  const inputResponses = { q: { action: 'accept', content: { region: 'eu' } } }
  const retry = await request(gateway.url, 'tools/call', { ...params, requestState, inputResponses })

  expect(retry.message.result).toMatchObject({ content: [{ text: 'done' }] })
  expect(server.requests.map(({ params: { name } }) => name)).toEqual(['ask', 'ask'])
})

test('[SERVER-8] a reload of names and rules keeps server connections open, and clients get list_changed', async () => {
  const server = await anOlderRawServer(({ method, end }) =>
    end({ result: method === 'tools/list' ? { tools: names.map((name) => ({ name })) } : {} }),
  )
  const gateway = await (await openTestEnv()).gateway({ files: { url: server.url } }, asAnn)
  const session = await aSession(gateway.url)
  const headers = { 'mcp-session-id': session.id }
  const getStream = messagesOf(await fetch(gateway.url, { headers, signal: untilTheEnd().signal }))
  const listed = async () => ((await nextOf(await session.ask('tools/list', {}))).result as { tools: Wire[] }).tools
  expect(await listed()).toHaveLength(3)

  gateway.reload({ ...asAnn, servers: { files: { url: server.url, tools: rules } } })

  expect(await nextOf(getStream)).toMatchObject({ method: 'notifications/tools/list_changed' })
  expect(await listed()).toEqual([{ name: 'look' }, { name: 'write' }])
  expect(server.received.filter(({ method }) => method === 'initialize')).toHaveLength(1)
})

test('[SERVER-3] a name that keeps its prefix is logged once', async () => {
  const conflicts: string[] = []
  const watch = { ...noTelemetry, nameConflict: (...conflict: string[]) => conflicts.push(conflict.join(' ')) }
  const one = { url: (await aServerWith('2026-07-28', ['two__x'])).url, prefix: false as const }
  const two = { url: (await aServerWith('2026-07-28')).url }
  const { url } = await (await openTestEnv()).gateway({ one, two }, { watch })

  await toolsAt(url)
  await toolsAt(url)

  expect(conflicts).toEqual(['one two__x looks-prefixed'])
})

test('[SERVER-5] a shorter timeout of one server applies to that server only', async () => {
  const never = await aRawServer(({ method }) => (method === 'tools/list' ? undefined : complete))
  const silent = await aRawServer(() => undefined)
  const slow = await aRawServer(async () => {
    await sleep(400)
    return { result: { tools: [{ name: 'late' }] } }
  })
  const servers = {
    never: { url: never.url, timeouts: { replyMs: 150 } },
    silent: { url: silent.url, timeouts: { silentMs: 150 } },
    slow: { url: slow.url },
  }
  const { url } = await (await openTestEnv()).gateway(servers)
  const began = performance.now()

  const called = await callAt(url, 'silent__anything')
  expect(called.error.message).toContain('The server silent sent nothing')
  expect(performance.now() - began).toBeLessThan(30_000)
  // `silentMs` does not limit lists, so this gateway lists without the silent server.
  const alone = await (await openTestEnv()).gateway({ never: servers.never, slow: servers.slow })
  expect(await toolsAt(alone.url)).toEqual(['slow__late'])
})

test('[SERVER-5] a server with a shorter start timeout is reported sooner', async () => {
  const server = await aRawServer(() => complete)
  const { createServer } = await import('node:http')
  const mute = createServer(() => undefined)
  await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve))
  const { port } = mute.address() as { port: number }
  const servers = {
    mute: { url: `http://127.0.0.1:${port}/mcp`, timeouts: { openMs: 200 } },
    good: { url: server.url },
  }
  const { url } = await (await openTestEnv()).gateway(servers)
  const began = performance.now()

  const { error } = await callAt(url, 'mute__anything')

  expect(error.message).toContain('did not respond in time')
  expect(performance.now() - began).toBeLessThan(20_000)
  mute.close()
  mute.closeAllConnections()
})

describe.each(generations)('surfaces of one server, for clients of %s', (generation) => {
  test.each(generations)(
    '[SERVER-6] a server of %s asks only on its own surfaces, whatever the surfaces of other servers',
    async (serverGeneration) => {
      const [shown, kept] = [await anAskingServer(serverGeneration), await anAskingServer(serverGeneration)]
      const { store, gateway } = await openTestEnv()
      const servers = {
        shown: { url: shown.url, surfaces: ['client'] as const },
        kept: { url: kept.url, surfaces: ['inbox'] as const },
      }
      const { url } = await gateway(servers, { surfaces: ['client', 'inbox'], unseenAfterMs: 0 })
      const client = await aClient(generation, url, {
        says: async () => {
          expect(await openAsks(store)).toEqual([])
          return { action: 'accept', content: { region: 'eu' } }
        },
      })

      await client.call('shown__ask', { questions: [whichRegion] })
      expect(client.asked).toHaveLength(1)
      expect(shown.saw).toMatchObject([{ action: 'accept', content: { region: 'eu' } }])

      const called = client.call('kept__ask', { questions: [whichRegion] })
      await answerInInbox(store, await firstAsk(store), { action: 'accept', content: { region: 'us' } })
      await called
      expect(client.asked).toHaveLength(1)
      expect(kept.saw).toMatchObject([{ action: 'accept', content: { region: 'us' } }])
    },
  )
})

test('[SERVER-6] a server whose only surface is the client gets an error if the client cannot show the question', async () => {
  const server = await anAskingServer('2025-11-25')
  const { store, gateway } = await openTestEnv()
  const servers = { deploy: { url: server.url, surfaces: ['client'] as const } }
  const { url } = await gateway(servers, { surfaces: ['client', 'inbox'] })
  const client = await aClient('2025-11-25', url, { elicitation: 'none' })

  await client.call('ask', { questions: [whichRegion] })

  expect(server.saw).toMatchObject([{ error: expect.stringContaining('elicitation') }])
  expect(await openAsks(store)).toEqual([])
})

describe.each(generations)('headers for a server of %s', (generation) => {
  const aRecordingServer = async (): Promise<{ url: string; headers: Record<string, unknown>[] }> => {
    const headers: Record<string, unknown>[] = []
    const { createServer } = await import('node:http')
    const raw =
      generation === '2026-07-28'
        ? await aRawServer(() => complete)
        : await anOlderRawServer(({ end }) => end({ result: { content: [] } }))
    // A proxy between the gateway and the server records every request.
    const between = createServer(async (incoming, response) => {
      headers.push({ ...incoming.headers })
      const body = incoming.method === 'POST' ? { body: Buffer.concat(await incoming.toArray()) } : {}
      const { host: _host, connection: _connection, 'content-length': _length, ...rest } = incoming.headers
      const answer = await fetch(raw.url, { method: incoming.method ?? '', headers: rest as never, ...body })
      const session = answer.headers.get('mcp-session-id')
      response.writeHead(answer.status, {
        'content-type': answer.headers.get('content-type') ?? 'text/plain',
        ...(session === null ? {} : { 'mcp-session-id': session }),
      })
      response.end(Buffer.from(await answer.arrayBuffer()))
    })
    return { url: (await listening(between)).url, headers }
  }

  test('[SERVER-7] chosen headers of each request reach the server, for clients of both generations, and no others', async () => {
    const server = await aRecordingServer()
    const other = await aRecordingServer()
    const files = { url: server.url, headers: { 'X-Own': 'ours' }, forwardHeaders: ['X-Team'] }
    const { url } = await (await openTestEnv()).gateway({ files, other: { url: other.url } })
    const session = await aSession(url)
    const params = { name: 'files__read', arguments: {} }
    const toOther = { name: 'other__read', arguments: {} }
    const headers = { 'x-team': 'blue', 'x-other': 'no', authorization: 'Bearer caller', cookie: 'c=1' }
    server.headers.length = 0
    other.headers.length = 0

    await request(url, 'tools/call', params, { headers })
    await request(url, 'tools/call', params, { headers: { ...headers, 'x-team': 'red' } })
    await request(url, 'tools/call', toOther, { headers })
    const asked = (name: string, team: string) =>
      post(
        url,
        { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { ...params, name } },
        { headers: { ...headers, 'x-team': team, 'mcp-session-id': session.id } },
      ).then((response) => response.text())
    await asked('files__read', 'green')
    await asked('other__read', 'green')
    await asked('files__read', 'white')

    const teams = server.headers.map((one) => one['x-team']).filter((team) => team !== undefined)
    expect([...new Set(teams)]).toEqual(['blue', 'red', 'green', 'white'])
    for (const one of server.headers) expect(one).toMatchObject({ 'x-own': 'ours' })
    for (const one of [...server.headers, ...other.headers]) {
      expect(one).not.toHaveProperty('x-other')
      expect(one).not.toHaveProperty('authorization')
      expect(one).not.toHaveProperty('cookie')
    }
    for (const one of other.headers) expect(one).not.toHaveProperty('x-team')
  })
})

test('[SERVER-7] an answer that arrives at another replica is forwarded with its own headers', async () => {
  const server = await anOlderRawServer(({ id, say }) =>
    say({ id: `q${id}`, method: 'elicitation/create', params: whichRegion }),
  )
  const deploy = { url: server.url, forwardHeaders: ['x-team'] }
  const { replicas } = await openCluster({ deploy }, { gateway: { unseenAfterMs: 0 } })
  const [first, second] = replicas
  const params = { name: 'ask', arguments: {} }
  const { requestState } = (await request(first.url, 'tools/call', params, { headers: { 'x-team': 'blue' } })).message
    .result
  const inputRequests = { requestState, inputResponses: {} as Record<string, unknown> }
  const asked = (await request(first.url, 'tools/call', params)).message.result.inputRequests as Wire
  for (const key of Object.keys(asked))
    inputRequests.inputResponses[key] = { action: 'accept', content: { region: 'eu' } }

  void request(second.url, 'tools/call', { ...params, ...inputRequests }, { headers: { 'x-team': 'red' } }).catch(
    () => 0,
  )

  const at = await until(() => {
    const found = server.received.findIndex(({ result }) => result !== undefined)
    return found < 0 ? undefined : found
  })
  expect(server.headers[at]).toMatchObject({ 'x-team': 'red' })
})

test('[SERVER-7] a server with the older HTTP+SSE transport gets the headers too', async () => {
  const server = await aLegacyServer()
  const { url } = await (await openTestEnv()).gateway({ old: { url: server.url, forwardHeaders: ['x-team'] } })

  await request(url, 'tools/list', {}, { headers: { 'x-team': 'blue', 'x-other': 'no' } })
  await request(url, 'tools/list', {}, { headers: { 'x-team': 'red' } })

  expect(new Set(server.headers.map((one) => one['x-team']))).toEqual(new Set(['blue', 'red']))
  for (const one of server.headers) expect(one).not.toHaveProperty('x-other')
})
