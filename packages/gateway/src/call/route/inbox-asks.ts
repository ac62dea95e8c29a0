// Turns a server's question into a stored ask that the inbox shows, and an ended ask into the answer for the server.
//
// Owns: nothing; both directions are computed from their arguments and the store.
// I1  Only the person on whose behalf the call runs may answer a server's question. Who may approve a call that a policy
//     stops, the policy says.
// I2  An ask shows the call in which it is asked completely, or says that its arguments are left out.
// I3  A server gets "dismissed" only if a person dismissed the question; otherwise the reason why there is no answer.

import { randomBytes } from 'node:crypto'
import {
  type ApprovalRule,
  type Ask,
  type AskCaller,
  type AskDraft,
  type AskingCall,
  actionDigest,
  answerMeta,
  approved,
  askLimits,
  canonicalJson,
  compact,
  isApprovalForm,
  isDecision,
  type JsonObject,
  liftComment,
  newId,
  type PresenceSetting,
  type Question,
  readAskMeta,
  readDeclaredAction,
  ruleOf,
  soleApprover,
} from '@assent/core'
import type { Store } from '@assent/store'
import { objectAt, stringAt } from '../../protocol/messages.ts'
import type { OpenRound } from '../call-state.ts'
import { fits } from '../candidate-calls.ts'
import { callerOf } from '../clients/caller.ts'
import type { Call, InputRequest, InputResponse, Shared, WantedApproval } from '../model.ts'
import { calledBy as calledAs } from '../names.ts'
import { actionOf } from '../policy/action-of.ts'
import { isApproved } from '../policy/approval-request.ts'
import { needsPasskey } from '../presence.ts'
import type { OpenAskLimits } from '../screen/open-limits.ts'
import {
  checkResponse,
  expired,
  lostAnswer,
  noAnswer,
  readKnownForm,
  secretDeleted,
  unverified,
} from '../screen/screen-questions.ts'
import { askerOf } from './ask-deadline.ts'

/** The parts of a call from which an ask is made. */
export type AskedCall = Pick<Call, 'tenant' | 'principal' | 'method' | 'params' | 'waiting'> & {
  readonly caller?: AskCaller
  /** The groups of the person in this request. */
  readonly groups?: readonly string[]
}

/** @param target the server's name for the target, if it differs from the caller's */
export function askedCall(call: Call, target: string | undefined): AskedCall {
  const { tenant, principal, groups, method, params, waiting, client } = calledAs(call, target)
  return { tenant, principal, method, params, caller: callerOf(client), ...compact({ waiting, groups }) }
}

export interface Raising {
  readonly server: string
  readonly waitMs: number
  /** The server waits inside its call, so the server's timeout applies too. */
  readonly isHeld?: boolean | undefined
  /** The held call that waits for the answer, if there is one. */
  readonly callId?: string
  /** Set when the id was assigned before the ask is raised. Its caller knows it, so it joins no other ask. */
  readonly id?: string
  /** The limits on open asks, notified when the ask is stored. Without it there is no limit. */
  readonly room?: Pick<OpenAskLimits, 'limits' | 'onRecord'> | undefined
  /** The round that the question belongs to. */
  readonly round?: OpenRound | undefined
  /** The setting in force. */
  readonly presence?: PresenceSetting
  /** Whether approvers of such an ask get messages about it. */
  readonly announces?: Announces | undefined
}

export type Announces = (ask: Pick<Ask, 'approvalRule'>) => boolean

/**
 * Stores the ask and returns its id; undefined for requests that no person answers. A page for a secret has one ask,
 * however often it is requested. Throws `TooManyOpen` when a limit on open asks is reached.
 */
export async function raiseAsk(
  store: Store,
  call: AskedCall,
  wanted: InputRequest,
  { server, waitMs, isHeld, callId, id: assigned, room, round, presence = 'none', announces = () => false }: Raising,
): Promise<string | undefined> {
  const question = questionOf(wanted, server, call)
  if (question === undefined) return undefined
  const secret = wanted.kind === 'url' ? wanted.secret : undefined
  if (secret?.askId !== undefined) return secret.askId
  const approval = wanted.kind === 'form' ? wanted.approval : undefined
  const isShared = 'shared' in wanted && wanted.shared !== undefined
  // A read of a resource has no tool, also if it has a stray name.
  const tool = isShared || call.method === 'resources/read' ? undefined : stringAt(call.params, 'name')
  const id = assigned ?? newId('ask', Date.now(), randomBytes)
  const draft = {
    tenant: call.tenant,
    id,
    asker: tool === undefined ? { server } : { server, tool },
    ...compact({ caller: call.caller }),
    principal: call.principal,
    ...(callId === undefined ? {} : { callId }),
    question,
    ...(takesComment(wanted) ? { commentReaches: 'asker' as const } : {}),
    ...(isHeld === true && askerOf(wanted)?.waitMs === undefined ? { isWaitUnknown: true as const } : {}),
    approvalRule: ruleFor(wanted, call.principal),
    // By the setting in force now, too: it may have changed since the server asked.
    ...(needsPasskey(presence, wanted) ? { needsPresence: true as const } : {}),
    decideWithinMs: Math.max(Math.min(waitMs, secret?.leftMs ?? waitMs), 1_000),
    useWithinMs: approval?.useWithinMs ?? Math.min(waitMs, askLimits.useWithinMaxMs),
  }
  const mayJoin = assigned === undefined && question.kind === 'approval'
  const joined = mayJoin ? await sameOpenAsk(store, draft, question.digest) : undefined
  if (joined !== undefined) return joined
  const replica = await call.waiting?.replicaFor(callId)
  await store.asks.raise(draft, room?.limits, replica, approval !== undefined && announces(draft))
  if (replica !== undefined) call.waiting?.raised(id)
  room?.onRecord(round, id)
  if (secret === undefined) return id
  const linked = await store.secrets.link(call.tenant, secret.page, id)
  if (linked !== id) await store.asks.withdraw(call.tenant, id, 'undeliverable')
  return linked ?? id
}

/** The answer that the server gets for an ended ask, with the person's comment if the asker accepts comments. */
export function givenOf({ id, state, commentReaches, question }: Ask): InputResponse {
  if (state.kind === 'expired') return expired
  if (state.kind === 'withdrawn' && state.reason === 'unverified') return unverified
  if (state.kind === 'withdrawn' && (state.reason === 'owner-lost' || state.reason === 'store-unavailable'))
    return lostAnswer
  if (state.kind !== 'settled') return noAnswer
  // The comment of an approval may be deleted: the decision is complete without it.
  if (state.deleted !== undefined && question.kind !== 'approval') return secretDeleted
  const { action, comment } = state.answer
  const filledIn = state.answer.action === 'accept' ? state.answer.content : undefined
  const content = question.kind === 'approval' && action === 'accept' ? approved : filledIn
  return {
    ...(question.kind === 'approval' ? { approval: { askId: id, by: state.by, ...compact({ comment }) } } : {}),
    result: {
      action,
      ...(content === undefined ? {} : { content: content as JsonObject }),
      ...(comment === undefined || commentReaches !== 'asker' ? {} : { _meta: answerMeta({ comment }) }),
    },
    ...(state.isSecret !== true ? {} : state.via === 'client' ? { isSecret: true } : { isConfirmed: true }),
  }
}

/** The client's answer that settled this ask, marked if the store keeps it as a secret. */
export function storedAnswer(given: InputResponse, { state }: Ask): InputResponse {
  const isSecret = state.kind === 'settled' && state.isSecret === true && state.deleted === undefined
  return isSecret && 'result' in given ? { ...given, isSecret } : given
}

/** Converts a client's answer to the form that the store accepts. */
export function answerOf(result: JsonObject): JsonObject {
  const content = objectAt(result, 'content')
  const { comment } = liftComment(result) as JsonObject
  return {
    action: result.action ?? null,
    ...(content === undefined ? {} : { content }),
    ...(typeof comment === 'string' ? { comment } : {}),
  }
}

/**
 * The same for the approval of a call. Undefined if the answer does not fit the form that the client showed: the store
 * takes any accept of an approval as a yes.
 */
export function decisionOf({ schema }: ApprovalRequest, result: JsonObject): JsonObject | undefined {
  if (!checkResponse(schema, { result }).ok) return undefined
  const { content: _chosen, ...answer } = answerOf(result)
  return result.action === 'accept' && !isApproved({ result }) ? { ...answer, action: 'decline' } : answer
}

type ApprovalRequest = InputRequest & { readonly kind: 'form' }

/** Whether it asks for the approval of a call, which a policy requires. */
export function isApproval(wanted: InputRequest): wanted is ApprovalRequest {
  return wanted.kind === 'form' && wanted.approval !== undefined
}

/** Only an asker that sends our `_meta` reads it in the answer. A page for a secret has no comment. */
function takesComment(wanted: InputRequest): boolean {
  return readAskMeta(wanted.params) !== undefined && !(wanted.kind === 'url' && wanted.secret !== undefined)
}

function questionOf(wanted: InputRequest, server: string, call: AskedCall): Question | undefined {
  if (wanted.kind === 'url') {
    const question = { kind: 'url', message: wanted.message.toWellFormed(), url: wanted.url } as const
    if (wanted.secret === undefined) return withCall(question, call, askLimits.formCallBytes, wanted)
    const { page, publicKey } = wanted.secret
    return withCall({ ...question, secret: { page, publicKey } }, call, askLimits.formCallBytes, wanted)
  }
  if (wanted.kind !== 'form') return undefined
  if (wanted.approval !== undefined) return approvalOf(wanted.approval, server, call)
  const read = readKnownForm(wanted.schema)
  if (!read.ok) return undefined
  const { form } = read
  const question = {
    kind: 'form',
    message: wanted.message.toWellFormed(),
    form,
    ...(wanted.checked === undefined ? {} : { checked: wanted.checked }),
    ...compact({
      isDestructive: readAskMeta(wanted.params)?.isDestructive,
      isInDestructiveTool: wanted.isInDestructiveTool,
    }),
  } as const
  return withCall(
    withDeclared(question, wanted),
    call,
    isApprovalForm(form) ? askLimits.callBytes : askLimits.formCallBytes,
    wanted,
  )
}

/** The question for a call that a policy stops: its exact action, drawn from the call itself. */
function approvalOf(
  { title, definitionDigest, policySetDigest, policies, ...terms }: WantedApproval,
  server: string,
  call: AskedCall,
): Question {
  const action = actionOf(server, call, definitionDigest)
  const { needsReason, isDestructive, isInDestructiveTool } = terms
  const marks = compact({ needsReason, isDestructive, isInDestructiveTool })
  return { kind: 'approval', title, action, digest: actionDigest(action), policies, policySetDigest, ...marks }
}

/** The open ask of an earlier call of the same person with the same action and rule: this call joins it. */
async function sameOpenAsk(
  store: Store,
  { tenant, principal, question, approvalRule, needsPresence }: AskDraft,
  digest: string,
) {
  const open = await store.asks.openApproval(tenant, principal, digest)
  if (open?.state.kind !== 'open' || open.needsPresence !== needsPresence) return undefined
  const isSame =
    canonicalJson(open.approvalRule) === canonicalJson(approvalRule) &&
    canonicalJson(withoutPolicySet(open.question)) === canonicalJson(withoutPolicySet(question))
  return isSame ? open.id : undefined
}

/** Other policies may require the same approval: when it is used, those in force decide again. */
function withoutPolicySet(question: Question): Question {
  if (question.kind !== 'approval') return question
  const { policySetDigest: _, ...asked } = question
  return asked
}

function ruleFor(wanted: InputRequest, principal: string): ApprovalRule {
  if (wanted.kind !== 'form' || wanted.approval === undefined) return soleApprover(principal)
  return ruleOf(wanted.approval.requirements, wanted.approval.declines)
}

/** Adds the action that a server written with our SDK declares for its approval. */
function withDeclared(question: FormQuestion, wanted: InputRequest & { kind: 'form' }): FormQuestion {
  // A server that did not say in which call it asks gets no approval.
  if (!isDecision(question.form) || wanted.shared !== undefined) return question
  const declared = readDeclaredAction(wanted.params)
  if (declared === undefined) return question
  const whole = { ...question, declared }
  return fits(whole) ? whole : question
}

type FormQuestion = Question & { kind: 'form' }
type AskedQuestion = Exclude<Question, { kind: 'approval' }>
type CalledWith = Pick<Call, 'method' | 'params'>
type Shareable = Pick<InputRequest & { kind: 'form' | 'url' }, 'shared'>

/**
 * Adds the call in which the question is asked. The server's text is only a claim about what it will do; the call is
 * verified. Arguments that cannot be shown completely are omitted, and the card says that they are.
 */
function withCall(question: AskedQuestion, call: AskedCall, bytes: number, { shared }: Shareable): Question {
  if (shared !== undefined) return withCalls(question, shared.oneOf)
  const called = calledBy(call)
  if (called === undefined) return question
  const named = { ...question, call: called }
  const whole = { ...question, call: wholeCall(called, call, bytes) }
  // The whole question has to fit as well, because its digest is recorded.
  if (fits(whole)) return whole
  return fits(named) ? named : question
}

/** For a server that did not specify in which of its calls it asks: adds every candidate, bounded in candidate-calls.ts. */
function withCalls(question: AskedQuestion, calls: Shared['oneOf']): Question {
  const listed = calls.flatMap((call) => {
    const called = calledBy(call)
    return called === undefined ? [] : [{ call, called }]
  })
  const named = { ...question, oneOf: listed.map(({ called }) => called) }
  // Arguments that are too large were left out before.
  const isKept = ({ params }: CalledWith) => Object.hasOwn(params, 'arguments')
  const drawn = listed.map(({ call, called }) =>
    isKept(call) ? wholeCall(called, call, askLimits.formCallBytes) : called,
  )
  const whole = { ...question, oneOf: drawn }
  if (fits(whole)) return whole
  return fits(named) ? named : { ...question, oneOf: [] }
}

/** Adds the arguments if they can be shown completely. */
function wholeCall(called: AskingCall, { method, params }: CalledWith, bytes: number): AskingCall {
  const given = method === 'resources/read' ? {} : (objectAt(params, 'arguments') ?? {})
  return fits(given, { bytes, depth: askLimits.callDepth }) ? { ...called, arguments: given } : called
}

function calledBy({ method, params }: CalledWith): AskingCall | undefined {
  const name = stringAt(params, method === 'resources/read' ? 'uri' : 'name')?.toWellFormed()
  if (name === undefined) return undefined
  switch (method) {
    case 'tools/call':
      return { tool: name }
    case 'prompts/get':
      return { kind: 'prompt', tool: name }
    case 'resources/read':
      return { kind: 'resource', tool: name }
    default:
      return undefined
  }
}
