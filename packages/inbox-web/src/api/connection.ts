// Whether the inbox can be reached, and whether it works. Shown in one place, by ui/connection-banner.tsx.
//
// Fed by every request (`client.ts`) and by the outcome of queries (`main.tsx`).

import { useSyncExternalStore } from 'react'

/** `lost`: no reply. `failing`: it replies that it cannot read or record anything. */
export type Connection = 'ok' | 'lost' | 'lost-for-long' | 'failing'

/** A shorter interruption is not shown: another process takes over the inbox within a second. */
const shownAfterMs = 1_000
const longAfterMs = 10_000

let state: Connection = 'ok'
let timers: readonly number[] = []
const listeners = new Set<() => void>()

/** A request got no reply. */
export function recordLost(): void {
  if (timers.length > 0) return
  timers = [
    window.setTimeout(() => set('lost'), shownAfterMs),
    window.setTimeout(() => set('lost-for-long'), longAfterMs),
  ]
}

/** A request got a reply. */
export function recordReply(): void {
  for (const timer of timers) window.clearTimeout(timer)
  timers = []
  if (isLost(state)) set('ok')
}

/** A query succeeded, or the inbox replied that it cannot answer it. */
export function recordQuery(isAnswered: boolean): void {
  if (!isLost(state)) set(isAnswered ? 'ok' : 'failing')
}

function set(next: Connection): void {
  if (state === next) return
  state = next
  for (const notify of listeners) notify()
}

function isLost(connection: Connection): boolean {
  return connection === 'lost' || connection === 'lost-for-long'
}

export function useConnection(): Connection {
  return useSyncExternalStore(subscribe, () => state)
}

/** While this is true, nothing can be sent. */
export function useIsLost(): boolean {
  return isLost(useConnection())
}

/** The same at this moment, outside of a component. */
export function isInboxLost(): boolean {
  return isLost(state)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
