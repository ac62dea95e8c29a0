// What calls of a fleet's clients have in common, whichever generation the client is of: what is asked for, what the person at
// the client says, and how it ends.

import type { Action, CallEnd, CallRecord, Evidence } from './fleet-evidence.part.ts'

export type Wire = Record<string, unknown> & {
  result?: Wire
  error?: { message: string }
  params?: Wire
  content?: unknown
}

export const asksForms = { elicitation: { form: {} } }
export const betweenTriesMs = 50
/** Said of a request that nobody replied to, though its connection was whole. */
export const noReply = 'no reply in time'

export interface Given {
  readonly url: string
  readonly evidence: Evidence
  /** What the person at the client says to a question, and when they have thought. */
  readonly thinks: () => Promise<Said>
  readonly patienceMs: number
  /** What a request shows beside the name of its person. */
  readonly headers?: Readonly<Record<string, string>>
  /** Told when the caller is told to come back. */
  readonly onSentAway?: () => void
  /** Whether "not now" is the end for this caller. */
  readonly givesUp?: boolean
}

/** What comes too late is sent all the same, and is no answer. */
export type Said = { readonly action: Action; readonly isLate?: boolean }

export function toolCall({ server, ticket }: CallRecord): Wire {
  return { name: `${server}__run`, arguments: { ticket } }
}

/** What the person said, which counts from before it is sent: who hears of it later can have heard it then. */
export async function answered({ ticket, server }: CallRecord, { evidence, thinks }: Given): Promise<Wire> {
  const { action, isLate = false } = await thinks()
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
  // What is not the server's own result is the gateway's word on what became of the call.
  return /^(ran|not run) /.test(text) ? { kind: 'result', text } : { kind: 'told', message: text }
}

/** The last things a caller heard and when, for whoever wonders why it heard no end. */
export function lastWord(before: string, heard: unknown): string {
  const text = heard === undefined ? 'no reply' : JSON.stringify(heard)
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

/** What a gateway said in place of a reply. */
export function refusalIn(text: string): Wire | string {
  try {
    return JSON.parse(text) as Wire
  } catch {
    return `no words: ${text.slice(0, 100)}`
  }
}
