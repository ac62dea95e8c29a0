// Hears what happens to this person's asks and marks what the page knows as stale.
//
// The browser comes back by itself after a broken connection, with the number of the last event, and is told what it
// missed. After a refusal it does not, so we do. Events that come together cause one reading.

import type { ChangeView } from '@assent/core'
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { keys } from './queries.ts'

const gatherMs = 60
const againMs = 3_000

export function useLive(isSignedIn: boolean, onRaised: (id: string) => void): 'live' | 'waiting' {
  const queries = useQueryClient()
  const [state, setState] = useState<'live' | 'waiting'>('waiting')
  const raised = useRef(onRaised)
  raised.current = onRaised

  useEffect(() => {
    if (!isSignedIn) return
    return listen(queries, (id) => raised.current(id), setState)
  }, [isSignedIn, queries])
  return state
}

function listen(
  queries: QueryClient,
  onRaised: (id: string) => void,
  onState: (state: 'live' | 'waiting') => void,
): () => void {
  const stale = new Set<string>()
  let gathering: ReturnType<typeof setTimeout> | undefined
  let again: ReturnType<typeof setTimeout> | undefined
  let events: EventSource

  const look = () => {
    gathering = undefined
    for (const id of stale) void queries.invalidateQueries({ queryKey: keys.ask(id) })
    stale.clear()
    for (const queryKey of [keys.open, keys.history, keys.figures]) void queries.invalidateQueries({ queryKey })
  }
  const anew = () => {
    onState('live')
    void queries.invalidateQueries()
  }
  const connect = () => {
    events = new EventSource('/api/changes')
    events.addEventListener('ask', ({ data }) => {
      const { id, change } = JSON.parse(data) as ChangeView
      stale.add(id)
      gathering ??= setTimeout(look, gatherMs)
      if (change === 'raised') onRaised(id)
    })
    events.addEventListener('now', anew)
    events.addEventListener('anew', anew)
    events.addEventListener('error', () => {
      onState('waiting')
      if (events.readyState !== EventSource.CLOSED) return
      again = setTimeout(connect, againMs)
      // It may be that nobody is signed in any more.
      void queries.invalidateQueries({ queryKey: keys.me })
    })
  }
  connect()
  return () => {
    clearTimeout(gathering)
    clearTimeout(again)
    events.close()
  }
}
