// What is served beside the endpoint: whether the program lives, whether it is ready, and who issues its tokens.
//
// Anyone may ask; so the answers name no server, no person and no reason that came from elsewhere.

import type { Store } from '@assent/store'
import type { Page, PageContent } from '../door/door.ts'
import { metadataPage, metadataPaths, type Resource } from '../identity/challenge.ts'
import { programLimits } from '../limits.ts'

export interface Condition {
  isDraining: boolean
  resource: Resource | undefined
}

/** `/healthz` answers as long as the process does; `/readyz` only while it should be sent new work. */
export function healthPages(store: Store, condition: Condition): Record<string, Page> {
  const isStoreThere = lookAtMostEvery(programLimits.readyLookMs, () => canReadFrom(store))
  return {
    '/healthz': () => json(200, { status: 'alive' }),
    '/readyz': async () => {
      if (condition.isDraining) return json(503, { status: 'draining' })
      return (await isStoreThere()) ? json(200, { status: 'ready' }) : json(503, { status: 'store unreachable' })
    },
  }
}

/** RFC 9728. Where nobody is identified there is nothing to tell. */
export function identityPages(condition: Condition): Record<string, Page> {
  const page = () => (condition.resource === undefined ? json(404, {}) : metadataPage(condition.resource))
  return Object.fromEntries(metadataPaths(condition.resource).map((path) => [path, page]))
}

async function canReadFrom(store: Store): Promise<boolean> {
  // Any read will do; there is no such call, so nothing comes back.
  const read = store.calls.read('default', 'none', 'none').then(
    () => true,
    () => false,
  )
  const tooLate = new Promise<boolean>((resolve) => setTimeout(resolve, programLimits.readyWithinMs, false).unref())
  return Promise.race([read, tooLate])
}

/** However often anyone asks, the store is asked no more often than this. */
function lookAtMostEvery(everyMs: number, look: () => Promise<boolean>): () => Promise<boolean> {
  let seen: Promise<boolean> | undefined
  let atMs = Number.NEGATIVE_INFINITY
  return () => {
    if (seen === undefined || performance.now() - atMs > everyMs) {
      seen = look()
      atMs = performance.now()
    }
    return seen
  }
}

function json(status: number, body: object): PageContent {
  return { status, type: 'application/json', body: JSON.stringify(body) }
}
