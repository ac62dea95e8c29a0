// Server-sent events: one JSON message per event, written and read.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { wireLimits } from '../limits.ts'
import { Utf8Stream } from './utf8.ts'

export interface ServerEvent {
  readonly data: string
  readonly id?: string
  readonly retryMs?: number
}

export const sseHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  // Proxies that buffer would hold a question back until the call ends.
  'x-accel-buffering': 'no',
}

export function eventOf(json: string, id?: string): string {
  const named = id === undefined ? '' : `id: ${id}\n`
  return `${named}event: message\ndata: ${json}\n\n`
}

/** Says nothing but its name: whoever has it can come back after a broken connection. */
export function namingEvent(id: string): string {
  return `id: ${id}\ndata: \n\n`
}

/** Keeps a quiet stream open past the patience of what lies between. */
export function writeComment(response: ServerResponse): void {
  response.write(':\n\n')
}

/**
 * Yields each event. Lines end with CR, LF or both; comments and unknown fields are passed over. Each character is looked
 * at once, however small the pieces are in which a large event comes.
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
    // The other half of a CRLF, whose CR has ended the line already.
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
      if (!event.isEmpty) yield event.read()
      event = new EventFields()
    }
    if (line.chars + event.chars > wireLimits.messageBytes)
      throw new Error('A server sent a larger message than is allowed.')
  }
}

/** A line that is not whole yet. */
class Pieces {
  #pieces: string[] = []
  chars = 0

  add(piece: string): void {
    if (piece === '') return
    this.#pieces.push(piece)
    this.chars += piece.length
  }

  take(): string {
    const whole = this.#pieces.length === 1 ? (this.#pieces[0] as string) : this.#pieces.join('')
    this.#pieces = []
    this.chars = 0
    return whole
  }
}

class EventFields {
  readonly #data: string[] = []
  #id: string | undefined
  #retryMs: number | undefined
  isEmpty = true
  /** What is kept of it. */
  chars = 0

  add(line: string): void {
    this.isEmpty = false
    const colon = line.indexOf(':')
    const name = colon < 0 ? line : line.slice(0, colon)
    if (name !== 'data' && name !== 'id' && name !== 'retry') return
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)
    if (name === 'data') {
      this.#data.push(value)
      this.chars += value.length + 1
    } else if (name === 'id') this.#id = value
    else if (/^\d{1,9}$/.test(value)) this.#retryMs = Number(value)
  }

  read(): ServerEvent {
    return {
      data: this.#data.join('\n'),
      ...(this.#id === undefined ? {} : { id: this.#id }),
      ...(this.#retryMs === undefined ? {} : { retryMs: this.#retryMs }),
    }
  }
}
