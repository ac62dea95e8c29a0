// Whether the screen is wide enough to show the list and the card side by side.

import { useSyncExternalStore } from 'react'

const query = matchMedia('(min-width: 58rem)')

export function useWideScreen(): boolean {
  return useSyncExternalStore(
    (listener) => {
      query.addEventListener('change', listener)
      return () => query.removeEventListener('change', listener)
    },
    () => query.matches,
  )
}
