// The telemetry that the gateway reports: counts and durations, never the text of questions and answers.

import type { AnswerName } from '@assent/core'
import type { QuestionRefusal } from './model.ts'
import type { NameConflict } from './naming.ts'
import type { DefinitionChange } from './policy/pinned-definitions.ts'
import type { Decided } from './policy/policy-gate.ts'

/**
 * How a question ended, as far as this gateway observed it. `cancelled` is a person's choice; `lost` means that the
 * process that waited for the answer died.
 */
export type AskEnd = 'accepted' | 'declined' | 'cancelled' | 'expired' | 'withdrawn' | 'lost' | 'undeliverable'

/** Which question ended. Metrics use only `answer`: the other members have too many values. */
export interface EndDetails {
  /** The kind of answer, such as `approved`, if a person gave one. */
  readonly answer?: AnswerName
  /** Absent when the question does not come from a tool. */
  readonly tool?: string
  /** The principal of the call. */
  readonly caller?: string
  /** The id of the stored ask. Absent when only the client was asked and nothing was stored. */
  readonly ask?: string
}

export interface RefusedQuestion {
  readonly server: string
  readonly why: QuestionRefusal
  /** Absent when the question does not come from a tool. */
  readonly tool?: string
}

/** A client that asked what the gateway offers, and what it declared about itself. */
export interface ConnectedClient {
  /** The title of a known client. The name that others declare could be any text, so it is not reported. */
  readonly client: string | undefined
  readonly isSession: boolean
  readonly forms: boolean
  readonly links: boolean
  readonly sampling: boolean
  readonly roots: boolean
}

export interface Telemetry {
  connected(client: ConnectedClient): void
  /** A person was asked a question of this server. */
  asked(server: string): void
  /** @param waitedMs time since it was asked */
  ended(server: string, end: AskEnd, waitedMs: number, details?: EndDetails): void
  /** A client answered before a person can have read the question, and its answer did not count. */
  unseen(server: string): void
  /** A client accepted before a person can have read the question, and its answer was passed on: there is no inbox. */
  unattended(server: string): void
  /** A request was refused before it reached a server. */
  refused(reason: string): void
  /** A question was refused before it reached a person. */
  questionRefused(question: RefusedQuestion): void
  /** Policies decided about a call; with `dry-run`, what they would have decided. */
  policyDecided(server: string, decided: Pick<Decided, 'mode' | 'effect'>): void
  /** A tool has another definition than the accepted ones. */
  definitionChanged(server: string, tool: string, change: DefinitionChange): void
  /** Number of calls abandoned because the replica that held them stopped renewing its lease. */
  callsLost(count: number): void
  /** Calls that are missing in the record of calls, or whose end is. */
  callsUnrecorded(count: number): void
  /** A tool is omitted from the server's list, because it works only as a task. */
  toolLeftOut(server: string, tool: string): void
  /** An item of the server cannot have its regular name for clients. */
  nameConflict(server: string, name: string, why: NameConflict): void
  /** One pass through the relay, from the request to its outcome. */
  passed(method: string, outcome: string, ms: number): void
  /** The part of that time that the server took. */
  replied(server: string, ms: number): void
  /** @param reason why it cannot be used */
  health(server: string, isUp: boolean, reason?: string): void
}

export const noTelemetry: Telemetry = {
  connected: () => undefined,
  asked: () => undefined,
  ended: () => undefined,
  unseen: () => undefined,
  unattended: () => undefined,
  refused: () => undefined,
  questionRefused: () => undefined,
  policyDecided: () => undefined,
  definitionChanged: () => undefined,
  callsLost: () => undefined,
  callsUnrecorded: () => undefined,
  toolLeftOut: () => undefined,
  nameConflict: () => undefined,
  passed: () => undefined,
  replied: () => undefined,
  health: () => undefined,
}

const methods = [
  'initialize',
  'server/discover',
  'ping',
  'tools/list',
  'tools/call',
  'prompts/list',
  'prompts/get',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'completion/complete',
]

/** Maps method names outside the protocol to `other`, because a caller can send any name. */
export function knownMethod(method: string): string {
  return methods.includes(method) ? method : 'other'
}
