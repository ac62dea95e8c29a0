// The fixture server: everything that the official suite requires, on one Streamable HTTP endpoint.
//
// Each request is sorted by the SDK's own classifier. 2026-07-28 requests are served one by one; 2025-11-25 requests
// belong to sessions, which exist in this process until they are deleted or the server closes. The rule: both generations
// use the same tools, so a difference between them is a difference of the protocol. A server with only the older revision
// represents servers that were never updated.
import { randomBytes, randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import {
  localhostHostValidation,
  localhostOriginValidation,
  type NodeIncomingMessageLike,
  NodeStreamableHTTPServerTransport,
  toNodeHandler,
  toWebRequest,
} from '@modelcontextprotocol/node'
import {
  createMcpHandler,
  createRequestStateCodec,
  isInitializeRequest,
  isLegacyRequest,
  type McpServer,
} from '@modelcontextprotocol/server'
import { listen } from '../test-kit/listen.ts'
import type { Round } from './server-asking.ts'
import { buildServer } from './server-build.ts'
import type { Changes } from './server-content.ts'

interface Session {
  readonly server: McpServer
  readonly transport: NodeStreamableHTTPServerTransport
}

export interface FixtureServer {
  readonly url: string
  close(): Promise<void>
}

export async function startFixtureServer({ speaksNewest = true } = {}): Promise<FixtureServer> {
  const state = createRequestStateCodec<Round>({ key: randomBytes(32) })
  const sessions = new Map<string, Session>()
  const changes: Changes = {
    toolsChanged() {
      modern.notify.toolsChanged()
      for (const { server } of sessions.values()) server.sendToolListChanged()
    },
    promptsChanged() {
      modern.notify.promptsChanged()
      for (const { server } of sessions.values()) server.sendPromptListChanged()
    },
  }
  const modern = createMcpHandler(() => buildServer(changes, state), { legacy: 'reject' })
  const serveModern = toNodeHandler(modern)

  async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const body = req.method === 'POST' ? await json(req) : undefined
    const node = req as NodeIncomingMessageLike // Node says `string | undefined` where the SDK says optional.
    const isOld = !speaksNewest || (await isLegacyRequest(await toWebRequest(node, body), body))
    if (!isOld) return serveModern(node, res, body)

    const id = req.headers['mcp-session-id']?.toString()
    if (id === undefined && !isInitializeRequest(body)) return refuse(res, 400, 'A session id is required')
    const session = id === undefined ? await openSession() : sessions.get(id)
    if (session === undefined) return refuse(res, 404, 'Unknown session')
    await session.transport.handleRequest(req, res, body)
  }

  async function openSession(): Promise<Session> {
    const server = buildServer(changes, state)
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, { server, transport }),
      onsessionclosed: (id) => void sessions.delete(id),
    })
    await server.connect(transport)
    return { server, transport }
  }

  const [hostIsLocal, originIsLocal] = [localhostHostValidation(), localhostOriginValidation()]
  const http = await listen((req, res) => {
    // Both guards send the response themselves when they refuse a request.
    if (!hostIsLocal(req, res) || !originIsLocal(req, res)) return
    serve(req, res).catch((error: unknown) => refuse(res, 500, String(error)))
  })
  return {
    url: http.url,
    async close() {
      await Promise.all([modern.close(), ...[...sessions.values()].map(({ server }) => server.close())])
      await http.close()
    },
  }
}

function refuse(res: ServerResponse, status: number, message: string): void {
  if (res.headersSent) return void res.end()
  res.writeHead(status, { 'content-type': 'application/json' })
  res.end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32000, message } }))
}
