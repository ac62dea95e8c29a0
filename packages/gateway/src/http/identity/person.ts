// The person that a verified token identifies: the same rule for bearer tokens at the endpoint and logins at the inbox,
// so that a person has the same asks in both.

import { isName, isPlainObject, type Person } from '@assent/core'
import type { JWTPayload } from 'jose'
import type { IdentitySettings } from '../../config/identity-settings.ts'

export type PersonRules = Pick<IdentitySettings, 'issuer' | 'subject_claim' | 'groups_claim'>

/** The roles that a token lists, under a claim or a member of one, such as `realm_access.roles`. */
export function rolesIn(claims: JWTPayload, claim: string | undefined): string[] {
  if (claim === undefined) return []
  // The whole name first: some issuers use URLs as names, which contain dots.
  const parts = Object.hasOwn(claims, claim) ? [claim] : claim.split('.')
  let value: unknown = claims
  for (const part of parts) {
    if (!isPlainObject(value) || !Object.hasOwn(value, part)) return []
    value = value[part]
  }
  return namesIn(value)
}

/** Undefined when the subject claim is missing or invalid. */
export function personIn(claims: JWTPayload, { issuer, subject_claim, groups_claim }: PersonRules): Person | undefined {
  const subject = ownOf(claims, subject_claim)
  if (typeof subject !== 'string' || subject === '') return undefined
  // An issuer URL has no fragment, so the two parts are unambiguous.
  const principal = `${issuer}#${subject}`
  return isName(principal) ? { principal, groups: groupsIn(claims, groups_claim) } : undefined
}

/**
 * Whether the issuer omitted the groups because there are too many, as Entra does: then the claim is named in `_claim_names`
 * (OpenID Connect Core, 5.6.2), or `hasgroups` is true. Such a person is not one without groups: a policy that forbids
 * something to a group would not apply.
 */
export function omitsGroups(claims: JWTPayload, { groups_claim }: Pick<PersonRules, 'groups_claim'>): boolean {
  if (groups_claim === undefined || Array.isArray(ownOf(claims, groups_claim))) return false
  const elsewhere = ownOf(claims, '_claim_names')
  return (isPlainObject(elsewhere) && Object.hasOwn(elsewhere, groups_claim)) || ownOf(claims, 'hasgroups') === true
}

export const groupsOmitted =
  'The issuer omitted the groups, because there are too many. Configure the issuer to include only the groups of this application.'

/** Whether the person's principal was issued by this issuer. */
export function isOf(issuer: string, { principal }: Person): boolean {
  return principal.startsWith(`${issuer}#`)
}

function groupsIn(claims: JWTPayload, claim: string | undefined): string[] {
  return namesIn(claim === undefined ? undefined : ownOf(claims, claim))
}

function namesIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string' && isName(one)) : []
}

// hasOwn, because the configured claim may be called `constructor`.
function ownOf(claims: JWTPayload, name: string): unknown {
  return Object.hasOwn(claims, name) ? claims[name] : undefined
}
