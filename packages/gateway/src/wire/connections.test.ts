import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { listening } from '../contract/servers.suite.ts'
import { connectionLimits } from '../limits.ts'
import { Connections, type HttpCall } from './connections.ts'
import { readBody } from './http.ts'

const once = { method: 'POST', headers: {}, body: 'once', mayRepeat: false } as const
const twice = { method: 'POST', headers: {}, body: 'twice', mayRepeat: true } as const

interface Visited {
  readonly connections: Connections
  /** The connection of each request that arrived, in order. */
  readonly sockets: Socket[]
}

type Answer = (response: ServerResponse, request: IncomingMessage, isFirst: boolean) => void

/** @param answer told whether the request is the first on its connection */
async function aVisit(answer: Answer = (response) => response.end('yes')): Promise<Visited> {
  const sockets: Socket[] = []
  // It never closes on its own account, and says nothing about how long it keeps a connection.
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

async function said(connections: Connections, call: HttpCall): Promise<string | undefined> {
  return readBody(await connections.send(call))
}

test('[RELAY-14] a connection that was just used is used again', async () => {
  const { connections, sockets } = await aVisit()

  await said(connections, once)
  await said(connections, once)

  expect(new Set(sockets).size).toBe(1)
})

test('[RELAY-14] where a server says nothing, a connection is not trusted for longer than the least patient keep it', async () => {
  const { connections, sockets } = await aVisit()

  await said(connections, once)
  await sleep(connectionLimits.keptMs + 100)
  await said(connections, once)

  expect(new Set(sockets).size).toBe(2)
})

test('[RELAY-14] what a server says about its patience is believed, with a margin', async () => {
  const { connections, sockets } = await aVisit((response) => {
    response.setHeader('keep-alive', 'max=100, timeout=3')
    response.end('yes')
  })

  await said(connections, once)
  await sleep(200)
  await said(connections, once)
  await sleep(2_100)
  await said(connections, once)

  expect(sockets[1]).toBe(sockets[0])
  expect(sockets[2]).not.toBe(sockets[0])
})

test('[RELAY-14] patience is counted from when the last request was sent, however late its answer was read', async () => {
  const { connections, sockets } = await aVisit((response) => void setTimeout(() => response.end('yes'), 1_000))

  await said(connections, once)
  await sleep(connectionLimits.keptMs - 800)
  await said(connections, once)

  expect(new Set(sockets).size).toBe(2)
})

test('[RELAY-14] a close that is already here is heard before anything is written', async () => {
  const { connections, sockets } = await aVisit()
  await said(connections, once)
  await sleep(2 * connectionLimits.quietMs)

  sockets[0]?.destroy()
  const answer = await said(connections, once)

  expect(answer).toBe('yes')
  expect(sockets).toHaveLength(2)
})

test('[RELAY-14] a request that may arrive twice goes again, on a new connection, when a used one breaks', async () => {
  const { connections, sockets } = await aVisit(breaksUnlessFirst)
  await said(connections, twice)

  const answer = await said(connections, twice)

  expect(answer).toBe('yes')
  expect(sockets).toHaveLength(3)
  expect(sockets[2]).not.toBe(sockets[1])
})

test('[RELAY-14] any other request does not, and its sender hears that the outcome is not known', async () => {
  const { connections, sockets } = await aVisit(breaksUnlessFirst)
  await said(connections, once)

  const answer = said(connections, once)

  await expect(answer).rejects.toThrow('Whether the server did anything is not known.')
  expect(sockets).toHaveLength(2)
})

test('[RELAY-14] a server that breaks new connections too is not asked again and again', async () => {
  const { connections, sockets } = await aVisit((response, _request, isFirst) => {
    if (sockets.length === 1 && isFirst) response.end('yes')
    else response.destroy()
  })
  await said(connections, twice)

  const answer = said(connections, twice)

  await expect(answer).rejects.toThrow('not known')
  expect(sockets).toHaveLength(3)
})

test('[RELAY-14] a closed pool keeps nothing open', async () => {
  const { connections, sockets } = await aVisit()
  await said(connections, once)
  const closed = new Promise((resolve) => sockets[0]?.on('close', resolve))

  connections.close()

  await closed
})

function breaksUnlessFirst(response: ServerResponse, _request: IncomingMessage, isFirst: boolean): void {
  if (isFirst) response.end('yes')
  else response.destroy()
}

test('[RELAY-13] a server hears its own name and port, who we are, and how long the message is', async () => {
  const heard: Record<string, unknown>[] = []
  const server = createServer((request, response) => {
    heard.push(request.headers)
    response.end('yes')
  })
  const url = new URL((await listening(server)).url)
  url.username = 'ann'
  url.password = 'a b'
  const connections = new Connections(url)
  onTestFinished(() => connections.close())

  await said(connections, { ...once, headers: { 'x-other': '1' }, body: 'größe' })

  expect(heard[0]).toEqual({
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
    const { connections } = await aVisit((response, request) => {
      if (request.url === '/') return void response.writeHead(status, { location: '/mcp/?a=1' }).end()
      void readBody(request).then((body) => {
        arrived.push(`${request.method} ${request.url} ${request.headers['x-key']} ${body}`)
        response.end('yes')
      })
    })

    const text = await said(connections, { ...once, headers: { 'x-key': 'k' } })

    expect([text, ...arrived]).toEqual(['yes', 'POST /mcp/?a=1 k once'])
  },
)

test('[START-10] a redirect that would turn a message into a GET is not followed', async () => {
  const { connections, sockets } = await aVisit((response) => response.writeHead(302, { location: '/mcp/' }).end())

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
  const { connections } = await aVisit((response) => response.writeHead(307, { location: `${url}/mcp` }).end())

  const { statusCode } = await connections.send(once)

  expect(statusCode).toBe(307)
  expect(arrived).toEqual([])
})

test('[START-10] redirects in a circle come to an end', async () => {
  const { connections, sockets } = await aVisit((response) => response.writeHead(307, { location: '/' }).end())

  const { statusCode } = await connections.send(once)

  expect(statusCode).toBe(307)
  expect(sockets.length).toBe(1 + connectionLimits.redirects)
})
