// Decides whether a call is allowed, denied, or needs approval.
//
// Owns: the parsed policies, their terms, and the arguments that they refer to.
// Does not own: where approvals are asked (route/), or who counts as approver (core).
// I1  deny > ask > allow. Without a satisfied permit the call is denied.
// I2  A policy that fails is never skipped: a forbid denies, an ask adds its requirement, a permit grants nothing.
// I3  A policy that refers to an argument that Cedar cannot represent counts as failed, whatever it evaluates to, unless
//     it is about other tools or people.
// I4  Dry-run policies are a set of their own and never change a decision.

import type { JsonObject, JsonValue } from '@assent/core'
import type { CedarValueJson, PolicyJson } from '@cedar-policy/cedar-wasm/nodejs'
import { type ArgumentPath, argumentPaths, inOrder, pointerOf } from './argument-paths.ts'
import { type AskTerms, askAnnotations, readAskTerms } from './ask-terms.ts'
import { type Cedar, loadCedar } from './cedar.ts'
import { cedarArguments } from './cedar-arguments.ts'
import { actionEntity, entitiesOf, type PolicyPerson, type PolicyTarget, resourceEntity } from './cedar-entities.ts'
import type { PolicyKind } from './short-form.ts'
import { type PolicySlice, SlicedSet } from './sliced-set.ts'
import { kindsOf, knownFacts, staticMatch } from './static-match.ts'
import type { TimeFields } from './time-fields.ts'

export interface PolicyCall extends PolicyTarget {
  readonly arguments: JsonObject
  /** The tool's input schema, if it is known. */
  readonly schema?: JsonValue
  readonly isDefinitionChanged?: boolean
  readonly person: PolicyPerson
  /** What the calling program says about itself; not verified. */
  readonly claims: { readonly agent?: string; readonly client?: string }
  readonly time: TimeFields
  readonly address?: string
}

export type PolicyDecision =
  | ({ readonly effect: 'allow' } & DecidedBy)
  | ({ readonly effect: 'ask'; readonly asks: readonly PolicyAsk[] } & DecidedBy)
  | ({ readonly effect: 'deny'; readonly because: 'forbidden' | 'failed' | 'not-permitted' } & DecidedBy)

interface DecidedBy {
  /** The policies that are satisfied; for a deny, those that deny. */
  readonly policies: readonly string[]
  /** The policies that could not be evaluated. */
  readonly errors: readonly PolicyError[]
}

export interface PolicyAsk {
  readonly policy: string
  readonly terms: AskTerms
}

export interface PolicyError {
  readonly policy: string
  readonly message: string
}

/** `dry-run`: evaluated apart from the others, and never part of a decision. */
export type PolicyMode = 'enforce' | 'dry-run'

interface LoadedPolicy {
  readonly id: string
  readonly policy: PolicyJson
  readonly effect: 'permit' | 'forbid'
  readonly terms?: AskTerms
  readonly paths: readonly ArgumentPath[]
  readonly kinds: ReadonlySet<PolicyKind>
}

export interface PolicyPlace {
  /** A Cedar file; undefined for the configuration. */
  readonly file?: string
  readonly line: number
  readonly column: number
}

export interface PolicySource {
  readonly policy: PolicyJson
  readonly place: PolicyPlace
}

export interface PolicyProblem {
  readonly place: PolicyPlace
  readonly problem: string
  readonly suggestion?: string
}

const start: PolicyPlace = { line: 1, column: 1 }

export class PolicySet {
  readonly #cedar: Cedar
  readonly #slices: SlicedSet
  readonly #policies: ReadonlyMap<string, LoadedPolicy>
  readonly #paths = new Map<PolicySlice, readonly ArgumentPath[]>()
  readonly #kinds: ReadonlySet<PolicyKind>

  private constructor(cedar: Cedar, slices: SlicedSet, policies: ReadonlyMap<string, LoadedPolicy>) {
    this.#cedar = cedar
    this.#slices = slices
    this.#policies = policies
    this.#kinds = new Set([...policies.values()].flatMap((policy) => [...policy.kinds]))
  }

  /** Parses the policies of one mode, or returns every problem in all of them. */
  static async build(
    all: readonly PolicySource[],
    groups: ReadonlySet<string>,
    mode: PolicyMode = 'enforce',
  ): Promise<PolicySet | readonly PolicyProblem[]> {
    const cedar = await loadCedar()
    const problems: PolicyProblem[] = []
    const policies = new Map<string, LoadedPolicy>()
    for (const { policy, place } of all) {
      const loaded = load(policy, groups)
      if (typeof loaded === 'string') problems.push({ place, problem: loaded })
      else if (policies.has(loaded.id)) problems.push({ place, problem: `Another policy is called "${loaded.id}".` })
      else policies.set(loaded.id, loaded)
    }
    if (problems.length > 0) return problems
    const sources = all.filter(({ policy }) => modeOf(policy) === mode)
    for (const { policy } of all) if (modeOf(policy) !== mode) policies.delete(policy.annotations?.id ?? '')
    const slices = SlicedSet.parse(
      cedar,
      sources.map(({ policy }) => policy),
    )
    if (!(slices instanceof SlicedSet)) {
      return slices.map((problem) => ({ place: sources[0]?.place ?? start, problem }))
    }
    return new PolicySet(cedar, slices, policies)
  }

  /** Whether some policy is about calls of this kind: from then on such calls are denied by default. */
  covers(kind: PolicyKind): boolean {
    return this.#kinds.has(kind)
  }

  decide(call: PolicyCall): PolicyDecision {
    if (!this.covers(call.kind)) return { effect: 'allow', policies: [], errors: [] }
    const slice = this.#slices.sliceFor(call)
    const paths = this.#pathsOf(slice)
    const { args, unrepresentable, integers, absent } = cedarArguments(call.arguments, call.schema, paths)
    const answer = this.#cedar.statefulIsAuthorized({
      principal: { type: 'Person', id: call.person.principal },
      action: actionEntity(call.kind),
      resource: resourceEntity(call),
      context: { ...contextOf(call), args, integers: [...integers], absent: [...absent] },
      preparsedPolicySetId: slice.name,
      entities: entitiesOf(call.person, call, call.isDefinitionChanged === true),
    })
    if (answer.type === 'failure') return failedDecision(answer.errors.map(({ message }) => ({ policy: '', message })))
    const { decision, diagnostics } = answer.response
    const errors = diagnostics.errors.map(({ policyId, error }) => ({ policy: policyId, message: error.message }))
    if (unrepresentable.size > 0) errors.push(...this.#unrepresentable(call, unrepresentable))
    return this.#combine(decision, diagnostics.reason, errors)
  }

  #pathsOf(slice: PolicySlice): readonly ArgumentPath[] {
    const known = this.#paths.get(slice)
    if (known !== undefined) return known
    const made = inOrder(slice.policies.flatMap(argumentPaths))
    this.#paths.set(slice, made)
    return made
  }

  /** The policies that refer to such an argument, unless they are about other tools or people. */
  #unrepresentable(call: PolicyCall, pointers: ReadonlySet<string>): PolicyError[] {
    const facts = knownFacts(call, call.person)
    return [...this.#policies.values()].flatMap(({ id, paths, policy }) => {
      const path = paths.find((one) => pointers.has(pointerOf(one)))
      if (path === undefined || !staticMatch(policy)(facts)) return []
      return [{ policy: id, message: `The argument ${path.join('.')} cannot be compared.` }]
    })
  }

  #combine(decision: 'allow' | 'deny', reason: readonly string[], errors: readonly PolicyError[]): PolicyDecision {
    const failed = new Set(errors.map(({ policy }) => policy))
    const of = (ids: Iterable<string>) => [...ids].flatMap((id) => this.#policies.get(id) ?? [])
    const failedForbids = of(failed).filter(({ effect }) => effect === 'forbid')
    if (failedForbids.length > 0) {
      return { effect: 'deny', because: 'failed', policies: failedForbids.map(({ id }) => id), errors }
    }
    const satisfied = of(reason).filter(({ id }) => !failed.has(id))
    if (decision === 'deny' && satisfied.length > 0) {
      return { effect: 'deny', because: 'forbidden', policies: satisfied.map(({ id }) => id), errors }
    }
    if (decision === 'deny' || satisfied.length === 0) {
      return { effect: 'deny', because: 'not-permitted', policies: [], errors }
    }
    const asking = [...satisfied, ...of(failed)].flatMap(({ id, terms }) =>
      terms === undefined ? [] : [{ policy: id, terms }],
    )
    const policies = satisfied.map(({ id }) => id)
    const by = { policies, errors }
    return asking.length === 0 ? { effect: 'allow', ...by } : { effect: 'ask', asks: asking, ...by }
  }
}

function failedDecision(errors: readonly PolicyError[]): PolicyDecision {
  return { effect: 'deny', because: 'failed', policies: [], errors }
}

function load(policy: PolicyJson, groups: ReadonlySet<string>): LoadedPolicy | string {
  const { id, mode, ...annotations } = policy.annotations ?? {}
  if (id === undefined || id === '') return 'A policy needs a name: @id("…").'
  if (mode !== undefined && mode !== 'enforce' && mode !== 'dry-run') return '@mode: Write enforce or dry-run.'
  // A misspelled @ask would make a permit of it.
  const unknown = Object.keys(annotations).find((name) => !(askAnnotations as readonly string[]).includes(name))
  if (unknown !== undefined)
    return `Unknown annotation @${unknown}. There are @id, @mode, @${askAnnotations.join(', @')}.`
  const paths = argumentPaths(policy)
  const loaded = { id, policy, effect: policy.effect, paths, kinds: kindsOf(policy) }
  if (annotations.ask === undefined) {
    const [term] = Object.keys(annotations)
    return term === undefined ? loaded : `@${term} belongs to a policy that asks: add @ask("…").`
  }
  if (policy.effect === 'forbid') return 'A forbid denies: it cannot ask.'
  const read = readAskTerms(annotations, groups)
  return read.ok ? { ...loaded, terms: read.terms } : `@${read.annotation}: ${read.problem}`
}

export function modeOf({ annotations }: PolicyJson): PolicyMode {
  return annotations?.mode === 'dry-run' ? 'dry-run' : 'enforce'
}

function contextOf({ claims, time, address }: PolicyCall): Record<string, CedarValueJson> {
  return { claims: { ...claims }, time: { ...time }, ...(address === undefined ? {} : { address }) }
}
