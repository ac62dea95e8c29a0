import { expect, test } from 'vitest'
import { whichRegion } from './asking.suite.ts'
import { aClient } from './clients.suite.ts'
import { anAskingServer } from './servers.suite.ts'
import { aStage } from './stage.suite.ts'
import { aRawServer, aSession, complete, nextOf, request } from './wire.suite.ts'

/** A server with two pages of tools, a prompt, a resource and a template, all called alike everywhere; `x` says whose. */
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
  const gateway = await (await aStage()).gateway({ zoo: { url: zoo.url }, away, ark: { url: ark.url } })
  return { zoo, ark, url: gateway.url }
}

test('[RELAY-9] lists keep the order of the configuration, are whole, and a server that is away hides no other', async () => {
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

test('[RELAY-9] a prefixed name leads to its server, under the name the server gave', async () => {
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
])('[RELAY-9] a name that leads nowhere reaches no server: %s %j', async (method, params) => {
  const { zoo, ark, url } = await twoAndOneAway()

  const { message } = await request(url, method, params)

  expect(message.error.code).toBe(-32_602)
  expect([...zoo.requests, ...ark.requests]).toEqual([])
})

test('[RELAY-9] a call to a server that is away is refused with its name, and methods nobody knows are', async () => {
  const { url } = await twoAndOneAway()

  const away = await request(url, 'tools/call', { name: 'away__write', arguments: {} })
  const unknown = await request(url, 'example/other', {})

  expect(away.message.error).toMatchObject({ code: -32_000, message: expect.stringContaining('away') })
  expect(unknown.message.error.code).toBe(-32_601)
})

test('[RELAY-9] the gateway tells what its servers can do together, under its own name', async () => {
  const { url } = await twoAndOneAway()

  const { result } = (await request(url, 'server/discover', {})).message
  const session = await aSession(url)

  expect(result).toMatchObject({ supportedVersions: ['2026-07-28'], capabilities: { tools: {} } })
  expect(session.opened).toMatchObject({ capabilities: { tools: {} }, serverInfo: { name: 'assent' } })
  expect(await nextOf(await session.ask('tools/list', {}))).toMatchObject({
    result: { tools: [{ name: 'zoo__read__all' }, {}, {}, {}] },
  })
})

test('[RELAY-9] questions of servers of both generations behind one gateway lead back to the server that asked', async () => {
  const [older, newest] = [await anAskingServer('2025-11-25'), await anAskingServer('2026-07-28')]
  const gateway = await (await aStage()).gateway({ older: { url: older.url }, newest: { url: newest.url } })
  const clients = [await aClient('2025-11-25', gateway.url), await aClient('2026-07-28', gateway.url)]

  for (const client of clients) {
    await client.call('older__ask', { questions: [whichRegion] })
    await client.call('newest__ask', { questions: [whichRegion, whichRegion] })
  }

  expect([older.saw.length, newest.saw.length]).toEqual([2, 4])
  expect([older.begun, newest.begun]).toEqual([2, 2])
})

test('[RELAY-9] a gateway with no server that can be used says so', async () => {
  const gateway = await (await aStage()).gateway({ away: { url: 'http://127.0.0.1:9/mcp' } })

  const discovered = await request(gateway.url, 'server/discover', {})
  const listed = await request(gateway.url, 'tools/list', {})

  expect([discovered.message.error.code, listed.message.error.code]).toEqual([-32_000, -32_000])
})

test('[RELAY-9] a server name that could be mistaken is refused at the start', async () => {
  const stage = await aStage()

  for (const name of ['a__b', 'A', '', 'a+b', '-a', 'x'.repeat(33)]) {
    await expect(stage.gateway({ [name]: { url: 'http://127.0.0.1:9' } })).rejects.toMatchObject({
      code: 'misconfigured',
    })
  }
})
