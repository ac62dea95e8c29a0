// Hears what happens to this person's asks and marks what the page knows as stale. Events that come together cause one
// reading.

import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { proveAgain } from './client.ts'
import { keys } from './queries.ts'
import { followTogether, type Heard } from './tabs.ts'

const gatherMs = 60

/** Told of each new ask; `isFirst` in one tab of the browser only, for what must not happen in all. */
export type OnRaised = (id: string, isFirst: boolean) => void

export function useLive(isSignedIn: boolean, onRaised: OnRaised): 'live' | 'waiting' {
  const queries = useQueryClient()
  const [state, setState] = useState<'live' | 'waiting'>('waiting')
  const raised = useRef(onRaised)
  raised.current = onRaised

  useEffect(() => {
    if (!isSignedIn) return
    return listen(queries, (id, isFirst) => raised.current(id, isFirst), setState)
  }, [isSignedIn, queries])
  return state
}

function listen(queries: QueryClient, onRaised: OnRaised, onState: (state: 'live' | 'waiting') => void): () => void {
  const stale = new Set<string>()
  let gathering: ReturnType<typeof setTimeout> | undefined

  const look = () => {
    gathering = undefined
    for (const id of stale) void queries.invalidateQueries({ queryKey: keys.ask(id) })
    stale.clear()
    for (const queryKey of [keys.open, keys.history, keys.figures]) void queries.invalidateQueries({ queryKey })
  }
  const hear = (heard: Heard, isFirst: boolean) => {
    switch (heard.kind) {
      case 'ask':
        stale.add(heard.change.id)
        gathering ??= setTimeout(look, gatherMs)
        if (heard.change.change === 'raised') onRaised(heard.change.id, isFirst)
        return
      case 'anew':
        onState('live')
        void queries.invalidateQueries()
        return
      case 'state':
        if (heard.state === 'waiting') proveAgain()
        onState(heard.state)
        return
      case 'refused':
        proveAgain()
        onState('waiting')
        // It may be that nobody is signed in any more.
        void queries.invalidateQueries({ queryKey: keys.me })
    }
  }
  const leave = followTogether(hear)
  return () => {
    clearTimeout(gathering)
    leave()
  }
}
