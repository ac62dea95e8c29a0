// The balancer in front of a fleet: it hands every request to the next replica and remembers nobody.

import { createServer, type IncomingMessage, type Server, type ServerResponse, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'

const queueTries = 600
const queueLookMs = 50
const readinessWithinMs = 2_000
/** Longer than clients keep theirs: who sends on a connection in the moment it is closed would find it broken. */
const keepAliveTimeout = 65_000

/** One place behind it. */
export interface Place {
  /** Undefined while nobody is there. */
  readonly url: string | undefined
  isReady: boolean
}

export class Balancer {
  readonly #places: () => readonly Place[]
  readonly #server: Server = createServer({ keepAliveTimeout }, (request, response) => this.#pass(request, response))
  #looking: NodeJS.Timeout | undefined
  /** One look at a time each: an earlier answer must not come after a later one. */
  readonly #lookedAt = new Set<Place>()
  #turn = 0

  constructor(places: () => readonly Place[]) {
    this.#places = places
  }

  /** Where clients connect. */
  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/mcp`
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

  /** To the next replica that takes the connection; once something was sent, to no other. */
  #pass(request: IncomingMessage, response: ServerResponse, tries = 0): void {
    const up = this.#places().filter((place) => place.url !== undefined)
    const ready = up.filter(({ isReady }) => isReady)
    const among = ready.length > 0 ? ready : up
    const url = among[this.#turn++ % among.length]?.url
    // Nobody is there: it waits in the queue, as balancers have one.
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
    // Read from the start each time: nothing was sent where the connection was refused.
    passed.on('socket', (socket) => {
      const begin = () => request.pipe(passed)
      if (socket.connecting) socket.once('connect', begin)
      else begin()
    })
  }
}

/** Who cannot be asked is gone, or will be asked again. */
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
  // Another may be there by now.
  if (isReady !== undefined && place.url === url) place.isReady = isReady
}
