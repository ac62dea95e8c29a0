// The listener for requests that other replicas forward to this one.
//
// I1  Only requests with a valid sealed header are served; all others are refused and counted.
// I2  A request that was forwarded is never forwarded again: its handlers serve it here or refuse it with 421.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { KeyRing } from '@assent/core'
import { programLimits } from '../limits.ts'
import { header, readBody } from '../protocol/http.ts'
import { type Forwarding, type ForwardRefusal, ForwardSeals, ownPath, sealHeader } from './forward-seal.ts'
import { refuseForwarded } from './forwarder.ts'

export interface ForwardedIn {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly by: Forwarding
  readonly body: string
}

export interface ListenerOptions {
  /** The id of this replica. */
  readonly replica: string
  readonly tenant: string
  readonly keys: KeyRing
  readonly nowMs: () => number
  /** PEM texts. Without them the listener does not encrypt. */
  readonly tls?: { readonly cert: string; readonly key: string }
  /** By path. */
  readonly handlers: Readonly<Record<string, (forwarded: ForwardedIn) => Promise<void>>>
  readonly onRefused: (why: ForwardRefusal) => void
  readonly onError: (error: unknown) => void
}

/** Headers of the connection, and the seal itself, which the seal does not cover. */
const uncovered = ['connection', 'content-length', 'host', 'keep-alive', 'transfer-encoding', sealHeader]
/** The seal contains the groups of the person, of which there may be hundreds. */
const headerBytes = 65_536

export class ClusterListener {
  readonly server: Server
  readonly #options: ListenerOptions
  readonly #seals: ForwardSeals
  readonly #responses = new Set<ServerResponse>()

  constructor(options: ListenerOptions) {
    this.#options = options
    this.#seals = new ForwardSeals(options.keys, options.replica, options.nowMs)
    const settings = {
      noDelay: true,
      maxHeaderSize: headerBytes,
      keepAliveTimeout: programLimits.idleConnectionMs,
      requestTimeout: programLimits.requestWithinMs,
      headersTimeout: programLimits.requestWithinMs,
      connectionsCheckingInterval: 1_000,
    }
    const listener = (request: IncomingMessage, response: ServerResponse) => this.#receive(request, response)
    this.server =
      options.tls === undefined
        ? createServer(settings, listener)
        : createTlsServer({ ...settings, ...options.tls }, listener)
  }

  /** Requests whose response is not fully sent. */
  get inProgress(): number {
    return this.#responses.size
  }

  close(): void {
    this.server.close()
    this.server.closeAllConnections()
  }

  #receive(request: IncomingMessage, response: ServerResponse): void {
    this.#responses.add(response)
    response.once('close', () => this.#responses.delete(response))
    this.#respond(request, response).catch((error: unknown) => {
      this.#options.onError(error)
      if (!response.headersSent) response.writeHead(500)
      response.end()
    })
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { replica, tenant, handlers, onRefused } = this.#options
    const { method = '', url: path = '' } = request
    const refuse = (why: ForwardRefusal) => {
      onRefused(why)
      // A request that was sent twice may have run the first time.
      refuseForwarded(response, why === 'replayed' || why === 'expired' ? 'unknown' : 'refused')
    }
    const sealed = header(request, sealHeader)
    // Checked before the body is read, which may be large.
    if (!this.#seals.isSealed(sealed)) return refuse('forged')
    const body = await readBody(request).catch(() => undefined)
    if (body === undefined) return refuse('forged')
    const opened = this.#seals.open(sealed, { method, path, headers: coveredHeaders(request), body })
    if (!opened.ok) return refuse(opened.why)
    if (opened.forwarding.tenant !== tenant) return refuse('misdirected')
    if (path === ownPath) return void response.writeHead(200, { 'content-type': 'text/plain' }).end(replica)
    const handler = Object.hasOwn(handlers, path) ? handlers[path] : undefined
    if (handler === undefined) return void response.writeHead(404).end()
    await handler({ request, response, by: opened.forwarding, body })
  }
}

function coveredHeaders({ headers }: IncomingMessage): Record<string, string> {
  const covered = Object.entries(headers).filter(([name]) => !uncovered.includes(name))
  return Object.fromEntries(covered.map(([name, value]) => [name, String(value)]))
}
