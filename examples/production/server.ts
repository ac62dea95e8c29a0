import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import { createKeyRing } from '@assent/core'
import { createAssent } from '@assent/sdk'
import { openSqlite } from '@assent/store'
import {
  type NodeIncomingMessageLike,
  NodeStreamableHTTPServerTransport,
  toNodeHandler,
  toWebRequest,
} from '@modelcontextprotocol/node'
import { createMcpHandler, isLegacyRequest, McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'

const keys = [{ id: 'k1', secret: Buffer.from(process.env.ASSENT_KEY ?? '', 'base64') }]
const store = await openSqlite(process.env.ASSENT_DB ?? 'deploy.db', { keys: createKeyRing(keys) })
const assent = createAssent({ name: 'deploy', keys, store })

function newServer(): McpServer {
  const server = new McpServer({ name: 'deploy', version: '1.0.0' })
  const inputSchema = z.object({ env: z.string() })
  assent.tool(server, 'deploy', { inputSchema }, async ({ env }, { ask, gate }) => {
    const region = await ask.choose('Which region?', { eu: 'Europe', us: 'United States' })
    const action = { title: `Deploy to ${env}`, arguments: { env, region } }
    const { value } = await gate(action, (approved) => `${approved.env}-${approved.region}`)
    return `Deployed ${value}.`
  })
  return server
}

// Clients of 2026-07-28 send every request by itself. Older clients get a session, because they are asked during a call.
const latest = toNodeHandler(createMcpHandler(newServer, { legacy: 'reject' }))
const sessions = new Map<unknown, NodeStreamableHTTPServerTransport>()

const http = createServer(async (req, res) => {
  const body = req.method === 'POST' ? await json(req) : undefined
  const request = req as NodeIncomingMessageLike
  if (!(await isLegacyRequest(await toWebRequest(request, body), body))) return latest(request, res, body)
  const session = sessions.get(req.headers['mcp-session-id']) ?? (await newSession())
  await session.handleRequest(req, res, body)
})

async function newSession(): Promise<NodeStreamableHTTPServerTransport> {
  const transport = new NodeStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => void sessions.set(id, transport),
    onsessionclosed: (id) => void sessions.delete(id),
  })
  await newServer().connect(transport)
  return transport
}

http.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  const address = http.address()
  console.error(`Listening on http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/mcp`)
})
