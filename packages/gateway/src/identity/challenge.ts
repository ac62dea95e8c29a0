// What a caller without a good token is told: RFC 6750 in the header, RFC 9728 for where to get one.
//
// The words are the same whatever was wrong with a token, but for its age: nobody learns from us which part of a forgery
// was good.

import type { PageContent, Refusal } from '../door/door.ts'

export interface Resource {
  /** The public address of the endpoint. */
  readonly address: URL
  readonly issuer: string
  readonly scopes: readonly string[]
}

const wellKnown = '/.well-known/oauth-protected-resource'

/** RFC 9728, 3.1: between the host and the path. */
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

/** Where the metadata is served: at the root, and for the endpoint's path on this machine and in public. */
export function metadataPaths(resource: Resource | undefined): string[] {
  const inPublic = resource === undefined ? [] : [metadataAddress(resource).pathname]
  return [...new Set([wellKnown, `${wellKnown}/mcp`, ...inPublic])]
}

/** No token came: nothing is wrong yet, and RFC 6750 says to name no error. */
export function tokenNeeded(resource: Resource): Refusal {
  return { status: 401, message: 'A bearer token is needed.', headers: challenge(resource, {}) }
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
