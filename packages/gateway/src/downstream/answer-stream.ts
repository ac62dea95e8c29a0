// The response to one request over HTTP: plain JSON, or a stream as soon as something is said before the end.

import type { ServerResponse } from 'node:http'
import { downstreamLimits } from '../limits.ts'
import type { Message, Reply } from '../wire/messages.ts'
import { eventOf, namingEvent, retryField, sseHeaders, writeComment } from '../wire/sse.ts'

export class AnswerStream {
  readonly #response: ServerResponse
  readonly #headers: Readonly<Record<string, string>>
  #isStream = false
  #timer: NodeJS.Timeout | undefined
  /** Said as soon as it is open, so that its client can come back after a broken connection. */
  firstName: string | undefined
  /** When its client is to come back after it broke; undefined for one that does not. */
  comesBackAfterMs: number | undefined
  /** Whether anything said on it had a name. */
  isNamed = false

  constructor(response: ServerResponse, headers: Readonly<Record<string, string>> = {}) {
    this.#response = response
    this.#headers = headers
  }

  /** Calls back when the client went away before the end. */
  onGone(gone: () => void): void {
    this.#response.on('close', () => {
      clearTimeout(this.#timer)
      if (!this.#response.writableFinished) gone()
    })
  }

  /** Calls back when nothing more will be said, whoever ended it. */
  onClosed(closed: () => void): void {
    this.#response.once('close', closed)
  }

  /** Opens the stream now, though nothing may be said on it for long. */
  open(): void {
    if (this.#response.headersSent) return
    this.#begin()
    const hint = this.#hint()
    if (this.firstName !== undefined) this.isNamed = true
    const named = this.firstName === undefined ? '' : namingEvent(this.firstName)
    if (hint !== '' || named !== '') this.#response.write(`${hint}${named === '' ? '\n' : named}`)
    this.#response.flushHeaders()
  }

  /** Makes it a stream, which opens with the first thing said, or when the client has waited for a sign of it. */
  openSoon(): void {
    this.#isStream = true
    this.#timer ??= setTimeout(() => this.open(), downstreamLimits.openWithinMs)
  }

  say(message: Message, name?: string): void {
    if (this.#response.writableEnded) return
    // A client that does not read what it asked for must not fill our memory with it.
    if (this.#response.writableLength > downstreamLimits.unreadBytes) return void this.#response.destroy()
    this.#begin()
    this.isNamed ||= name !== undefined
    this.#response.write(`${this.#hint()}${eventOf(JSON.stringify(message), name)}`)
  }

  /** Ends with the reply: on the stream if there is one, else as plain JSON with this status. */
  end(reply: Reply, status = 200, name?: string): void {
    clearTimeout(this.#timer)
    if (this.#response.writableEnded) return
    const json = JSON.stringify(reply)
    if (this.#isStream) {
      this.#begin()
      // Without an earlier name the reply is not kept, so a client that came back with this one would find nothing.
      this.#response.end(eventOf(json, this.isNamed ? name : undefined))
      return
    }
    const length = { 'content-length': Buffer.byteLength(json) }
    this.#response.writeHead(status, { 'content-type': 'application/json', ...length, ...this.#headers }).end(json)
  }

  /** Ends a stream that has no reply. */
  finish(comesBackAfterMs?: number): void {
    clearTimeout(this.#timer)
    if (this.#response.writableEnded) return
    const hint =
      comesBackAfterMs === undefined || !this.#response.headersSent ? '' : `${retryField(comesBackAfterMs)}\n`
    this.#response.end(hint)
  }

  /** Said once, with the first event. */
  #hint(): string {
    const ms = this.comesBackAfterMs
    this.comesBackAfterMs = undefined
    return ms === undefined ? '' : retryField(ms)
  }

  #begin(): void {
    if (this.#response.headersSent) return
    this.#isStream = true
    this.#response.writeHead(200, { ...sseHeaders, ...this.#headers })
    clearTimeout(this.#timer)
    this.#timer = setInterval(() => writeComment(this.#response), downstreamLimits.keepAliveMs)
  }
}
