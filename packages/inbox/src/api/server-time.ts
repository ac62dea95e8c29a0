// The gateway's time, as well as this page can know it. Deadlines are counted by it, because a laptop's clock may be off.

import { useSyncExternalStore } from 'react'

let aheadMs = 0
let known = false

export function noteServerTime(nowMs: number): void {
  const ahead = nowMs - Date.now()
  // The least delayed reply tells the time best.
  if (!known || ahead > aheadMs || Math.abs(ahead - aheadMs) > 5_000) aheadMs = ahead
  known = true
}

export function serverNow(): number {
  return Date.now() + aheadMs
}

const told = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined
let second = 0

/** The time in whole seconds, so that a page draws itself once a second and not more. */
export function useNow(): number {
  return useSyncExternalStore(listen, () => Math.floor(serverNow() / 1_000) * 1_000)
}

function listen(tell: () => void): () => void {
  told.add(tell)
  timer ??= setInterval(() => {
    const now = Math.floor(serverNow() / 1_000)
    if (now === second) return
    second = now
    for (const one of told) one()
  }, 200)
  return () => {
    told.delete(tell)
    if (told.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}
