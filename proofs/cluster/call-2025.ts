// A call of a 2025 client: one request in a session, with questions during it; the result of a deferred call is fetched.

import { setTimeout as sleep } from 'node:timers/promises'
import { messagesOf } from '../../test-kit/mcp/messages.ts'
import {
  answered,
  asksForms,
  betweenTriesMs,
  type CallContext,
  endOf,
  lastReplies,
  noReply,
  refusalIn,
  refusedWith,
  send,
  toolCall,
  type Wire,
} from './call.ts'
import type { CallEnd, CallRecord } from './evidence.ts'

/** Returned instead of a result while a person has not answered; without `status` if it cannot be read. */
interface Pending {
  readonly status?: string
  readonly askId?: string
  readonly expiresAt?: string
}

const noSession = 'no session'

export async function callOf2025(record: CallRecord, context: CallContext, sessions: Sessions): Promise<CallEnd> {
  const over = new AbortController()
  try {
    return await rounds(record, context, sessions, over.signal)
  } finally {
    over.abort()
  }
}

async function rounds(
  record: CallRecord,
  context: CallContext,
  sessions: Sessions,
  isOver: AbortSignal,
): Promise<CallEnd> {
  const endsAt = performance.now() + context.patienceMs
  let params = toolCall(record)
  let isPutOff = false
  let last = 'nothing'
  while (performance.now() < endsAt) {
    const session = await sessions.of(record, context.headers)
    const none = context.endsOnUnavailable === true ? sessions.refusal : 'no session could be opened'
    const reply = session === undefined ? none : await request(record, params, session, context, isOver)
    last = lastReplies(last, reply)
    if (reply === noReply) return { kind: 'timeout', last }
    if (reply === noSession) sessions.forget(record)
    if (typeof reply === 'string') {
      // A deferred call can be fetched again; any other call has ended with its connection.
      if (!isPutOff) return { kind: 'broken', last }
      await sleep(betweenTriesMs)
      continue
    }
    if (reply.error !== undefined) return { kind: 'error', message: reply.error.message }
    const pending = reply.result?.structuredContent as Pending | undefined
    if (pending?.status !== 'pending') return endOf(reply.result ?? {})
    // Its state cannot be read now.
    if (context.endsOnUnavailable === true && pending.expiresAt === undefined) return endOf(reply.result ?? {})
    isPutOff = true
    await sleep(betweenTriesMs)
    context.onDeferred?.()
    params = { name: 'assent__await_answer', arguments: { ask_id: pending.askId } }
  }
  return { kind: 'timeout', last }
}

/**
 * One request of a session, with answers to the questions during it. If the connection breaks and the client has an event
 * id, it resumes until it gets the reply. A string result is the reason of the break.
 */
async function request(
  record: CallRecord,
  params: Wire,
  session: string,
  context: CallContext,
  isOver: AbortSignal,
): Promise<Wire | string> {
  const { principal, ticket } = record
  const { url } = context
  const headers = { ...context.headers, 'mcp-session-id': session }
  const signal = AbortSignal.timeout(60_000)
  let last: string | undefined
  const replyOn = async (response: Response): Promise<Wire | undefined> => {
    const named = (name: string) => {
      last = name
    }
    for await (const said of messagesOf(response, named)) {
      if (said.id === ticket) return said
      if (said.method !== 'elicitation/create') continue
      const answer = { jsonrpc: '2.0', id: said.id, result: await answered(record, context) }
      // In parallel with reading: a call whose answer is never accepted ends by itself.
      void deliver(() => status(url, principal, answer, headers), isOver)
    }
    return undefined
  }
  let broke = 'the stream ended'
  try {
    const message = { jsonrpc: '2.0', id: ticket, method: 'tools/call', params }
    const response = await send(url, principal, message, headers, signal)
    if (response.status === 404) return noSession
    if (!response.ok && context.endsOnUnavailable === true) return refusalIn(await response.text())
    if (!response.ok) return refusedWith(response.status, await response.text())
    const said = await replyOn(response)
    if (said !== undefined) return said
  } catch (error) {
    if (signal.aborted) return noReply
    broke = String((error as Error).cause ?? error)
  }
  while (last !== undefined && !signal.aborted) {
    await sleep(betweenTriesMs)
    const back = { accept: 'text/event-stream', 'x-person': principal, 'last-event-id': last, ...headers }
    const said = await fetch(url, { headers: back, signal })
      .then(replyOn)
      .catch(() => undefined)
    if (said !== undefined) return said
  }
  return last === undefined ? broke : noReply
}

/** Retries until it is accepted or the call is over: after a broken connection it is not known whether it arrived. */
async function deliver(send: () => Promise<number | undefined>, isOver: AbortSignal): Promise<void> {
  while (!isOver.aborted && (await send()) === undefined) await sleep(betweenTriesMs)
}

async function status(
  url: string,
  person: string,
  message: Wire,
  headers: Record<string, string>,
): Promise<number | undefined> {
  try {
    const response = await send(url, person, message, headers, AbortSignal.timeout(10_000))
    await response.text()
    return response.status >= 500 ? undefined : response.status
  } catch {
    return undefined
  }
}

/** The sessions of one caller: one per person and per surface, opened when first needed. */
export class Sessions {
  readonly #url: string
  readonly #ids = new Map<string, string>()
  /** The last error when opening a session failed. */
  refusal: Wire | string = 'no session could be opened'

  constructor(url: string) {
    this.#url = url
  }

  async of(record: CallRecord, headers: Readonly<Record<string, string>> = {}): Promise<string | undefined> {
    const known = this.#ids.get(keyOf(record))
    if (known !== undefined) return known
    const capabilities = record.asked === 'client' ? asksForms : {}
    const params = { protocolVersion: '2025-11-25', capabilities, clientInfo: { name: 'crowd', version: '1' } }
    const message = { jsonrpc: '2.0', id: 0, method: 'initialize', params }
    try {
      const response = await send(this.#url, record.principal, message, headers)
      const text = await response.text()
      const id = response.headers.get('mcp-session-id') ?? undefined
      if (id === undefined) this.refusal = refusalIn(text)
      if (id !== undefined) this.#ids.set(keyOf(record), id)
      return id
    } catch {
      // The replica was killed while opening it, so there is no session.
      return undefined
    }
  }

  forget(record: CallRecord): void {
    this.#ids.delete(keyOf(record))
  }

  /** As a client does when it ends normally; errors are ignored. */
  async endAll(): Promise<void> {
    for (const [key, id] of this.#ids) {
      const headers = { 'mcp-session-id': id, 'x-person': key.split(' ', 1)[0] ?? '' }
      await fetch(this.#url, { method: 'DELETE', headers }).then(
        (response) => response.text(),
        () => undefined,
      )
    }
    this.#ids.clear()
  }
}

function keyOf({ principal, asked }: CallRecord): string {
  return `${principal} ${asked}`
}
