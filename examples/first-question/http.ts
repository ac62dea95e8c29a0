import { createServer } from 'node:http'
import { httpHandler } from '@assent/sdk/http'
import { type NodeIncomingMessageLike, toNodeHandler } from '@modelcontextprotocol/node'
import { McpServer } from '@modelcontextprotocol/server'
import { greet } from './greet.ts'

const mcp = httpHandler(() => {
  const server = new McpServer({ name: 'first-question', version: '1.0.0' })
  server.registerTool('greet', { description: 'Asks the person for their name and greets them' }, greet)
  return server
})
const port = Number(process.env.PORT ?? 3000)
const serve = toNodeHandler(mcp)
const http = createServer((req, res) => serve(req as NodeIncomingMessageLike, res))
http.listen(port, '127.0.0.1', () => console.error(`Listening on http://127.0.0.1:${port}/mcp`))
