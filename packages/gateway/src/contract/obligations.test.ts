import { createServer } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { listening } from '../../../../test-kit/close-after-test.ts'
import { openTestEnv } from '../../../../test-kit/gateway/test-env.ts'
import { whichRegion } from '../../../../test-kit/mcp/asking-tools.ts'
import { until } from '../../../../test-kit/until.ts'
import { IssuerKeys } from '../http/identity/issuer-keys.ts'
import { clientLimits, setLimits } from '../limits.ts'
import {
  anOlderRawServer,
  aRawServer,
  aSession,
  asks,
  call,
  complete,
  nextOf,
  type OlderCall,
  post,
  request,
  type Wire,
} from './wire.suite.ts'

async function inFront(...urls: string[]): Promise<string> {
  const servers = Object.fromEntries(urls.map((url, index) => [`s${index + 1}`, { url }]))
  return (await (await openTestEnv()).gateway(servers)).url
}

const version = 'io.modelcontextprotocol/protocolVersion'
const capabilities = 'io.modelcontextprotocol/clientCapabilities'
const body = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'ask', arguments: {}, _meta: { [version]: '2026-07-28', [capabilities]: {} } },
}
const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'ask' }

test.each(Object.keys(headers))(
  '[OBEY-2] a request of the newest revision without its header %s is refused',
  async (missing) => {
    const server = await aRawServer(() => complete)
    const url = await inFront(server.url)
    const others = Object.fromEntries(Object.entries(headers).filter(([name]) => name !== missing))

    const response = await post(url, body, { headers: others })

    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { code: -32_020 } })
    expect(server.requests).toEqual([])
  },
)

test('[OBEY-2] a notification is answered with 202 and no body', async () => {
  const url = await inFront((await aRawServer(() => complete)).url)
  const session = await aSession(url)

  const newest = await post(
    url,
    { jsonrpc: '2.0', method: 'notifications/x' },
    { headers: { 'mcp-protocol-version': '2026-07-28' } },
  )
  const older = await session.post({ jsonrpc: '2.0', method: 'notifications/initialized' })

  expect([newest.status, await newest.text(), older.status, await older.text()]).toEqual([202, '', 202, ''])
})

test.each([
  [-32_002, 'Resource not found'],
  [-32_042, 'Open a page first'],
])('[OBEY-2] the code %i of older revisions never reaches a client of the newest', async (code, message) => {
  const older = await anOlderRawServer(({ end }) => end({ error: { code, message } }))
  const url = await inFront(older.url)

  expect((await call(url, {})).message.error).toMatchObject({ code: -32_602, message })
})

test('[OBEY-2] lists and resources of older servers reach a newer client with cache hints: private, and a lifetime of zero', async () => {
  const older = await anOlderRawServer(({ method, end }) =>
    end({ result: method === 'tools/list' ? { tools: [] } : { contents: [] } }),
  )
  const [one, several] = [await inFront(older.url), await inFront(older.url, older.url)]
  const hints = { ttlMs: 0, cacheScope: 'private' }

  expect((await request(one, 'tools/list', {})).message.result).toMatchObject(hints)
  expect((await request(one, 'resources/read', { uri: 'a:b' })).message.result).toMatchObject(hints)
  expect((await request(one, 'server/discover', {})).message.result).toMatchObject(hints)
  expect((await request(several, 'tools/list', {})).message.result).toMatchObject(hints)
})

test('[OBEY-2] a result that requires input carries no cache hints', async () => {
  const url = await inFront((await aRawServer(() => asks({ where: whichRegion }))).url)

  const { result } = (await call(url, {})).message

  expect(result).not.toHaveProperty('ttlMs')
  expect(result).not.toHaveProperty('cacheScope')
})

test('[OBEY-2] a log message of a server reaches only a call that requested log messages', async () => {
  const older = await anOlderRawServer(({ say, end }) => {
    say({ method: 'notifications/message', params: { level: 'info', data: 'x' } })
    end({ result: { content: [] } })
  })
  const url = await inFront(older.url)
  const meta = { 'io.modelcontextprotocol/logLevel': 'info' }

  const [silent, asked] = [await call(url, {}), await call(url, {}, {}, { meta })]

  expect(silent.said.map(({ method }) => method)).toEqual([undefined])
  expect(asked.said.map(({ method }) => method)).toEqual(['notifications/message', undefined])
})

test('[OBEY-2] a call that requests log messages from a level up gets none below it', async () => {
  const older = await anOlderRawServer(({ say, end }) => {
    for (const level of ['debug', 'warning', 'unheard-of', 'alert'])
      say({ method: 'notifications/message', params: { level, data: 'x' } })
    end({ result: { content: [] } })
  })
  const url = await inFront(older.url)

  const { said } = await call(url, {}, {}, { meta: { 'io.modelcontextprotocol/logLevel': 'warning' } })

  const levels = said.flatMap(({ params }) => (params as Wire | undefined)?.level ?? [])
  expect(levels).toEqual(['warning', 'unheard-of', 'alert'])
})

test('[OBEY-2] a waiting stream sends keep-alive comments, and disables buffering in proxies', async () => {
  onTestFinished(setLimits(clientLimits, { keepAliveMs: 20, openWithinMs: 20 }))
  const begun = Promise.withResolvers<OlderCall>()
  const older = await anOlderRawServer((one) => begun.resolve(one))
  const session = await aSession(await inFront(older.url))

  const response = await session.post({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'ask', arguments: {} },
  })

  expect(response.headers.get('x-accel-buffering')).toBe('no')
  let text = ''
  const reading = (async () => {
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) text += chunk
  })()
  const comments = () => text.split('\n').filter((line) => line.startsWith(':')).length
  await until(() => (comments() > 2 ? true : undefined))
  ;(await begun.promise).end({ result: { content: [] } })
  await reading
  expect(text).toContain('"result"')
})

test('[OBEY-2] the names in serverInfo and clientInfo are not used for routing or identity', async () => {
  const server = await aRawServer(() => asks({ where: whichRegion }))
  const url = await inFront(server.url, server.url)
  const ann = await aSession(url, { person: 'ann' })

  const bob = await ann.post({ jsonrpc: '2.0', id: 1, method: 'ping' }, 'bob')
  const stream = await ann.ask('tools/call', { name: 'raw__ask', arguments: {} })

  expect(ann.opened.serverInfo).toMatchObject({ name: 'assent' })
  expect(bob.status).toBe(404)
  expect(await nextOf(stream)).toMatchObject({ error: { code: -32_602 } })
})

test.each([
  ['through a redirect', (url: string) => ({ status: 302, location: `${url}/elsewhere` })],
  ['over plain http from another machine', () => ({ jwks_uri: 'http://login.example.com/jwks' })],
  ['from a file', () => ({ jwks_uri: 'file:///etc/passwd' })],
])('[OBEY-2] keys of an issuer that are served %s are not fetched', async (_how, change) => {
  const paths: (string | undefined)[] = []
  const server = createServer((message, response) => {
    paths.push(message.url)
    const {
      status = 200,
      location,
      jwks_uri,
    } = change(url) as { status?: number; location?: string; jwks_uri?: string }
    response.writeHead(status, location === undefined ? {} : { location })
    response.end(JSON.stringify({ issuer: url, jwks_uri }))
  })
  const { url } = await listening(server)
  const keys = new IssuerKeys(url, { freshMs: 1_000, keptMs: 1_000 }, () => undefined)

  await expect(keys.find({ alg: 'ES256' }, {} as never)).rejects.toThrow('cannot be read')
  expect(paths).not.toContain('/elsewhere')
})
