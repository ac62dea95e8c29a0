// Serves SDK 1.x over Streamable HTTP, one server per session, and tells the parent process where.

import { randomUUID } from 'node:crypto'
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'

const sessions = new Map<string, StreamableHTTPServerTransport>()

export async function serveSessions(createServer: () => McpServer, port: number): Promise<void> {
  const http = createHttpServer((request, response) => {
    void handle(createServer, request, response)
  })
  http.listen(port, '127.0.0.1', () => {
    process.send?.({ url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp` })
  })
}

async function handle(
  createServer: () => McpServer,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const id = request.headers['mcp-session-id']
  if (typeof id === 'string') {
    const known = sessions.get(id)
    if (known === undefined) response.writeHead(404).end()
    else await known.handleRequest(request, response)
    return
  }
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (sessionId) => {
      sessions.set(sessionId, transport)
    },
  })
  // The SDK's own class does not fit its own interface under exactOptionalPropertyTypes.
  await createServer().connect(transport as Transport)
  await transport.handleRequest(request, response)
}
