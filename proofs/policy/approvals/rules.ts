// Approval rules in plain form, and a second checker of them: it tries every assignment of people to places.
//
// It shares no code with packages/core or packages/policy.

export interface PlainFactor {
  /** `group:<name>`, `person:<name>` or `requester`. */
  readonly from: readonly string[]
  readonly approvals: number
}

export interface PlainAsk {
  readonly name: string
  /** Alternatives, each with the factors that are all needed. */
  readonly anyOf: readonly (readonly PlainFactor[])[]
  /** `requester` or `person:<name>`. */
  readonly exclude: readonly string[]
  readonly declines: number
  readonly withinMs: number
  readonly useWithinMs: number
  readonly needsReason: boolean
  /** Only for calls with `env: production`. */
  readonly isConditional: boolean
}

export interface PlainPolicies {
  readonly asks: readonly PlainAsk[]
  /** Calls with `env: staging` are denied. */
  readonly deniesStaging: boolean
  readonly deniesAll: boolean
}

/** One ask of a policy, for one requester. */
export interface PlainRequirement {
  readonly anyOf: readonly (readonly { readonly from: readonly string[]; readonly approvals: number }[])[]
  readonly excluded: readonly string[]
}

export interface Member {
  readonly name: string
  readonly groups: readonly string[]
}

/** What all asking policies need together. */
export interface PlainRule {
  readonly requirements: readonly PlainRequirement[]
  readonly declines: number
  readonly withinMs: number
  readonly useWithinMs: number
  readonly needsReason: boolean
}

export type Expectation =
  | { readonly effect: 'deny' }
  | { readonly effect: 'allow' }
  | { readonly effect: 'ask'; readonly rule: PlainRule }

/** What the policies say about a call with this `env` (any JSON value, or absent). */
export function expectationOf(policies: PlainPolicies, env: unknown, requester: string): Expectation {
  if (policies.deniesAll) return { effect: 'deny' }
  // A policy that cannot be evaluated denies, or asks.
  const isUnclear = typeof env !== 'string'
  if (policies.deniesStaging && (isUnclear || env === 'staging')) return { effect: 'deny' }
  const asks = policies.asks.filter(({ isConditional }) => !isConditional || isUnclear || env === 'production')
  return asks.length === 0 ? { effect: 'allow' } : { effect: 'ask', rule: ruleFor(asks, requester) }
}

function ruleFor(asks: readonly PlainAsk[], requester: string): PlainRule {
  const least = (of: (ask: PlainAsk) => number) => Math.min(...asks.map(of))
  return {
    requirements: asks.map((ask) => requirementFor(ask, requester)),
    declines: least(({ declines }) => declines),
    withinMs: least(({ withinMs }) => withinMs),
    useWithinMs: least(({ useWithinMs }) => useWithinMs),
    needsReason: asks.some(({ needsReason }) => needsReason),
  }
}

function requirementFor({ anyOf, exclude }: PlainAsk, requester: string): PlainRequirement {
  const named = (name: string) => (name === 'requester' ? `person:${requester}` : name)
  return {
    anyOf: anyOf.map((factors) =>
      factors.map(({ from, approvals }) => ({ from: [...new Set(from.map(named))], approvals })),
    ),
    excluded: exclude.map((name) => named(name).slice('person:'.length)),
  }
}

/** A place that one person has to fill. */
interface Place {
  readonly from: readonly string[]
  readonly excluded: readonly string[]
}

/** Whether every place of some choice of alternatives can be given to a different one of these people. */
export function isMetBy(requirements: readonly PlainRequirement[], people: readonly Member[]): boolean {
  return choices(different(requirements)).some((places) => canSeat(places, people))
}

/** Whether the rule could ever be met: named people exist once, and a group has enough members. */
export function couldBeMet(requirements: readonly PlainRequirement[]): boolean {
  return choices(different(requirements)).some((places) => {
    const named = places.filter(({ from }) => from.every((name) => name.startsWith('person:')))
    const names = new Set(named.flatMap(({ from }) => from))
    return canSeat(
      named,
      [...names].map((name) => ({ name: name.slice('person:'.length), groups: [] })),
    )
  })
}

export function mayVote(requirements: readonly PlainRequirement[], person: Member): boolean {
  return requirements.some(({ anyOf, excluded }) =>
    anyOf.flat().some(({ from }) => isSeatFor({ from, excluded }, person)),
  )
}

/** Equal requirements of two policies are needed once. */
function different(requirements: readonly PlainRequirement[]): readonly PlainRequirement[] {
  const texts = requirements.map((one) => JSON.stringify(one))
  return requirements.filter((_, index) => texts.indexOf(texts[index] ?? '') === index)
}

function choices(requirements: readonly PlainRequirement[]): Place[][] {
  let all: Place[][] = [[]]
  for (const { anyOf, excluded } of requirements) {
    all = all.flatMap((before) =>
      anyOf.map((factors) => [
        ...before,
        ...factors.flatMap(({ from, approvals }) => Array.from({ length: approvals }, () => ({ from, excluded }))),
      ]),
    )
  }
  return all
}

/** Tries every assignment. */
function canSeat([place, ...others]: readonly Place[], people: readonly Member[]): boolean {
  if (place === undefined) return true
  return people.some(
    (person) =>
      isSeatFor(place, person) &&
      canSeat(
        others,
        people.filter((one) => one !== person),
      ),
  )
}

function isSeatFor({ from, excluded }: Place, { name, groups }: Member): boolean {
  if (excluded.includes(name)) return false
  return from.includes(`person:${name}`) || groups.some((group) => from.includes(`group:${group}`))
}
