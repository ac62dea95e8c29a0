// Marks cached queries as stale when the change stream reports a change to this person's asks. Events that arrive
// together cause one refetch.

import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { StreamEvent, StreamState } from './change-stream.ts'
import { discardListenerProof } from './client.ts'
import { queryKeys } from './queries.ts'
import { shareChangeStream } from './shared-stream.ts'

const batchMs = 60

/** Called for each new ask; `isLeader` is true in one tab of the browser only, for effects that must happen once. */
export type OnRaised = (id: string, isLeader: boolean) => void

export function useLiveUpdates(isSignedIn: boolean, onRaised: OnRaised): StreamState {
  const queries = useQueryClient()
  const [state, setState] = useState<StreamState>('waiting')
  const raised = useRef(onRaised)
  raised.current = onRaised

  useEffect(() => {
    if (!isSignedIn) return
    return subscribe(queries, (id, isLeader) => raised.current(id, isLeader), setState)
  }, [isSignedIn, queries])
  return state
}

function subscribe(queries: QueryClient, onRaised: OnRaised, onState: (state: StreamState) => void): () => void {
  const staleAsks = new Set<string>()
  let batch: ReturnType<typeof setTimeout> | undefined

  const refetch = () => {
    batch = undefined
    for (const id of staleAsks) void queries.invalidateQueries({ queryKey: queryKeys.ask(id) })
    staleAsks.clear()
    for (const queryKey of [queryKeys.open, queryKeys.history, queryKeys.statistics]) {
      void queries.invalidateQueries({ queryKey })
    }
  }
  const receive = (event: StreamEvent, isLeader: boolean) => {
    switch (event.kind) {
      case 'ask':
        staleAsks.add(event.change.id)
        batch ??= setTimeout(refetch, batchMs)
        if (event.change.change === 'raised') onRaised(event.change.id, isLeader)
        return
      case 'reload':
        onState('live')
        void queries.invalidateQueries()
        return
      case 'state':
        onState(event.state)
        if (event.state === 'live') return
        discardListenerProof()
        // The leader's connection was lost; this page finds out by itself whether the inbox can be reached.
        void queries.invalidateQueries({ queryKey: queryKeys.me })
        return
      case 'refused':
        discardListenerProof()
        onState('waiting')
        // The session may have ended.
        void queries.invalidateQueries({ queryKey: queryKeys.me })
    }
  }
  // The browser lost or got back its network: find out whether the inbox can be reached.
  const check = () => void queries.invalidateQueries({ queryKey: queryKeys.me })
  addEventListener('offline', check)
  addEventListener('online', check)
  const unsubscribe = shareChangeStream(receive)
  return () => {
    removeEventListener('offline', check)
    removeEventListener('online', check)
    clearTimeout(batch)
    unsubscribe()
  }
}
