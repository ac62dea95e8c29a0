// Stops a call before its server gets it, if a policy denies it or requires approval.
//
// Owns: the decision about each call, and the use of an approval.
// Does not own: who may approve and how votes are counted (core), where people are asked and how a caller waits (route/).
// I1  A covered call reaches its server only if the policies allow it, or with an approval of exactly this action that
//     is used up first.
// I2  What cannot be judged is refused: a tool that the server does not list, arguments that are not an object or cannot
//     be shown to a person, an approval that no configured surface can ask for.
// I3  When an approval is used, the policies in force then decide again: stricter ones ask again or deny.
// I4  Only an approval from the store counts, unless every asking policy allows the caller's own client.

import { randomUUID } from 'node:crypto'
import {
  type Action,
  type ApprovalRequirement,
  actionDigest,
  askLimits,
  askMeta,
  decisionForm,
  encodeForm,
  type Form,
  isAssentError,
  isPlainObject,
  type JsonObject,
  oneLine,
  requirementsProblem,
  toolDefinitionDigest,
} from '@assent/core'
import type { PolicyAsk, PolicyCall, PolicyDecision, PolicyKind, PolicyTarget } from '@assent/policy'
import type { Store } from '@assent/store'
import { policyLimits } from '../../limits.ts'
import { errorCodes, objectAt, stringAt } from '../../protocol/messages.ts'
import { withoutRound } from '../../protocol/round-params-2026-07-28.ts'
import {
  type Answers,
  type Call,
  type Ended,
  failed,
  type InputResponse,
  type Outcome,
  type ServerState,
  type Upstream,
  unsent,
  type WantedApproval,
} from '../model.ts'
import { listOf, namedIn } from '../names.ts'
import { actionOf } from './action-of.ts'
import { isCovered, type RequiredApproval, requiredApproval } from './required-approval.ts'
import { ToolDefinitions } from './tool-definitions.ts'

/** The policies in force. */
export interface PolicyDecider {
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

export interface PolicyGateOptions {
  readonly store: Pick<Store, 'grants' | 'signIns' | 'nowMs'>
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

/** What continues a call that waits for its approval. */
type PolicyState = {
  readonly policy: {
    readonly digest: string
    readonly approval: RequiredApproval
    /** Used up with an approval that the store does not know. */
    readonly once: string
  }
}

const askKey = 'approval'
const decisionSchema = schemaOf(decisionForm)

const kinds: Readonly<Record<string, PolicyKind>> = {
  'tools/call': 'tools',
  'prompts/get': 'prompts',
  'resources/read': 'resources',
}

/** Methods that follow the decision for their target, and never ask. */
const following: readonly string[] = ['resources/subscribe', 'completion/complete']

const listKinds: ReadonlyMap<string, PolicyKind> = new Map([
  ['tools/list', 'tools'],
  ['prompts/list', 'prompts'],
  ['resources/list', 'resources'],
])

/** A call that may go to its server, or what the caller gets instead. */
type Judged =
  | { readonly effect: 'allow' }
  | { readonly effect: 'refuse'; readonly outcome: Ended }
  | { readonly effect: 'ask'; readonly action: Action; readonly digest: string; readonly approval: RequiredApproval }

export class PolicyGate {
  readonly #options: PolicyGateOptions
  readonly #definitions = new ToolDefinitions()
  readonly #gated = new WeakMap<Upstream, Upstream>()

  constructor(options: PolicyGateOptions) {
    this.#options = options
  }

  /** The same server behind the policies. */
  over(upstream: Upstream): Upstream {
    const gated = this.#gated.get(upstream) ?? this.#behind(upstream)
    this.#gated.set(upstream, gated)
    return gated
  }

  #behind(upstream: Upstream): Upstream {
    return {
      name: upstream.name,
      start: (call) => this.#start(upstream, call),
      continue: (call, state, given) =>
        isPolicyState(state) ? this.#continue(upstream, call, state, given) : upstream.continue(call, state, given),
      describe: (call) => upstream.describe(call),
      listen: (call) => upstream.listen(call),
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
    const listed = listKinds.get(call.method)
    if (listed !== undefined && policies.covers(listed))
      return withoutDenied(policies, upstream.name, call, listed, await upstream.start(call))
    const followed = following.includes(call.method) ? followedBy(call) : undefined
    const judged = await this.#judge(policies, upstream, followed ?? call)
    if (judged.effect === 'allow') return upstream.start(call)
    if (judged.effect === 'refuse') return judged.outcome
    if (followed !== undefined) return unsent(errorCodes.refused, notFollowed)
    return this.#ask(upstream.name, judged)
  }

  async #continue(upstream: Upstream, call: Call, { policy }: PolicyState, given: Answers): Promise<Outcome> {
    const response = Object.hasOwn(given, askKey) ? given[askKey] : undefined
    if (response === undefined) return unsent(errorCodes.refused, 'The call still needs its approval. Nothing ran.')
    if ('error' in response) return unsent(response.error.code, response.error.message)
    if (!isApproved(response)) return this.#declined(call, response)
    const policies = this.#options.policies()
    const judged = policies === undefined ? undefined : await this.#judge(policies, upstream, call)
    if (judged?.effect === 'refuse') return judged.outcome
    // If the policies allow the call now, its approval is used all the same: it is for one run.
    const asked = judged?.effect === 'ask' ? judged : undefined
    if (asked !== undefined && (asked.digest !== policy.digest || !isCovered(asked.approval, policy.approval)))
      return this.#ask(upstream.name, asked)
    const isUsed = await this.#use(call, policy, response)
    return isUsed ? upstream.start(asBegun(call)) : unsent(errorCodes.refused, notUsable)
  }

  async #judge(policies: PolicyDecider, upstream: Upstream, call: Call): Promise<Judged> {
    const kind = Object.hasOwn(kinds, call.method) ? kinds[call.method] : undefined
    if (kind === undefined || !policies.covers(kind)) return { effect: 'allow' }
    const { name } = namedIn(call.method, call.params) ?? {}
    const { arguments: args } = call.params
    if (name === undefined || (args !== undefined && !isPlainObject(args)))
      return refuse(call, 'The call has no valid name or arguments, so no policy can decide about it. Nothing ran.')
    const definition = kind === 'tools' ? await this.#definitionOf(upstream, call, name) : { name }
    if (definition === undefined)
      return refuse(call, `${upstream.name} does not list a tool with this name, so no policy can decide. Nothing ran.`)
    const judgedCall = this.#policyCall(policies, kind, upstream.name, name, call, definition)
    const decision = policies.decide(judgedCall)
    const dry = policies.dryRun(judgedCall)
    if (dry !== undefined) this.#decided(call, upstream.name, 'dry-run', dry)
    if (decision.effect !== 'allow' || decision.policies.length > 0)
      this.#decided(call, upstream.name, 'enforce', decision)
    if (decision.effect === 'allow') return { effect: 'allow' }
    if (decision.effect === 'deny') return refuse(call, deniedText(decision))
    return this.#required(policies, upstream.name, call, definition, decision.asks)
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
  ): Judged {
    const approval = requiredApproval(asks, policies.requirementsOf(asks, call.principal))
    const problem = requirementsProblem(approval.requirements)
    if (problem !== undefined)
      return refuse(call, `This call needs approvals that cannot be given: ${problem} Nothing ran.`)
    if (approval.isOnClient !== true && !this.#options.hasInbox(server))
      return refuse(
        call,
        'This call needs an approval in the inbox, which is not configured for this server. Nothing ran.',
      )
    try {
      const action = actionOf(server, call, toolDefinitionDigest(definition))
      return { effect: 'ask', action, digest: actionDigest(action), approval }
    } catch (error) {
      if (!isAssentError(error)) throw error
      return refuse(call, 'The arguments are too large or too deep to be shown to an approver. Nothing ran.')
    }
  }

  async #definitionOf(upstream: Upstream, call: Call, name: string): Promise<JsonObject | undefined> {
    const found = await this.#definitions.find(upstream, call, name)
    return found === undefined || stringAt(found, 'name') === undefined ? undefined : found
  }

  #policyCall(
    policies: PolicyDecider,
    kind: PolicyKind,
    server: string,
    name: string,
    call: Call,
    definition: JsonObject,
  ): PolicyCall {
    const client = stringAt(call.client.info, 'name')
    return {
      kind,
      server,
      name,
      arguments: objectAt(call.params, 'arguments') ?? {},
      ...(kind === 'tools' && definition.inputSchema !== undefined ? { schema: definition.inputSchema } : {}),
      annotations: objectAt(definition, 'annotations') ?? {},
      person: personOf(call),
      claims: {
        ...(call.agent === undefined ? {} : { agent: call.agent }),
        ...(client === undefined ? {} : { client }),
      },
      time: policies.timeAt(this.#options.store.nowMs()),
    }
  }

  #ask(server: string, { action, digest, approval }: Judged & { effect: 'ask' }): Outcome {
    const { decideWithinMs, needsPresence, ...terms } = approval
    const title = oneLine(titleOf(server, action), 'web', { maxChars: policyLimits.titleChars })
    const wanted: WantedApproval = { ...terms, title, definitionDigest: action.definitionDigest }
    const waitMs = Math.min(decideWithinMs ?? policyLimits.decideWithinMs, askLimits.decideMaxMs)
    const meta = askMeta({ waitMs, ...(decideWithinMs === undefined ? { isDefault: true } : {}) })
    const state: PolicyState = { policy: { digest, approval, once: randomUUID() } }
    return {
      kind: 'input-required',
      wanted: {
        [askKey]: {
          kind: 'form',
          message: title,
          schema: decisionSchema,
          params: { message: title, requestedSchema: decisionSchema, _meta: meta },
          approval: wanted,
          ...(needsPresence === true ? { needsPresence } : {}),
        },
      },
      state: state as JsonObject,
    }
  }

  /** Uses up the approval. False if there is none for exactly this action, or if it was used or has expired. */
  async #use(call: Call, policy: PolicyState['policy'], response: InputResponse): Promise<boolean> {
    const { tenant, principal } = call
    const { grants } = this.#options.store
    const askId = 'result' in response ? response.approval?.askId : undefined
    if (askId === undefined) {
      if (policy.approval.isOnClient !== true) return false
      return grants.useState(tenant, policy.once, this.#options.store.nowMs() + askLimits.useWithinMaxMs)
    }
    const grant = await grants.read(tenant, askId)
    if (grant === undefined) return false
    const used = await grants.use({ tenant, id: grant.id, digest: policy.digest, principal, usedBy: 'gateway' })
    return used !== undefined
  }

  async #declined(call: Call, response: InputResponse): Promise<Ended> {
    const { approval } = 'result' in response ? response : {}
    if (approval?.by === undefined) return refusal(call, 'The call was not approved. Nothing ran.')
    const { by, comment } = approval
    const name = (await this.#options.store.signIns.nameOf(call.tenant, by)) ?? by.slice(by.lastIndexOf('#') + 1)
    const why = comment === undefined ? '' : ` ${oneLine(comment, 'web')}`
    return refusal(call, `${oneLine(name, 'web')} declined this call. Nothing ran.${why}`)
  }
}

const notFollowed = 'Reading this needs approval, so it cannot be followed or completed. Read it first.'
const notUsable =
  'The approval of this call was already used, has expired, or is for another call. Nothing ran: call the tool again to ask for approval.'

function schemaOf(form: Form): JsonObject {
  const encoded = encodeForm(form, 'either-2025')
  if (!encoded.ok) throw new Error(encoded.reason)
  return encoded.schema
}

function isPolicyState(state: ServerState): state is PolicyState & JsonObject {
  return isPlainObject(state) && isPlainObject(state.policy)
}

/** The call without what its caller added to continue it: the server has not seen the call before. */
function asBegun(call: Call): Call {
  return { ...call, params: withoutRound(call.params) }
}

function isApproved(response: InputResponse): boolean {
  if (!('result' in response) || response.result.action !== 'accept') return false
  return objectAt(response.result, 'content')?.decision === 'approve'
}

/** A list without what this person can never call. The list is then this person's own. */
function withoutDenied(
  policies: PolicyDecider,
  server: string,
  call: Call,
  kind: PolicyKind,
  outcome: Outcome,
): Outcome {
  const list = listOf(call.method) ?? ''
  const items = outcome.kind === 'finished' ? outcome.result[list] : undefined
  if (outcome.kind !== 'finished' || !Array.isArray(items)) return outcome
  const person = personOf(call)
  const shown = items.filter((item) => {
    const definition = isPlainObject(item) ? (item as JsonObject) : {}
    const name = stringAt(definition, kind === 'resources' ? 'uri' : 'name')
    if (name === undefined) return false
    const annotations = objectAt(definition, 'annotations') ?? {}
    return !policies.neverAllowed(person, { kind, server, name, annotations })
  })
  return { ...outcome, result: { ...outcome.result, [list]: shown, cacheScope: 'private' } }
}

function personOf({ principal, groups = [] }: Call): PolicyCall['person'] {
  return { principal, groups, roles: [] }
}

/** The request whose decision this one follows. */
function followedBy({ method, params, ...call }: Call): Call {
  const target = namedIn(method, params)
  if (target?.kind === 'prompt') return { ...call, method: 'prompts/get', params: { name: target.name } }
  return { ...call, method: 'resources/read', params: { uri: target?.name ?? '' } }
}

function titleOf(server: string, { kind, tool }: Action): string {
  if (kind === 'prompt') return `Use the prompt ${tool} of ${server}`
  return kind === 'resource' ? `Read ${tool} of ${server}` : `Run ${tool} on ${server}`
}

function deniedText({ because, policies }: PolicyDecision & { effect: 'deny' }): string {
  const names = policies.map((name) => `"${name}"`).join(', ')
  if (because === 'not-permitted') return 'No policy permits this call. Nothing ran.'
  if (because === 'forbidden') return `The policy ${names} denies this call. Nothing ran.`
  const which = names === '' ? 'The policies' : `The policy ${names}`
  return `${which} could not be evaluated for this call, so it is denied. Nothing ran.`
}

function refuse(call: Call, message: string): Judged {
  return { effect: 'refuse', outcome: refusal(call, message) }
}

/** An agent reads the text of a tool's result; other requests have only errors. Nothing was sent to the server. */
function refusal({ method }: Pick<Call, 'method'>, message: string): Ended {
  if (method !== 'tools/call') return failed(errorCodes.refused, message)
  return { kind: 'finished', result: { content: [{ type: 'text', text: message }], isError: true } }
}
