// What a proof of the fleet knows by itself, apart from the gateways it judges: every effect, every answer, every end of a call.

export type Action = 'accept' | 'decline'

/** One call of the crowd. Its ticket is in its arguments and in the question, so everything about it can be found. */
export interface CallRecord {
  readonly ticket: string
  readonly principal: string
  readonly client: '2025-11-25' | '2026-07-28'
  /** Of either generation, or written with the sdk. */
  readonly server: 'old' | 'new' | 'sdk'
  /** Who answers: the client itself, or the person in the inbox. */
  readonly asked: 'client' | 'inbox'
  end?: CallEnd
  endedAtMs?: number
}

/** What its caller heard in the end. */
export type CallEnd =
  | { readonly kind: 'result'; readonly text: string }
  /** An error that says what became of it. */
  | { readonly kind: 'told'; readonly message: string }
  /** The connection broke while nothing had been heard that one could come back with; and what was heard of that. */
  | { readonly kind: 'broken'; readonly last: string }
  /** None of these in good time; and what it heard last. */
  | { readonly kind: 'silence'; readonly last: string }

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
  /** What the inbox said: 200 is an acknowledgement. None when it said nothing for as long as anyone would try. */
  readonly status: number | 'none'
  readonly isStranger: boolean
}

export class Evidence {
  readonly calls: Map<string, CallRecord> = new Map()
  readonly effects: Effect[] = []
  readonly clientAnswers: ClientAnswer[] = []
  readonly inboxAnswers: InboxAnswer[] = []
  /** A 2026 server that got the same answer twice, as it may, and did nothing the second time. */
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

/** What the database holds when all is over, read behind the store's back. */
export interface Kept {
  readonly asks: readonly AskRow[]
  readonly audit: readonly AuditRow[]
  /** What the verifier says about the chain; undefined when it is whole. */
  readonly chainProblem: string | undefined
  /** Calls that somebody still claims to hold. */
  readonly running: number
}
