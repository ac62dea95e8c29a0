// The response to a caller without a valid token: RFC 6750 in the header, RFC 9728 for where to get one.
//
// The message does not depend on what is wrong with a token, except for its expiry: an attacker does not learn which
// part of a forged token was valid.

import type { PageContent, Refusal } from '../server.ts'

export interface Resource {
  /** The public address of the endpoint. */
  readonly address: URL
  readonly issuer: string
  readonly scopes: readonly string[]
}

const wellKnown = '/.well-known/oauth-protected-resource'

/** RFC 9728, 3.1: the well-known path goes between host and path. */
function metadataAddress({ address }: Resource): URL {
  const path = address.pathname === '/' ? '' : address.pathname
  return new URL(`${wellKnown}${path}`, address)
}

export function metadataPage({ address, issuer, scopes }: Resource): PageContent {
  const metadata = {
    resource: address.href,
    authorization_servers: [issuer],
    bearer_methods_supported: ['header'],
    ...(scopes.length === 0 ? {} : { scopes_supported: scopes }),
  }
  return { status: 200, type: 'application/json', body: JSON.stringify(metadata) }
}

/** Where the metadata is served: at the root, and for the endpoint's local and public path. */
export function metadataPaths(resource: Resource | undefined): string[] {
  const inPublic = resource === undefined ? [] : [metadataAddress(resource).pathname]
  return [...new Set([wellKnown, `${wellKnown}/mcp`, ...inPublic])]
}

/** Without a token, RFC 6750 (3.1) requires a challenge without an error code. */
export function tokenNeeded(resource: Resource): Refusal {
  return { status: 401, message: 'A bearer token is required.', headers: challenge(resource, {}) }
}

export function tokenInvalid(resource: Resource, description: string): Refusal {
  const details = { error: 'invalid_token', error_description: description }
  return { status: 401, message: description, headers: challenge(resource, details) }
}

export function scopeMissing(resource: Resource): Refusal {
  const message = `The token needs the scope ${resource.scopes.join(' ')}.`
  return {
    status: 403,
    message,
    headers: challenge(resource, { error: 'insufficient_scope', error_description: message }),
  }
}

export function requestInvalid(resource: Resource, description: string): Refusal {
  const details = { error: 'invalid_request', error_description: description }
  return { status: 400, message: description, headers: challenge(resource, details) }
}

function challenge(resource: Resource, details: Readonly<Record<string, string>>): Record<string, string> {
  const all = {
    ...details,
    ...(resource.scopes.length === 0 ? {} : { scope: resource.scopes.join(' ') }),
    resource_metadata: metadataAddress(resource).href,
  }
  const parts = Object.entries(all).map(([name, value]) => `${name}="${value.replace(/["\\]/g, '')}"`)
  return { 'www-authenticate': `Bearer ${parts.join(', ')}` }
}
