// A server of revision 2026-07-28 over HTTP.
//
// In this revision the server sends no requests. When it needs input, it ends the call with questions, and the gateway
// makes the same call again with the responses. So waiting needs no open request and no timer, and survives a restart.
// The 2025-11-25 adapter works the opposite way, so the two share an interface and no code.

import type { IncomingMessage } from 'node:http'
import {
  type Answers,
  type Call,
  type Description,
  failed,
  mayRepeat,
  type Outcome,
  type ServerState,
  type Upstream,
  unsent,
  unusable,
} from '../../call/model.ts'
import type { Connections } from '../../protocol/connections.ts'
import { requestHeaders } from '../../protocol/headers-2026-07-28.ts'
import { mediaType, readReply } from '../../protocol/http.ts'
import { errorCodes, isNotification, isReply } from '../../protocol/messages.ts'
import { readServerMessage } from '../../protocol/server-messages.ts'
import { readServerEvents } from '../../protocol/sse.ts'
import { MessageTooLarge } from '../../protocol/too-large.ts'
import { describeBy } from './describe.ts'
import { firstOf, outcomeOf, retryOf, withEnvelope } from './envelope.ts'

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

  start(call: Call): Promise<Outcome> {
    return this.#send(firstOf(call))
  }

  async #send(call: Call): Promise<Outcome> {
    if (call.signal.aborted) return unsent(errorCodes.refused, 'The caller disconnected.')
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
      if (call.signal.aborted) return failed(errorCodes.refused, 'The caller disconnected.')
      if (error instanceof MessageTooLarge) return failed(errorCodes.refused, error.message)
      const away = unusable(this.name, error)
      const outcome = isUnconnected(error) ? unsent(errorCodes.refused, away) : failed(errorCodes.refused, away)
      return { ...outcome, isAway: true }
    }
  }

  continue(call: Call, state: ServerState, given: Answers): Promise<Outcome> {
    return this.#send(retryOf(call, state, given))
  }

  describe(call: Call): Promise<Description> {
    return describeBy(this, call)
  }

  async listen(call: Call): Promise<void> {
    await this.start({ ...call, method: 'subscriptions/listen' })
  }

  leave(): void {
    // There is no state per caller.
  }

  async close(): Promise<void> {
    this.#connections.close()
  }
}

/** Whether the connection failed, according to the operating system's error: then nothing was sent. */
function isUnconnected(error: unknown): boolean {
  // All addresses of a host name were tried.
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
