// Servers on 127.0.0.1, for as long as a test needs them.

import { randomInt } from 'node:crypto'
import { createServer, type Server as HttpServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net'

/** Longer than clients keep an idle connection, so that none sends on a connection that is just being closed. */
const keepAliveTimeout = 65_000

export interface Listening {
  readonly port: number
  readonly origin: string
  /** The MCP endpoint of a server that has one. */
  readonly url: string
  /** Ends the open connections too. */
  close(): Promise<void>
}

/** @param server or the handler of an HTTP server, on a free port unless one is given */
export async function listen(server: Server | RequestListener, port = 0): Promise<Listening> {
  const listening = typeof server === 'function' ? createServer({ keepAliveTimeout }, server) : server
  await new Promise<void>((resolve, reject) => {
    listening.once('error', reject).listen(port, '127.0.0.1', () => {
      listening.off('error', reject)
      resolve()
    })
  })
  const bound = (listening.address() as AddressInfo).port
  const origin = `http://127.0.0.1:${bound}`
  return {
    port: bound,
    origin,
    url: `${origin}/mcp`,
    close: async () => {
      const closed = new Promise<void>((resolve) => listening.close(() => resolve()))
      if (isHttp(listening)) listening.closeAllConnections()
      await closed
    },
  }
}

/** Below the ports that the system gives out by itself (on Linux from 32768), and none that browsers refuse. */
const ownPorts = { least: 20_000, most: 32_000 }

/** A port that was free a moment ago. Nothing gets it by chance before it is used, or while its server restarts. */
export async function freePort(): Promise<number> {
  for (;;) {
    try {
      const { port, close } = await listen(createTcpServer(), randomInt(ownPorts.least, ownPorts.most))
      await close()
      return port
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    }
  }
}

function isHttp(server: Server): server is HttpServer {
  return 'closeAllConnections' in server
}
