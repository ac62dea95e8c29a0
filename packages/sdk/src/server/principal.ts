// The principal of a call: the user on whose behalf it runs.
//
// Sealed state opens for the same principal only. An author can set `principal`; otherwise the principal is read from
// the access token that the SDK verified: its subject if the verifier passed one on, else the token itself, which is
// safe, but then a state is valid only as long as the token. Without a token every caller is the one local user, which
// is correct for stdio only.

import { AssentError, digestOf, isName, isPlainObject } from '@assent/core'

export type PrincipalOf = (context: unknown) => string | undefined

const localPrincipal = 'local'

export function principalOf(context: unknown, chosen: PrincipalOf | undefined): string {
  const principal = chosen === undefined ? fromToken(context) : chosen(context)
  if (typeof principal === 'string' && isName(principal)) return principal
  throw new AssentError('misconfigured', 'The principal of this call is not a usable name.')
}

function fromToken(context: unknown): string {
  const token = authInfoOf(context)
  if (token === undefined) return localPrincipal
  const extra = isPlainObject(token.extra) ? token.extra : {}
  const { sub, iss } = extra
  // As a digest, because a subject may be longer than a name, and a token must not be stored.
  if (typeof sub === 'string' && sub !== '') return digestOf('subject v1', [typeof iss === 'string' ? iss : '', sub])
  return digestOf('token v1', String(token.token))
}

function authInfoOf(context: unknown): Readonly<Record<string, unknown>> | undefined {
  if (typeof context !== 'object' || context === null) return undefined
  if ('authInfo' in context && isPlainObject(context.authInfo)) return context.authInfo
  if ('http' in context && isPlainObject(context.http) && isPlainObject(context.http.authInfo))
    return context.http.authInfo
  return undefined
}
