// Servers of the SDK 2.x over HTTP, which keep nothing between requests.

import type { RequestListener } from 'node:http'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, type McpServerFactory } from '@modelcontextprotocol/server'

/** @param createServer called once per request; requests of other revisions are rejected */
export function serveRequests(createServer: McpServerFactory): RequestListener {
  return nodeListener(createMcpHandler(createServer, { legacy: 'reject' }))
}

/** Typed as Node's own listener: the SDK's is not, under exactOptionalPropertyTypes. */
export function nodeListener(handler: ReturnType<typeof createMcpHandler>): RequestListener {
  return toNodeHandler(handler) as RequestListener
}
