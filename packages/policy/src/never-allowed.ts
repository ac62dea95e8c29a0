// Which tools a person can never call, so that lists can leave them out.
//
// Decided with a weaker set of policies, in which nothing depends on the arguments, the time, the address or a changed
// definition: a permit loses such conditions, and a forbid with such a condition is left out. What the weaker set
// denies, the real one denies for every call. In doubt a tool stays listed.

import { isPlainObject } from '@assent/core'
import type { Clause, Expr, PolicyJson } from '@cedar-policy/cedar-wasm/nodejs'
import { authorize, type Cedar, loadCedar } from './cedar.ts'
import { actionEntity, entitiesOf, type PolicyPerson, type PolicyTarget, resourceEntity } from './cedar-entities.ts'
import { SlicedSet } from './sliced-set.ts'

const cachedMost = 50_000

export class NeverAllowed {
  readonly #cedar: Cedar
  readonly #weaker: SlicedSet
  readonly #forbids: ReadonlySet<string>
  /** Whether a policy names a person, so that people with equal groups may have different lists. */
  readonly #namesPeople: boolean
  readonly #cache = new Map<string, boolean>()

  private constructor(cedar: Cedar, weaker: SlicedSet, forbids: ReadonlySet<string>, namesPeople: boolean) {
    this.#cedar = cedar
    this.#weaker = weaker
    this.#forbids = forbids
    this.#namesPeople = namesPeople
  }

  /** @param policies the enforced policies, which all parse */
  static async build(policies: readonly PolicyJson[]): Promise<NeverAllowed> {
    const cedar = await loadCedar()
    const weaker = policies.flatMap(weakened)
    const set = SlicedSet.parse(cedar, weaker)
    if (!(set instanceof SlicedSet)) throw new Error(`Weakened policies do not parse: ${set[0]}`)
    const forbids = weaker.filter(({ effect }) => effect === 'forbid').map(({ annotations }) => annotations?.id ?? '')
    const namesPeople = weaker.some((policy) => mentions(policy, isPersonEntity))
    return new NeverAllowed(cedar, set, new Set(forbids), namesPeople)
  }

  includes(person: PolicyPerson, target: PolicyTarget): boolean {
    const {
      kind,
      server,
      name,
      annotations: { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = {},
    } = target
    const hints = [readOnlyHint, destructiveHint, idempotentHint, openWorldHint]
    const who = [this.#namesPeople ? person.principal : '', person.groups, person.roles, person.teams ?? []]
    const key = JSON.stringify([who, kind, server, name, hints])
    const known = this.#cache.get(key)
    if (known !== undefined) return known
    const found = this.#decide(person, target)
    if (this.#cache.size >= cachedMost) this.#cache.clear()
    this.#cache.set(key, found)
    return found
  }

  #decide(person: PolicyPerson, target: PolicyTarget): boolean {
    const answer = authorize(this.#cedar, {
      principal: { type: 'Person', id: person.principal },
      action: actionEntity(target.kind),
      resource: resourceEntity(target),
      context: {},
      preparsedPolicySetId: this.#weaker.sliceFor(target).name,
      entities: entitiesOf(person, target, false),
    })
    if (answer.type === 'failure') return false
    const { decision, diagnostics } = answer.response
    // A forbid that fails without any condition on the call fails for every call.
    return decision === 'deny' || diagnostics.errors.some(({ policyId }) => this.#forbids.has(policyId))
  }
}

/** The policy without its conditions on the call; none for a forbid that has one. */
function weakened(policy: PolicyJson): PolicyJson[] {
  const { conditions } = policy
  if (policy.effect === 'forbid') return conditions.some(({ body }) => dependsOnCall(body)) ? [] : [policy]
  return [{ ...policy, conditions: conditions.flatMap(withoutCall) }]
}

function withoutCall({ kind, body }: Clause): Clause[] {
  if (kind === 'unless') return dependsOnCall(body) ? [] : [{ kind, body }]
  const rest = conjunctsOf(body).filter((one) => !dependsOnCall(one))
  return rest.map((one) => ({ kind, body: one }))
}

function conjunctsOf(expression: Expr): Expr[] {
  const both = '&&' in expression ? (expression['&&'] as { readonly left: Expr; readonly right: Expr }) : undefined
  return both === undefined ? [expression] : [...conjunctsOf(both.left), ...conjunctsOf(both.right)]
}

function dependsOnCall(expression: unknown): boolean {
  return mentions(expression, (part) => part.Var === 'context' || part.attr === 'definitionChanged')
}

function isPersonEntity(part: Readonly<Record<string, unknown>>): boolean {
  return part.type === 'Person'
}

function mentions(value: unknown, isIt: (part: Readonly<Record<string, unknown>>) => boolean): boolean {
  if (Array.isArray(value)) return value.some((one) => mentions(one, isIt))
  if (!isPlainObject(value)) return false
  return isIt(value) || Object.values(value).some((one) => mentions(one, isIt))
}
