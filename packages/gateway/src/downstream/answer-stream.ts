// The response to one request over HTTP: plain JSON, or a stream as soon as something is said before the end.

import type { ServerResponse } from 'node:http'
import { downstreamLimits } from '../limits.ts'
import type { Message, Reply } from '../wire/messages.ts'
import { sseHeaders, writeComment, writeEvent } from '../wire/sse.ts'

export class AnswerStream {
  readonly #response: ServerResponse
  readonly #headers: Readonly<Record<string, string>>
  #keepAlive: NodeJS.Timeout | undefined

  constructor(response: ServerResponse, headers: Readonly<Record<string, string>> = {}) {
    this.#response = response
    this.#headers = headers
  }

  /** Calls back when the client went away before the end. */
  onGone(gone: () => void): void {
    this.#response.on('close', () => {
      clearInterval(this.#keepAlive)
      if (!this.#response.writableFinished) gone()
    })
  }

  open(): void {
    if (this.#response.headersSent) return
    this.#response.writeHead(200, { ...sseHeaders, ...this.#headers })
    this.#response.flushHeaders()
    this.#keepAlive = setInterval(() => writeComment(this.#response), downstreamLimits.keepAliveMs)
  }

  say(message: Message): void {
    if (this.#response.writableEnded) return
    this.open()
    writeEvent(this.#response, JSON.stringify(message))
  }

  /** Ends with the reply: on the stream if there is one, else as plain JSON with this status. */
  end(reply: Reply, status = 200): void {
    clearInterval(this.#keepAlive)
    if (this.#response.writableEnded) return
    const json = JSON.stringify(reply)
    if (this.#response.headersSent) {
      writeEvent(this.#response, json)
      this.#response.end()
      return
    }
    const length = { 'content-length': Buffer.byteLength(json) }
    this.#response.writeHead(status, { 'content-type': 'application/json', ...length, ...this.#headers }).end(json)
  }

  /** Ends a stream that has no reply. */
  finish(): void {
    clearInterval(this.#keepAlive)
    if (!this.#response.writableEnded) this.#response.end()
  }
}
