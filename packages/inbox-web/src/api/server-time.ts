// The gateway's clock, estimated from its replies. Deadlines are counted by it, because this machine's clock may be wrong.

import { useSyncExternalStore } from 'react'

/** A larger difference means that one of the clocks was set, so the estimate starts over. */
const clockSetMs = 5_000

let offsetMs = 0
let isKnown = false

export function recordServerTime(nowMs: number): void {
  const offset = nowMs - Date.now()
  // Network delay makes the offset too small: the largest one comes from the fastest reply.
  if (!isKnown || offset > offsetMs || Math.abs(offset - offsetMs) > clockSetMs) offsetMs = offset
  isKnown = true
}

export function serverNow(): number {
  return Date.now() + offsetMs
}

const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined
let second = 0

/** The time in whole seconds, so that a component renders once per second. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => Math.floor(serverNow() / 1_000) * 1_000)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= setInterval(() => {
    const now = Math.floor(serverNow() / 1_000)
    if (now === second) return
    second = now
    for (const notify of listeners) notify()
  }, 200)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}
