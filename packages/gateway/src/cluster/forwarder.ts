// Forwards a request to the replica that owns its session, its held call or its server process, and passes the response on.
//
// I1  A request is forwarded once: the receiver serves it or refuses it, and never forwards it again.
// I2  Credentials stay here: the receiver gets the person in a sealed header (forward-seal.ts), no token and no cookie.
// I3  When either side disconnects, the other side's connection is closed too.

import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import type { KeyRing } from '@assent/core'
import type { LiveReplica } from '@assent/store'
import { clusterLimits } from '../limits.ts'
import { discard } from '../protocol/http.ts'
import { type ForwardedRequest, type Forwarding, sealForward, sealHeader } from './forward-seal.ts'
import type { Peers } from './peers.ts'
import type { PlainNetworks } from './plain-networks.ts'

export type Forwarded =
  /** The response was passed on: to its end, or until one of the connections closed. */
  | 'served'
  /** The other replica did not run it, and does not serve it: it refused, or nothing listens at its address. */
  | 'refused'
  /** The other replica did not run it, because no connection could be opened. It may be alive. */
  | 'unreached'
  /** It was sent and no response arrived: whether the other replica ran it is not known. */
  | 'unknown'

/** Refuses a forwarded request. The header distinguishes this from a response of a server (RFC 9110, 15.5.20). */
export function refuseForwarded(response: ServerResponse, how: 'refused' | 'unknown' = 'refused'): void {
  response.writeHead(421, { [sealHeader]: how, connection: 'close' }).end()
}

/** For whom a request is forwarded. */
export type ForwardedFor = Pick<Forwarding, 'tenant' | 'principal' | 'groups' | 'client' | 'roles' | 'address'>

/** When the sender stops. A stream then ends cleanly; a call breaks off, because it would look as if it had no reply. */
export interface Until {
  readonly signal: AbortSignal
  readonly isStream: boolean
}

export interface ForwarderOptions {
  readonly peers: Peers
  readonly keys: KeyRing
  readonly nowMs: () => number
  /** PEM certificates that sign the certificates of the other replicas, in addition to the system's. */
  readonly ca?: string
  /** Where requests may be sent without TLS. */
  readonly plain: PlainNetworks
  /** Called when another replica cannot be reached, at most every ten seconds for each. */
  readonly onFailed: (error: Error) => void
}

const passedHeaders = [
  'content-type',
  'content-length',
  'cache-control',
  'mcp-session-id',
  'retry-after',
  'x-accel-buffering',
]

const reportEveryMs = 10_000

class Unreached extends Error {}

export class Forwarder {
  readonly #options: ForwarderOptions
  readonly #http: HttpAgent
  readonly #https: HttpsAgent
  /** When the last failure of each replica was reported. */
  readonly #reportedMs = new Map<string, number>()

  constructor(options: ForwarderOptions) {
    this.#options = options
    const { plain, ca } = options
    // Shorter than the receiver's idle timeout, so that a connection is not reused while the receiver closes it.
    const keeping = { keepAlive: true, maxFreeSockets: clusterLimits.idleConnections, timeout: clusterLimits.idleMs }
    this.#http = new HttpAgent({ ...keeping, lookup: plain.lookup })
    this.#https = new HttpsAgent({ ...keeping, ...(ca === undefined ? {} : { ca }) })
  }

  /**
   * Passes a client's request on, and the response back.
   * @param until ends the response when it aborts; the client then reconnects to another replica
   */
  async pass(
    to: LiveReplica,
    by: ForwardedFor,
    request: ForwardedRequest,
    response: ServerResponse,
    until: Until,
  ): Promise<Forwarded> {
    const gone = new AbortController()
    const leave = () => gone.abort()
    response.once('close', leave)
    if (response.destroyed) leave()
    const watch = this.#watch(to, gone)
    try {
      const incoming = await this.#sent(to, by, request, gone.signal)
      if (typeof incoming === 'string') return response.destroyed ? 'served' : incoming
      await passOn(incoming, response, until)
      return 'served'
    } finally {
      clearInterval(watch)
      response.off('close', leave)
    }
  }

  /** Sends a request and resolves with the response. It is cancelled when the signal aborts or the receiver dies. */
  async send(
    to: LiveReplica,
    by: ForwardedFor,
    request: ForwardedRequest,
    signal: AbortSignal,
  ): Promise<IncomingMessage | Exclude<Forwarded, 'served'>> {
    const dead = new AbortController()
    const watch = this.#watch(to, dead)
    try {
      return await this.#sent(to, by, request, AbortSignal.any([signal, dead.signal]))
    } finally {
      clearInterval(watch)
    }
  }

  close(): void {
    this.#http.destroy()
    this.#https.destroy()
  }

  async #sent(
    to: LiveReplica,
    by: ForwardedFor,
    request: ForwardedRequest,
    signal: AbortSignal,
  ): Promise<IncomingMessage | Exclude<Forwarded, 'served'>> {
    try {
      const response = await this.#request(to, by, request, signal)
      const refusal = response.headers[sealHeader]
      if (refusal === undefined) return response
      discard(response)
      return refusal === 'refused' ? 'refused' : 'unknown'
    } catch (error) {
      if (!signal.aborted) this.#report(to, error)
      if (!(error instanceof Unreached)) return 'unknown'
      return (error.cause as NodeJS.ErrnoException).code === 'ECONNREFUSED' ? 'refused' : 'unreached'
    }
  }

  #report({ id, address }: LiveReplica, error: unknown): void {
    const now = performance.now()
    if (now - (this.#reportedMs.get(id) ?? Number.NEGATIVE_INFINITY) < reportEveryMs) return
    for (const [one, atMs] of this.#reportedMs) if (now - atMs >= reportEveryMs) this.#reportedMs.delete(one)
    this.#reportedMs.set(id, now)
    const cause = error instanceof Unreached ? error.cause : error
    const reason = cause instanceof Error ? cause.message : String(cause)
    this.#options.onFailed(new Error(`A request to the gateway at ${address} failed: ${reason}`, { cause }))
  }

  /** Aborts when the lease of the other replica has ended, until the timer is cleared. */
  #watch({ id }: LiveReplica, dead: AbortController): NodeJS.Timeout {
    const look = async () => {
      // While the store is unavailable, nothing is known about the other replica, so the request goes on.
      if (await this.#options.peers.isDead(id).catch(() => false)) dead.abort()
    }
    return setInterval(() => void look(), clusterLimits.forwardLookMs)
  }

  #request(
    to: LiveReplica,
    by: ForwardedFor,
    request: ForwardedRequest,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    const url = new URL(request.path, to.address)
    const { keys, nowMs, peers, plain } = this.#options
    if (url.protocol !== 'https:' && !plain.mayContain(url.hostname))
      return Promise.reject(new Unreached('', { cause: new Error('Requests to this address need TLS.') }))
    const sealed = sealForward(keys, request, { ...by, from: peers.own, to: to.id }, nowMs())
    const hasBody = request.method === 'POST'
    const options = {
      method: request.method,
      headers: {
        ...request.headers,
        [sealHeader]: sealed,
        ...(hasBody ? { 'content-length': Buffer.byteLength(request.body) } : {}),
      },
      signal,
    }
    const outgoing =
      url.protocol === 'https:'
        ? httpsRequest(url, { ...options, agent: this.#https })
        : httpRequest(url, { ...options, agent: this.#http })
    const isConnected = connected(outgoing)
    outgoing
      .on('response', resolve)
      .on('error', (error) => reject(isConnected() ? error : new Unreached('', { cause: error })))
      .end(hasBody ? request.body : undefined)
    return promise
  }
}

/** Whether the connection was open, so that the request may have been sent. A connection that takes too long is closed. */
function connected(outgoing: ClientRequest): () => boolean {
  let isOpen = false
  outgoing.once('socket', (socket) => {
    if (!socket.connecting) {
      // One that failed at once, as without a network, is not connecting either.
      isOpen = !socket.destroyed
      return
    }
    const late = () => socket.destroy(new Error('The connection could not be opened in time.'))
    const timer = setTimeout(late, clusterLimits.connectMs)
    socket.once('close', () => clearTimeout(timer))
    socket.once('encrypted' in socket ? 'secureConnect' : 'connect', () => {
      clearTimeout(timer)
      isOpen = true
    })
  })
  return () => isOpen
}

/** Resolves when either connection has closed. A response that breaks off is broken off for the client too. */
async function passOn(incoming: IncomingMessage, response: ServerResponse, { signal, isStream }: Until): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const headers = passedHeaders.flatMap((name) => {
    const value = incoming.headers[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  response.writeHead(incoming.statusCode ?? 502, Object.fromEntries(headers))
  response.flushHeaders()
  const finish = () => {
    if (isStream) response.end()
    else response.destroy()
    incoming.destroy()
  }
  signal.addEventListener('abort', finish, { once: true })
  if (signal.aborted) finish()
  incoming
    .on('error', () => undefined)
    .on('close', () => {
      if (!incoming.complete && !response.writableEnded) response.destroy()
    })
  response
    .on('error', () => undefined)
    .on('close', () => {
      if (!incoming.complete) incoming.destroy()
      resolve()
    })
  incoming.pipe(response)
  await promise
  signal.removeEventListener('abort', finish)
}
