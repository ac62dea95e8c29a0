// People, and the names under which they are approvers.

export type Approver = `person:${string}` | `group:${string}`

/** An authenticated person who wants to see or decide asks, with the groups that their identity provider confirms. */
export interface Person {
  readonly principal: string
  readonly groups: readonly string[]
}

/** The names under which this person may be an approver. */
export function approverNames(person: Person): Approver[] {
  return [`person:${person.principal}`, ...new Set(person.groups.map((group): Approver => `group:${group}`))]
}
