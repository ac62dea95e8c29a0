// Server-sent events: `now` when changes begin to arrive, then `ask` for each change.
// https://html.spec.whatwg.org/multipage/server-sent-events.html

import type { ChangeView, Person } from '@assent/core'
import type { ChangeFeed } from './changes.ts'
import { inboxLimits } from './limits.ts'
import type { OpenStreams } from './open-streams.ts'

export const streamHeaders = { 'content-type': 'text/event-stream', 'cache-control': 'no-store' } as const

export function changeStream(
  feed: ChangeFeed,
  person: Person,
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
        // A client that stops reading must not fill our memory: it reconnects.
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
      remove = streams.add({ token, keepAlive: () => write(':\n\n'), end: stop })
      const follower = {
        begin: () => write('event: now\ndata: {}\n\n'),
        notify: (change: ChangeView) => write(`event: ask\ndata: ${JSON.stringify(change)}\n\n`),
        end: stop,
      }
      feed.follow(person, follower, disconnected.signal).catch(fail)
    },
    cancel() {
      remove?.()
      disconnected.abort()
    },
  })
  return new Response(body, { headers: streamHeaders })
}
