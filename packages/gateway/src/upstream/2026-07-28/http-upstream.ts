// Speaks revision 2026-07-28 to a tool server over HTTP.
//
// The server never calls us back in this revision. When it needs a person it ends the call unfinished, and we make the
// same call again carrying the responses. Waiting therefore costs nothing: no open request, no timer, nothing to lose in
// a restart. The 2025-11-25 sibling is the opposite, which is why the two share an interface and no code.

import type { IncomingMessage } from 'node:http'
import type { JsonValue } from '@assent/core'
import {
  type Call,
  type Description,
  failed,
  type Given,
  mayRepeat,
  type Outcome,
  type Upstream,
  unsent,
  unusable,
} from '../../relay/exchange.ts'
import type { Connections } from '../../wire/connections.ts'
import { mediaType, readReply } from '../../wire/http.ts'
import { errorCodes, isNotification, isReply } from '../../wire/messages.ts'
import { readServerMessage } from '../../wire/server-messages.ts'
import { readServerEvents } from '../../wire/sse.ts'
import { MessageTooLarge } from '../../wire/too-large.ts'
import { describeBy } from './describe.ts'
import { outcomeOf, retryOf, withEnvelope } from './envelope.ts'
import { requestHeaders } from './headers.ts'

export class HttpUpstream20260728 implements Upstream {
  readonly name: string
  readonly #connections: Connections
  readonly #headers: Readonly<Record<string, string>>
  #lastId = 0

  constructor(name: string, connections: Connections, headers: Readonly<Record<string, string>>) {
    this.name = name
    this.#connections = connections
    this.#headers = headers
  }

  async start(call: Call): Promise<Outcome> {
    if (call.signal.aborted) return unsent(errorCodes.refused, 'The caller went away.')
    const params = withEnvelope(call)
    this.#lastId += 1
    const body = JSON.stringify({ jsonrpc: '2.0', id: this.#lastId, method: call.method, params })
    try {
      const response = await this.#connections.send({
        method: 'POST',
        headers: {
          ...this.#headers,
          ...requestHeaders(call.method, params),
          ...call.client.headers,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body,
        signal: call.signal,
        mayRepeat: mayRepeat(call.method),
      })
      return await read(response, call)
    } catch (error) {
      if (call.signal.aborted) return failed(errorCodes.refused, 'The caller went away.')
      if (error instanceof MessageTooLarge) return failed(errorCodes.refused, error.message)
      const away = unusable(this.name, error)
      const outcome = isUnconnected(error) ? unsent(errorCodes.refused, away) : failed(errorCodes.refused, away)
      return { ...outcome, isAway: true } as Outcome
    }
  }

  continue(call: Call, resume: JsonValue, given: Readonly<Record<string, Given>>): Promise<Outcome> {
    return this.start(retryOf(call, resume, given))
  }

  describe(call: Call): Promise<Description> {
    return describeBy(this, call)
  }

  async listen(call: Call): Promise<void> {
    await this.start({ ...call, method: 'subscriptions/listen' })
  }

  leave(): void {
    // Nothing is kept for anyone.
  }

  async close(): Promise<void> {
    this.#connections.close()
  }
}

/** Whether no connection came about, by the word of the operating system: then nothing was sent. */
function isUnconnected(error: unknown): boolean {
  // Both addresses of a name were tried.
  if (error instanceof AggregateError) return error.errors.length > 0 && error.errors.every(isUnconnected)
  const { syscall } = error as NodeJS.ErrnoException
  return error instanceof Error && (syscall === 'connect' || syscall === 'getaddrinfo')
}

async function read(response: IncomingMessage, call: Call): Promise<Outcome> {
  if (mediaType(response) !== 'text/event-stream') {
    const message = readServerMessage(await readReply(response))
    if (message !== undefined && isReply(message)) return outcomeOf(message, response.statusCode)
    return failed(errorCodes.refused, `The server answered with HTTP status ${response.statusCode}, and no message.`)
  }
  for await (const event of readServerEvents(response)) {
    const message = readServerMessage(event.data)
    if (message === undefined) continue
    if (isNotification(message)) call.notify(message)
    else if (isReply(message)) return { ...outcomeOf(message), isStreamed: true }
  }
  return failed(errorCodes.refused, 'The server closed its stream without an answer.')
}
