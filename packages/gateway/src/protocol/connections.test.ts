import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { listening } from '../../../../test-kit/close-after-test.ts'
import { connectionLimits } from '../limits.ts'
import { Connections, type HttpCall } from './connections.ts'
import { readBody } from './http.ts'

const once = { method: 'POST', headers: {}, body: 'once', mayRepeat: false } as const
const twice = { method: 'POST', headers: {}, body: 'twice', mayRepeat: true } as const

interface TestServer {
  readonly connections: Connections
  /** The connection of each request that arrived, in order. */
  readonly sockets: Socket[]
}

type Answer = (response: ServerResponse, request: IncomingMessage, isFirst: boolean) => void

/** @param answer gets whether the request is the first on its connection */
async function aServer(answer: Answer = (response) => response.end('yes')): Promise<TestServer> {
  const sockets: Socket[] = []
  // This server never closes a connection itself, and sends no `Keep-Alive`.
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    const isFirst = !sockets.includes(request.socket)
    sockets.push(request.socket)
    answer(response, request, isFirst)
  })
  const { url } = await listening(server)
  const connections = new Connections(new URL(url))
  onTestFinished(() => connections.close())
  return { connections, sockets }
}

async function bodyOf(connections: Connections, call: HttpCall): Promise<string | undefined> {
  return readBody(await connections.send(call))
}

test('[RELAY-14] a connection that was just used is used again', async () => {
  const { connections, sockets } = await aServer()

  await bodyOf(connections, once)
  await bodyOf(connections, once)

  expect(new Set(sockets).size).toBe(1)
})

test('[RELAY-14] without `Keep-Alive`, a connection is not reused after the shortest common idle timeout', async () => {
  const { connections, sockets } = await aServer()

  await bodyOf(connections, once)
  await sleep(connectionLimits.keptMs + 100)
  await bodyOf(connections, once)

  expect(new Set(sockets).size).toBe(2)
})

test('[RELAY-14] the timeout in `Keep-Alive` is used, with a margin', async () => {
  const { connections, sockets } = await aServer((response) => {
    response.setHeader('keep-alive', 'max=100, timeout=3')
    response.end('yes')
  })

  await bodyOf(connections, once)
  await sleep(200)
  await bodyOf(connections, once)
  await sleep(2_100)
  await bodyOf(connections, once)

  expect(sockets[1]).toBe(sockets[0])
  expect(sockets[2]).not.toBe(sockets[0])
})

test('[RELAY-14] the idle timeout is counted from when the last request was sent, however late its response was read', async () => {
  const { connections, sockets } = await aServer((response) => void setTimeout(() => response.end('yes'), 1_000))

  await bodyOf(connections, once)
  await sleep(connectionLimits.keptMs - 800)
  await bodyOf(connections, once)

  expect(new Set(sockets).size).toBe(2)
})

test('[RELAY-14] a close that already arrived is processed before anything is written', async () => {
  const { connections, sockets } = await aServer()
  await bodyOf(connections, once)
  await sleep(2 * connectionLimits.quietMs)

  sockets[0]?.destroy()
  const answer = await bodyOf(connections, once)

  expect(answer).toBe('yes')
  expect(sockets).toHaveLength(2)
})

test('[RELAY-14] a repeatable request is sent again on a new connection when a reused one breaks', async () => {
  const { connections, sockets } = await aServer(breaksUnlessFirst)
  await bodyOf(connections, twice)

  const answer = await bodyOf(connections, twice)

  expect(answer).toBe('yes')
  expect(sockets).toHaveLength(3)
  expect(sockets[2]).not.toBe(sockets[1])
})

test('[RELAY-14] a request that may not be repeated is sent once, and fails with an unknown outcome', async () => {
  const { connections, sockets } = await aServer(breaksUnlessFirst)
  await bodyOf(connections, once)

  const answer = bodyOf(connections, once)

  await expect(answer).rejects.toThrow('Whether the server did anything is not known.')
  expect(sockets).toHaveLength(2)
})

test('[RELAY-14] a server that breaks new connections too gets no further attempts', async () => {
  const { connections, sockets } = await aServer((response, _request, isFirst) => {
    if (sockets.length === 1 && isFirst) response.end('yes')
    else response.destroy()
  })
  await bodyOf(connections, twice)

  const answer = bodyOf(connections, twice)

  await expect(answer).rejects.toThrow('not known')
  expect(sockets).toHaveLength(3)
})

test('[RELAY-14] closing the pool closes its idle connections', async () => {
  const { connections, sockets } = await aServer()
  await bodyOf(connections, once)
  const closed = new Promise((resolve) => sockets[0]?.on('close', resolve))

  connections.close()

  await closed
})

function breaksUnlessFirst(response: ServerResponse, _request: IncomingMessage, isFirst: boolean): void {
  if (isFirst) response.end('yes')
  else response.destroy()
}

test('[RELAY-13] a request has the server’s host and port, the URL’s credentials and the content length', async () => {
  const received: Record<string, unknown>[] = []
  const server = createServer((request, response) => {
    received.push(request.headers)
    response.end('yes')
  })
  const url = new URL((await listening(server)).url)
  url.username = 'ann'
  url.password = 'a b'
  const connections = new Connections(url)
  onTestFinished(() => connections.close())

  await bodyOf(connections, { ...once, headers: { 'x-other': '1' }, body: 'größe' })

  expect(received[0]).toEqual({
    host: url.host,
    authorization: `Basic ${Buffer.from('ann:a b').toString('base64')}`,
    'x-other': '1',
    'content-length': '7',
    connection: 'keep-alive',
  })
})

test.each([307, 308])(
  '[START-10] a redirect within the origin with status %i is followed with method, headers and body',
  async (status) => {
    const arrived: string[] = []
    const { connections } = await aServer((response, request) => {
      if (request.url === '/') return void response.writeHead(status, { location: '/mcp/?a=1' }).end()
      void readBody(request).then((body) => {
        arrived.push(`${request.method} ${request.url} ${request.headers['x-key']} ${body}`)
        response.end('yes')
      })
    })

    const text = await bodyOf(connections, { ...once, headers: { 'x-key': 'k' } })

    expect([text, ...arrived]).toEqual(['yes', 'POST /mcp/?a=1 k once'])
  },
)

test('[START-10] a redirect that would turn a message into a GET is not followed', async () => {
  const { connections, sockets } = await aServer((response) => response.writeHead(302, { location: '/mcp/' }).end())

  const { statusCode } = await connections.send(once)

  expect([statusCode, sockets.length]).toEqual([302, 1])
})

test('[START-10] a redirect to another origin is not followed', async () => {
  const arrived: (string | undefined)[] = []
  const other = createServer((request, response) => {
    arrived.push(request.url)
    response.end('no')
  })
  const { url } = await listening(other)
  const { connections } = await aServer((response) => response.writeHead(307, { location: `${url}/mcp` }).end())

  const { statusCode } = await connections.send(once)

  expect(statusCode).toBe(307)
  expect(arrived).toEqual([])
})

test('[START-10] a redirect loop ends', async () => {
  const { connections, sockets } = await aServer((response) => response.writeHead(307, { location: '/' }).end())

  const { statusCode } = await connections.send(once)

  expect(statusCode).toBe(307)
  expect(sockets.length).toBe(1 + connectionLimits.redirects)
})
