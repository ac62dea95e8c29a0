// The evidence of a cluster proof, collected independently of the gateways: every effect, every answer, every end of a
// call.

export type Action = 'accept' | 'decline'

/** One call of the callers. Its ticket is in its arguments and in the question, so everything about it can be found. */
export interface CallRecord {
  readonly ticket: string
  readonly principal: string
  readonly client: '2025-11-25' | '2026-07-28'
  /** Of one of the generations, or written with the SDK. */
  readonly server: 'old' | 'new' | 'sdk'
  /** Who answers: the client itself, or the person in the inbox. */
  readonly asked: 'client' | 'inbox'
  end?: CallEnd
  endedAtMs?: number
}

/** How the call ended for its caller. */
export type CallEnd =
  | { readonly kind: 'result'; readonly text: string }
  /** An error with a reason. */
  | { readonly kind: 'error'; readonly message: string }
  /** The connection broke before the caller had a state or handle to retry with; `last` has the last replies. */
  | { readonly kind: 'broken'; readonly last: string }
  /** None of these in time; `last` has the last replies. */
  | { readonly kind: 'timeout'; readonly last: string }

export interface Effect {
  readonly ticket: string
  readonly atMs: number
}

export interface ClientAnswer {
  readonly ticket: string
  readonly action: Action
  /** Before it was sent. */
  readonly atMs: number
}

export interface InboxAnswer {
  readonly askId: string
  readonly decisionId: string
  readonly by: string
  readonly action: Action
  /** The status from the inbox: 200 is an acknowledgement. `none` if there was no reply to any retry. */
  readonly status: number | 'none'
  readonly isStranger: boolean
}

export class Evidence {
  readonly calls: Map<string, CallRecord> = new Map()
  readonly effects: Effect[] = []
  readonly clientAnswers: ClientAnswer[] = []
  readonly inboxAnswers: InboxAnswer[] = []
  /** How often a 2026 server got an answer twice (which is allowed) and ignored the second. */
  repeated = 0
}

export interface AskRow {
  readonly id: string
  readonly principal: string
  readonly message: string
  readonly state: 'open' | 'settled' | 'expired' | 'withdrawn'
  readonly action: Action | 'cancel' | null
  readonly decidedBy: string | null
  readonly decisionId: string | null
  readonly endedAtMs: number | null
  readonly because: string | null
}

export interface AuditRow {
  readonly kind: string
  readonly subject: string
}

/** What the database contains at the end, read directly and not through the store. */
export interface StoredState {
  readonly asks: readonly AskRow[]
  readonly audit: readonly AuditRow[]
  /** The verifier's error about the audit chain; undefined if the chain is valid. */
  readonly chainProblem: string | undefined
  /** Descriptions of the calls that are still marked as running. */
  readonly running: readonly string[]
}
