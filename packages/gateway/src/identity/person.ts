// Whom a verified token speaks of: the same rule for a bearer token at the endpoint and for a login at the inbox, so that
// a person's asks are theirs in both.

import { isName, type Person } from '@assent/core'
import type { JWTPayload } from 'jose'
import type { IdentitySettings } from '../config/settings.ts'

export type PersonRules = Pick<IdentitySettings, 'issuer' | 'subject_claim' | 'groups_claim'>

/** Undefined when it names nobody. */
export function personIn(claims: JWTPayload, { issuer, subject_claim, groups_claim }: PersonRules): Person | undefined {
  const subject = ownOf(claims, subject_claim)
  if (typeof subject !== 'string' || subject === '') return undefined
  // An issuer has no fragment, so the two parts cannot be mistaken for others.
  const principal = `${issuer}#${subject}`
  return isName(principal) ? { principal, groups: groupsIn(claims, groups_claim) } : undefined
}

/** Whether this issuer vouches for the person. */
export function isOf(issuer: string, { principal }: Person): boolean {
  return principal.startsWith(`${issuer}#`)
}

function groupsIn(claims: JWTPayload, claim: string | undefined): string[] {
  const value = claim === undefined ? undefined : ownOf(claims, claim)
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string' && isName(one)) : []
}

// hasOwn, because a claim may be configured as "constructor" and every object has one of those.
function ownOf(claims: JWTPayload, name: string): unknown {
  return Object.hasOwn(claims, name) ? claims[name] : undefined
}
