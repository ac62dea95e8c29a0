// A call of a 2025 client: one request in a session, with questions in the middle of it; what was put off is fetched later.

import { setTimeout as sleep } from 'node:timers/promises'
import { messagesOf } from '../packages/gateway/src/contract/messages-of.suite.ts'
import {
  answered,
  asksForms,
  betweenTriesMs,
  endOf,
  type Given,
  lastWord,
  noReply,
  refusalIn,
  send,
  toolCall,
  type Wire,
} from './fleet-call.part.ts'
import type { CallEnd, CallRecord } from './fleet-evidence.part.ts'

/** Told in place of a result while a person has not answered; without an end when nobody can look. */
interface Pending {
  readonly status?: string
  readonly askId?: string
  readonly expiresAt?: string
}

const noSession = 'no session'

export async function callOf2025(record: CallRecord, given: Given, sessions: Sessions): Promise<CallEnd> {
  const over = new AbortController()
  try {
    return await rounds(record, given, sessions, over.signal)
  } finally {
    over.abort()
  }
}

async function rounds(record: CallRecord, given: Given, sessions: Sessions, isOver: AbortSignal): Promise<CallEnd> {
  const endsAt = performance.now() + given.patienceMs
  let params = toolCall(record)
  let isPutOff = false
  let last = 'nothing'
  while (performance.now() < endsAt) {
    const session = await sessions.of(record, given.headers)
    const none = given.givesUp === true ? sessions.refusal : 'no session began'
    const heard = session === undefined ? none : await request(record, params, session, given, isOver)
    last = lastWord(last, heard)
    if (heard === noReply) return { kind: 'silence', last }
    if (heard === noSession) sessions.forget(record)
    if (typeof heard === 'string') {
      // What was put off can be fetched again; what was not has ended with its connection.
      if (!isPutOff) return { kind: 'broken', last }
      await sleep(betweenTriesMs)
      continue
    }
    if (heard.error !== undefined) return { kind: 'told', message: heard.error.message }
    const pending = heard.result?.structuredContent as Pending | undefined
    if (pending?.status !== 'pending') return endOf(heard.result ?? {})
    // Nobody can say now how it stands.
    if (given.givesUp === true && pending.expiresAt === undefined) return endOf(heard.result ?? {})
    isPutOff = true
    await sleep(betweenTriesMs)
    given.onSentAway?.()
    params = { name: 'assent__await_answer', arguments: { ask_id: pending.askId } }
  }
  return { kind: 'silence', last }
}

/**
 * One request of a session, and the answers to what is asked in the middle of it. When its connection breaks and it was told
 * how, the client comes back until it hears the reply. A text says why it broke.
 */
async function request(
  record: CallRecord,
  params: Wire,
  session: string,
  given: Given,
  isOver: AbortSignal,
): Promise<Wire | string> {
  const { principal, ticket } = record
  const { url } = given
  const headers = { ...given.headers, 'mcp-session-id': session }
  const signal = AbortSignal.timeout(60_000)
  let last: string | undefined
  const heardOn = async (response: Response): Promise<Wire | undefined> => {
    const named = (name: string) => {
      last = name
    }
    for await (const said of messagesOf(response, named)) {
      if (said.id === ticket) return said
      if (said.method !== 'elicitation/create') continue
      const answer = { jsonrpc: '2.0', id: said.id, result: await answered(record, given) }
      // Beside the reading: a call whose answer nobody takes ends by itself.
      void deliver(() => status(url, principal, answer, headers), isOver)
    }
    return undefined
  }
  let broke = 'the stream ended'
  try {
    const message = { jsonrpc: '2.0', id: ticket, method: 'tools/call', params }
    const response = await send(url, principal, message, headers, signal)
    if (response.status === 404) return noSession
    if (!response.ok && given.givesUp === true) return refusalIn(await response.text())
    if (!response.ok) return `status ${response.status}: ${await response.text()}`
    const said = await heardOn(response)
    if (said !== undefined) return said
  } catch (error) {
    if (signal.aborted) return noReply
    broke = String((error as Error).cause ?? error)
  }
  while (last !== undefined && !signal.aborted) {
    await sleep(betweenTriesMs)
    const back = { accept: 'text/event-stream', 'x-person': principal, 'last-event-id': last, ...headers }
    const said = await fetch(url, { headers: back, signal })
      .then(heardOn)
      .catch(() => undefined)
    if (said !== undefined) return said
  }
  return last === undefined ? broke : noReply
}

/** Until someone has taken it, or the call is over: it is not known whether a broken connection had. */
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

/** The sessions of one caller: one for each person it calls for and each way to be asked, begun when first needed. */
export class Sessions {
  readonly #url: string
  readonly #ids = new Map<string, string>()
  /** What was said the last time that none could be begun. */
  refusal: Wire | string = 'no session began'

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
      // A replica was killed while it began: nothing has begun that anyone knows of.
      return undefined
    }
  }

  forget(record: CallRecord): void {
    this.#ids.delete(keyOf(record))
  }

  /** As a client does that leaves in good order; a refusal is nobody's loss. */
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
