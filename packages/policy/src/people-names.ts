// Who the names in policies are: a group of `groups:`, `group:<name at the issuer>`, or `person:<subject>`.

import type { Approver } from '@assent/core'

export interface PeopleNames {
  readonly groups: Readonly<Record<string, readonly Approver[]>>
  readonly issuer?: string
}

/** The principal of a subject. The full principal may be written too. */
export function principalNamed(subject: string, issuer: string | undefined): string {
  return issuer === undefined || subject.startsWith(`${issuer}#`) ? subject : `${issuer}#${subject}`
}

/** The people and groups that a name stands for; none if there is no such group. */
export function approversOf(name: string, { groups, issuer }: PeopleNames): readonly Approver[] {
  // hasOwn, because a group may be called `constructor`.
  const members = isApprover(name) ? [name] : Object.hasOwn(groups, name) ? (groups[name] ?? []) : []
  return [...new Set(members.map((member) => withIssuer(member, issuer)))]
}

export function isApprover(name: string): name is Approver {
  return /^(group|person):./.test(name)
}

function withIssuer(approver: Approver, issuer: string | undefined): Approver {
  if (!approver.startsWith('person:')) return approver
  return `person:${principalNamed(approver.slice('person:'.length), issuer)}`
}
