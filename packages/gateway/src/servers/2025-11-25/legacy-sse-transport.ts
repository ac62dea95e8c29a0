// The HTTP+SSE transport of 2024-11-05, to a server: one event stream for all messages of the server. Its first event
// names the address to which the gateway posts messages.

import type { IncomingMessage } from 'node:http'
import { reasonOf } from '../../call/model.ts'
import { Connections } from '../../protocol/connections.ts'
import { discard, header, mediaType, readBody } from '../../protocol/http.ts'
import type { Message } from '../../protocol/messages.ts'
import { readServerMessages } from '../../protocol/server-messages.ts'
import { readServerEvents } from '../../protocol/sse.ts'
import { type Transport, type TransportEvents, TransportRefusal } from '../transport.ts'

/** Short, because this transport is tried last, also on addresses that are not MCP servers. */
const endpointMs = 5_000

type Extra = ConstructorParameters<typeof Connections>[1]

export class LegacySseTransport implements Transport {
  readonly #url: URL
  readonly #extra: Extra | undefined
  readonly #headers: Readonly<Record<string, string>>
  readonly #events: TransportEvents
  readonly #ending = new AbortController()
  readonly #stream: Connections
  readonly #endpoint: Promise<Connections>

  /** @param extra returns additional headers for the message that is being sent */
  constructor(url: URL, headers: Readonly<Record<string, string>>, events: TransportEvents, extra?: Extra) {
    this.#extra = extra
    this.#url = url
    this.#headers = headers
    this.#events = events
    this.#stream = new Connections(url, extra)
    const { promise, resolve, reject } = Promise.withResolvers<Connections>()
    this.#endpoint = promise
    // Handled where messages are sent: each `send` rejects with it.
    promise.catch(() => undefined)
    const late = setTimeout(() => reject(new Error('The server did not respond in time.')), endpointMs)
    promise.then(
      () => clearTimeout(late),
      () => clearTimeout(late),
    )
    this.#readEvents(resolve).catch((error: unknown) => {
      reject(error)
      if (!this.#ending.signal.aborted) events.onClosed(reasonOf(error))
    })
  }

  async send(message: Message): Promise<void> {
    const endpoint = await this.#endpoint
    const response = await endpoint.send({
      method: 'POST',
      headers: { ...this.#headers, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify(message),
      signal: this.#ending.signal,
      mayRepeat: false,
    })
    if ((response.statusCode ?? 0) < 400) return discard(response)
    throw await refusalOf(response)
  }

  close(): void {
    if (this.#ending.signal.aborted) return
    this.#ending.abort()
    this.#stream.close()
    this.#endpoint.then(
      (endpoint) => endpoint.close(),
      () => undefined,
    )
  }

  async #readEvents(onEndpoint: (endpoint: Connections) => void): Promise<void> {
    const response = await this.#stream.send({
      method: 'GET',
      headers: { ...this.#headers, accept: 'text/event-stream' },
      signal: this.#ending.signal,
      mayRepeat: true,
    })
    if (response.statusCode !== 200) throw await refusalOf(response)
    if (mediaType(response) !== 'text/event-stream') {
      discard(response)
      throw new Error('The server has no event stream at this address.')
    }
    for await (const { event, data } of readServerEvents(response)) {
      if (event === 'endpoint') onEndpoint(this.#sameServer(data))
      else for (const message of readServerMessages(data)) this.#events.onMessage(message)
    }
    throw new Error('The server closed its event stream.')
  }

  /** Requires the same origin: credentials are sent only to the configured server. */
  #sameServer(address: string): Connections {
    const url = URL.canParse(address, this.#url.href) ? new URL(address, this.#url) : undefined
    if (url?.origin !== this.#url.origin) throw new Error('The server names an endpoint at another origin.')
    return new Connections(url, this.#extra)
  }
}

async function refusalOf(response: IncomingMessage): Promise<TransportRefusal> {
  // Read the body to its end, so that the connection can be reused. It is not an MCP message.
  await readBody(response)
  return new TransportRefusal(response.statusCode ?? 0, undefined, header(response, 'www-authenticate'))
}
