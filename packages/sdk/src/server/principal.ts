// The principal of a call: the user on whose behalf it runs.
//
// Sealed state opens for the same principal only. An author can set `principal`; otherwise the principal is read from
// the access token that the SDK verified: its subject if the verifier passed one on, else the token itself, which is
// safe, but then a state is valid only as long as the token. Without a token every caller is the one local user, which
// is correct for stdio only. A token that identifies no one is an error.

import { AssentError, digestOf, isName } from '@assent/core'
import { memberOf } from '../member-of.ts'

export type PrincipalOf = (context: unknown) => string | undefined

const localPrincipal = 'local'

/**
 * Who may use a session over HTTP. A token without a subject changes when it is refreshed, and its session must not end then: any
 * token of the same client counts, as far as it can be told apart.
 */
export function sessionOwnerOf(context: unknown, chosen: PrincipalOf | undefined): string {
  const info = infoOf(context)
  const clientId = memberOf(info, 'clientId')
  if (chosen !== undefined || subjectOf(info) !== undefined || !isText(clientId)) return principalOf(context, chosen)
  return digestOf('client v1', clientId)
}

export function principalOf(context: unknown, chosen: PrincipalOf | undefined): string {
  const principal = chosen === undefined ? fromToken(context) : chosen(context)
  if (typeof principal === 'string' && isName(principal)) return principal
  throw new AssentError('misconfigured', 'The principal of this call is not a usable name.')
}

function fromToken(context: unknown): string {
  const info = infoOf(context)
  if (info === undefined || info === null) return localPrincipal
  const subject = subjectOf(info)
  // As a digest, because a subject may be longer than a name, and a token must not be stored.
  if (subject !== undefined) return digestOf('subject v1', [...subject])
  const token = memberOf(info, 'token')
  if (isText(token)) return digestOf('token v1', token)
  throw new AssentError(
    'misconfigured',
    'The `authInfo` of this call has neither a subject (`extra.sub`) nor a `token`. Pass one of them, or set `principal`, also of `httpHandler`.',
  )
}

function infoOf(context: unknown): unknown {
  return memberOf(context, 'authInfo') ?? memberOf(memberOf(context, 'http'), 'authInfo')
}

function subjectOf(info: unknown): readonly [issuer: string, subject: string] | undefined {
  const extra = memberOf(info, 'extra')
  const sub = memberOf(extra, 'sub')
  const iss = memberOf(extra, 'iss')
  return isText(sub) ? [isText(iss) ? iss : '', sub] : undefined
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
