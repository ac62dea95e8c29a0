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
  type Outcome,
  reasonOf,
  type Upstream,
} from '../../relay/exchange.ts'
import { mediaType, readBody, send } from '../../wire/http.ts'
import { errorCodes, isNotification, isReply, readMessage } from '../../wire/messages.ts'
import { readServerEvents } from '../../wire/sse.ts'
import { describeBy } from './describe.ts'
import { outcomeOf, retryOf, withEnvelope } from './envelope.ts'
import { requestHeaders } from './headers.ts'

export class HttpUpstream20260728 implements Upstream {
  readonly name: string
  readonly #url: URL
  readonly #headers: Readonly<Record<string, string>>
  #lastId = 0

  constructor(name: string, url: URL, headers: Readonly<Record<string, string>>) {
    this.name = name
    this.#url = url
    this.#headers = headers
  }

  async start(call: Call): Promise<Outcome> {
    const params = withEnvelope(call)
    this.#lastId += 1
    const body = JSON.stringify({ jsonrpc: '2.0', id: this.#lastId, method: call.method, params })
    try {
      const response = await send(this.#url, {
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
      })
      return await read(response, call)
    } catch (error) {
      if (call.signal.aborted) return failed(errorCodes.refused, 'The caller went away.')
      return {
        ...failed(errorCodes.refused, `The server ${this.name} cannot be reached. ${reasonOf(error)}`),
        isAway: true,
      } as Outcome
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
    // Nothing is open.
  }
}

async function read(response: IncomingMessage, call: Call): Promise<Outcome> {
  if (mediaType(response) !== 'text/event-stream') {
    const body = await readBody(response)
    const message = body === undefined ? undefined : readMessage(body)
    if (message !== undefined && isReply(message)) return outcomeOf(message, response.statusCode)
    return failed(errorCodes.refused, `The server answered with HTTP status ${response.statusCode}, and no message.`)
  }
  for await (const event of readServerEvents(response)) {
    const message = readMessage(event.data)
    if (message === undefined) continue
    if (isNotification(message)) call.notify(message)
    else if (isReply(message)) return { ...outcomeOf(message), isStreamed: true }
  }
  return failed(errorCodes.refused, 'The server closed its stream without an answer.')
}
