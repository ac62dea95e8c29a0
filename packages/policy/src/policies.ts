// The policies of a configuration, ready to decide: the short form and the Cedar files, with the groups they name.
//
// Owns: the enforced set, the dry-run set, the digest, and who the names in policies are.
// Does not own: reading the configuration (gateway/config), asking people (gateway/call), or who voted (core).
// I1  `open` returns either policies that all parse or every problem; a set is never used in part.
// I2  The digest covers everything that can change a decision or a requirement, and nothing else.

import { type ApprovalRequirement, type Approver, approverNames, digestOf } from '@assent/core'
import type { PolicyJson } from '@cedar-policy/cedar-wasm/nodejs'
import { excludesRequester, requirementOf } from './ask-terms.ts'
import type { PolicyPerson, PolicyTarget } from './cedar-entities.ts'
import { type CedarFile, readCedarFile } from './cedar-file.ts'
import { cedarTextOf } from './cedar-text.ts'
import { NeverAllowed } from './never-allowed.ts'
import { approversOf, type PeopleNames } from './people-names.ts'
import {
  modeOf,
  type PolicyAsk,
  type PolicyCall,
  type PolicyDecision,
  type PolicyPlace,
  type PolicyProblem,
  PolicySet,
  type PolicySource,
} from './policy-set.ts'
import { compileShortForm, type PolicyKind, type ShortPolicy } from './short-form.ts'
import type { Nearest } from './suggested-name.ts'
import { type TimeFields, timeFields } from './time-fields.ts'
import { type UnknownFacts, undecidablePolicies } from './unknown-facts.ts'

export interface PlacedPolicy {
  readonly policy: ShortPolicy
  /** Where it begins in the configuration. */
  readonly place: PolicyPlace
}

export interface PolicySettings {
  /** In the order of the configuration. */
  readonly shortForm: readonly PlacedPolicy[]
  readonly cedarFiles: readonly CedarFile[]
  /** The members of each group under `groups:`: `group:<name at the issuer>` or `person:<subject>`. */
  readonly groups: Readonly<Record<string, readonly Approver[]>>
  /** The IANA name of the time zone of `time`, `during` and `outside`. */
  readonly timeZone: string
  /** Who can accept a changed tool definition: groups of `groups`, `group:…` or `person:…`. */
  readonly owners?: readonly string[]
  /** Whether a changed description of a tool counts as a changed definition. */
  readonly pinsDescriptions?: boolean
  /** The issuer of all subjects; undefined without `identity`, where a subject is the principal. */
  readonly issuer?: string
}

/** One policy, for lists and messages. */
export interface PolicyDescription {
  readonly name: string
  readonly place: PolicyPlace
  readonly effect: 'allow' | 'deny' | 'ask'
  readonly isDryRun: boolean
}

/** The name that people see as the policy that requires the approval. */
export const changedDefinitionPolicy = 'changed tool definition'

const changedDefinitionAsk: PolicyAsk = {
  policy: changedDefinitionPolicy,
  terms: {
    anyOf: [[{ from: ['requester'], approvals: 1 }]],
    exclude: [],
    declines: 1,
    needsPresence: false,
    needsReason: false,
    surfaces: ['inbox'],
  },
}

/** A call that is allowed needs the approval of its requester while the definition of its tool is not accepted. */
function askAboutChange(decision: PolicyDecision, call: PolicyCall): PolicyDecision {
  if (decision.effect !== 'allow' || call.isDefinitionChanged !== true) return decision
  return { ...decision, effect: 'ask', asks: [changedDefinitionAsk] }
}

const digestSize = { bytes: 67_108_864, depth: 1_024 } as const

export class Policies {
  /** Every policy, in the order of the settings. */
  readonly all: readonly PolicyDescription[]
  /** Of the enforced policies, their terms and the members of `groups`. */
  readonly digest: string
  /** Who can accept a changed tool definition. */
  readonly owners: readonly Approver[]
  readonly pinsDescriptions: boolean
  /** Whether an enforced policy excludes the requester of the call from its approval. */
  readonly excludesRequester: boolean
  readonly #sources: readonly PolicySource[]
  readonly #enforced: PolicySet
  readonly #dryRun: PolicySet | undefined
  readonly #people: PeopleNames
  /** The members of every group of `groups:`. */
  readonly #members: ReadonlyMap<string, ReadonlySet<string>>
  readonly #timeZone: string
  readonly #neverAllowed: NeverAllowed

  private constructor(
    sources: readonly PolicySource[],
    enforced: PolicySet,
    dryRun: PolicySet | undefined,
    settings: PolicySettings,
    neverAllowed: NeverAllowed,
  ) {
    this.#sources = sources
    this.all = sources.map(describe)
    this.#enforced = enforced
    this.#dryRun = dryRun
    this.digest = digestOfAll(sources, settings)
    this.#people = settings
    this.owners = [...new Set((settings.owners ?? []).flatMap((name) => approversOf(name, settings)))]
    this.pinsDescriptions = settings.pinsDescriptions ?? false
    this.excludesRequester = enforcedIn(sources).some(({ annotations }) => excludesRequester(annotations ?? {}))
    const names = Object.keys(settings.groups)
    this.#members = new Map(names.map((name) => [name, new Set(approversOf(name, settings))]))
    this.#timeZone = settings.timeZone
    this.#neverAllowed = neverAllowed
  }

  /** Loads Cedar and all policies; or returns every problem, in the order of the settings. */
  static async open(settings: PolicySettings, nearest?: Nearest): Promise<Policies | readonly PolicyProblem[]> {
    const sources = await policySources(settings)
    if (!sources.ok) return sources.problems
    const groups = new Set(Object.keys(settings.groups))
    const enforced = await PolicySet.build(sources.all, groups, 'enforce', nearest)
    if (!(enforced instanceof PolicySet)) return enforced
    const hasDryRun = sources.all.some(({ policy }) => modeOf(policy) === 'dry-run')
    const dryRun = hasDryRun ? await PolicySet.build(sources.all, groups, 'dry-run') : undefined
    if (dryRun !== undefined && !(dryRun instanceof PolicySet)) return dryRun
    const neverAllowed = await NeverAllowed.build(enforcedIn(sources.all))
    return new Policies(sources.all, enforced, dryRun, settings, neverAllowed)
  }

  /** A call that the policies allow needs the requester's approval while the definition of its tool is not accepted. */
  decide(call: PolicyCall): PolicyDecision {
    const decision = this.#enforced.decide(this.#withTeams(call))
    return this.covers(call.kind) ? askAboutChange(decision, call) : decision
  }

  /** What the policies in dry run would have decided; undefined when none of them applies to the call. */
  dryRun(call: PolicyCall): PolicyDecision | undefined {
    const decision = this.#dryRun?.decide(this.#withTeams(call))
    if (decision === undefined || (decision.effect === 'allow' && decision.policies.length === 0)) return undefined
    const isUntouched =
      decision.effect === 'deny' && decision.because === 'not-permitted' && decision.errors.length === 0
    return isUntouched ? undefined : decision
  }

  /** Whether some enforced policy is about calls of this kind: such calls are denied by default. */
  covers(kind: PolicyKind): boolean {
    return this.#enforced.covers(kind)
  }

  /** Whether this person's calls of this target are denied whatever the arguments, the time and the address are. */
  neverAllowed(person: PolicyPerson, target: PolicyTarget): boolean {
    return this.covers(target.kind) && this.#neverAllowed.includes(this.#teamsOf(person), target)
  }

  /** Who must approve a call of this person. */
  requirementsOf(asks: readonly PolicyAsk[], requester: string): readonly ApprovalRequirement[] {
    return asks.map(({ terms }) => requirementOf(terms, requester, this.#people))
  }

  /** The names of enforced policies that could apply to a call and refer to something that is not known about it. */
  undecidable(call: PolicyCall, unknown: UnknownFacts): string[] {
    if (!this.covers(call.kind)) return []
    return undecidablePolicies(enforcedIn(this.#sources), this.#withTeams(call), unknown)
  }

  /** Every policy as Cedar text, in the order of `all`. */
  cedarTexts(): Promise<string[]> {
    return Promise.all(this.#sources.map(({ policy }) => cedarTextOf(policy)))
  }

  /** The time fields of a call, in the configured time zone. */
  timeAt(epochMs: number): TimeFields {
    return timeFields(epochMs, this.#timeZone)
  }

  #withTeams(call: PolicyCall): PolicyCall {
    return { ...call, person: this.#teamsOf(call.person) }
  }

  /** Adds the groups of `groups:` that the person is a member of. */
  #teamsOf(person: PolicyPerson): PolicyPerson {
    const own = approverNames(person)
    const teams = [...this.#members].filter(([, members]) => own.some((name) => members.has(name)))
    return teams.length === 0 ? person : { ...person, teams: teams.map(([name]) => name) }
  }
}

type Sources =
  | { readonly ok: true; readonly all: readonly PolicySource[] }
  | { readonly ok: false; readonly problems: readonly PolicyProblem[] }

/** All policies in Cedar's JSON form, with their places. */
export async function policySources(settings: PolicySettings): Promise<Sources> {
  const short = settings.shortForm.map(({ policy, place }) => ({
    place,
    policy: compileShortForm(policy, settings),
  }))
  const files = await Promise.all(settings.cedarFiles.map(readCedarFile))
  const problems = files.flatMap((file) => (file.ok ? [] : file.problems))
  if (problems.length > 0) return { ok: false, problems }
  const sources = files.flatMap((file) => (file.ok ? file.sources : []))
  return { ok: true, all: [...short, ...sources] }
}

function enforcedIn(sources: readonly PolicySource[]): PolicyJson[] {
  return sources.map(({ policy }) => policy).filter((policy) => modeOf(policy) === 'enforce')
}

function describe({ policy, place }: PolicySource): PolicyDescription {
  const { id = '', ask } = policy.annotations ?? {}
  const effect = policy.effect === 'forbid' ? 'deny' : ask === undefined ? 'allow' : 'ask'
  return { name: id, place, effect, isDryRun: modeOf(policy) === 'dry-run' }
}

function digestOfAll(sources: readonly PolicySource[], settings: PolicySettings): string {
  const { groups, issuer, timeZone, pinsDescriptions = false } = settings
  const ordered = enforcedIn(sources).sort((a, b) => ((a.annotations?.id ?? '') < (b.annotations?.id ?? '') ? -1 : 1))
  const members = Object.fromEntries(Object.keys(groups).map((name) => [name, approversOf(name, settings)]))
  const value = { policies: ordered, groups: members, timeZone, issuer: issuer ?? null, pinsDescriptions }
  return digestOf('policy set v1', value, digestSize)
}
