// Starts an example in one of three ways: over stdio, over HTTP (`--http`), or here in the terminal (`--terminal`).
//
// Clients of both generations are served with the SDK's own transports. The questions are in the examples, not here.
import { randomUUID } from 'node:crypto'
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import {
  localhostHostValidation,
  localhostOriginValidation,
  type NodeIncomingMessageLike,
  NodeStreamableHTTPServerTransport,
  toNodeHandler,
  toWebRequest,
} from '@modelcontextprotocol/node'
import { createMcpHandler, isLegacyRequest, type McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'

type CreateServer = () => McpServer

/** `inTerminal` runs the tool with sample arguments. */
export async function start(createServer: CreateServer, inTerminal: () => Promise<unknown>): Promise<void> {
  const [mode = '--stdio', port = '0'] = process.argv.slice(2)
  if (mode === '--terminal') console.log(JSON.stringify(await inTerminal(), null, 2))
  else if (mode === '--http') await serveHttp(createServer, Number(port))
  else if (mode === '--stdio') serveStdio(createServer)
  else throw new Error(`Unknown option ${mode}. Use --stdio, --http [port] or --terminal.`)
}

/** Revision 2026-07-28 is served per request; older clients get a session, because they are asked during a call. */
async function serveHttp(createServer: CreateServer, port: number): Promise<void> {
  const serveLatest = toNodeHandler(createMcpHandler(createServer, { legacy: 'reject' }))
  const sessions = new Map<string, NodeStreamableHTTPServerTransport>()

  async function openSession(): Promise<NodeStreamableHTTPServerTransport> {
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
      onsessionclosed: (id) => void sessions.delete(id),
    })
    await createServer().connect(transport)
    return transport
  }

  async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const body = req.method === 'POST' ? await json(req) : undefined
    const request = req as NodeIncomingMessageLike
    if (!(await isLegacyRequest(await toWebRequest(request, body), body))) return serveLatest(request, res, body)
    const session = sessions.get(String(req.headers['mcp-session-id'])) ?? (await openSession())
    await session.handleRequest(req, res, body)
  }

  // A page in a browser must not be able to call a server on this computer.
  const [hostIsLocal, originIsLocal] = [localhostHostValidation(), localhostOriginValidation()]
  const http = createHttpServer((req, res) => {
    if (!hostIsLocal(req, res) || !originIsLocal(req, res)) return
    serve(req, res).catch((error: unknown) => {
      console.error(error)
      res.writeHead(500).end()
    })
  })
  await new Promise<void>((resolve) => http.listen(port, '127.0.0.1', resolve))
  const address = http.address()
  if (typeof address === 'object') console.error(`Listening on http://127.0.0.1:${address?.port}/mcp`)
}
