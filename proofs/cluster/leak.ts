// A planted leak: keeps every request with some memory and a timer, and sometimes a socket.

import type { IncomingMessage } from 'node:http'
import { createServer, type Server } from 'node:net'

const socketEvery = 10
const dayMs = 24 * 60 * 60 * 1_000
const pageLength = 2_000
const requests: { readonly request: IncomingMessage; readonly page: readonly number[] }[] = []
const sockets: Server[] = []
const timers: NodeJS.Timeout[] = []

export function leak(request: IncomingMessage): void {
  requests.push({ request, page: Array.from({ length: pageLength }, Math.random) })
  timers.push(setTimeout(() => undefined, dayMs))
  if (requests.length % socketEvery === 0) sockets.push(createServer().listen(0, '127.0.0.1'))
}
