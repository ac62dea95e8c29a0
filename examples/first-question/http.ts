import { createServer } from 'node:http'
import { httpHandler } from '@assent/sdk/http'
import { type NodeIncomingMessageLike, toNodeHandler } from '@modelcontextprotocol/node'
import { newServer } from './greet.ts'

const port = Number(process.env.PORT ?? 3000)
const serve = toNodeHandler(httpHandler(() => newServer().server))
const http = createServer((req, res) => serve(req as NodeIncomingMessageLike, res))
http.listen(port, '127.0.0.1', () => console.error(`Listening on http://127.0.0.1:${port}/mcp`))
