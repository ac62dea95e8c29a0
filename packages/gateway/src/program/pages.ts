// Public pages next to the endpoint: liveness, readiness, and the issuer of its tokens.
//
// They need no authentication, so the responses contain no server names, no person and no error text from elsewhere.

import { metadataPage, metadataPaths, type Resource } from '../http/identity/challenge.ts'
import type { Page, PageContent } from '../http/server.ts'
import type { Readiness } from './readiness.ts'

export interface Condition {
  resource: Resource | undefined
}

/** `/healthz` returns 200 while the process runs; `/readyz` returns 503 with the reason while it is not ready. */
export function healthPages(readiness: Readiness): Record<string, Page> {
  return {
    '/healthz': () => json(200, { status: 'alive' }),
    '/readyz': async () => {
      const problem = await readiness.look()
      return problem === undefined ? json(200, { status: 'ready' }) : json(503, problem)
    },
  }
}

/** Protected resource metadata (RFC 9728); 404 without identity. */
export function identityPages(condition: Condition): Record<string, Page> {
  const page = () => (condition.resource === undefined ? json(404, {}) : metadataPage(condition.resource))
  return Object.fromEntries(metadataPaths(condition.resource).map((path) => [path, page]))
}

function json(status: number, body: object): PageContent {
  return { status, type: 'application/json', body: JSON.stringify(body) }
}
