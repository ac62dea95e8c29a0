// One stream of changes for all tabs of a browser: one tab holds it and tells the others.
//
// Browsers open six connections to a server that speaks HTTP/1.1; with a stream in each, the seventh tab would hang. Who
// holds the stream is who holds a lock, and when that tab goes the next one has it. A browser may put a tab to sleep
// with the lock in its hand: a tab that hears nothing for a while opens a stream of its own until it does.

import type { ChangeView } from '@assent/core'
import { followChanges } from './stream.ts'

export type Heard =
  | { readonly kind: 'ask'; readonly change: ChangeView }
  | { readonly kind: 'anew' }
  | { readonly kind: 'state'; readonly state: 'live' | 'waiting' }
  | { readonly kind: 'refused' }

/** What a tab says that has just come: whoever holds the stream answers with its state. */
const question = 'who is there?'
const name = 'assent-live'
const beatMs = 5_000
const silentMs = 16_000

/** Follows until what it returns is called. */
export function followTogether(hear: (heard: Heard, isFirst: boolean) => void): () => void {
  // Without a secure context there are no locks, and each tab is on its own.
  if (!('locks' in navigator)) return followChanges((heard) => hear(heard, true))

  const tabs = new BroadcastChannel(name)
  const leaving = new AbortController()
  let state: 'live' | 'waiting' = 'waiting'
  let isHolder = false
  let heardAt = performance.now()
  let stop: (() => void) | undefined

  const told = (heard: Heard) => {
    if (heard.kind === 'state') state = heard.state
    else if (heard.kind === 'anew') state = 'live'
    else if (heard.kind === 'refused') state = 'waiting'
    hear(heard, isHolder)
    if (isHolder) tabs.postMessage(heard)
  }
  const begin = () => {
    stop ??= followChanges(told)
  }
  const end = () => {
    stop?.()
    stop = undefined
  }
  tabs.onmessage = ({ data }: MessageEvent<Heard | typeof question>) => {
    if (isHolder) {
      if (data === question) tabs.postMessage({ kind: 'state', state })
      return
    }
    if (data === question) return
    heardAt = performance.now()
    end()
    hear(data, false)
  }
  const beat = setInterval(() => {
    if (isHolder) tabs.postMessage({ kind: 'state', state })
    else if (performance.now() - heardAt > silentMs && !document.hidden) begin()
  }, beatMs)

  const hold = () => {
    isHolder = true
    end()
    begin()
    return new Promise<void>((resolve) => leaving.signal.addEventListener('abort', () => resolve(), { once: true }))
  }
  navigator.locks.request(name, { signal: leaving.signal }, hold).catch((error: unknown) => {
    // Leaving before it had the lock is no trouble; without locks at all this tab follows by itself.
    if (!leaving.signal.aborted) begin()
    else if (!(error instanceof DOMException)) throw error
  })
  tabs.postMessage(question)
  return () => {
    leaving.abort()
    clearInterval(beat)
    end()
    tabs.close()
  }
}
