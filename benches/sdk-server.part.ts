// The server of the sdk's bench, a process of its own: every spelling of the tool on every generation, each at a path.

import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler } from '@modelcontextprotocol/server'
import { type Spelling, serverFor } from './sdk-tools.part.ts'

type Listener = (req: IncomingMessage, res: ServerResponse) => unknown

function serving20260728(spelling: Spelling): Listener {
  return toNodeHandler(
    createMcpHandler(() => serverFor('2026-07-28', spelling), { legacy: 'reject' }),
  ) as RequestListener
}

function serving20251125(spelling: Spelling): Listener {
  const sessions = new Map<string, NodeStreamableHTTPServerTransport>()
  return async (req, res) => {
    const known = sessions.get(String(req.headers['mcp-session-id']))
    if (known !== undefined) return known.handleRequest(req, res)
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
    })
    await serverFor('2025-11-25', spelling).connect(transport)
    return transport.handleRequest(req, res)
  }
}

const listeners: Readonly<Record<string, Listener>> = {
  '/2025-11-25/sdk': serving20251125('sdk'),
  '/2025-11-25/by-hand': serving20251125('by hand'),
  '/2026-07-28/sdk': serving20260728('sdk'),
  '/2026-07-28/by-hand': serving20260728('by hand'),
}

const http = createServer((req, res) => {
  const listener = listeners[req.url ?? '']
  if (listener === undefined) return void res.writeHead(404).end()
  return void listener(req, res)
})
http.listen(0, '127.0.0.1', () => {
  const address = http.address()
  if (typeof address === 'object') process.send?.(`http://127.0.0.1:${address?.port}`)
})
// The bench is gone: nobody is left to serve.
process.on('disconnect', () => process.exit())
