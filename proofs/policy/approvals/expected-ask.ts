// What should become of one ask, by the second checker: which votes count, and what the votes decide.

import { isMetBy, type Member, mayVote, type PlainRule } from './rules.ts'

export type VoteResult = 'counted' | 'settled' | 'refused'

export interface PlainVote {
  readonly person: Member
  readonly action: 'accept' | 'decline'
  readonly hasReason: boolean
  readonly atMs: number
}

/** A person who accepted, with the groups of that moment. */
type Accepted = Member & { readonly hasReason: boolean }

export class ExpectedAsk {
  readonly rule: PlainRule
  readonly raisedAtMs: number
  readonly decideByMs: number
  readonly accepted: Accepted[]
  readonly declined: string[]
  end: { readonly kind: 'approved' | 'declined'; readonly atMs: number } | undefined

  constructor(rule: PlainRule, raisedAtMs: number, from?: ExpectedAsk) {
    this.rule = rule
    this.raisedAtMs = from?.raisedAtMs ?? raisedAtMs
    this.decideByMs = from?.decideByMs ?? raisedAtMs + rule.withinMs
    this.accepted = [...(from?.accepted ?? [])]
    this.declined = [...(from?.declined ?? [])]
    this.end = from?.end
  }

  copy(): ExpectedAsk {
    return new ExpectedAsk(this.rule, 0, this)
  }

  isOpen(atMs: number): boolean {
    return this.end === undefined && atMs < this.decideByMs
  }

  isUsable(atMs: number): boolean {
    return this.end?.kind === 'approved' && atMs < this.end.atMs + this.rule.useWithinMs
  }

  vote({ person, action, hasReason, atMs }: PlainVote): VoteResult {
    const hasVoted = this.accepted.some(({ name }) => name === person.name) || this.declined.includes(person.name)
    if (!this.isOpen(atMs) || hasVoted || !mayVote(this.rule.requirements, person)) return 'refused'
    if (action === 'accept' && this.rule.needsReason && !hasReason) return 'refused'
    if (action === 'decline') {
      this.declined.push(person.name)
      if (this.declined.length < this.rule.declines) return 'counted'
      this.end = { kind: 'declined', atMs }
      return 'settled'
    }
    this.accepted.push({ ...person, hasReason })
    if (!isMetBy(this.rule.requirements, this.accepted)) return 'counted'
    this.end = { kind: 'approved', atMs }
    return 'settled'
  }
}

/**
 * Whether the votes of an approved ask meet this rule at this moment. A vote has the groups that the rule of its ask names.
 */
export function meets(ask: ExpectedAsk, now: PlainRule, atMs: number): boolean {
  const { rule: before, accepted, declined, end, raisedAtMs } = ask
  if (end?.kind !== 'approved') return false
  if (end.atMs - raisedAtMs >= now.withinMs || atMs - end.atMs >= now.useWithinMs) return false
  if (declined.length >= now.declines) return false
  const named = before.requirements.flatMap(({ anyOf }) => anyOf.flat().flatMap(({ from }) => from))
  const counted = accepted
    .filter(({ hasReason }) => hasReason || !now.needsReason)
    .map(({ name, groups }) => ({ name, groups: groups.filter((group) => named.includes(`group:${group}`)) }))
  return isMetBy(now.requirements, counted)
}

export function isSame(found: readonly string[], expected: readonly string[]): boolean {
  return [...found].sort().join() === [...expected].sort().join()
}
