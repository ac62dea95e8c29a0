// Service workers over plain http, where no page of ours registers one (decision 0063).
//
// A program that had the inbox's port may have left its own worker in the browser. It would answer for our pages after the
// program has gone. Browsers request a worker's script again after a navigation, and never through the worker itself. So every
// such request gets a script that removes the worker, whatever its path.

/** The browser requests the script of a service worker: https://w3c.github.io/ServiceWorker/#service-worker-script-request */
export function isWorkerScript({ headers }: Request): boolean {
  return headers.get('service-worker') === 'script'
}

/** Replaces a worker, removes its registration, and loads the open pages again from the inbox. */
const removingScript = `addEventListener('install', () => self.skipWaiting())
addEventListener('activate', (event) => event.waitUntil(remove()))
async function remove() {
  await registration.unregister()
  for (const page of await clients.matchAll({ type: 'window' })) await page.navigate(page.url)
}
`

export function removingWorker(): Response {
  return new Response(removingScript, {
    headers: {
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'no-store',
      // Without it, a browser refuses the script of a worker whose scope is wider than its folder.
      'service-worker-allowed': '/',
    },
  })
}
