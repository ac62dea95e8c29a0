// The HTTP server of the gateway: which requests are refused before they reach a server, and in which order.
//
// Unknown host name or origin first, then a token in the wrong place, then an unauthenticated caller. The body is read
// only after these checks.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Identity } from '../call/local-person.ts'
import type { HttpEndpoint } from '../clients/http.ts'
import { programLimits } from '../limits.ts'
import { errorCodes, errorReply } from '../protocol/messages.ts'
import type { StatedNetworks } from '../protocol/networks.ts'
import { callerAddress } from './caller-address.ts'
import { answerCrossOrigin } from './cross-origin.ts'
import { hostProblem, type Known, pageHostProblem } from './host.ts'

/** Why a caller is refused, as an HTTP response. */
export interface Refusal {
  readonly status: 400 | 401 | 403 | 503
  readonly message: string
  readonly headers?: Readonly<Record<string, string>>
}
export type Identified = Identity | undefined | { readonly refusal: Refusal }
export type Identify = (request: IncomingMessage) => Identified | Promise<Identified>

/** A GET handler besides the MCP endpoint, at its own path. */
export type Page = (request: IncomingMessage) => Promise<PageContent> | PageContent
export interface PageContent {
  readonly status: number
  readonly type: string
  readonly body: string
}

export type Fallback = (request: IncomingMessage, response: ServerResponse) => Promise<void>

export type RefusalReason = 'unknown-path' | 'host' | 'unidentified' | 'forbidden'

export interface HttpRules {
  readonly identify: Identify
  readonly known: Known
  /** The proxies whose X-Forwarded-For is used. */
  readonly proxies: StatedNetworks
}

export interface HttpServerOptions {
  readonly endpoint: HttpEndpoint
  /** Read for each request: a reload changes it. */
  readonly rules: HttpRules
  readonly pages: Readonly<Record<string, Page>>
  /** Handles every path that is neither the endpoint nor a page, with its own checks. */
  readonly fallback?: Fallback
  readonly onError: (error: unknown) => void
  readonly onRefused: (reason: RefusalReason) => void
}

export const endpointPath = '/mcp'

export interface HttpServer {
  readonly server: Server
  /** Requests whose response is not fully sent. Event streams of the inbox are not counted. */
  readonly inProgress: number
  /** From now on each connection closes after its response, so that the client connects to another replica. */
  leave(): void
}

export function createHttpServer(options: HttpServerOptions): HttpServer {
  const answering = new Set<ServerResponse>()
  let isLeaving = false
  const server = createServer(
    {
      noDelay: true,
      keepAliveTimeout: programLimits.idleConnectionMs,
      requestTimeout: programLimits.requestWithinMs,
      headersTimeout: programLimits.requestWithinMs,
      connectionsCheckingInterval: 1_000,
    },
    (request, response) => {
      if (isLeaving) response.shouldKeepAlive = false
      if (!isEventStream(request)) {
        answering.add(response)
        response.once('close', () => answering.delete(response))
      }
      respond(options, request, response).catch((error: unknown) => {
        options.onError(error)
        if (!response.headersSent) response.writeHead(500)
        response.end()
      })
    },
  )
  return {
    server,
    get inProgress() {
      return answering.size
    },
    leave: () => {
      isLeaving = true
      // Idle connections stay open: closing one could break a request that is being sent on it.
      for (const response of answering) if (!response.headersSent) response.shouldKeepAlive = false
    },
  }
}

/** An event stream of the inbox: https://html.spec.whatwg.org/multipage/server-sent-events.html */
function isEventStream(request: IncomingMessage): boolean {
  return request.headers.accept === 'text/event-stream' && pathOf(request) !== endpointPath
}

async function respond(options: HttpServerOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { endpoint, rules, pages, fallback, onRefused } = options
  const refuse = (reason: RefusalReason, refusal: { status: number; message: string; headers?: object }) => {
    onRefused(reason)
    const body = JSON.stringify(errorReply(null, errorCodes.refused, refusal.message))
    response.writeHead(refusal.status, { ...refusal.headers, 'content-type': 'application/json' }).end(body)
  }
  const path = pathOf(request)
  // The inbox removes service workers of other programs, whatever path their script has (decision 0063).
  if (request.headers['service-worker'] === 'script' && fallback !== undefined) return fallback(request, response)
  const page = path !== undefined && Object.hasOwn(pages, path) ? pages[path] : undefined
  if (page !== undefined) {
    const refusal = pageHostProblem(request, rules.known)
    return refusal === undefined ? showPage(page, request, response) : refuse('host', { status: 403, message: refusal })
  }
  if (path !== endpointPath && path !== undefined && fallback !== undefined) return fallback(request, response)
  if (path !== endpointPath) return refuse('unknown-path', { status: 404, message: 'Not found.' })
  const problem = hostProblem(request, rules.known)
  if (problem !== undefined) return refuse('host', { status: 403, message: problem })
  if (answerCrossOrigin(request, response, rules.known)) return
  const person = await rules.identify(request)
  if (person === undefined) return refuse('unidentified', { status: 401, message: 'Authentication required.' })
  if ('refusal' in person) {
    return refuse(person.refusal.status === 403 ? 'forbidden' : 'unidentified', person.refusal)
  }
  const address = callerAddress(request, rules.proxies)
  await endpoint.handle(request, response, address === undefined ? person : { ...person, address })
}

export async function showPage(page: Page, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.writeHead(405, { allow: 'GET, HEAD' }).end()
    return
  }
  const { status, type, body } = await page(request)
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' })
  response.end(request.method === 'HEAD' ? undefined : body)
}

function pathOf(request: IncomingMessage): string | undefined {
  const address = request.url ?? '/'
  if (address === endpointPath) return address
  return URL.canParse(address, 'http://gateway') ? new URL(address, 'http://gateway').pathname : undefined
}
