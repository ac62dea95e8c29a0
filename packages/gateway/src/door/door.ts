// Where requests come in over HTTP: what is refused before any server hears of it, and in which order.
//
// A name we are not known by, then a token in the wrong place, then a caller nobody knows. The body is read only after
// that.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { HttpEndpoint } from '../downstream/http.ts'
import { programLimits } from '../limits.ts'
import type { Identity } from '../local-person.ts'
import { errorCodes, errorReply } from '../wire/messages.ts'
import { answerCrossOrigin } from './cross-origin.ts'
import { hostProblem, type Known, pageHostProblem } from './host.ts'

/** Why a caller is not let in, as HTTP tells it. */
export interface Refusal {
  readonly status: 400 | 401 | 403 | 503
  readonly message: string
  readonly headers?: Readonly<Record<string, string>>
}
export type Identified = Identity | undefined | { readonly refusal: Refusal }
export type Identify = (request: IncomingMessage) => Identified | Promise<Identified>

/** Something else than the MCP endpoint, at its own path and for GET alone. */
export type Page = (request: IncomingMessage) => Promise<PageContent> | PageContent
export interface PageContent {
  readonly status: number
  readonly type: string
  readonly body: string
}

export type Beside = (request: IncomingMessage, response: ServerResponse) => Promise<void>

export type RefusalReason = 'unknown-path' | 'host' | 'unidentified' | 'forbidden'

export interface DoorOptions {
  readonly endpoint: HttpEndpoint
  /** Read at each request: a reload changes it. */
  readonly rules: { readonly identify: Identify; readonly known: Known }
  readonly pages: Readonly<Record<string, Page>>
  /** Answers at every path that is neither the endpoint's nor a page's; it has a door of its own. */
  readonly beside?: Beside
  readonly onTrouble: (error: unknown) => void
  readonly onRefused: (reason: RefusalReason) => void
}

export const endpointPath = '/mcp'

export interface Door {
  readonly server: Server
  /** Requests whose answer is not yet sent to its last byte. Pages that follow the inbox wait for none. */
  readonly underWay: number
  /** From now on each connection closes after its answer, so that the next request on it goes elsewhere. */
  leave(): void
}

export function createDoor(options: DoorOptions): Door {
  const answering = new Set<ServerResponse>()
  let isLeaving = false
  const server = createServer(
    {
      noDelay: true,
      keepAliveTimeout: 65_000,
      requestTimeout: programLimits.requestWithinMs,
      headersTimeout: programLimits.requestWithinMs,
      connectionsCheckingInterval: 1_000,
    },
    (request, response) => {
      if (isLeaving) response.shouldKeepAlive = false
      if (!follows(request)) {
        answering.add(response)
        response.once('close', () => answering.delete(response))
      }
      respond(options, request, response).catch((error: unknown) => {
        options.onTrouble(error)
        if (!response.headersSent) response.writeHead(500)
        response.end()
      })
    },
  )
  return {
    server,
    get underWay() {
      return answering.size
    },
    leave: () => {
      isLeaving = true
      // Connections that are idle stay: whoever sends on one in this very moment would find it broken.
      for (const response of answering) if (!response.headersSent) response.shouldKeepAlive = false
    },
  }
}

/** A page beside the endpoint that only listens: https://html.spec.whatwg.org/multipage/server-sent-events.html */
function follows(request: IncomingMessage): boolean {
  return request.headers.accept === 'text/event-stream' && pathOf(request) !== endpointPath
}

async function respond(options: DoorOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { endpoint, rules, pages, beside, onRefused } = options
  const refuse = (reason: RefusalReason, refusal: { status: number; message: string; headers?: object }) => {
    onRefused(reason)
    const body = JSON.stringify(errorReply(null, errorCodes.refused, refusal.message))
    response.writeHead(refusal.status, { ...refusal.headers, 'content-type': 'application/json' }).end(body)
  }
  const path = pathOf(request)
  const page = path !== undefined && Object.hasOwn(pages, path) ? pages[path] : undefined
  if (page !== undefined) {
    const refusal = pageHostProblem(request, rules.known)
    return refusal === undefined ? showPage(page, request, response) : refuse('host', { status: 403, message: refusal })
  }
  if (path !== endpointPath && path !== undefined && beside !== undefined) return beside(request, response)
  if (path !== endpointPath) return refuse('unknown-path', { status: 404, message: 'There is nothing at this path.' })
  const problem = hostProblem(request, rules.known)
  if (problem !== undefined) return refuse('host', { status: 403, message: problem })
  if (answerCrossOrigin(request, response, rules.known)) return
  const person = await rules.identify(request)
  if (person === undefined) return refuse('unidentified', { status: 401, message: 'Nobody knows who you are.' })
  if ('refusal' in person) {
    return refuse(person.refusal.status === 403 ? 'forbidden' : 'unidentified', person.refusal)
  }
  await endpoint.handle(request, response, person)
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
