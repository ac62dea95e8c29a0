// Servers of the SDK 1.x over HTTP, which keep a session for each client.

import { randomUUID } from 'node:crypto'
import type { RequestListener } from 'node:http'
import {
  StreamableHTTPServerTransport,
  type StreamableHTTPServerTransportOptions,
} from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'

export interface Sessions {
  readonly listener: RequestListener
  /** Ends all sessions, as a restart does. */
  forget(): void
}

interface Connectable {
  connect(transport: Transport): Promise<void>
}

/** @param createServer called once per session */
export function serveSessions(
  createServer: () => Connectable,
  options: () => StreamableHTTPServerTransportOptions = () => ({}),
): Sessions {
  const sessions = new Map<string, StreamableHTTPServerTransport>()
  const listener: RequestListener = async (request, response) => {
    const id = request.headers['mcp-session-id']
    if (typeof id === 'string') {
      const known = sessions.get(id)
      if (known === undefined) response.writeHead(404).end()
      else await known.handleRequest(request, response)
      return
    }
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (opened) => void sessions.set(opened, transport),
      onsessionclosed: (closed) => void sessions.delete(closed),
      ...options(),
    })
    // The SDK's class does not match its interface under exactOptionalPropertyTypes.
    await createServer().connect(transport as Transport)
    await transport.handleRequest(request, response)
  }
  return { listener, forget: () => sessions.clear() }
}
