// The response to one request over HTTP: plain JSON, or an event stream once a message is sent before the reply.

import type { ServerResponse } from 'node:http'
import { clientLimits } from '../limits.ts'
import type { Message, Reply } from '../protocol/messages.ts'
import { eventOf, namingEvent, retryField, sseHeaders, writeComment } from '../protocol/sse.ts'

export class AnswerStream {
  readonly #response: ServerResponse
  readonly #headers: Readonly<Record<string, string>>
  #isStream = false
  #timer: NodeJS.Timeout | undefined
  /** Event id that is sent when the stream opens, so that the client can reconnect. */
  firstName: string | undefined
  /** The reconnection delay sent to the client (SSE `retry`); undefined for a stream that cannot be resumed. */
  reconnectAfterMs: number | undefined
  /** Whether an event with an id was sent. */
  isNamed = false

  constructor(response: ServerResponse, headers: Readonly<Record<string, string>> = {}) {
    this.#response = response
    this.#headers = headers
  }

  /** Calls back when the client disconnects before the end. */
  onGone(gone: () => void): void {
    this.#response.on('close', () => {
      clearTimeout(this.#timer)
      if (!this.#response.writableFinished) gone()
    })
  }

  /** Calls back when the response closes, for any reason. */
  onClosed(closed: () => void): void {
    this.#response.once('close', closed)
  }

  /** Opens the stream now, before the first message. */
  open(): void {
    if (this.#response.headersSent) return
    this.#begin()
    const hint = this.#hint()
    if (this.firstName !== undefined) this.isNamed = true
    const named = this.firstName === undefined ? '' : namingEvent(this.firstName)
    if (hint !== '' || named !== '') this.#response.write(`${hint}${named === '' ? '\n' : named}`)
    this.#response.flushHeaders()
  }

  /** Makes the response a stream. It opens with the first message, or after `openWithinMs`. */
  openSoon(): void {
    this.#isStream = true
    this.#timer ??= setTimeout(() => this.open(), clientLimits.openWithinMs)
  }

  send(message: Message, name?: string): void {
    if (this.#response.writableEnded) return
    // Disconnect a client that does not read, so that unsent data does not fill the memory.
    if (this.#response.writableLength > clientLimits.unreadBytes) return void this.#response.destroy()
    this.#begin()
    this.isNamed ||= name !== undefined
    this.#response.write(`${this.#hint()}${eventOf(JSON.stringify(message), name)}`)
  }

  /** Ends the response with the reply: on the stream if there is one, else as plain JSON with this status. */
  end(reply: Reply, status = 200, name?: string): void {
    clearTimeout(this.#timer)
    if (this.#response.writableEnded) return
    const json = JSON.stringify(reply)
    if (this.#isStream) {
      this.#begin()
      // Without an earlier id the reply is not stored, so a client could not resume from this one.
      this.#response.end(eventOf(json, this.isNamed ? name : undefined))
      return
    }
    const length = { 'content-length': Buffer.byteLength(json) }
    this.#response.writeHead(status, { 'content-type': 'application/json', ...length, ...this.#headers }).end(json)
  }

  /** Ends a stream that has no reply. */
  finish(reconnectAfterMs?: number): void {
    clearTimeout(this.#timer)
    if (this.#response.writableEnded) return
    const hint =
      reconnectAfterMs === undefined || !this.#response.headersSent ? '' : `${retryField(reconnectAfterMs)}\n`
    this.#response.end(hint)
  }

  /** The `retry` field, sent once with the first event. */
  #hint(): string {
    const ms = this.reconnectAfterMs
    this.reconnectAfterMs = undefined
    return ms === undefined ? '' : retryField(ms)
  }

  #begin(): void {
    if (this.#response.headersSent) return
    this.#isStream = true
    this.#response.writeHead(200, { ...sseHeaders, ...this.#headers })
    clearTimeout(this.#timer)
    this.#timer = setInterval(() => writeComment(this.#response), clientLimits.keepAliveMs)
  }
}
