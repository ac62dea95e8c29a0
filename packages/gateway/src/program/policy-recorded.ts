// Implements `assent policy test --recorded`: what the current policies would decide about recorded calls.
//
// A call whose decision depends on something that is not recorded is not evaluated, and counted with the reason: a guess
// would hide a change.

import type { JsonObject } from '@assent/core'
import type { KnownTool, Policies, PolicyCall, PolicyDecision, PolicyKind, UnknownFacts } from '@assent/policy'
import type { StoredRecordedCall } from '@assent/store'
import { onlyTenant } from '../call/local-person.ts'
import { reasonOf } from '../call/model.ts'
import { isScreenedUri } from '../call/record/screened-uri.ts'
import { readDuration } from '../config/units.ts'
import { safeLine } from '../inbox/terminal/safe-json.ts'
import type { FoundConfig } from './config-file.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { openPolicies } from './policy-check.ts'
import { liveTools } from './policy-tools.ts'
import { openState } from './state.ts'
import { type Terminal, toned } from './terminal.ts'
import { recordedText as text } from './text/policy-recorded.ts'

type Effect = PolicyDecision['effect']

/** Kept for each combination of effects and policies, of which there are few. */
interface Change {
  readonly before: Effect
  readonly after: Effect
  readonly policies: string
  readonly example: string
  count: number
}

interface PolicyCounts {
  readonly now: Record<Effect, number>
  before: number
}

const kinds: Readonly<Record<string, PolicyKind>> = {
  'tools/call': 'tools',
  'prompts/get': 'prompts',
  'resources/read': 'resources',
}
const ofDefinition = ['readOnly', 'destructive', 'idempotent', 'openWorld'].map((name) => `resource.${name}`)
/** Never recorded. */
const unrecorded = ['principal.roles', 'resource.definitionChanged']

export async function runPolicyRecorded(
  found: FoundConfig,
  { recorded, live }: { readonly recorded: string; readonly live?: true },
  terminal: Terminal,
): Promise<ExitCode> {
  const agoMs = readDuration(recorded)
  const fail = (words: string, code: ExitCode) => {
    terminal.err(`${toned(terminal.isErrColoured, 'red', 'error')} ${safeLine(words)}`)
    return code
  }
  if (agoMs === undefined) return fail(text.since(recorded), exitCodes.usage)
  const policies = await openPolicies(found, terminal)
  if (policies === undefined) return exitCodes.problem
  const tools = live === true ? (await liveTools(found.config, terminal)).known : undefined
  const opened = await openState(found.config, terminal.variables, {}).catch(reasonOf)
  if (typeof opened === 'string') return fail(text.storeUnavailable(opened), exitCodes.cannotRun)
  const { store } = opened
  try {
    const comparison = new RecordedComparison(policies, tools)
    const since = { atMs: Math.max(0, store.nowMs() - agoMs), id: '' }
    for await (const call of store.recordedCalls.since(onlyTenant, since, 0)) comparison.add(call)
    if (comparison.all === 0) return fail(text.none(recorded), exitCodes.problem)
    for (const line of comparison.lines(recorded)) terminal.out(safeLine(line))
    return comparison.isUnchanged ? exitCodes.ok : exitCodes.problem
  } finally {
    await store.close()
  }
}

/** Compares decisions one call at a time, and keeps only counts. */
class RecordedComparison {
  all = 0
  #evaluated = 0
  readonly #policies: Policies
  readonly #tools: ReadonlyMap<string, KnownTool> | undefined
  readonly #changes = new Map<string, Change>()
  readonly #skipped = new Map<string, number>()
  readonly #perPolicy = new Map<string, PolicyCounts>()

  /** @param tools as the servers list them now; undefined if they were not read */
  constructor(policies: Policies, tools: readonly KnownTool[] | undefined) {
    this.#policies = policies
    this.#tools = tools && new Map(tools.map((tool) => [`${tool.server}/${tool.name}`, tool]))
    for (const { name, isDryRun } of policies.all) if (!isDryRun) this.#countsOf(name)
  }

  /** Whether calls were evaluated, and all of them with the same effect as before. */
  get isUnchanged(): boolean {
    return this.#evaluated > 0 && this.#changes.size === 0
  }

  add(recorded: StoredRecordedCall): void {
    const kind = Object.hasOwn(kinds, recorded.method) ? kinds[recorded.method] : undefined
    if (kind === undefined) return
    this.all += 1
    const tool = kind === 'tools' ? this.#tools?.get(`${recorded.server}/${recorded.target}`) : undefined
    const call = callOf(recorded, kind, tool, this.#policies)
    const reason = this.#whyUnknown(call, recorded, tool)
    if (reason !== undefined) {
      this.#skipped.set(reason, (this.#skipped.get(reason) ?? 0) + 1)
      return
    }
    this.#evaluated += 1
    this.#compare(recorded, this.#policies.decide(call))
  }

  lines(since: string): string[] {
    const changed = [...this.#changes.values()].sort((a, b) => b.count - a.count)
    const total = changed.reduce((sum, { count }) => sum + count, 0)
    return [
      text.evaluated(this.#evaluated, this.all, since),
      ...[...this.#skipped].map(([reason, count]) => text.notEvaluated(count, reason)),
      ...(total === 0 ? (this.#evaluated === 0 ? [] : [text.unchanged]) : [text.changes(total)]),
      ...changed.map(({ count, before, after, policies, example }) =>
        text.change(count, before, after, policies, example),
      ),
      text.perPolicy,
      ...[...this.#perPolicy].map(([name, { now, before }]) =>
        text.policy(name, text.counts(now.allow, now.ask, now.deny), before),
      ),
    ]
  }

  /** Why the decision about this call cannot be known; undefined if it can. */
  #whyUnknown(call: PolicyCall, recorded: StoredRecordedCall, tool: KnownTool | undefined): string | undefined {
    const isDefined = call.kind !== 'tools' || tool !== undefined
    if (!isDefined && this.#tools !== undefined && this.#policies.covers('tools')) return text.reasons.unlisted
    if (call.kind === 'resources' && isScreenedUri(call.name)) return text.reasons.address
    const never = [...unrecorded, ...(recorded.address === undefined ? ['context.address'] : [])]
    const none = () => false
    const named = (facts: UnknownFacts) => this.#policies.undecidable(call, facts).map(quoted).join(', ')
    const other = named({ attributes: new Set(never), isArgumentUnknown: none })
    if (other !== '') return text.reasons.other(other)
    const missing = named({ attributes: new Set(), isArgumentUnknown: missingArguments(recorded) })
    if (missing !== '') return text.reasons.arguments(missing)
    if (isDefined) return undefined
    // Without the schema it is unknown whether a missing argument is possible, and how a number is compared.
    const undefinedTool = named({ attributes: new Set(ofDefinition), isArgumentUnknown: () => true })
    return undefinedTool === '' ? undefined : text.reasons.definition(undefinedTool)
  }

  #compare(recorded: StoredRecordedCall, decision: PolicyDecision): void {
    const before = effectOf(recorded)
    const deciding = [
      ...new Set(decision.effect === 'ask' ? decision.asks.map(({ policy }) => policy) : decision.policies),
    ]
    for (const name of deciding) this.#countsOf(name).now[decision.effect] += 1
    for (const name of recorded.policies ?? []) this.#countsOf(name).before += 1
    if (before === decision.effect) return
    const policies = deciding.length === 0 ? text.noPolicy : deciding.map(quoted).join(', ')
    const key = JSON.stringify([before, decision.effect, policies])
    const known = this.#changes.get(key)
    if (known !== undefined) known.count += 1
    else {
      const example = text.example(recorded.server, recorded.target, recorded.principal, new Date(recorded.beganAtMs))
      this.#changes.set(key, { before, after: decision.effect, policies, example, count: 1 })
    }
  }

  #countsOf(name: string): PolicyCounts {
    const known = this.#perPolicy.get(name) ?? { now: { allow: 0, ask: 0, deny: 0 }, before: 0 }
    this.#perPolicy.set(name, known)
    return known
  }
}

/** A call that no policy decided was allowed, unless the gateway refused it. */
function effectOf({ effect, outcome }: StoredRecordedCall): Effect {
  return effect ?? (outcome === 'denied' ? 'deny' : 'allow')
}

function callOf(
  recorded: StoredRecordedCall,
  kind: PolicyKind,
  tool: KnownTool | undefined,
  policies: Policies,
): PolicyCall {
  const { server, target: name, principal, groups, agent, client, address, beganAtMs } = recorded
  return {
    kind,
    server,
    name,
    arguments: recorded.arguments === undefined ? {} : (JSON.parse(recorded.arguments) as JsonObject),
    ...(tool?.schema === undefined ? {} : { schema: tool.schema }),
    ...(tool?.annotations === undefined ? {} : { annotations: tool.annotations }),
    person: { principal, groups, roles: [] },
    claims: { ...(agent === undefined ? {} : { agent }), ...(client === undefined ? {} : { client }) },
    time: policies.timeAt(beganAtMs),
    ...(address === undefined ? {} : { address }),
  }
}

function missingArguments({ arguments: args, hidden = [] }: StoredRecordedCall): UnknownFacts['isArgumentUnknown'] {
  if (args === undefined) return () => true
  // A hidden part is unknown, and so is everything that contains it.
  return (path) => {
    const pointer = path.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
    return hidden.some((one) => one === pointer || one.startsWith(`${pointer}/`) || pointer.startsWith(`${one}/`))
  }
}

function quoted(name: string): string {
  return `"${name}"`
}
