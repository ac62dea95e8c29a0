// What a replica does that never lets go: it keeps every request and a page of what it is about, a timer for each, and now and then a socket.

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
