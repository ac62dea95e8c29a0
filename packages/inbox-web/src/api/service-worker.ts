// Registers the service worker over https, and removes any over plain http (decision 0063): there, another program may have had
// the inbox's port and left its own worker in this browser.

/** The one policy that the content security policy admits. It returns the address of our worker, whatever it is given. */
const policy = { createScriptURL: () => '/sw.js' }

interface TrustedTypes {
  createPolicy(name: string, rules: typeof policy): { createScriptURL(input: string): string }
}

declare const trustedTypes: TrustedTypes | undefined

export async function setUpServiceWorker(): Promise<void> {
  if (!('serviceWorker' in navigator)) return
  const workers = navigator.serviceWorker
  if (location.protocol === 'https:') {
    const types = typeof trustedTypes === 'undefined' ? undefined : trustedTypes.createPolicy('assent-worker', policy)
    await workers.register(types?.createScriptURL('') ?? policy.createScriptURL())
    return
  }
  const registrations = await workers.getRegistrations()
  await Promise.all(registrations.map((registration) => registration.unregister()))
  // This page came through the worker, so it may not be ours.
  if (workers.controller !== null) location.reload()
}
