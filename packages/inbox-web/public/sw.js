// The service worker: a page for the time in which the inbox cannot be reached. Registered over https only (decision 0063).
//
// It answers navigations and the files of its own page, and nothing else. It stores only those files, which contain no data.

const offlinePage = '/offline.html'
const files = [offlinePage, '/offline.css', '/icon.svg']
const cacheName = 'assent-offline-1'

addEventListener('install', (event) => event.waitUntil(store()))
addEventListener('activate', (event) => event.waitUntil(clients.claim()))
addEventListener('fetch', (event) => {
  const { mode, url } = event.request
  const { origin, pathname } = new URL(url)
  if (origin !== location.origin) return
  // The API is never answered here, nor is the identity provider's reply: it may be used once.
  if (mode === 'navigate' && !/^\/(?:api|sign-in)(?:\/|$)/.test(pathname))
    event.respondWith(fetch(event.request).catch(() => stored(offlinePage)))
  else if (files.includes(pathname)) event.respondWith(fetch(event.request).catch(() => stored(pathname)))
})

async function store() {
  const cache = await caches.open(cacheName)
  await cache.addAll(files)
  await skipWaiting()
}

async function stored(path) {
  return (await caches.match(path)) ?? Response.error()
}
