// Speaks Streamable HTTP of the sessionful revisions to a server.
//
// Each message is a POST; what the server says in return comes on that POST's own stream, on the session's standing GET
// stream, or, after a stream broke off, on a GET that takes it up again. What came on the stream of a request is passed on
// with that request's id.

import type { IncomingMessage } from 'node:http'
import { upstreamLimits } from '../../limits.ts'
import { mayRepeat, reasonOf } from '../../relay/exchange.ts'
import type { Connections } from '../../wire/connections.ts'
import { discard, header, mediaType, readBody, readReply } from '../../wire/http.ts'
import { errorCodes, errorReply, isReply, isRequest, type Message, type Reply } from '../../wire/messages.ts'
import { readServerMessage, readServerMessages } from '../../wire/server-messages.ts'
import { readServerEvents, type ServerEvent } from '../../wire/sse.ts'
import { MessageTooLarge } from '../../wire/too-large.ts'
import { type Wire, type WireEvents, WireRefusal } from '../wire.ts'

const defaultRetryMs = 1_000

export class HttpWire implements Wire {
  readonly #connections: Connections
  readonly #headers: Readonly<Record<string, string>>
  readonly #events: WireEvents
  readonly #ending = new AbortController()
  #session: string | undefined
  #revision: string | undefined

  constructor(connections: Connections, headers: Readonly<Record<string, string>>, events: WireEvents) {
    this.#connections = connections
    this.#headers = headers
    this.#events = events
  }

  /** Known once the server has answered the first request; sent with every later one. */
  set revision(revision: string) {
    this.#revision = revision
  }

  async send(message: Message): Promise<void> {
    const response = await this.#connections.send({
      method: 'POST',
      headers: {
        ...this.#commonHeaders(),
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify(message),
      signal: this.#ending.signal,
      mayRepeat: isHarmless(message),
    })
    const session = header(response, 'mcp-session-id')
    if (session !== undefined) this.#session = session
    if ((response.statusCode ?? 0) >= 400) {
      const body = await readBody(response)
      const reply = body === undefined ? undefined : readServerMessage(body)
      throw new WireRefusal(response.statusCode ?? 0, reply, header(response, 'www-authenticate'))
    }
    if (!isRequest(message)) return discard(response)
    // Only this request is without its answer.
    this.#read(response, message.id).catch((error: unknown) => {
      if (error instanceof MessageTooLarge)
        this.#events.onMessage(errorReply(message.id, errorCodes.refused, error.message))
      else if (!this.#ending.signal.aborted) this.#events.onUnanswered?.(message.id, reasonOf(error))
    })
  }

  /** The stream for what the server says unasked. Servers without one answer 405, and that is fine. */
  async openStream(): Promise<void> {
    const response = await this.#get()
    if (isStream(response)) void this.#keepStream(response)
    else discard(response)
  }

  /** Servers, and what stands before them, close a stream on which nothing was said for a while. */
  async #keepStream(first: IncomingMessage): Promise<void> {
    let stream: IncomingMessage | undefined = first
    let last: ServerEvent | undefined
    let waitMs = defaultRetryMs
    while (!this.#ending.signal.aborted) {
      const openedAt = performance.now()
      // How it ended does not matter: it is opened again.
      if (stream !== undefined) last = (await this.#hear(stream).catch(() => undefined))?.last ?? last
      // One that is closed as soon as it is opened is opened less and less often.
      const lastedMs = performance.now() - openedAt
      waitMs = lastedMs > upstreamLimits.retryMostMs ? defaultRetryMs : Math.min(waitMs * 2, upstreamLimits.retryMostMs)
      await this.#pause(last?.retryMs ?? waitMs)
      if (this.#ending.signal.aborted) return
      stream = await this.#get(last?.id).catch(() => undefined)
      if (stream === undefined || isStream(stream)) continue
      // It no longer knows the session, or offers no stream any more.
      return discard(stream)
    }
  }

  async #pause(ms: number): Promise<void> {
    const { retryLeastMs, retryMostMs } = upstreamLimits
    await new Promise((resolve) => setTimeout(resolve, Math.min(Math.max(ms, retryLeastMs), retryMostMs)).unref())
  }

  close(): void {
    if (this.#ending.signal.aborted) return
    this.#ending.abort()
    if (this.#session === undefined) return
    this.#connections
      .send({ method: 'DELETE', headers: this.#commonHeaders(), mayRepeat: true })
      .then(discard, () => undefined)
  }

  async #read(response: IncomingMessage, id: string | number): Promise<void> {
    if (mediaType(response) !== 'text/event-stream') {
      const messages = readServerMessages(await readReply(response))
      const reply = messages.findLast((one) => isReply(one))
      if (reply === undefined) throw new Error('The server answered with something that is no reply.')
      for (const message of messages) if (message !== reply) this.#events.onMessage(message, id)
      // Nothing else will come for this request: a reply to another one would leave it waiting for ever.
      if (reply.id !== id && reply.id !== null) throw new Error('The server answered another request.')
      return this.#events.onMessage({ ...reply, id } as Reply)
    }
    let stream = response
    for (;;) {
      const { isAnswered, last } = await this.#hear(stream, id)
      if (isAnswered || this.#ending.signal.aborted) return
      if (last?.id === undefined) throw new Error('The server closed its stream without an answer.')
      await this.#pause(last.retryMs ?? defaultRetryMs)
      stream = await this.#get(last.id)
      if (stream.statusCode !== 200) throw new Error('The server did not take its stream up again.')
    }
  }

  /** Passes everything on until the stream ends or has answered the request. */
  async #hear(
    stream: IncomingMessage,
    awaited?: string | number,
  ): Promise<{ isAnswered: boolean; last?: ServerEvent }> {
    let last: ServerEvent | undefined
    let isAnswered = false
    for await (const event of readServerEvents(stream)) {
      last = { ...last, ...event }
      const messages = event.data === '' ? [] : readServerMessages(event.data)
      for (const message of messages) {
        if (awaited !== undefined && isReply(message) && message.id === awaited) isAnswered = true
        this.#events.onMessage(message, awaited)
      }
    }
    return last === undefined ? { isAnswered } : { isAnswered, last }
  }

  #get(lastEventId?: string): Promise<IncomingMessage> {
    const resume = lastEventId === undefined ? {} : { 'last-event-id': lastEventId }
    return this.#connections.send({
      method: 'GET',
      headers: { ...this.#commonHeaders(), accept: 'text/event-stream', ...resume },
      signal: this.#ending.signal,
      mayRepeat: true,
    })
  }

  #commonHeaders(): Record<string, string> {
    return {
      ...this.#headers,
      ...(this.#session === undefined ? {} : { 'mcp-session-id': this.#session }),
      ...(this.#revision === undefined ? {} : { 'mcp-protocol-version': this.#revision }),
    }
  }
}

function isStream(response: IncomingMessage): boolean {
  return response.statusCode === 200 && mediaType(response) === 'text/event-stream'
}

/** An answer counts once, because its id does; and what is cancelled stays so. Other notifications may count twice. */
function isHarmless(message: Message): boolean {
  if (isReply(message)) return true
  return isRequest(message) ? mayRepeat(message.method) : message.method === 'notifications/cancelled'
}
