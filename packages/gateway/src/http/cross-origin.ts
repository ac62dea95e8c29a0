// CORS headers for the endpoint. Only origins that the operator configured get them; `hostProblem` has already refused
// all others.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { header } from '../protocol/http.ts'
import type { Known } from './host.ts'

const takenHeaders = /^(accept|authorization|content-type|last-event-id|mcp-[a-z0-9-]+)$/

/** True when the request was a CORS preflight and is answered. */
export function answerCrossOrigin(request: IncomingMessage, response: ServerResponse, { origins }: Known): boolean {
  const origin = header(request, 'origin')
  if (origin === undefined || !origins.includes(origin)) return false
  response.setHeader('access-control-allow-origin', origin)
  response.setHeader('access-control-expose-headers', 'mcp-session-id, www-authenticate')
  response.setHeader('vary', 'origin')
  if (request.method !== 'OPTIONS') return false
  const wanted = (header(request, 'access-control-request-headers') ?? '').split(',').map((name) => name.trim())
  response.writeHead(204, {
    'access-control-allow-methods': 'GET, POST, DELETE',
    'access-control-allow-headers': wanted.filter((name) => takenHeaders.test(name)).join(', '),
    'access-control-max-age': '600',
  })
  response.end()
  return true
}
