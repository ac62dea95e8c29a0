// A server's question as an ask in the store, where an inbox shows it, and the ask's end as an answer to the server.
//
// The ask is put to the person on whose behalf the call runs, and to nobody else.

import { randomBytes } from 'node:crypto'
import {
  type Ask,
  type AskingCall,
  askLimits,
  canonicalJson,
  isAssentError,
  isDecision,
  type JsonObject,
  newId,
  only,
  type Question,
  readForm,
} from '@assent/core'
import type { Store } from '@assent/store'
import type { Asking, OpenRound } from '../relay/asking.ts'
import type { Call, Given, Wanted } from '../relay/exchange.ts'
import { expired, noAnswer } from '../relay/judge-wanted.ts'
import { objectAt, stringAt } from '../wire/messages.ts'

/** Of a call, what an ask is made of. */
export type AskedCall = Pick<Call, 'tenant' | 'principal' | 'method' | 'params'>

export interface Raising {
  readonly server: string
  readonly waitMs: number
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
  { server, waitMs, callId, id = newId('ask', Date.now(), randomBytes), room, round }: Raising,
): Promise<string | undefined> {
  const question = questionOf(wanted, call)
  if (question === undefined) return undefined
  const secret = wanted.kind === 'url' ? wanted.secret : undefined
  if (secret?.askId !== undefined) return secret.askId
  const tool = stringAt(call.params, 'name')
  const draft = {
    tenant: call.tenant,
    id,
    asker: tool === undefined ? { server } : { server, tool },
    principal: call.principal,
    ...(callId === undefined ? {} : { callId }),
    question,
    electorate: only(call.principal),
    decideWithinMs: Math.max(Math.min(waitMs, secret?.leftMs ?? waitMs), 1_000),
    useWithinMs: waitMs,
  }
  await store.asks.raise(draft, room?.limits)
  room?.onRecord(round)
  if (secret === undefined) return id
  const linked = await store.secrets.link(call.tenant, secret.page, id)
  if (linked !== id) await store.asks.withdraw(call.tenant, id, 'undeliverable')
  return linked ?? id
}

/** What the server hears of an ask that has ended. */
export function givenOf({ state }: Ask): Given {
  if (state.kind === 'expired') return expired
  if (state.kind !== 'settled') return noAnswer
  const { action } = state.answer
  const content = action === 'accept' ? state.answer.content : undefined
  return { result: content === undefined ? { action } : { action, content: content as unknown as JsonObject } }
}

/** What a client sent, as the store takes it. */
export function answerOf(result: JsonObject): JsonObject {
  const content = objectAt(result, 'content')
  return { action: result.action ?? null, ...(content === undefined ? {} : { content }) }
}

function questionOf(wanted: Wanted, call: AskedCall): Question | undefined {
  if (wanted.kind === 'url') {
    const question = { kind: 'url', message: wanted.message.toWellFormed(), url: wanted.url } as const
    if (wanted.secret === undefined) return question
    const { page, publicKey } = wanted.secret
    return { ...question, secret: { page, publicKey } }
  }
  if (wanted.kind !== 'form') return undefined
  const read = readForm(wanted.schema)
  if (!read.ok) return undefined
  const asking = isDecision(read.form) ? askingCall(call) : undefined
  const question = { kind: 'form', message: wanted.message.toWellFormed(), form: read.form } as const
  return asking === undefined ? question : { ...question, call: asking }
}

/**
 * A server that asks whether it may go on says itself what it is about to do; what we know for certain is the call that
 * it is in the middle of. Arguments that could not be shown whole are left out, and the card says so.
 */
function askingCall({ method, params }: AskedCall): AskingCall | undefined {
  const tool = method === 'tools/call' ? stringAt(params, 'name') : undefined
  if (tool === undefined) return undefined
  const given = objectAt(params, 'arguments') ?? {}
  try {
    canonicalJson(given, { bytes: askLimits.callBytes, depth: askLimits.callDepth })
    return { tool, arguments: given }
  } catch (error) {
    if (isAssentError(error)) return { tool }
    throw error
  }
}
