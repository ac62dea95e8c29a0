// HTTP of a hostile program: any Host, any header, either address of this machine, and a listener that records every
// request.

import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface RawRequest {
  readonly port: number
  readonly path: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly address?: '127.0.0.1' | '::1'
}

export interface RawReply {
  readonly status: number
  readonly text: string
}

/** A stream is read for this long: its first events are enough. */
const streamMs = 300
const replyWithinMs = 60_000

export function rawRequest({ port, path, method = 'GET', headers = {}, body, address }: RawRequest): Promise<RawReply> {
  const { promise, resolve, reject } = Promise.withResolvers<RawReply>()
  const sent = httpRequest({ host: address ?? '127.0.0.1', port, path, method, headers, agent: false }, (response) => {
    let text = ''
    const done = () => {
      resolve({ status: response.statusCode ?? 0, text })
      response.destroy()
    }
    response.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
    response.once('end', done).once('error', done)
    if (response.headers['content-type'] === 'text/event-stream') setTimeout(done, streamMs)
  })
  sent.setTimeout(replyWithinMs, () => sent.destroy(new Error('No reply.'))).once('error', reject)
  sent.end(body)
  return promise
}

export interface Received {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

export interface Trap {
  readonly port: number
  readonly received: readonly Received[]
  close(): Promise<void>
}

export interface TrapOptions {
  readonly host?: string
  readonly port?: number
  /** Shares the port with programs that also allow it, if the system supports it. */
  readonly reusePort?: boolean
  readonly respond?: (request: Received, response: ServerResponse) => void | Promise<void>
}

/** Throws when the address is taken. */
export async function aTrap({
  host = '127.0.0.1',
  port = 0,
  reusePort = false,
  respond = (_, response) => void response.setHeader('content-type', 'text/html').end('<h1>Documentation</h1>'),
}: TrapOptions = {}): Promise<Trap> {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    const { method = '', url: path = '', headers } = request
    const one = { method, path, headers, body }
    received.push(one)
    await respond(one, response)
  })
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject).listen({ host, port, reusePort, exclusive: true }, resolve)
  await promise
  return {
    port: (server.address() as AddressInfo).port,
    received,
    close: async () => {
      const closed = new Promise((done) => server.close(done))
      server.closeAllConnections()
      await closed
    },
  }
}
