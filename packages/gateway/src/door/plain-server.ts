// A server for pages alone: of an inbox or a playground that is not beside an MCP endpoint.

import { createServer, type Server } from 'node:http'
import { programLimits } from '../limits.ts'
import type { Beside } from './door.ts'

/** A client that sends slowly is cut off, as at the endpoint. Until `respond` is there, the answer is 503. */
export function plainServer(respond: () => Beside | undefined, onTrouble: (error: unknown) => void): Server {
  const { requestWithinMs } = programLimits
  const options = {
    requestTimeout: requestWithinMs,
    headersTimeout: requestWithinMs,
    connectionsCheckingInterval: 1_000,
  }
  return createServer(options, (request, response) => {
    const answer = respond()
    if (answer === undefined) return void response.writeHead(503).end()
    answer(request, response).catch((error: unknown) => {
      onTrouble(error)
      response.destroy()
    })
  })
}
