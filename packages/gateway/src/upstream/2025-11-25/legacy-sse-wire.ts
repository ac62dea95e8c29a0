// Speaks the HTTP+SSE transport of 2024-11-05 to a server: one event stream for all that the server says, whose first
// event names the address that takes our messages.

import type { IncomingMessage } from 'node:http'
import { reasonOf } from '../../relay/exchange.ts'
import { Connections } from '../../wire/connections.ts'
import { discard, header, mediaType, readBody } from '../../wire/http.ts'
import type { Message } from '../../wire/messages.ts'
import { readServerMessages } from '../../wire/server-messages.ts'
import { readServerEvents } from '../../wire/sse.ts'
import { type Wire, type WireEvents, WireRefusal } from '../wire.ts'

/** Short, because this transport is tried last, on servers that may be of any other kind. */
const endpointMs = 5_000

type Extra = ConstructorParameters<typeof Connections>[1]

export class LegacySseWire implements Wire {
  readonly #url: URL
  readonly #extra: Extra | undefined
  readonly #headers: Readonly<Record<string, string>>
  readonly #events: WireEvents
  readonly #ending = new AbortController()
  readonly #stream: Connections
  readonly #endpoint: Promise<Connections>

  /** @param extra further headers of a message that is sent now */
  constructor(url: URL, headers: Readonly<Record<string, string>>, events: WireEvents, extra?: Extra) {
    this.#extra = extra
    this.#url = url
    this.#headers = headers
    this.#events = events
    this.#stream = new Connections(url, extra)
    const { promise, resolve, reject } = Promise.withResolvers<Connections>()
    this.#endpoint = promise
    // Each message that is sent fails with it.
    promise.catch(() => undefined)
    const late = setTimeout(() => reject(new Error('The server did not answer in time.')), endpointMs)
    promise.then(
      () => clearTimeout(late),
      () => clearTimeout(late),
    )
    this.#hear(resolve).catch((error: unknown) => {
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

  async #hear(onEndpoint: (endpoint: Connections) => void): Promise<void> {
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

  /** Credentials go to the configured server alone. */
  #sameServer(address: string): Connections {
    const url = URL.canParse(address, this.#url.href) ? new URL(address, this.#url) : undefined
    if (url?.origin !== this.#url.origin) throw new Error('The server names another server as the one to send to.')
    return new Connections(url, this.#extra)
  }
}

async function refusalOf(response: IncomingMessage): Promise<WireRefusal> {
  // Read to its end, so that the connection can be used again; what it says is not a message.
  await readBody(response)
  return new WireRefusal(response.statusCode ?? 0, undefined, header(response, 'www-authenticate'))
}
