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
import { type ArgumentPath, argumentPaths, attributeNames, inOrder, pointerOf, refersTo } from './argument-paths.ts'
import { type AskTerms, askAnnotations, readAskTerms } from './ask-terms.ts'
import { authorize, type Cedar, loadCedar } from './cedar.ts'
import { cedarArguments } from './cedar-arguments.ts'
import { actionEntity, entitiesOf, type PolicyPerson, type PolicyTarget, resourceEntity } from './cedar-entities.ts'
import type { PolicyKind } from './short-form.ts'
import { type PolicySlice, SlicedSet } from './sliced-set.ts'
import { kindsOf, knownFacts, staticMatch } from './static-match.ts'
import { type Nearest, suggestedName } from './suggested-name.ts'
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
  /** The IP address of the caller. Without it, a policy that refers to it fails. */
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
  /** Among all policies. */
  readonly place: number
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

/** What the policies of a slice refer to. Cedar gets nothing else: converting what no policy reads took a third of a decision. */
interface Needs {
  readonly paths: readonly ArgumentPath[]
  readonly context: ReadonlySet<string>
  readonly attributes: ReadonlySet<string>
}

const contextMembers = ['claims', 'time', 'address', 'integers', 'absent'] as const

export class PolicySet {
  readonly #cedar: Cedar
  readonly #slices: SlicedSet
  readonly #policies: ReadonlyMap<string, LoadedPolicy>
  readonly #needs = new Map<PolicySlice, Needs>()
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
    nearest: Nearest = () => undefined,
  ): Promise<PolicySet | readonly PolicyProblem[]> {
    const cedar = await loadCedar()
    const problems: PolicyProblem[] = []
    const policies = new Map<string, LoadedPolicy>()
    for (const [index, { policy, place }] of all.entries()) {
      const loaded = load(policy, groups, index, nearest)
      if ('problem' in loaded) problems.push({ place, ...loaded })
      else if (policies.has(loaded.id)) problems.push({ place, ...sameName(loaded.id, all, index) })
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
    const { paths, context, attributes } = this.#needsOf(slice)
    const { args, unrepresentable, integers, absent } = cedarArguments(call.arguments, call.schema, paths)
    const known = { ...contextOf(call), integers: [...integers], absent: [...absent] }
    const answer = authorize(this.#cedar, {
      principal: { type: 'Person', id: call.person.principal },
      action: actionEntity(call.kind),
      resource: resourceEntity(call),
      context: { args, ...Object.fromEntries(Object.entries(known).filter(([member]) => context.has(member))) },
      preparsedPolicySetId: slice.name,
      entities: entitiesOf(call.person, call, call.isDefinitionChanged === true, (name) => attributes.has(name)),
    })
    if (answer.type === 'failure') return failedDecision(answer.errors.map(({ message }) => ({ policy: '', message })))
    const { decision, diagnostics } = answer.response
    const errors = diagnostics.errors.map(({ policyId, error }) => ({ policy: policyId, message: error.message }))
    if (unrepresentable.size > 0) errors.push(...this.#unrepresentable(call, unrepresentable))
    return this.#combine(decision, diagnostics.reason, errors)
  }

  #needsOf(slice: PolicySlice): Needs {
    const known = this.#needs.get(slice)
    if (known !== undefined) return known
    const { policies } = slice
    const made: Needs = {
      paths: inOrder(policies.flatMap(argumentPaths)),
      context: new Set(contextMembers.filter((member) => policies.some((policy) => refersTo(member, policy)))),
      attributes: new Set(policies.flatMap((policy) => [...attributeNames(policy)])),
    }
    this.#needs.set(slice, made)
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
    // In the order of the policies: Cedar names them in any order, and equal calls must have equal requirements.
    const of = (ids: Iterable<string>) =>
      [...ids].flatMap((id) => this.#policies.get(id) ?? []).sort((a, b) => a.place - b.place)
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
    const asking = of([...satisfied.map(({ id }) => id), ...failed]).flatMap(({ id, terms }) =>
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

type Mistake = Omit<PolicyProblem, 'place'>

function sameName(id: string, all: readonly PolicySource[], index: number): Mistake {
  const other = all.slice(0, index).find(({ policy }) => policy.annotations?.id === id)?.place
  const where = other === undefined ? '' : ` (${other.file === undefined ? '' : `${other.file}, `}line ${other.line})`
  return { problem: `Another policy is called "${id}"${where}.`, suggestion: 'Give one of them another name.' }
}

function load(
  policy: PolicyJson,
  groups: ReadonlySet<string>,
  place: number,
  nearest: Nearest,
): LoadedPolicy | Mistake {
  const { id, mode, ...annotations } = policy.annotations ?? {}
  if (id === undefined || id === '')
    return { problem: 'A policy needs a name.', suggestion: 'Write @id("…") before it.' }
  if (mode !== undefined && mode !== 'enforce' && mode !== 'dry-run')
    return { problem: `@mode is "${mode}".`, suggestion: 'Write enforce or dry-run.' }
  // A misspelled @ask would make a permit of it.
  const unknown = Object.keys(annotations).find((name) => !(askAnnotations as readonly string[]).includes(name))
  if (unknown !== undefined) {
    const known = ['id', 'mode', ...askAnnotations].map((name) => `@${name}`)
    return { problem: `Unknown annotation @${unknown}.`, suggestion: suggestedName(`@${unknown}`, known, nearest) }
  }
  const paths = argumentPaths(policy)
  const loaded = { id, place, policy, effect: policy.effect, paths, kinds: kindsOf(policy) }
  if (annotations.ask === undefined) {
    const [term] = Object.keys(annotations)
    return term === undefined
      ? loaded
      : { problem: `@${term} belongs to a policy that asks.`, suggestion: `Add @ask("…"), or remove @${term}.` }
  }
  if (policy.effect === 'forbid')
    return { problem: 'A forbid denies: it cannot ask.', suggestion: 'Write permit, or remove @ask.' }
  const read = readAskTerms(annotations, groups, nearest)
  if (read.ok) return { ...loaded, terms: read.terms }
  return { problem: read.problem, suggestion: read.suggestion }
}

export function modeOf({ annotations }: PolicyJson): PolicyMode {
  return annotations?.mode === 'dry-run' ? 'dry-run' : 'enforce'
}

function contextOf({ claims, time, address }: PolicyCall): Record<string, CedarValueJson> {
  const from = address === undefined ? {} : { address: { __extn: { fn: 'ip', arg: address } } }
  return { claims: { ...claims }, time: { ...time }, ...from }
}
