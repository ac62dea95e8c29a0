// What a replica does that never lets go: it keeps every request, a timer for each, and now and then a socket.

import type { IncomingMessage } from 'node:http'
import { createServer, type Server } from 'node:net'

const socketEvery = 10
const dayMs = 24 * 60 * 60 * 1_000
const requests: IncomingMessage[] = []
const sockets: Server[] = []
const timers: NodeJS.Timeout[] = []

export function leak(request: IncomingMessage): void {
  requests.push(request)
  timers.push(setTimeout(() => undefined, dayMs))
  if (requests.length % socketEvery === 0) sockets.push(createServer().listen(0, '127.0.0.1'))
}
