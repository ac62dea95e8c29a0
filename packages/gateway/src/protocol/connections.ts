// The HTTP connections to one server, kept for the next request only while the server certainly keeps them too.
//
// A server may close an idle connection at the moment in which we write to it, and then it is unknown whether it read
// the request. So a connection is reused only within the server's idle timeout, a close that already arrived is
// processed first, and a request is repeated only if its sender allows it.

import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import type { Socket } from 'node:net'
import { connectionLimits } from '../limits.ts'
import { discard } from './http.ts'

export interface HttpCall {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Header names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal?: AbortSignal
  /** Whether the server may receive it twice. */
  readonly mayRepeat: boolean
}

/** Redirects that keep the method and the body, and redirects that change the request to a GET. */
const keepingRedirects = [307, 308]
const gettingRedirects = [301, 302, 303]

/** The server was reached and did not reply: whether it processed the request is unknown. */
class ConnectionBroke extends Error {
  readonly wasReused: boolean

  constructor(wasReused: boolean, cause: unknown) {
    super('The connection broke before a response arrived. Whether the server did anything is not known.', { cause })
    this.name = 'ConnectionBroke'
    this.wasReused = wasReused
  }
}

const none: Readonly<Record<string, string>> = {}

export class Connections {
  readonly #options: RequestOptions
  readonly #origin: string
  readonly #path: string
  readonly #headers: Readonly<Record<string, string>>
  readonly #extra: () => Readonly<Record<string, string>>
  readonly #agent: HttpAgent | HttpsAgent
  readonly #request: typeof httpRequest
  /** Until when each connection may be reused, by a monotonic clock. */
  readonly #reusableUntil = new WeakMap<object, { readonly sentAtMs: number; readonly untilMs: number }>()
  readonly #sweep: NodeJS.Timeout
  #isClosed = false

  /** @param extra further headers, read at each request; the request's own headers override them */
  constructor(url: URL, extra: () => Readonly<Record<string, string>> = () => none) {
    this.#extra = extra
    const isHttps = url.protocol === 'https:'
    const kept = { keepAlive: true, noDelay: true, maxFreeSockets: connectionLimits.idle, scheduling: 'lifo' } as const
    this.#agent = isHttps ? new HttpsAgent(kept) : new HttpAgent(kept)
    this.#request = isHttps ? httpsRequest : httpRequest
    this.#origin = url.origin
    this.#path = `${url.pathname}${url.search}`
    // Only the necessary options: Node copies all of them, more than once, for every request.
    this.#options = {
      protocol: url.protocol,
      hostname: url.hostname.replace(/^\[|\]$/g, ''),
      ...(url.port === '' ? {} : { port: url.port }),
    }
    const user = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
    this.#headers = {
      host: url.host,
      ...(user === ':' ? {} : { authorization: `Basic ${Buffer.from(user).toString('base64')}` }),
    }
    this.#sweep = setInterval(() => this.#closeStale(), connectionLimits.sweepMs)
    this.#sweep.unref()
  }

  /**
   * Resolves with the response as soon as its headers have arrived. A redirect within the origin that keeps the request
   * unchanged is followed; any other is returned as the response.
   */
  async send(call: HttpCall): Promise<IncomingMessage> {
    let response = await this.#sendTo(this.#path, call)
    let path = this.#path
    for (let followed = 0; followed < connectionLimits.redirects; followed++) {
      const next = this.#redirect(path, call, response)
      if (next === undefined) break
      discard(response)
      path = next
      response = await this.#sendTo(path, call)
    }
    return response
  }

  /** The path of a redirect; undefined for any other response, or another origin. */
  #redirect(
    path: string,
    { method }: HttpCall,
    { statusCode, headers: { location } }: IncomingMessage,
  ): string | undefined {
    const isRedirect =
      keepingRedirects.includes(statusCode ?? 0) || (method === 'GET' && gettingRedirects.includes(statusCode ?? 0))
    if (!isRedirect || location === undefined || !URL.canParse(location, `${this.#origin}${path}`)) return undefined
    const { origin, username, password, pathname, search } = new URL(location, `${this.#origin}${path}`)
    return origin === this.#origin && username === '' && password === '' ? `${pathname}${search}` : undefined
  }

  async #sendTo(path: string, call: HttpCall): Promise<IncomingMessage> {
    const agent = this.#mayBeClosed() ? await this.#agentAfterCloses() : this.#agent
    try {
      return await this.#once(path, call, agent)
    } catch (error) {
      const isWorthRepeating = error instanceof ConnectionBroke && error.wasReused && call.signal?.aborted !== true
      if (!call.mayRepeat || !isWorthRepeating) throw error
      // On a new connection: the other idle ones may be dead too.
      return this.#once(path, call, false)
    }
  }

  /** Closes idle connections now, and the others when their request ends. */
  close(): void {
    this.#isClosed = true
    this.#closeStale()
  }

  #once(path: string, { method, headers, body, signal }: HttpCall, agent: HttpAgent | false): Promise<IncomingMessage> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    const sentAtMs = performance.now()
    let response: IncomingMessage | undefined
    const request = this.#request({
      ...this.#options,
      path,
      method,
      agent,
      headers: flat({
        ...this.#extra(),
        ...this.#headers,
        ...headers,
        ...(body === undefined ? none : { 'content-length': String(Buffer.byteLength(body)) }),
      }),
    })
    // Not with the `signal` option: it would also destroy a connection that was already returned for the next request,
    // with an error that is not handled there.
    const abort = () => {
      if (response?.complete !== true) request.destroy()
    }
    signal?.addEventListener('abort', abort, { once: true })
    request
      .on('response', (begun) => {
        response = begun
        // From when it was sent: the server has not been idle for longer, however late we read its response.
        const untilMs = sentAtMs + keptMs(begun.headers['keep-alive'])
        this.#reusableUntil.set(begun.socket, { sentAtMs, untilMs })
        resolve(begun)
      })
      .on('error', (error: NodeJS.ErrnoException) => reject(reasonFor(request, error)))
      .on('close', () => signal?.removeEventListener('abort', abort))
    if (signal?.aborted === true) abort()
    request.end(body)
    return promise
  }

  /** Whether the next connection has been idle long enough to check for a close first. */
  #mayBeClosed(): boolean {
    const next = this.#idle().at(-1)
    if (next === undefined) return false
    const { sentAtMs = 0 } = this.#reusableUntil.get(next) ?? {}
    return next.destroyed || performance.now() - sentAtMs > connectionLimits.quietMs
  }

  /** Closes stale connections and processes closes that already arrived. False if a new connection is needed. */
  async #agentAfterCloses(): Promise<HttpAgent | HttpsAgent | false> {
    this.#closeStale()
    // Twice: the first callback may run before Node polls the sockets again.
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
    const next = this.#idle().at(-1)
    return next !== undefined && (next.destroyed || this.#isStale(next)) ? false : this.#agent
  }

  #closeStale(): void {
    for (const socket of this.#idle()) if (this.#isStale(socket)) socket.destroy()
    if (this.#isClosed && Object.keys(this.#agent.sockets).length === 0) clearInterval(this.#sweep)
  }

  #isStale(socket: Socket): boolean {
    return this.#isClosed || !(performance.now() < (this.#reusableUntil.get(socket)?.untilMs ?? 0))
  }

  /** The next one to be used is the last. */
  #idle(): readonly Socket[] {
    return Object.values(this.#agent.freeSockets)[0] ?? []
  }
}

/** As a flat list, which Node does not convert. */
function flat(headers: Readonly<Record<string, string>>): string[] {
  const list: string[] = []
  for (const name in headers) list.push(name, headers[name] as string)
  return list
}

/** How long after its last request a connection may be reused, given the server's `Keep-Alive` header, if any. */
function keptMs(hint: string | string[] | undefined): number {
  if (hint === undefined) return connectionLimits.keptMs
  const seconds = /(?:^|[\s,])timeout=(\d{1,6})/i.exec(String(hint))?.[1]
  if (seconds === undefined) return connectionLimits.keptMs
  return Math.min(Number(seconds) * 1_000 - connectionLimits.hintMarginMs, connectionLimits.keptMostMs)
}

const certificateCode = /^(CERT_|ERR_TLS_CERT|SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA|CRL_)/

function reasonFor(request: ClientRequest, error: NodeJS.ErrnoException): Error {
  const { code = '', message } = error
  if (certificateCode.test(code)) {
    const advice = 'If it is signed by an authority of your own, name its certificate in NODE_EXTRA_CA_CERTS.'
    const [what] = message.split(';')
    return new Error(`The server's certificate is not trusted: ${what} (${code}). ${advice}`, { cause: error })
  }
  if (code === 'EPROTO' && message.includes('wrong version number'))
    return new Error('The server does not use TLS at this address. Try http:// in place of https://.', { cause: error })
  const isBreak = error.code === 'ECONNRESET' || error.code === 'EPIPE'
  return isBreak && error.syscall !== 'connect' ? new ConnectionBroke(request.reusedSocket, error) : error
}
