// Whether there is room for the list and the card side by side.

import { useSyncExternalStore } from 'react'

const query = matchMedia('(min-width: 58rem)')

export function useWide(): boolean {
  return useSyncExternalStore(
    (told) => {
      query.addEventListener('change', told)
      return () => query.removeEventListener('change', told)
    },
    () => query.matches,
  )
}
