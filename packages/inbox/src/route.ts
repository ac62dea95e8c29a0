// Where in the app the person is. The address says it all, so that a reload, a bookmark and the back button work.

import { useSyncExternalStore } from 'react'

export type Route =
  | { readonly page: 'inbox'; readonly id?: string }
  | { readonly page: 'history'; readonly id?: string; readonly search: string }
  | { readonly page: 'figures' }
  | { readonly page: 'play'; readonly id?: string }
  | { readonly page: 'sign-in' }
  | { readonly page: 'secret'; readonly id: string }

export function useRoute(): Route {
  const place = useSyncExternalStore(onMove, () => location.pathname + location.search)
  const { pathname, search } = new URL(place, location.origin)
  return routeOf(pathname, search)
}

function routeOf(path: string, search: string): Route {
  const [first = '', id] = path.split('/').filter(Boolean)
  const one = id === undefined ? {} : { id }
  if (first === 'history') return { page: 'history', search, ...one }
  if (first === 'play') return { page: 'play', ...(id === undefined ? {} : { id: decoded(id) }) }
  if (first === 'figures') return { page: 'figures' }
  if (first === 'sign-in') return { page: 'sign-in' }
  if (first === 'secret' && id !== undefined) return { page: 'secret', id }
  return first === 'asks' ? { page: 'inbox', ...one } : { page: 'inbox' }
}

/** What cannot be decoded names nothing. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

export function goTo(path: string, how: 'push' | 'replace' = 'push'): void {
  if (how === 'push') history.pushState(null, '', path)
  else history.replaceState(null, '', path)
  dispatchEvent(new PopStateEvent('popstate'))
}

function onMove(told: () => void): () => void {
  addEventListener('popstate', told)
  return () => removeEventListener('popstate', told)
}
