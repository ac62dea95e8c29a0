// One change stream for all tabs of a browser: one tab, the leader, holds it and broadcasts its events.
//
// A browser opens at most six HTTP/1.1 connections to one server; with a stream in each tab, the seventh tab would hang.
// The leader is the tab that holds a Web Lock; when it closes, the next tab gets the lock. A browser may suspend the
// leader while it holds the lock, so a tab that receives nothing for `silentMs` opens its own stream until events come.

import { openChangeStream, type StreamEvent, type StreamState } from './change-stream.ts'

/** Sent by a new tab; the leader replies with the state of the stream. */
const stateRequest = 'state?'
/** The name of the lock and of the broadcast channel. */
const name = 'assent-live'
const heartbeatMs = 5_000
const silentMs = 16_000

/** Follows the changes until the returned function is called. `isLeader` is true in one tab of the browser only. */
export function shareChangeStream(onEvent: (event: StreamEvent, isLeader: boolean) => void): () => void {
  // Without a secure context there are no locks: each tab opens its own stream.
  if (!('locks' in navigator)) return openChangeStream((event) => onEvent(event, true))

  const tabs = new BroadcastChannel(name)
  const closing = new AbortController()
  let state: StreamState = 'waiting'
  let isLeader = false
  let receivedAt = performance.now()
  let closeStream: (() => void) | undefined

  const receive = (event: StreamEvent) => {
    if (event.kind === 'state') state = event.state
    else if (event.kind === 'reload') state = 'live'
    else if (event.kind === 'refused') state = 'waiting'
    onEvent(event, isLeader)
    if (isLeader) tabs.postMessage(event)
  }
  const start = () => {
    closeStream ??= openChangeStream(receive)
  }
  const stop = () => {
    closeStream?.()
    closeStream = undefined
  }
  tabs.onmessage = ({ data }: MessageEvent<StreamEvent | typeof stateRequest>) => {
    if (isLeader) {
      if (data === stateRequest) tabs.postMessage({ kind: 'state', state })
      return
    }
    if (data === stateRequest) return
    receivedAt = performance.now()
    stop()
    onEvent(data, false)
  }
  const heartbeat = setInterval(() => {
    if (isLeader) tabs.postMessage({ kind: 'state', state })
    else if (performance.now() - receivedAt > silentMs && !document.hidden) start()
  }, heartbeatMs)

  const lead = () => {
    isLeader = true
    stop()
    start()
    return new Promise<void>((resolve) => closing.signal.addEventListener('abort', () => resolve(), { once: true }))
  }
  navigator.locks.request(name, { signal: closing.signal }, lead).catch((error: unknown) => {
    // Closing before the lock was granted is expected. If locks fail, this tab opens its own stream.
    if (!closing.signal.aborted) start()
    else if (!(error instanceof DOMException)) throw error
  })
  tabs.postMessage(stateRequest)
  return () => {
    closing.abort()
    clearInterval(heartbeat)
    stop()
    tabs.close()
  }
}
