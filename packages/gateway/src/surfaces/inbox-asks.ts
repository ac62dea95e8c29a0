// A server's question as an ask in the store, where an inbox shows it, and the ask's end as an answer to the server.
//
// The ask is put to the person on whose behalf the call runs, and to nobody else.

import { randomBytes } from 'node:crypto'
import {
  type Ask,
  type AskingCall,
  answerMeta,
  askLimits,
  canonicalJson,
  isApprovalForm,
  isAssentError,
  type JsonObject,
  liftComment,
  newId,
  only,
  type Question,
  readAskMeta,
} from '@assent/core'
import type { Store } from '@assent/store'
import type { Asking, OpenRound } from '../relay/asking.ts'
import type { Call, Given, Shared, Wanted } from '../relay/exchange.ts'
import { expired, lostAnswer, noAnswer, readKnownForm, secretDeleted, unverified } from '../relay/judge-wanted.ts'
import { objectAt, stringAt } from '../wire/messages.ts'
import { askerOf } from './ask-deadline.ts'

/** Of a call, what an ask is made of. */
export type AskedCall = Pick<Call, 'tenant' | 'principal' | 'method' | 'params' | 'waiting'>

export interface Raising {
  readonly server: string
  readonly waitMs: number
  /** The server waits inside its call, so its own timeout counts too. */
  readonly isHeld?: boolean | undefined
  /** The held call that waits for it, when one does. */
  readonly callId?: string
  /** Where its id is known beforehand. */
  readonly id?: string
  /** Who says how many may be open, and hears that the store counts it. Without it there is always room. */
  readonly room?: Pick<Asking, 'limits' | 'onRecord'> | undefined
  /** Which questions it is one of. */
  readonly round?: OpenRound | undefined
}

/**
 * The id of the ask. Undefined for what no person is asked. A page for a secret has one ask, however often it is put. Throws
 * `TooManyOpen` where there is no room for it.
 */
export async function raiseAsk(
  store: Store,
  call: AskedCall,
  wanted: Wanted,
  { server, waitMs, isHeld, callId, id = newId('ask', Date.now(), randomBytes), room, round }: Raising,
): Promise<string | undefined> {
  const question = questionOf(wanted, call)
  if (question === undefined) return undefined
  const secret = wanted.kind === 'url' ? wanted.secret : undefined
  if (secret?.askId !== undefined) return secret.askId
  const isShared = 'shared' in wanted && wanted.shared !== undefined
  const tool = isShared ? undefined : stringAt(call.params, 'name')
  const draft = {
    tenant: call.tenant,
    id,
    asker: tool === undefined ? { server } : { server, tool },
    principal: call.principal,
    ...(callId === undefined ? {} : { callId }),
    question,
    ...(takesComment(wanted) ? { commentReaches: 'asker' as const } : {}),
    ...(isHeld === true && askerOf(wanted)?.waitMs === undefined ? { isWaitUnknown: true as const } : {}),
    electorate: only(call.principal),
    decideWithinMs: Math.max(Math.min(waitMs, secret?.leftMs ?? waitMs), 1_000),
    useWithinMs: waitMs,
  }
  const replica = await call.waiting?.replicaFor(callId)
  await store.asks.raise(draft, room?.limits, replica)
  if (replica !== undefined) call.waiting?.raised(id)
  room?.onRecord(round, id)
  if (secret === undefined) return id
  const linked = await store.secrets.link(call.tenant, secret.page, id)
  if (linked !== id) await store.asks.withdraw(call.tenant, id, 'undeliverable')
  return linked ?? id
}

/** The answer that the server gets for an ask that has ended, with the person's comment if its asker takes one. */
export function givenOf({ state, commentReaches }: Ask): Given {
  if (state.kind === 'expired') return expired
  if (state.kind === 'withdrawn' && state.reason === 'unverified') return unverified
  if (state.kind === 'withdrawn' && state.reason === 'owner-lost') return lostAnswer
  if (state.kind !== 'settled') return noAnswer
  if (state.deleted !== undefined) return secretDeleted
  const { action, comment } = state.answer
  const content = action === 'accept' ? state.answer.content : undefined
  return {
    result: {
      action,
      ...(content === undefined ? {} : { content: content as unknown as JsonObject }),
      ...(comment === undefined || commentReaches !== 'asker' ? {} : { _meta: answerMeta({ comment }) }),
    },
    ...(state.isSecret === true && state.via !== 'client' ? { isConfirmed: true as const } : {}),
  }
}

/** Whether the store holds a sealed answer to it. */
export function isSecretState({ state }: Ask): boolean {
  return state.kind === 'settled' && state.isSecret === true && state.deleted === undefined
}

/** What a client sent, as the store takes it. */
export function answerOf(result: JsonObject): JsonObject {
  const content = objectAt(result, 'content')
  const { comment } = liftComment(result) as JsonObject
  return {
    action: result.action ?? null,
    ...(content === undefined ? {} : { content }),
    ...(typeof comment === 'string' ? { comment } : {}),
  }
}

/** An asker whose question carries our member reads our member of the answer. A page for a secret has no comment. */
function takesComment(wanted: Wanted): boolean {
  return readAskMeta(wanted.params) !== undefined && !(wanted.kind === 'url' && wanted.secret !== undefined)
}

function questionOf(wanted: Wanted, call: AskedCall): Question | undefined {
  if (wanted.kind === 'url') {
    const question = { kind: 'url', message: wanted.message.toWellFormed(), url: wanted.url } as const
    if (wanted.secret === undefined) return withCall(question, call, askLimits.formCallBytes, wanted)
    const { page, publicKey } = wanted.secret
    return withCall({ ...question, secret: { page, publicKey } }, call, askLimits.formCallBytes, wanted)
  }
  if (wanted.kind !== 'form') return undefined
  const read = readKnownForm(wanted.schema)
  if (!read.ok) return undefined
  const { form } = read
  const question = {
    kind: 'form',
    message: wanted.message.toWellFormed(),
    form,
    ...(wanted.checked === undefined ? {} : { checked: wanted.checked }),
  } as const
  return withCall(question, call, isApprovalForm(form) ? askLimits.callBytes : askLimits.formCallBytes, wanted)
}

type AskedQuestion = Exclude<Question, { kind: 'approval' }>
type CalledWith = Pick<Call, 'method' | 'params'>
type Shareable = Pick<Wanted & { kind: 'form' | 'url' }, 'shared'>

/**
 * The question with the call in which it is asked. What a server says it will do is its own claim; the call is what we
 * know. Arguments that could not be shown whole are left out, and the card says so.
 */
function withCall(question: AskedQuestion, call: AskedCall, bytes: number, { shared }: Shareable): Question {
  if (shared !== undefined) return withCalls(question, shared.oneOf, bytes)
  const called = calledBy(call)
  if (called === undefined) return question
  const named = { ...question, call: called }
  const whole = { ...question, call: wholeCall(called, call, bytes) }
  // The question as a whole has to fit too: it is put on record by its digest.
  if (fits(whole)) return whole
  return fits(named) ? named : question
}

/** The server did not say in which of them it asks. */
function withCalls(question: AskedQuestion, calls: Shared['oneOf'], bytes: number): Question {
  const listed = calls.slice(-askLimits.oneOf).flatMap((call) => {
    const called = calledBy(call)
    return called === undefined ? [] : [{ call, called }]
  })
  const named = { ...question, oneOf: listed.map(({ called }) => called) }
  const each = Math.floor(bytes / Math.max(listed.length, 1))
  const whole = { ...question, oneOf: listed.map(({ call, called }) => wholeCall(called, call, each)) }
  if (fits(whole)) return whole
  return fits(named) ? named : { ...question, oneOf: [] }
}

/** With its arguments, where they can be shown whole. */
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

function fits(value: unknown, size?: Parameters<typeof canonicalJson>[1]): boolean {
  try {
    canonicalJson(value, size)
    return true
  } catch (error) {
    if (isAssentError(error)) return false
    throw error
  }
}
