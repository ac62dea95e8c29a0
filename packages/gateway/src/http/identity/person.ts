// The person that a verified token identifies: the same rule for bearer tokens at the endpoint and logins at the inbox,
// so that a person has the same asks in both.

import { isName, type Person } from '@assent/core'
import type { JWTPayload } from 'jose'
import type { IdentitySettings } from '../../config/identity-settings.ts'

export type PersonRules = Pick<IdentitySettings, 'issuer' | 'subject_claim' | 'groups_claim'>

/** Undefined when the subject claim is missing or invalid. */
export function personIn(claims: JWTPayload, { issuer, subject_claim, groups_claim }: PersonRules): Person | undefined {
  const subject = ownOf(claims, subject_claim)
  if (typeof subject !== 'string' || subject === '') return undefined
  // An issuer URL has no fragment, so the two parts are unambiguous.
  const principal = `${issuer}#${subject}`
  return isName(principal) ? { principal, groups: groupsIn(claims, groups_claim) } : undefined
}

/** Whether the person's principal was issued by this issuer. */
export function isOf(issuer: string, { principal }: Person): boolean {
  return principal.startsWith(`${issuer}#`)
}

function groupsIn(claims: JWTPayload, claim: string | undefined): string[] {
  const value = claim === undefined ? undefined : ownOf(claims, claim)
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string' && isName(one)) : []
}

// hasOwn, because the configured claim may be called `constructor`.
function ownOf(claims: JWTPayload, name: string): unknown {
  return Object.hasOwn(claims, name) ? claims[name] : undefined
}
