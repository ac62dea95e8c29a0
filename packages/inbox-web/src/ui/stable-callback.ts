// A callback whose identity never changes and which always calls the latest version, so that effects do not run again.

import { useCallback, useRef } from 'react'

export function useStableCallback(callback: () => void): () => void {
  const latest = useRef(callback)
  latest.current = callback
  return useCallback(() => latest.current(), [])
}
