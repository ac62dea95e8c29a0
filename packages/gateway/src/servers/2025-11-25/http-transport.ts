// The Streamable HTTP transport of the session-based revisions, to a server.
//
// Each message is a POST. The server's messages arrive on the response stream of that POST, on the session's GET
// stream, or, after a stream broke, on a GET that resumes it. A message from the stream of a request is passed on with
// that request's id.

import type { IncomingMessage } from 'node:http'
import { mayRepeat, reasonOf } from '../../call/model.ts'
import { serverLimits } from '../../limits.ts'
import type { Connections } from '../../protocol/connections.ts'
import { discard, header, mediaType, readBody, readReply } from '../../protocol/http.ts'
import { errorCodes, errorReply, isReply, isRequest, type Message, type Reply } from '../../protocol/messages.ts'
import { readServerMessage, readServerMessages } from '../../protocol/server-messages.ts'
import { sleep } from '../../protocol/sleep.ts'
import { readServerEvents, type ServerEvent } from '../../protocol/sse.ts'
import { MessageTooLarge } from '../../protocol/too-large.ts'
import { type Transport, type TransportEvents, TransportRefusal } from '../transport.ts'

const defaultRetryMs = 1_000

export class HttpTransport implements Transport {
  readonly #connections: Connections
  readonly #headers: Readonly<Record<string, string>>
  readonly #events: TransportEvents
  readonly #ending = new AbortController()
  #session: string | undefined
  #revision: string | undefined

  constructor(connections: Connections, headers: Readonly<Record<string, string>>, events: TransportEvents) {
    this.#connections = connections
    this.#headers = headers
    this.#events = events
  }

  /** Set after the server's first reply; sent with every later request. */
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
      mayRepeat: isIdempotent(message),
    })
    const session = header(response, 'mcp-session-id')
    if (session !== undefined) this.#session = session
    if ((response.statusCode ?? 0) >= 400) {
      const body = await readBody(response)
      const reply = body === undefined ? undefined : readServerMessage(body)
      throw new TransportRefusal(response.statusCode ?? 0, reply, header(response, 'www-authenticate'))
    }
    if (!isRequest(message)) return discard(response)
    // Only this request fails; others may still get their replies.
    this.#read(response, message.id).catch((error: unknown) => {
      if (error instanceof MessageTooLarge)
        this.#events.onMessage(errorReply(message.id, errorCodes.refused, error.message))
      else if (!this.#ending.signal.aborted) this.#events.onUnanswered?.(message.id, reasonOf(error))
    })
  }

  /** Opens the stream for messages outside requests. Servers without one answer 405, which is not an error. */
  async openStream(): Promise<void> {
    const response = await this.#get()
    if (isStream(response)) void this.#keepStream(response)
    else discard(response)
  }

  /** Reopens the stream whenever it ends: servers and proxies close idle streams. */
  async #keepStream(first: IncomingMessage): Promise<void> {
    let stream: IncomingMessage | undefined = first
    let last: ServerEvent | undefined
    let waitMs = defaultRetryMs
    while (!this.#ending.signal.aborted) {
      const openedAt = performance.now()
      // The reason for the end does not matter: the stream is reopened.
      if (stream !== undefined) last = (await this.#readEvents(stream).catch(() => undefined))?.last ?? last
      // Back off exponentially while the stream closes soon after it opens.
      const lastedMs = performance.now() - openedAt
      waitMs = lastedMs > serverLimits.retryMostMs ? defaultRetryMs : Math.min(waitMs * 2, serverLimits.retryMostMs)
      await this.#pause(last?.retryMs ?? waitMs)
      if (this.#ending.signal.aborted) return
      stream = await this.#get(last?.id).catch(() => undefined)
      if (stream === undefined || isStream(stream)) continue
      // The server no longer has the session, or no longer offers a stream.
      return discard(stream)
    }
  }

  async #pause(ms: number): Promise<void> {
    const { retryLeastMs, retryMostMs } = serverLimits
    await sleep(Math.min(Math.max(ms, retryLeastMs), retryMostMs), this.#ending.signal)
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
      if (reply === undefined) throw new Error('The server sent something that is not a reply.')
      for (const message of messages) if (message !== reply) this.#events.onMessage(message, id)
      // This response is the only one for this request: with a reply to another request, it would wait forever.
      if (reply.id !== id && reply.id !== null) throw new Error('The server answered another request.')
      return this.#events.onMessage({ ...reply, id } as Reply)
    }
    let stream = response
    for (;;) {
      const { isAnswered, last } = await this.#readEvents(stream, id)
      if (isAnswered || this.#ending.signal.aborted) return
      if (last?.id === undefined) throw new Error('The server closed its stream without an answer.')
      await this.#pause(last.retryMs ?? defaultRetryMs)
      stream = await this.#get(last.id)
      if (stream.statusCode !== 200) throw new Error('The server did not resume its stream.')
    }
  }

  /** Passes on every message until the stream ends. */
  async #readEvents(
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

/**
 * Whether the message may be sent twice: a repeated reply or cancellation has no effect; other notifications may have.
 */
function isIdempotent(message: Message): boolean {
  if (isReply(message)) return true
  return isRequest(message) ? mayRepeat(message.method) : message.method === 'notifications/cancelled'
}
