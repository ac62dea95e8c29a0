// The load balancer in front of a cluster: it sends every request to the next replica, without affinity.

import { createServer, type IncomingMessage, type Server, type ServerResponse, request as send } from 'node:http'
import { listen } from './listen.ts'

const queueTries = 600
const queueLookMs = 50
const readinessWithinMs = 2_000
/** Longer than clients keep theirs, so that no client sends on a connection that is just being closed. */
const keepAliveTimeout = 65_000

/** One backend. */
export interface Place {
  /** Undefined while no replica serves here. */
  readonly url: string | undefined
  isReady: boolean
}

export class Balancer {
  readonly #places: () => readonly Place[]
  readonly #server: Server = createServer({ keepAliveTimeout }, (request, response) => this.#pass(request, response))
  #looking: NodeJS.Timeout | undefined
  /** One check at a time per backend: results must not arrive out of order. */
  readonly #lookedAt = new Set<Place>()
  #turn = 0

  constructor(places: () => readonly Place[]) {
    this.#places = places
  }

  /** Where clients connect. */
  async start(): Promise<string> {
    return (await listen(this.#server)).url
  }

  followReadiness(everyMs: number): void {
    this.#looking = setInterval(() => {
      for (const place of this.#places()) {
        if (this.#lookedAt.has(place)) continue
        this.#lookedAt.add(place)
        void lookAt(place).finally(() => this.#lookedAt.delete(place))
      }
    }, everyMs)
  }

  stop(): void {
    clearInterval(this.#looking)
    this.#server.close()
    this.#server.closeAllConnections()
  }

  /** Sends to the next replica that accepts the connection; once something was sent, to no other. */
  #pass(request: IncomingMessage, response: ServerResponse, tries = 0): void {
    const up = this.#places().filter((place) => place.url !== undefined)
    const ready = up.filter(({ isReady }) => isReady)
    const among = ready.length > 0 ? ready : up
    const url = among[this.#turn++ % among.length]?.url
    // No replica is up: the request is queued, as in real balancers.
    if (url === undefined && tries < queueTries)
      return void setTimeout(() => this.#pass(request, response, tries + 1), queueLookMs)
    if (url === undefined) return void response.writeHead(503).end()
    const passed = send(url, {
      method: request.method ?? 'POST',
      headers: { ...request.headers, host: new URL(url).host },
    })
    passed.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      response.flushHeaders()
      answer.on('error', () => response.destroy())
      answer.pipe(response)
    })
    passed.on('error', (error: NodeJS.ErrnoException) => {
      const wasRefused = error.code === 'ECONNREFUSED' && tries < queueTries
      if (wasRefused && !response.headersSent) return this.#pass(request, response, tries + 1)
      response.destroy()
    })
    response.on('close', () => passed.destroy())
    // The body is sent from its start each time: nothing was sent if the connection was refused.
    passed.on('socket', (socket) => {
      const begin = () => request.pipe(passed)
      if (socket.connecting) socket.once('connect', begin)
      else begin()
    })
  }
}

/** A replica that does not respond is gone, or will be checked again. */
async function lookAt(place: Place): Promise<void> {
  const { url } = place
  if (url === undefined) return
  const signal = AbortSignal.timeout(readinessWithinMs)
  const isReady = await fetch(`${new URL(url).origin}/readyz`, { signal }).then(
    async (response) => {
      await response.text()
      return response.status === 200
    },
    () => undefined,
  )
  // Another replica may serve at this address by now.
  if (isReady !== undefined && place.url === url) place.isReady = isReady
}
