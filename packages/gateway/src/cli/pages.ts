// What is served beside the endpoint: whether the program lives, whether it is ready, and who issues its tokens.
//
// Anyone may ask; so the answers name no server, no person and no reason that came from elsewhere.

import type { Page, PageContent } from '../door/door.ts'
import { metadataPage, metadataPaths, type Resource } from '../identity/challenge.ts'
import type { Readiness } from './readiness.ts'

export interface Condition {
  resource: Resource | undefined
}

/** `/healthz` answers as long as the process does; `/readyz` only while it should be sent new work, and says why not. */
export function healthPages(readiness: Readiness): Record<string, Page> {
  return {
    '/healthz': () => json(200, { status: 'alive' }),
    '/readyz': async () => {
      const problem = await readiness.look()
      return problem === undefined ? json(200, { status: 'ready' }) : json(503, problem)
    },
  }
}

/** RFC 9728. Where nobody is identified there is nothing to tell. */
export function identityPages(condition: Condition): Record<string, Page> {
  const page = () => (condition.resource === undefined ? json(404, {}) : metadataPage(condition.resource))
  return Object.fromEntries(metadataPaths(condition.resource).map((path) => [path, page]))
}

function json(status: number, body: object): PageContent {
  return { status, type: 'application/json', body: JSON.stringify(body) }
}
