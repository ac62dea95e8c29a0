// Starts an example in one of three ways: over stdio, over HTTP (`--http`), or here in the terminal (`--terminal`).
//
// Clients of both generations are served with the SDK's own transports. The questions are in the examples, not here.
import { createServer as createHttpServer } from 'node:http'
import { httpHandler } from '@assent/sdk/http'
import {
  localhostHostValidation,
  localhostOriginValidation,
  type NodeIncomingMessageLike,
  toNodeHandler,
} from '@modelcontextprotocol/node'
import type { McpServer } from '@modelcontextprotocol/server'
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

async function serveHttp(createServer: CreateServer, port: number): Promise<void> {
  const serve = toNodeHandler(httpHandler(createServer))
  // A page in a browser must not be able to call a server on this computer.
  const [hostIsLocal, originIsLocal] = [localhostHostValidation(), localhostOriginValidation()]
  const http = createHttpServer((req, res) => {
    if (!hostIsLocal(req, res) || !originIsLocal(req, res)) return
    void serve(req as NodeIncomingMessageLike, res)
  })
  await new Promise<void>((resolve) => http.listen(port, '127.0.0.1', resolve))
  const address = http.address()
  if (typeof address === 'object') console.error(`Listening on http://127.0.0.1:${address?.port}/mcp`)
}
