// The decision id of an answer. Sending the same answer again, after a network error, reuses its id, so it counts once.

import { useRef } from 'react'

export function useDecisionIds(): (about: string) => string {
  const ids = useRef(new Map<string, string>())
  return (about) => {
    const id = ids.current.get(about) ?? crypto.randomUUID()
    ids.current.set(about, id)
    return id
  }
}
