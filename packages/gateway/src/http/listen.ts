// Where a server listens. On loopback it listens at both addresses, 127.0.0.1 and ::1, or fails.
//
// `localhost` is 127.0.0.1 for some programs and ::1 for others. If we listened at only one of them, another
// account could listen at the other one, under the same name and port, and impersonate us.

import type { Server } from 'node:http'
import { type AddressInfo, createServer, type Server as SocketServer } from 'node:net'
import type { Address } from '../config/kinds.ts'
import { programLimits } from '../limits.ts'
import { isOwnLoopbackName } from '../protocol/loopback.ts'

export interface Listening {
  readonly port: number
  /** The address for people and browsers. */
  readonly origin: string
}

const [ipv4, ipv6] = ['127.0.0.1', '::1']
/** With port 0, a port that is free at one address may be taken at the other. */
const attempts = 20

/** Fails with EADDRINUSE when one of the addresses is taken. The second listener closes with the server. */
export async function listenAt(server: Server, { host, port }: Address): Promise<Listening> {
  server.maxConnections = programLimits.connections
  if (!isOwnLoopbackName(host)) {
    const given = await listening(server, host, port)
    return { port: given, origin: originOf(host, given) }
  }
  for (let attempt = 1; ; attempt++) {
    const own = await listening(server, ipv4, port)
    try {
      const hasBoth = await alsoAt(server, ipv6, own)
      return { port: own, origin: originOf(hasBoth ? 'localhost' : ipv4, own) }
    } catch (error) {
      await new Promise((resolve) => server.close(resolve))
      if (port !== 0 || attempt === attempts || !isTaken(error)) throw error
    }
  }
}

export function isTaken(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
}

/** The origin that `listenAt` will probably return, for use before the inbox listens. */
export function expectedOrigin({ host, port }: Address): string {
  return originOf(isOwnLoopbackName(host) ? 'localhost' : host, port)
}

/** Listens at a second address for the same server. False if this machine does not have that address. */
async function alsoAt(server: Server, host: string, port: number): Promise<boolean> {
  const second = createServer({ noDelay: true }, (socket) => {
    if (server.listening) server.emit('connection', socket)
    else socket.destroy()
  })
  second.maxConnections = server.maxConnections
  try {
    await listening(second, host, port)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // Without IPv6 no other program can listen there either.
    if (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT') return false
    throw error
  }
  // Only the first listener keeps the process alive.
  second.unref()
  server.once('close', () => second.close())
  return true
}

async function listening(server: SocketServer, host: string, port: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject).listen({ port, host, exclusive: true }, resolve)
  try {
    await promise
  } finally {
    server.off('error', reject).off('listening', resolve)
  }
  return (server.address() as AddressInfo).port
}

function originOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}
