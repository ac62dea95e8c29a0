// Where a server listens. On loopback that is both addresses of this machine, or neither.
//
// `localhost` is 127.0.0.1 to some programs and ::1 to others. If only one of them were ours, another account could listen
// at the other one, under the same name and port, and be taken for us.

import type { Server } from 'node:http'
import { type AddressInfo, createServer, type Server as SocketServer } from 'node:net'
import type { Address } from '../config/kinds.ts'
import { programLimits } from '../limits.ts'

export interface Listening {
  readonly port: number
  /** The address for people and browsers. */
  readonly origin: string
}

const loopbackNames = ['localhost', '127.0.0.1', '::1']
const [ipv4, ipv6] = ['127.0.0.1', '::1']
/** A free port for one of the addresses may be taken for the other. */
const attempts = 20

/** Fails with EADDRINUSE when any of the addresses is taken. What is opened closes with the server. */
export async function listenAt(server: Server, { host, port }: Address): Promise<Listening> {
  server.maxConnections = programLimits.connections
  if (!loopbackNames.includes(host)) {
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

/** The address of an inbox before anyone listens there, as `listenAt` will most likely say it. */
export function expectedOrigin({ host, port }: Address): string {
  return originOf(loopbackNames.includes(host) ? 'localhost' : host, port)
}

/** Connections at a second address, given to the same server. False where this machine does not have that address. */
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
    // Without IPv6 nobody else can listen there either.
    if (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT') return false
    throw error
  }
  // The first one keeps the process alive, where it should be.
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
