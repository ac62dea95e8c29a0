// Whether the people who accepted meet a list of approval requirements.
//
// A requirement has alternatives, one of which is enough; an alternative has factors, all of which are needed; a factor
// needs a number of approvals from some people or groups. Each approval that is needed is one place. The requirements
// are met if every place of one choice of alternatives can be given to a different person: someone who is in two groups
// counts once, whatever order the answers came in.

import { canonicalJson } from '../digest/canonical.ts'
import { isName } from '../ids.ts'
import { askLimits } from '../limits.ts'
import { type Approver, approverNames, type Person } from './approver.ts'

export type ApprovalFactor = {
  readonly from: readonly Approver[]
  readonly approvals: number
}

export type ApprovalRequirement = {
  /** Alternatives, each with the factors that it needs. */
  readonly anyOf: readonly (readonly ApprovalFactor[])[]
  /** Principals whose approval does not count for this requirement, whatever groups they are in. */
  readonly excluded: readonly string[]
}

interface Place {
  readonly from: ReadonlySet<string>
  readonly excluded: ReadonlySet<string>
}

/** Whether different people among `accepted` can fill all places that the requirements need. */
export function meetsRequirements(requirements: readonly ApprovalRequirement[], accepted: readonly Person[]): boolean {
  const people = [...new Map(accepted.map((person) => [person.principal, person])).values()]
  for (const places of choices(withoutRepeats(requirements))) if (canFill(places, people)) return true
  return false
}

/** How many more approvals are needed at least, for messages: 0 if the requirements are met. */
export function approvalsMissing(requirements: readonly ApprovalRequirement[], accepted: readonly Person[]): number {
  const people = [...new Map(accepted.map((person) => [person.principal, person])).values()]
  let least = Number.POSITIVE_INFINITY
  for (const places of choices(withoutRepeats(requirements))) {
    least = Math.min(least, places.length - filled(places, people))
  }
  return least
}

/** The most approvals that a choice of alternatives needs. */
export function approvalsMost(requirements: readonly ApprovalRequirement[]): number {
  const needed = (factors: readonly ApprovalFactor[]) => factors.reduce((sum, { approvals }) => sum + approvals, 0)
  return withoutRepeats(requirements).reduce((sum, { anyOf }) => sum + Math.max(0, ...anyOf.map(needed)), 0)
}

/** Whether this person's approval could count for some place. */
export function mayApprove(requirements: readonly ApprovalRequirement[], person: Person): boolean {
  return requirements.some((one) => places([one.anyOf.flat(), one.excluded]).some((place) => fits(place, person)))
}

/** The reason why these requirements are invalid or can never be met; undefined when they are valid. */
export function requirementsProblem(requirements: readonly ApprovalRequirement[]): string | undefined {
  if (requirements.length === 0) return 'An approval needs at least one requirement.'
  for (const { anyOf, excluded } of requirements) {
    if (anyOf.length === 0) return 'A requirement needs at least one alternative.'
    if (excluded.length > askLimits.approvers) return `A requirement excludes at most ${askLimits.approvers} people.`
    if (!excluded.every(isName)) return 'An excluded person has a name that cannot be shown.'
    for (const factors of anyOf) {
      if (factors.length === 0) return 'An alternative needs at least one factor.'
      for (const { from, approvals } of factors) {
        if (from.length === 0) return 'A factor needs at least one person or group.'
        if (from.length > askLimits.approvers) return `A factor names at most ${askLimits.approvers} people and groups.`
        if (!from.every(isName)) return 'An approver has a name that cannot be shown.'
        if (!Number.isSafeInteger(approvals) || approvals < 1 || approvals > askLimits.approvals) {
          return `A number of approvals is a whole number from 1 to ${askLimits.approvals}.`
        }
      }
    }
  }
  const distinct = withoutRepeats(requirements)
  const combinations = distinct.reduce((count, { anyOf }) => count * anyOf.length, 1)
  if (combinations > askLimits.approvalChoices) {
    return `The alternatives can be combined in more than ${askLimits.approvalChoices} ways.`
  }
  return canBeMet(distinct) ? undefined : 'There are fewer approvers than approvals needed.'
}

/** A group may have any number of members; named people can be counted. */
function canBeMet(requirements: readonly ApprovalRequirement[]): boolean {
  for (const all of choices(requirements)) {
    const named = all.filter(({ from }) => ![...from].some((name) => name.startsWith('group:')))
    const principals = new Set(named.flatMap(({ from }) => [...from].map((name) => name.slice('person:'.length))))
    if (
      canFill(
        named,
        [...principals].map((principal) => ({ principal, groups: [] })),
      )
    )
      return true
  }
  return false
}

/** Two policies that need the same approvals need them once. */
function withoutRepeats(requirements: readonly ApprovalRequirement[]): ApprovalRequirement[] {
  return [...new Map(requirements.map((one) => [canonicalJson(one), one])).values()]
}

/** The places of every choice of one alternative per requirement. */
function* choices(requirements: readonly ApprovalRequirement[]): Generator<Place[]> {
  const [first, ...rest] = requirements
  if (first === undefined) {
    yield []
    return
  }
  for (const factors of first.anyOf) {
    const own = places([factors, first.excluded])
    for (const others of choices(rest)) yield [...own, ...others]
  }
}

function places([factors, excluded]: readonly [readonly ApprovalFactor[], readonly string[]]): Place[] {
  const others = new Set(excluded)
  return factors.flatMap(({ from, approvals }) => {
    const place = { from: new Set<string>(from), excluded: others }
    return Array.from({ length: approvals }, () => place)
  })
}

function fits({ from, excluded }: Place, person: Person): boolean {
  return !excluded.has(person.principal) && approverNames(person).some((name) => from.has(name))
}

function canFill(all: readonly Place[], people: readonly Person[]): boolean {
  return people.length >= all.length && filled(all, people) === all.length
}

/** The size of a maximum matching of places and people (augmenting paths). */
function filled(all: readonly Place[], people: readonly Person[]): number {
  const placeOf = new Map<Person, Place[]>()
  for (const person of people)
    placeOf.set(
      person,
      all.filter((place) => fits(place, person)),
    )
  // Places of one factor are the same object, so a place is known by its index.
  const holder: (Person | undefined)[] = all.map(() => undefined)
  const seat = (person: Person, tried: Set<number>): boolean => {
    for (const [index, place] of all.entries()) {
      if (tried.has(index) || placeOf.get(person)?.includes(place) !== true) continue
      tried.add(index)
      const other = holder[index]
      if (other === undefined || seat(other, tried)) {
        holder[index] = person
        return true
      }
    }
    return false
  }
  return people.filter((person) => seat(person, new Set())).length
}
