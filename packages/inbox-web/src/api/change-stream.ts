// The stream of changes to this person's asks, as server-sent events over fetch: `EventSource` cannot send the signature that
// every request needs. After a lost connection it reconnects with the id of the last event and receives what it missed.
// https://html.spec.whatwg.org/multipage/server-sent-events.html

import type { ChangeView } from '@assent/core'
import { type EventSourceMessage, EventSourceParserStream } from 'eventsource-parser/stream'
import { openStream, problemOf } from './client.ts'

/** What a page receives from the stream. `reload`: changes may have been missed, so everything is read again. */
export type StreamEvent =
  | { readonly kind: 'ask'; readonly change: ChangeView }
  | { readonly kind: 'reload' }
  | { readonly kind: 'state'; readonly state: StreamState }
  | { readonly kind: 'refused' }

export type StreamState = 'live' | 'waiting'

/** After a lost connection, and after a refusal. */
const reconnectMs = 1_000
const refusedReconnectMs = 3_000
/** The gateway sends something every 15 s. A connection that is silent for longer is broken, although nothing reported it. */
const silentMs = 40_000

/** Stays connected until the returned function is called. */
export function openChangeStream(onEvent: (event: StreamEvent) => void): () => void {
  const closing = new AbortController()
  const { signal } = closing
  let reconnect: ReturnType<typeof setTimeout> | undefined

  const receive = ({ event, data }: EventSourceMessage) => {
    if (event === 'ask') onEvent({ kind: 'ask', change: JSON.parse(data) as ChangeView })
    else if (event === 'now') onEvent({ kind: 'reload' })
  }
  const connect = async () => {
    try {
      const response = await openStream('/api/changes', signal)
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
      if (!response.ok || !isStream) return retry('refused')
      await readEvents(response, receive, signal)
      retry('waiting')
    } catch (error) {
      const { code } = problemOf(error)
      retry(code === 'signed-out' || code === 'unverified' ? 'refused' : 'waiting')
    }
  }
  const retry = (reason: 'refused' | 'waiting') => {
    if (signal.aborted) return
    reconnect = setTimeout(() => void connect(), reason === 'refused' ? refusedReconnectMs : reconnectMs)
    onEvent(reason === 'refused' ? { kind: 'refused' } : { kind: 'state', state: 'waiting' })
  }
  void connect()
  return () => {
    closing.abort()
    clearTimeout(reconnect)
  }
}

/** Resolves when the stream ends; throws when the connection is lost or silent for too long. */
async function readEvents(
  response: Response,
  onEvent: (event: EventSourceMessage) => void,
  closing: AbortSignal,
): Promise<void> {
  const timeout = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const received = () => {
    clearTimeout(timer)
    timer = setTimeout(() => timeout.abort(), silentMs)
  }
  // Comments count too: they keep the connection alive, and the parser drops them.
  const watch = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform: (bytes, controller) => {
      received()
      controller.enqueue(bytes)
    },
  })
  received()
  try {
    await response.body
      ?.pipeThrough(watch)
      .pipeThrough(new TextDecoderStream())
      .pipeThrough(new EventSourceParserStream())
      .pipeTo(new WritableStream({ write: onEvent }), { signal: AbortSignal.any([timeout.signal, closing]) })
  } finally {
    clearTimeout(timer)
  }
}
