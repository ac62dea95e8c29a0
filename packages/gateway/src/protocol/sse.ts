// Server-sent events: one JSON message per event, written and read.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { protocolLimits } from '../limits.ts'
import { MessageTooLarge } from './too-large.ts'
import { Utf8Stream } from './utf8.ts'

const fieldNameBytes = 'data: '.length

export interface ServerEvent {
  readonly data: string
  /** The event type, if it is not the default `message`. */
  readonly event?: string
  readonly id?: string
  readonly retryMs?: number
}

export const sseHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  // A proxy that buffers would delay a question until the call ends.
  'x-accel-buffering': 'no',
}

export function eventOf(json: string, id?: string): string {
  const named = id === undefined ? '' : `id: ${id}\n`
  return `${named}event: message\ndata: ${json}\n\n`
}

/** An event with only an id, with which a client can resume after a broken connection. */
export function namingEvent(id: string): string {
  return `id: ${id}\ndata: \n\n`
}

/** The SSE `retry` field, which sets the client's reconnection delay. It may precede an event or be sent alone. */
export function retryField(ms: number): string {
  return `retry: ${ms}\n`
}

/** Keeps an idle stream open past the timeouts of intermediaries. */
export function writeComment(response: ServerResponse): void {
  response.write(':\n\n')
}

/**
 * Yields each event. Lines end with CR, LF or both; comments and unknown fields are ignored. Each character is scanned
 * once, however small the chunks of a large event are.
 */
export async function* readServerEvents(stream: IncomingMessage): AsyncGenerator<ServerEvent> {
  const decoder = new Utf8Stream()
  const line = new Pieces()
  let event = new EventFields()
  let isAfterCr = false
  for await (const chunk of stream) {
    let text = decoder.push(chunk as Buffer)
    if (text === undefined) throw new Error('A server sent bytes that are not UTF-8.')
    if (text === '') continue
    // The LF of a CRLF whose CR has already ended the line.
    if (isAfterCr && text.startsWith('\n')) text = text.slice(1)
    isAfterCr = text === '' ? false : text.endsWith('\r')
    const [first = '', ...others] = text.split(/\r\n|\n|\r/)
    line.add(first)
    for (const begun of others) {
      const whole = line.take()
      line.add(begun)
      if (whole !== '') {
        event.add(whole)
        continue
      }
      if (event.bytes > protocolLimits.messageBytes) throw new MessageTooLarge()
      if (!event.isEmpty) yield event.read()
      event = new EventFields()
    }
    if (line.bytes + event.bytes > protocolLimits.messageBytes + fieldNameBytes) throw new MessageTooLarge()
  }
}

/** A line that is not complete yet. */
class Pieces {
  #pieces: string[] = []
  bytes = 0

  add(piece: string): void {
    if (piece === '') return
    this.#pieces.push(piece)
    this.bytes += Buffer.byteLength(piece)
  }

  take(): string {
    const whole = this.#pieces.length === 1 ? (this.#pieces[0] as string) : this.#pieces.join('')
    this.#pieces = []
    this.bytes = 0
    return whole
  }
}

class EventFields {
  readonly #data: string[] = []
  #id: string | undefined
  #event: string | undefined
  #retryMs: number | undefined
  isEmpty = true
  /** Bytes of its data. */
  bytes = 0

  add(line: string): void {
    this.isEmpty = false
    const colon = line.indexOf(':')
    const name = colon < 0 ? line : line.slice(0, colon)
    if (name !== 'data' && name !== 'id' && name !== 'retry' && name !== 'event') return
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)
    if (name === 'data') {
      // Lines of data are joined by a line feed.
      this.bytes += Buffer.byteLength(value) + (this.#data.length > 0 ? 1 : 0)
      this.#data.push(value)
    } else if (name === 'id') this.#id = value
    else if (name === 'event') this.#event = value === 'message' ? undefined : value
    else if (/^\d{1,9}$/.test(value)) this.#retryMs = Number(value)
  }

  read(): ServerEvent {
    return {
      data: this.#data.join('\n'),
      ...(this.#event === undefined ? {} : { event: this.#event }),
      ...(this.#id === undefined ? {} : { id: this.#id }),
      ...(this.#retryMs === undefined ? {} : { retryMs: this.#retryMs }),
    }
  }
}
