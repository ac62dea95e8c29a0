// Server-sent events: `ask` for each change, `now` with the current position, `anew` when too much was missed.
// https://html.spec.whatwg.org/multipage/server-sent-events.html

import type { Person } from '@assent/core'
import type { ChangeFeed } from './changes.ts'
import { inboxLimits } from './limits.ts'
import type { OpenStreams } from './open-streams.ts'

export function changeStream(
  feed: ChangeFeed,
  person: Person,
  lastSeq: number | undefined,
  streams: OpenStreams,
  token: string,
  onError: (error: unknown) => void,
): Response {
  const disconnected = new AbortController()
  const text = new TextEncoder()
  let remove: (() => void) | undefined
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const write = (event: string) => {
        // A client that stops reading must not fill our memory: it reconnects with its last event id.
        if ((controller.desiredSize ?? 0) < -inboxLimits.changesPage) stop()
        if (!disconnected.signal.aborted) controller.enqueue(text.encode(event))
      }
      const stop = () => {
        if (disconnected.signal.aborted) return
        disconnected.abort()
        remove?.()
        controller.close()
      }
      // EventSource reconnects by itself and is then authenticated again.
      const fail = (error: unknown) => {
        onError(error)
        stop()
      }
      // A stream ends with its session, even if its page stays open.
      remove = streams.add({ token, keepAlive: () => write(':\n\n'), end: stop, fail })
      const follower = {
        notify: ({ seq, ...change }: { seq: number }) =>
          write(`id: ${seq}\nevent: ask\ndata: ${JSON.stringify(change)}\n\n`),
        at: (seq: number) => write(`id: ${seq}\nevent: now\ndata: {}\n\n`),
        reload: (seq: number) => write(`id: ${seq}\nevent: anew\ndata: {}\n\n`),
        end: stop,
      }
      feed.follow(person, lastSeq, follower, disconnected.signal).catch(fail)
    },
    cancel() {
      remove?.()
      disconnected.abort()
    },
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store' } })
}

/** The last event that a page received; undefined when the header is missing or invalid. */
export function lastEventId(request: Request): number | undefined {
  const text = request.headers.get('last-event-id') ?? ''
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined
}
