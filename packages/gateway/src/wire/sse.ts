// Server-sent events: one JSON message per event, written and read.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { wireLimits } from '../limits.ts'

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

export function writeEvent(response: ServerResponse, json: string): void {
  response.write(`event: message\ndata: ${json}\n\n`)
}

/** Keeps a quiet stream open past the patience of what lies between. */
export function writeComment(response: ServerResponse): void {
  response.write(':\n\n')
}

/** Yields each event. Lines end with CR, LF or both; comments and unknown fields are passed over. */
export async function* readServerEvents(stream: IncomingMessage): AsyncGenerator<ServerEvent> {
  stream.setEncoding('utf8')
  let rest = ''
  let fields: [name: string, value: string][] = []
  let chars = 0
  for await (const chunk of stream) {
    rest += chunk as string
    chars += (chunk as string).length
    if (chars > wireLimits.messageBytes) throw new Error('A server sent a larger message than is allowed.')
    // A CR at the very end may be half of a CRLF: it waits for what follows.
    const lines = rest.split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop() ?? ''
    for (const line of lines) {
      if (line !== '') {
        fields.push(field(line))
        continue
      }
      if (fields.length > 0) yield eventOf(fields)
      fields = []
      chars = rest.length
    }
  }
  // The CR that waited was a line's end after all.
  if (rest === '\r' && fields.length > 0) yield eventOf(fields)
}

function field(line: string): [name: string, value: string] {
  const colon = line.indexOf(':')
  if (colon < 0) return [line, '']
  return [line.slice(0, colon), line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)]
}

function eventOf(fields: readonly [name: string, value: string][]): ServerEvent {
  const values = (wanted: string) => fields.filter(([name]) => name === wanted).map(([, value]) => value)
  const id = values('id').at(-1)
  const retry = values('retry').at(-1)
  return {
    data: values('data').join('\n'),
    ...(id === undefined ? {} : { id }),
    ...(retry === undefined || !/^\d+$/.test(retry) ? {} : { retryMs: Number(retry) }),
  }
}
