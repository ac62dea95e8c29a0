// A server without an MCP endpoint: for an inbox or a playground on its own port.

import { createServer, type Server } from 'node:http'
import { programLimits } from '../limits.ts'
import type { Fallback } from './server.ts'

/** Slow clients are disconnected, as at the endpoint. Returns 503 until `respond` is available. */
export function plainServer(respond: () => Fallback | undefined, onError: (error: unknown) => void): Server {
  const { requestWithinMs, idleConnectionMs } = programLimits
  const options = {
    keepAliveTimeout: idleConnectionMs,
    requestTimeout: requestWithinMs,
    headersTimeout: requestWithinMs,
    connectionsCheckingInterval: 1_000,
  }
  return createServer(options, (request, response) => {
    const answer = respond()
    if (answer === undefined) return void response.writeHead(503).end()
    answer(request, response).catch((error: unknown) => {
      onError(error)
      response.destroy()
    })
  })
}
