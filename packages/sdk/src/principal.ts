// On whose behalf a call runs, as far as the server can tell.
//
// Sealed state opens for the same principal alone. An author who knows their users says who it is; otherwise it is read
// from the access token the SDK verified: its subject where the verifier passed one on, or else the very token, which
// is safe and ends with it. Without a token everybody is the one local user, which is right for stdio and for nothing else.

import { AssentError, digestOf, isName, isPlainObject } from '@assent/core'

export type PrincipalOf = (context: unknown) => string | undefined

const localPrincipal = 'local'

export function principalOf(context: unknown, chosen: PrincipalOf | undefined): string {
  const principal = chosen === undefined ? fromToken(context) : chosen(context)
  if (typeof principal === 'string' && isName(principal)) return principal
  throw new AssentError('misconfigured', 'There is no usable name for the person on whose behalf this call runs.')
}

function fromToken(context: unknown): string {
  const token = authInfoOf(context)
  if (token === undefined) return localPrincipal
  const extra = isPlainObject(token.extra) ? token.extra : {}
  const { sub, iss } = extra
  // As a digest, because a subject may be longer than a name, and a token must be kept nowhere.
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
