// What calls of both generations have in common: the tool call, the answer of the person at the client, and the end of
// the call.

import type { Action, CallEnd, CallRecord, Evidence } from './evidence.ts'

export type Wire = Record<string, unknown> & {
  result?: Wire
  error?: { message: string }
  params?: Wire
  content?: unknown
}

export const asksForms = { elicitation: { form: {} } }
export const betweenTriesMs = 50
/** The request got no reply although its connection was open. */
export const noReply = 'no reply in time'

export interface CallContext {
  readonly url: string
  readonly evidence: Evidence
  /** Resolves with the answer of the person at the client, after the time they take. */
  readonly decide: () => Promise<PersonAnswer>
  readonly patienceMs: number
  /** Headers in addition to the name of the person. */
  readonly headers?: Readonly<Record<string, string>>
  /** Called when the caller has to retry. */
  readonly onDeferred?: () => void
  /** Whether "unavailable" ends the call for this caller. */
  readonly endsOnUnavailable?: boolean
}

/** A late answer is sent too, but does not count. */
export type PersonAnswer = { readonly action: Action; readonly isLate?: boolean }

export function toolCall({ server, ticket }: CallRecord): Wire {
  return { name: `${server}__run`, arguments: { ticket } }
}

/** The person's answer, recorded before it is sent, because its effect may happen before the send returns. */
export async function answered({ ticket, server }: CallRecord, { evidence, decide }: CallContext): Promise<Wire> {
  const { action, isLate = false } = await decide()
  if (!isLate) evidence.clientAnswers.push({ ticket, action, atMs: Date.now() })
  return answerOf(action, server)
}

export function answerOf(action: Action, server: CallRecord['server'] = 'new'): Wire {
  const decision = server === 'sdk' ? 'approve' : 'go'
  return action === 'accept' ? { action, content: { decision } } : { action }
}

export function endOf({ content }: Wire): CallEnd {
  const [first] = (content ?? []) as readonly { text?: string }[]
  const text = first?.text ?? ''
  // Any text that is not the server's result is an error of the gateway.
  return /^(ran|not run) /.test(text) ? { kind: 'result', text } : { kind: 'error', message: text }
}

/** The last replies to a caller with their times, for debugging a call that did not end. */
export function lastReplies(before: string, reply: unknown): string {
  const text = reply === undefined ? 'no reply' : JSON.stringify(reply)
  const time = new Date().toISOString().slice(11, 23)
  return `${before.slice(-300)} | ${time} ${text.replace(/"requestState":"[^"]*"/, '"requestState":…').slice(0, 120)}`
}

export function send(
  url: string,
  person: string,
  message: Wire,
  headers = {},
  signal?: AbortSignal,
): Promise<Response> {
  const accept = 'application/json, text/event-stream'
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept, 'x-person': person, ...headers },
    body: JSON.stringify(message),
    ...(signal === undefined ? {} : { signal }),
  })
}

/** A refusal as a caller that retries sees it: the status and the reason. */
export function refusedWith(status: number, text: string): string {
  const refusal = refusalIn(text)
  return `status ${status}: ${typeof refusal === 'string' ? refusal : (refusal.error?.message ?? text)}`
}

/** The error of a gateway. */
export function refusalIn(text: string): Wire | string {
  try {
    return JSON.parse(text) as Wire
  } catch {
    return `no message: ${text.slice(0, 100)}`
  }
}
