import { describe, expect, test } from 'vitest'
import { openTestEnv } from '../../../../test-kit/gateway/test-env.ts'
import { anAskingServer } from '../../../../test-kit/mcp/asking-servers.ts'
import { whichRegion } from '../../../../test-kit/mcp/asking-tools.ts'
import { messagesOf } from '../../../../test-kit/mcp/messages.ts'
import { aClient } from '../../../../test-kit/mcp/scripted-client.ts'
import { personHeader } from '../../../../test-kit/person-header.ts'
import { until } from '../../../../test-kit/until.ts'
import {
  anOlderRawServer,
  aRawServer,
  aSession,
  complete,
  nextOf,
  post,
  request,
  untilTheEnd,
  type Wire,
} from './wire.suite.ts'

/** A server with two pages of tools, a prompt, a resource and a template. All servers use the same names; `x` differs. */
function aLibrary(x: string) {
  return aRawServer(({ method, params }) => {
    switch (method) {
      case 'tools/list': {
        const page = params.cursor === undefined ? { nextCursor: '2' } : {}
        return { result: { tools: [{ name: params.cursor === undefined ? 'read__all' : 'write', x }], ...page } }
      }
      case 'prompts/list':
        return { result: { prompts: [{ name: 'greet' }] } }
      case 'resources/list':
        return { result: { resources: [{ uri: 'file:///a+b', name: 'a' }] } }
      case 'resources/templates/list':
        return { result: { resourceTemplates: [{ uriTemplate: 'file:///{path}', name: 't' }] } }
      default:
        return complete
    }
  })
}

async function twoAndOneAway() {
  const [zoo, ark] = [await aLibrary('of zoo'), await aLibrary('of ark')]
  const away = { url: 'http://127.0.0.1:9/mcp' }
  const gateway = await (await openTestEnv()).gateway({ zoo: { url: zoo.url }, away, ark: { url: ark.url } })
  return { zoo, ark, url: gateway.url }
}

test('[RELAY-9] lists are complete, in the order of the configuration, and an unavailable server hides no other', async () => {
  const { url } = await twoAndOneAway()
  const list = async (method: string) => (await request(url, method, {})).message.result

  expect(await list('tools/list')).toMatchObject({
    tools: [
      { name: 'zoo__read__all', x: 'of zoo' },
      { name: 'zoo__write', x: 'of zoo' },
      { name: 'ark__read__all', x: 'of ark' },
      { name: 'ark__write', x: 'of ark' },
    ],
  })
  expect(await list('prompts/list')).toMatchObject({ prompts: [{ name: 'zoo__greet' }, { name: 'ark__greet' }] })
  expect(await list('resources/list')).toMatchObject({
    resources: [{ uri: 'zoo+file:///a+b' }, { uri: 'ark+file:///a+b' }],
  })
  expect(await list('resources/templates/list')).toMatchObject({
    resourceTemplates: [{ uriTemplate: 'zoo+file:///{path}' }, { uriTemplate: 'ark+file:///{path}' }],
  })
})

test('[RELAY-9] a prefixed name is routed to its server with the server’s own name', async () => {
  const { zoo, ark, url } = await twoAndOneAway()

  await request(url, 'tools/call', { name: 'ark__read__all', arguments: {} })
  await request(url, 'prompts/get', { name: 'ark__greet' })
  await request(url, 'resources/read', { uri: 'ark+file:///a+b' })
  await request(url, 'completion/complete', { ref: { type: 'ref/prompt', name: 'ark__greet' }, argument: {} })

  expect(ark.requests.map(({ params: { name, uri, ref } }) => name ?? uri ?? ref)).toEqual([
    'read__all',
    'greet',
    'file:///a+b',
    { type: 'ref/prompt', name: 'greet' },
  ])
  expect(zoo.requests).toEqual([])
})

test.each([
  ['tools/call', { name: 'read__all', arguments: {} }],
  ['tools/call', { name: 'nobody__write', arguments: {} }],
  ['prompts/get', { name: '__greet' }],
  ['completion/complete', { ref: { name: 'greet' }, argument: {} }],
])('[RELAY-9] a name that matches no server is refused: %s %j', async (method, params) => {
  const { zoo, ark, url } = await twoAndOneAway()

  const { message } = await request(url, method, params)

  expect(message.error.code).toBe(-32_602)
  expect([...zoo.requests, ...ark.requests]).toEqual([])
})

test('[RELAY-9] a call to an unavailable server is refused with the server’s name, and an unknown method is refused', async () => {
  const { url } = await twoAndOneAway()

  const away = await request(url, 'tools/call', { name: 'away__write', arguments: {} })
  const unknown = await request(url, 'example/other', {})

  expect(away.message.error).toMatchObject({ code: -32_000, message: expect.stringContaining('away') })
  expect(unknown.message.error.code).toBe(-32_601)
})

test('[RELAY-9] the gateway declares the combined capabilities of its servers, under its own name', async () => {
  const { url } = await twoAndOneAway()

  const { result } = (await request(url, 'server/discover', {})).message
  const session = await aSession(url)

  expect(result).toMatchObject({ supportedVersions: ['2026-07-28'], capabilities: { tools: {} } })
  expect(session.opened).toMatchObject({ capabilities: { tools: {} }, serverInfo: { name: 'assent' } })
  expect(await nextOf(await session.ask('tools/list', {}))).toMatchObject({
    result: { tools: [{ name: 'zoo__read__all' }, {}, {}, {}] },
  })
})

test('[RELAY-9] answers to servers of both generations behind one gateway reach the server that asked', async () => {
  const [older, newest] = [await anAskingServer('2025-11-25'), await anAskingServer('2026-07-28')]
  const gateway = await (await openTestEnv()).gateway({ older: { url: older.url }, newest: { url: newest.url } })
  const clients = [await aClient('2025-11-25', gateway.url), await aClient('2026-07-28', gateway.url)]

  for (const client of clients) {
    await client.call('older__ask', { questions: [whichRegion] })
    await client.call('newest__ask', { questions: [whichRegion, whichRegion] })
  }

  expect([older.saw.length, newest.saw.length]).toEqual([2, 4])
  expect([older.begun, newest.begun]).toEqual([2, 2])
})

test('[RELAY-9] a gateway without a usable server returns an error with the reason', async () => {
  const gateway = await (await openTestEnv()).gateway({ away: { url: 'http://127.0.0.1:9/mcp' } })

  const discovered = await request(gateway.url, 'server/discover', {})
  const listed = await request(gateway.url, 'tools/list', {})

  expect([discovered.message.error.code, listed.message.error.code]).toEqual([-32_000, -32_000])
  expect(discovered.message.error.message).toMatch(/The server away cannot be used now\. .*ECONNREFUSED/)
})

test('[RELAY-9] discovery responds while a server is unavailable, and names it', async () => {
  const { url } = await twoAndOneAway()

  const { result } = (await request(url, 'server/discover', {})).message
  const { opened } = await aSession(url)

  const away = { 'assent/unavailable': [{ server: 'away', reason: expect.stringContaining('ECONNREFUSED') }] }
  expect([result._meta, opened._meta]).toEqual([expect.objectContaining(away), away])
})

test('[RELAY-9] an ambiguous server name is refused at startup', async () => {
  const testEnv = await openTestEnv()

  for (const name of ['a__b', 'A', '', 'a+b', '-a', 'x'.repeat(33)]) {
    await expect(testEnv.gateway({ [name]: { url: 'http://127.0.0.1:9' } })).rejects.toMatchObject({
      code: 'misconfigured',
    })
  }
})

test('[RELAY-9] the error for a missing resource contains the URI that the client sent', async () => {
  const error = { code: -32_602, message: 'Resource not found', data: { uri: 'file:///none', tries: 1 } }
  const server = await aRawServer(() => ({ error }))
  const gateway = await (await openTestEnv()).gateway({ one: { url: server.url }, other: { url: server.url } })

  const { message } = await request(gateway.url, 'resources/read', { uri: 'one+file:///none' })
  const called = await request(gateway.url, 'tools/call', { name: 'one__t', arguments: {} })

  expect(message.error.data).toEqual({ uri: 'one+file:///none', tries: 1 })
  expect(called.message.error.data).toEqual(error.data)
})

/** A server of either generation whose results contain URIs, and that can send resource updates. */
async function aServerWithLinks(generation: '2025-11-25' | '2026-07-28') {
  const link = { type: 'resource_link', uri: 'file:///a', name: 'a' }
  const embedded = { type: 'resource', resource: { uri: 'file:///b', text: 'b' } }
  const results: Record<string, object> = {
    'resources/read': { contents: [{ uri: 'file:///a', text: 'a' }] },
    'tools/call': { content: [link, embedded, { type: 'text', text: 'file:///a' }], structuredContent: { uri: 'x:y' } },
    'prompts/get': {
      messages: [
        { role: 'user', content: embedded },
        { role: 'user', content: { ...link } },
      ],
    },
  }
  const levels: unknown[] = []
  const watching: (() => void)[] = []
  const updated = { method: 'notifications/resources/updated', params: { uri: 'file:///a' } }
  if (generation === '2025-11-25') {
    const server = await anOlderRawServer(({ method, params, say, end }) => {
      if (method === 'logging/setLevel') levels.push(params.level)
      if (method === 'tools/call') say(updated)
      end({ result: results[method] ?? {} })
    })
    return { ...server, levels, watching }
  }
  const server = await aRawServer(({ id, method, params }, response) => {
    const level = params._meta?.['io.modelcontextprotocol/logLevel']
    if (method === 'tools/call') levels.push(level)
    if (method !== 'subscriptions/listen') return { result: { resultType: 'complete', ...results[method] } }
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    const uris = (params.notifications as { resourceSubscriptions?: string[] }).resourceSubscriptions ?? []
    const _meta = { 'io.modelcontextprotocol/subscriptionId': String(id) }
    for (const uri of uris)
      watching.push(() =>
        response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...updated, params: { uri, _meta } })}\n\n`),
      )
    return undefined
  })
  return { ...server, levels, watching }
}

describe.each(['2025-11-25', '2026-07-28'] as const)('two servers of %s', (generation) => {
  const two = async () => {
    const [one, other] = [await aServerWithLinks(generation), await aServerWithLinks(generation)]
    const gateway = await (await openTestEnv()).gateway({ one: { url: one.url }, other: { url: other.url } })
    return { one, other, url: gateway.url }
  }
  const asked = {
    'resources/read': { uri: 'one+file:///a' },
    'tools/call': { name: 'one__t', arguments: {} },
    'prompts/get': { name: 'one__p' },
  }

  test('[RELAY-9] every resource in a result can be read with the URI in the result', async () => {
    const { url } = await two()
    const session = await aSession(url)

    for (const [method, params] of Object.entries(asked)) {
      const newest = JSON.stringify((await request(url, method, params)).message.result)
      const older = await session.ask(method, params, 7)
      let last: Wire = {}
      while (!('result' in last)) last = await nextOf(older)
      for (const said of [newest, JSON.stringify(last)]) {
        expect(said.match(/"uri":"[^"]*file:[^"]*"/g)).not.toBeNull()
        expect(said).not.toContain('"uri":"file:')
        expect(said).toContain('"uri":"one+file:///')
      }
    }
  })

  test('[RELAY-9] URIs that are not resources of the server stay unchanged', async () => {
    const { url } = await two()

    const { result } = (await request(url, 'tools/call', asked['tools/call'])).message

    expect(result).toMatchObject({ content: [{}, {}, { text: 'file:///a' }], structuredContent: { uri: 'x:y' } })
  })

  test('[RELAY-9] one log level is set at all servers', async () => {
    const { one, other, url } = await two()
    const session = await aSession(url)

    const set = await nextOf(await session.ask('logging/setLevel', { level: 'error' }))
    for (const name of ['one__t', 'other__t']) {
      const stream = await session.ask('tools/call', { name, arguments: {} }, 8)
      let last: Wire = {}
      while (!('result' in last)) last = await nextOf(stream)
    }

    expect(set).toMatchObject({ result: {} })
    expect([one.levels, other.levels]).toEqual([['error'], ['error']])
  })
})

test('[RELAY-9] a resource update carries the URI of the subscription, and comes only from the resource’s own server', async () => {
  const [one, other] = [await aServerWithLinks('2026-07-28'), await aServerWithLinks('2026-07-28')]
  const gateway = await (await openTestEnv()).gateway({ one: { url: one.url }, other: { url: other.url } })
  const notifications = { resourceSubscriptions: ['one+file:///a', 'other+file:///z'] }
  const listening = messagesOf(await listenAt(gateway.url, notifications))
  const session = await aSession(gateway.url)
  const headers = { 'mcp-session-id': session.id, [personHeader]: 'ann' }
  const getStream = messagesOf(await fetch(gateway.url, { headers, signal: untilTheEnd().signal }))
  await nextOf(await session.ask('resources/subscribe', { uri: 'one+file:///a' }))
  await nextOf(listening)

  await until(() => (one.watching.length === 2 && other.watching.length === 1 ? true : undefined))
  for (const notify of [...one.watching, ...other.watching]) notify()

  const uris = [await nextOf(listening), await nextOf(listening)].map((said) => (said.params as Wire).uri)
  expect(uris.toSorted()).toEqual(['one+file:///a', 'other+file:///z'])
  expect(await nextOf(getStream)).toMatchObject({
    method: 'notifications/resources/updated',
    params: { uri: 'one+file:///a' },
  })
})

test('[RELAY-9] a 2026-07-28 stream subscribes to a resource at a server with sessions, and unsubscribes when it closes', async () => {
  const [one, other] = [
    await anOlderRawServer(({ end }) => end({ result: {} })),
    await anOlderRawServer(({ end }) => end({ result: {} })),
  ]
  const gateway = await (await openTestEnv()).gateway({ one: { url: one.url }, other: { url: other.url } })
  const cancelled = untilTheEnd()
  const listening = messagesOf(
    await listenAt(gateway.url, { resourceSubscriptions: ['one+file:///a'] }, cancelled.signal),
  )
  await nextOf(listening)
  const received = (server: { received: Wire[] }) =>
    server.received
      .filter(({ method }) => String(method).startsWith('resources/'))
      .map(({ method, params }) => [method, params])
  await until(() => (received(one).length === 1 ? true : undefined))

  cancelled.abort()

  await until(() => (received(one).length === 2 ? true : undefined))
  expect(received(one)).toEqual([
    ['resources/subscribe', { uri: 'file:///a' }],
    ['resources/unsubscribe', { uri: 'file:///a' }],
  ])
  expect(received(other)).toEqual([])
})

function listenAt(url: string, notifications: object, signal = untilTheEnd().signal): Promise<Response> {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const params = { notifications, _meta: meta }
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' }
  const message = { jsonrpc: '2.0', id: 'l', method: 'subscriptions/listen', params }
  return post(url, message, { headers, signal })
}
