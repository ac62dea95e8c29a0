// Stops a call before its server gets it, if a policy denies it or requires approval.
//
// Owns: the decision about each call.
// Does not own: who may approve and how votes are counted (core), where people are asked and how a caller waits (route/).
// I1  A covered call reaches its server only if the policies allow it, or with an approval of exactly this action that
//     is used up first (approval-uses.ts).
// I2  What cannot be judged is refused: a tool that the server does not list, arguments that are not an object or cannot
//     be shown to a person, an address of a resource that has a simpler spelling, an approval that no configured surface can
//     ask for.
// I3  When an approval is used, the policies in force then decide again: they deny, or ask again if its votes do not meet what
//     they require (still-approved.ts). They also decide again each time that answers to the server's own questions are sent
//     in a new request: then they stop the call instead of asking.
// I4  A tool whose definition changed since it was accepted runs only with an approval (pinned-definitions.ts).
// I5  Only an approval from the store counts, unless every asking policy allows the caller's own client.
// I6  The later rounds of an approved call carry its approval, and each of them is sent once (approved-state.ts).
// I7  An error before the call is sent is `NotSent`, and the entry of the call is stored before its approval is used: so an
//     approved call that did not run can be retried.

import { type ApprovalRequirement, askLimits, compact, isPlainObject, type JsonObject, oneLine } from '@assent/core'
import type { PolicyAsk, PolicyCall, PolicyDecision, PolicyKind, PolicyTarget } from '@assent/policy'
import type { Store } from '@assent/store'
import { errorCodes, stringAt } from '../../protocol/messages.ts'
import { declaresDestructive } from '../destructive-tools.ts'
import {
  type Answers,
  type Call,
  type Ended,
  heldId,
  type InputResponse,
  NotSent,
  type Outcome,
  type ServerState,
  type Upstream,
  unsent,
} from '../model.ts'
import { namedIn } from '../names.ts'
import { notRecorded } from '../record/call-recorder.ts'
import { outcomeText } from '../text/outcomes.ts'
import { approvalDraft } from './approval-draft.ts'
import {
  type ApprovalDraft,
  approvalKey,
  approvalRequest,
  isApproved,
  isPolicyState,
  type PolicyState,
  type Replied,
} from './approval-request.ts'
import { ApprovalUses, type Use } from './approval-uses.ts'
import { approvedIn, asApproved, type UsedApproval } from './approved-state.ts'
import { asBegun, endsAtRetry, notSent, refusal, retryRuns } from './call-ends.ts'
import { followedBy, isStream, readOf, watchingOnly } from './followed-requests.ts'
import { looksGuarded } from './guarded-methods.ts'
import { listKinds, personOf, withoutDenied } from './listed-tools.ts'
import { PinnedDefinitions, type PinnedDefinitionsOptions, type PinRules } from './pinned-definitions.ts'
import { policyCallOf } from './policy-call.ts'
import { requiredApproval } from './required-approval.ts'
import { hasOtherSpelling } from './resource-address.ts'
import { isStillApproved } from './still-approved.ts'
import { decisionOn } from './strictest-decision.ts'
import { policyText } from './text/policy-gate.ts'
import { ToolDefinitions } from './tool-definitions.ts'

/** The policies in force. */
export interface PolicyDecider extends PinRules {
  /** Of all policies in force. */
  readonly digest: string
  /** Whether some policy excludes the requester: then a person needs the same subject in all applications. */
  readonly excludesRequester: boolean
  /** Whether some policy is about calls of this kind. */
  covers(kind: PolicyKind): boolean
  decide(call: PolicyCall): PolicyDecision
  /** What the dry-run policies would decide; undefined without any. */
  dryRun(call: PolicyCall): PolicyDecision | undefined
  requirementsOf(asks: readonly PolicyAsk[], requester: string): readonly ApprovalRequirement[]
  /** Whether this person's calls of this target are denied whatever their arguments are. */
  neverAllowed(person: PolicyCall['person'], target: PolicyTarget): boolean
  /** The fields of the local time that policies compare. */
  timeAt(nowMs: number): PolicyCall['time']
}

export interface PolicyGateOptions extends PinnedDefinitionsOptions {
  readonly store: Pick<Store, 'grants' | 'signIns' | 'definitions' | 'asks' | 'nowMs'>
  /** Read at each call, because a reload changes them. Undefined without policies. */
  readonly policies: () => PolicyDecider | undefined
  /** Whether questions about calls of this server can be asked in the inbox. */
  readonly hasInbox: (server: string) => boolean
  readonly onDecided: (call: Call, server: string, decided: Decided) => void
}

/** For the audit log and metrics. */
export interface Decided {
  readonly mode: 'enforce' | 'dry-run'
  readonly effect: PolicyDecision['effect']
  readonly policies: readonly string[]
}

const kinds: Readonly<Record<string, PolicyKind>> = {
  'tools/call': 'tools',
  'prompts/get': 'prompts',
  'resources/read': 'resources',
}

/** A call that may go to its server, or what the caller gets instead. */
type Judged =
  | { readonly effect: 'allow' }
  | { readonly effect: 'refuse'; readonly outcome: Ended }
  | ({ readonly effect: 'ask' } & ApprovalDraft)

export class PolicyGate {
  readonly #options: PolicyGateOptions
  readonly #definitions = new ToolDefinitions()
  readonly #pinned: PinnedDefinitions
  readonly #approvals: ApprovalUses
  readonly #gated = new WeakMap<Upstream, Upstream>()

  constructor(options: PolicyGateOptions) {
    this.#options = options
    this.#pinned = new PinnedDefinitions(options)
    this.#approvals = new ApprovalUses(options.store.grants)
  }

  /** The same server behind the policies. */
  over(upstream: Upstream): Upstream {
    const gated = this.#gated.get(upstream) ?? this.#behind(upstream)
    this.#gated.set(upstream, gated)
    return gated
  }

  /** The tools of this server changed; without a name, the servers may be others from now on. */
  forgetDefinitions(server?: string): void {
    this.#definitions.forget(server)
  }

  #behind(upstream: Upstream): Upstream {
    return {
      name: upstream.name,
      start: (call) => this.#start(upstream, call),
      continue: (call, state, given) =>
        isPolicyState(state) ? this.#continue(upstream, call, state, given) : this.#goOn(upstream, call, state, given),
      describe: (call) => upstream.describe(call),
      listen: (call) => this.#listen(upstream, call),
      ...(upstream.notify === undefined
        ? {}
        : { notify: (call, notification) => upstream.notify?.(call, notification) }),
      leave: (principal, scope) => upstream.leave(principal, scope),
      close: () => upstream.close(),
    }
  }

  async #start(upstream: Upstream, call: Call): Promise<Outcome> {
    const policies = this.#options.policies()
    if (policies === undefined) return upstream.start(call)
    if (looksGuarded(call.method) || isStream(call.method))
      return unsent(errorCodes.methodNotFound, outcomeText.notSupported(oneLine(call.method, 'web')))
    const listed = listKinds.get(call.method)
    if (listed !== undefined && policies.covers(listed))
      return withoutDenied(policies, upstream.name, call, listed, await upstream.start(call))
    const followed = followedBy(call)
    for (const one of followed ?? [call]) {
      const judged = await this.#judge(policies, upstream, one).catch(notSent)
      if (judged.effect === 'allow') continue
      if (judged.effect === 'refuse') return judged.outcome
      return followed === undefined ? approvalRequest(judged) : unsent(errorCodes.refused, policyText.notFollowed)
    }
    return upstream.start(call)
  }

  /** A stream is opened only for the resources that this person may read now. */
  async #listen(upstream: Upstream, listening: Call): Promise<void> {
    const call = this.#definitions.watchedBy(upstream.name, listening)
    const policies = this.#options.policies()
    if (policies === undefined || !policies.covers('resources')) return upstream.listen(call)
    const mayRead = async (uri: string) => (await this.#judge(policies, upstream, readOf(call, uri))).effect === 'allow'
    return upstream.listen(await watchingOnly(call, mayRead))
  }

  async #continue(upstream: Upstream, call: Call, state: PolicyState, given: Answers): Promise<Outcome> {
    const approved = await this.#approved(upstream, call, state, given).catch((error: unknown) => {
      endsAtRetry(call)
      return notSent(error)
    })
    if ('kind' in approved) return approved
    try {
      const outcome = await upstream.start(asBegun(call))
      if (outcome.kind === 'failed' && outcome.isUnsent === true) retryRuns(call, approved)
      return asApproved(outcome, usedWith(state, given))
    } catch (error) {
      if (error instanceof NotSent) retryRuns(call, approved)
      throw error
    }
  }

  /** The answers to questions of the server itself. */
  async #goOn(upstream: Upstream, call: Call, state: ServerState, given: Answers): Promise<Outcome> {
    const used = approvedIn(state)
    // A server that waits inside the call runs it already. Any other gets the answers with a new request.
    const refused =
      heldId(state) === undefined ? await this.#refusedNow(upstream, call, used).catch(notSent) : undefined
    if (refused !== undefined) return refused
    const outcome = await upstream.continue(call, state, given)
    return used === undefined ? outcome : asApproved(outcome, used)
  }

  /** What the caller gets if the policies in force do not let a call that has begun go on. */
  async #refusedNow(upstream: Upstream, call: Call, used: UsedApproval | undefined): Promise<Ended | undefined> {
    const policies = this.#options.policies()
    const judged = policies === undefined ? undefined : await this.#judge(policies, upstream, call)
    if (judged === undefined || judged.effect === 'allow') return undefined
    if (judged.effect === 'refuse') return judged.outcome
    const isApproved = used !== undefined && (await isStillApproved(this.#options.store, call, used, judged))
    return isApproved ? undefined : refusal(call, policyText.approvalNeededNow)
  }

  /** The use of the call's approval, which is to be sent now; or what the caller gets instead. */
  async #approved(upstream: Upstream, call: Call, state: PolicyState, given: Answers): Promise<Outcome | Use> {
    const { policy } = state
    const response = Object.hasOwn(given, approvalKey) ? given[approvalKey] : undefined
    if (response === undefined) {
      // Its approval can still be given.
      call.entry?.endsElsewhere()
      return unsent(errorCodes.refused, policyText.stillNeedsApproval)
    }
    if ('error' in response || !isApproved(response)) {
      await this.#isFirstAnswer(call, policy, response)
      return 'error' in response ? unsent(response.error.code, response.error.message) : this.#declined(call, response)
    }
    const policies = this.#options.policies()
    const judged = policies === undefined ? undefined : await this.#judge(policies, upstream, call, true)
    if (judged?.effect === 'refuse') {
      await this.#isFirstAnswer(call, policy, response)
      return judged.outcome
    }
    // If the policies allow the call now, its approval is used all the same: it is for one run.
    const used = usedWith(state, given)
    if (judged?.effect === 'ask' && !(await isStillApproved(this.#options.store, call, used, judged)))
      return approvalRequest(judged)
    if (call.entry !== undefined && !(await call.entry.store())) {
      endsAtRetry(call)
      return notRecorded
    }
    return (await this.#use(call, policy, response)) ?? unsent(errorCodes.refused, policyText.notUsable)
  }

  /** @param isFresh whether the definition of the tool is read now, and not from a list that was read a short while ago */
  async #judge(policies: PolicyDecider, upstream: Upstream, call: Call, isFresh = false): Promise<Judged> {
    const kind = Object.hasOwn(kinds, call.method) ? kinds[call.method] : undefined
    if (kind === undefined || !policies.covers(kind)) return { effect: 'allow' }
    const { name } = namedIn(call.method, call.params) ?? {}
    const { arguments: args } = call.params
    if (name === undefined || (args !== undefined && !isPlainObject(args))) return refuse(call, policyText.unreadable)
    if (kind === 'resources' && hasOtherSpelling(name)) return refuse(call, policyText.otherSpelling)
    const definition = kind === 'tools' ? await this.#definitionOf(upstream, call, name, isFresh) : { name }
    if (definition === undefined) return refuse(call, policyText.notListed(upstream.name))
    const isChanged = kind === 'tools' && (await this.#isChanged(policies, upstream.name, name, call, definition))
    if (isChanged === 'unknown') return refuse(call, policyText.notPinnable)
    const time = policies.timeAt(this.#options.store.nowMs())
    const judgedCall = {
      ...policyCallOf(call, { kind, server: upstream.name, name }, definition, time),
      isDefinitionChanged: isChanged,
    }
    const decision = decisionOn(policies, judgedCall)
    const dry = policies.dryRun(judgedCall)
    if (dry !== undefined) this.#decided(call, upstream.name, 'dry-run', dry)
    this.#decided(call, upstream.name, 'enforce', decision)
    if (decision.effect === 'allow') return { effect: 'allow' }
    if (decision.effect === 'deny') return refuse(call, policyText.denied(decision))
    const isInDestructiveTool =
      declaresDestructive(definition) ||
      (isChanged && (await this.#pinned.wasDestructive(call.tenant, upstream.name, name)))
    return this.#required(policies, upstream.name, call, definition, decision.asks, isChanged, isInDestructiveTool)
  }

  /** `unknown` for a definition that cannot be compared. */
  async #isChanged(
    policies: PolicyDecider,
    server: string,
    tool: string,
    { tenant }: Call,
    definition: JsonObject,
  ): Promise<boolean | 'unknown'> {
    const pinned = this.#pinned.pinnedPartOf(definition)
    return pinned === undefined ? 'unknown' : this.#pinned.isChanged({ tenant, server, tool }, pinned, policies)
  }

  #decided(call: Call, server: string, mode: Decided['mode'], { effect, ...decision }: PolicyDecision): void {
    const policies = 'asks' in decision ? decision.asks.map(({ policy }) => policy) : decision.policies
    this.#options.onDecided(call, server, { mode, effect, policies })
  }

  #required(
    policies: PolicyDecider,
    server: string,
    call: Call,
    definition: JsonObject,
    asks: readonly PolicyAsk[],
    isDefinitionChanged: boolean,
    isInDestructiveTool: boolean,
  ): Judged {
    const approval = {
      ...requiredApproval(asks, policies.requirementsOf(asks, call.principal), personOf(call)),
      ...(isInDestructiveTool ? { isInDestructiveTool } : {}),
    }
    const drafted = { server, call, definition, isDefinitionChanged, policySetDigest: policies.digest }
    const draft = approvalDraft(drafted, approval)
    if (typeof draft === 'string') return refuse(call, draft)
    return approval.isOnClient === true || this.#options.hasInbox(server)
      ? { effect: 'ask', ...draft }
      : refuse(call, policyText.noInbox(isDefinitionChanged))
  }

  async #definitionOf(upstream: Upstream, call: Call, name: string, isFresh: boolean): Promise<JsonObject | undefined> {
    const found = await this.#definitions.find(upstream, call, name, isFresh)
    return found === undefined || stringAt(found, 'name') === undefined ? undefined : found
  }

  /** Uses up the approval. Undefined if there is none for exactly this action, or if it was used or has expired. */
  async #use(call: Call, policy: PolicyState['policy'], response: Replied): Promise<Use | undefined> {
    const { approval } = response
    if (approval === undefined) {
      const isFirst = policy.approval.isOnClient === true && (await this.#isFirstAnswer(call, policy, response))
      return isFirst ? {} : undefined
    }
    const use = await this.#approvals.use(call, approval.askId, policy.digest)
    if (use !== 'used-before') return use
    // The request that used it has the outcome of the call.
    call.entry?.endsElsewhere()
    return undefined
  }

  /**
   * Whether no request has answered this question of the client before. The first one has the outcome of the call, so a
   * later one must not write another outcome into the record. The store itself decides about answers from the inbox.
   */
  async #isFirstAnswer(
    call: Call,
    { approval, once }: PolicyState['policy'],
    response: InputResponse,
  ): Promise<boolean> {
    const isFromStore = 'result' in response && response.approval !== undefined
    if (approval.isOnClient !== true || isFromStore) return true
    const { store } = this.#options
    const isFirst = await store.grants.useState(call.tenant, once, store.nowMs() + askLimits.useWithinMaxMs)
    if (!isFirst) call.entry?.endsElsewhere()
    return isFirst
  }

  async #declined(call: Call, { approval }: Replied): Promise<Ended> {
    if (approval?.by === undefined) return refusal(call, policyText.notApproved)
    const { by, comment } = approval
    const name = (await this.#options.store.signIns.nameOf(call.tenant, by)) ?? by.slice(by.lastIndexOf('#') + 1)
    const why = comment === undefined ? '' : oneLine(comment, 'web')
    return refusal(call, policyText.declined(oneLine(name, 'web'), why))
  }
}

function usedWith({ policy }: PolicyState, given: Answers): UsedApproval {
  const response = Object.hasOwn(given, approvalKey) ? given[approvalKey] : undefined
  const stored = response !== undefined && 'approval' in response ? response.approval : undefined
  return { ...policy, ...compact({ askId: stored?.askId }) }
}

function refuse(call: Call, message: string): Judged {
  return { effect: 'refuse', outcome: refusal(call, message) }
}
