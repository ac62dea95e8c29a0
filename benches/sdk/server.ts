// The server process of the SDK bench: every variant of the tool on every generation, each at its own path.

import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node'
import { listen } from '../../test-kit/listen.ts'
import { serveRequests } from '../../test-kit/mcp/serve-2026-07-28.ts'
import { type Spelling, serverFor } from './tools.ts'

type Listener = (req: IncomingMessage, res: ServerResponse) => unknown

function serving20260728(spelling: Spelling): Listener {
  return serveRequests(() => serverFor('2026-07-28', spelling))
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
  '/2025-11-25/tool': serving20251125('tool'),
  '/2025-11-25/interactive': serving20251125('interactive'),
  '/2025-11-25/by-hand': serving20251125('by hand'),
  '/2026-07-28/tool': serving20260728('tool'),
  '/2026-07-28/interactive': serving20260728('interactive'),
  '/2026-07-28/by-hand': serving20260728('by hand'),
}

const { origin } = await listen((req, res) => {
  const listener = listeners[req.url ?? '']
  if (listener === undefined) return void res.writeHead(404).end()
  return void listener(req, res)
})
process.send?.(origin)
// The bench has ended.
process.on('disconnect', () => process.exit())
