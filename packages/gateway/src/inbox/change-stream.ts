// Changes as server-sent events: `ask` for each, `now` with the number to come back with, `anew` when too much was missed.
// https://html.spec.whatwg.org/multipage/server-sent-events.html

import type { Person } from '@assent/core'
import { inboxLimits } from '../limits.ts'
import type { ChangeFeed } from './changes.ts'

export function changeStream(
  feed: ChangeFeed,
  person: Person,
  lastSeq: number | undefined,
  isStillThere: () => Promise<boolean>,
  onTrouble: (error: unknown) => void,
): Response {
  const gone = new AbortController()
  const text = new TextEncoder()
  let keepAlive: NodeJS.Timeout | undefined
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const write = (event: string) => {
        // A reader that takes nothing must not fill our memory: it comes back with the last number it saw.
        if ((controller.desiredSize ?? 0) < -inboxLimits.changesPage) stop()
        if (!gone.signal.aborted) controller.enqueue(text.encode(event))
      }
      const stop = () => {
        if (gone.signal.aborted) return
        gone.abort()
        clearInterval(keepAlive)
        controller.close()
      }
      // The page comes back by itself, and is then asked who it is.
      const giveUp = (error: unknown) => {
        onTrouble(error)
        stop()
      }
      const look = () => isStillThere().then((isThere) => (isThere ? write(':\n\n') : stop()))
      keepAlive = setInterval(() => void look().catch(giveUp), inboxLimits.keepAliveMs)
      const follower = {
        tell: ({ seq, ...change }: { seq: number }) =>
          write(`id: ${seq}\nevent: ask\ndata: ${JSON.stringify(change)}\n\n`),
        at: (seq: number) => write(`id: ${seq}\nevent: now\ndata: {}\n\n`),
        startAnew: (seq: number) => write(`id: ${seq}\nevent: anew\ndata: {}\n\n`),
        end: stop,
      }
      feed.follow(person, lastSeq, follower, gone.signal).catch(giveUp)
    },
    cancel() {
      clearInterval(keepAlive)
      gone.abort()
    },
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store' } })
}

/** What a page says it saw last; anything that is no number of ours means it saw nothing. */
export function lastEventId(request: Request): number | undefined {
  const text = request.headers.get('last-event-id') ?? ''
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined
}
