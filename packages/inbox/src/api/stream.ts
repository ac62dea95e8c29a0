// The stream of changes itself. The browser comes back by itself after a broken connection, with the number of the last
// event, and is told what it missed. After a refusal it does not, so we do.

import type { ChangeView } from '@assent/core'
import type { Heard } from './tabs.ts'

const againMs = 3_000

export function followChanges(tell: (heard: Heard) => void): () => void {
  let again: ReturnType<typeof setTimeout> | undefined
  let events: EventSource
  const connect = () => {
    events = new EventSource('/api/changes')
    events.addEventListener('ask', ({ data }) => tell({ kind: 'ask', change: JSON.parse(data) as ChangeView }))
    events.addEventListener('now', () => tell({ kind: 'anew' }))
    events.addEventListener('anew', () => tell({ kind: 'anew' }))
    events.addEventListener('error', () => {
      if (events.readyState !== EventSource.CLOSED) return tell({ kind: 'state', state: 'waiting' })
      again = setTimeout(connect, againMs)
      tell({ kind: 'refused' })
    })
  }
  connect()
  return () => {
    clearTimeout(again)
    events.close()
  }
}
