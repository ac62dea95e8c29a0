// Which page is shown. It depends on the URL alone, so that reloads, bookmarks and the back button work.

import { useSyncExternalStore } from 'react'

export type Route =
  | { readonly page: 'inbox'; readonly id?: string }
  | { readonly page: 'history'; readonly id?: string; readonly search: string }
  | { readonly page: 'statistics' }
  | { readonly page: 'passkeys' }
  | { readonly page: 'play'; readonly id?: string }
  | { readonly page: 'sign-in' }
  | { readonly page: 'secret'; readonly id: string }

export function useRoute(): Route {
  const address = useSyncExternalStore(onNavigate, () => location.pathname + location.search)
  const { pathname, search } = new URL(address, location.origin)
  return routeOf(pathname, search)
}

function routeOf(path: string, search: string): Route {
  const [first = '', id] = path.split('/').filter(Boolean)
  const withId = id === undefined ? {} : { id }
  if (first === 'history') return { page: 'history', search, ...withId }
  if (first === 'play') return { page: 'play', ...(id === undefined ? {} : { id: decoded(id) }) }
  if (first === 'statistics') return { page: 'statistics' }
  if (first === 'passkeys') return { page: 'passkeys' }
  if (first === 'sign-in') return { page: 'sign-in' }
  if (first === 'secret' && id !== undefined) return { page: 'secret', id }
  return first === 'asks' ? { page: 'inbox', ...withId } : { page: 'inbox' }
}

/** The text itself if it is not valid percent-encoding; it then matches no tool. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

export function navigate(path: string, mode: 'push' | 'replace' = 'push'): void {
  if (mode === 'push') history.pushState(null, '', path)
  else history.replaceState(null, '', path)
  dispatchEvent(new PopStateEvent('popstate'))
}

function onNavigate(listener: () => void): () => void {
  addEventListener('popstate', listener)
  return () => removeEventListener('popstate', listener)
}
