// What the gateway tells whoever watches it: counts and times, never what was asked or answered, nor by whom.

import type { AnswerName } from '@assent/core'
import type { QuestionRefusal } from '../relay/exchange.ts'
import type { NameConflict } from '../relay/naming.ts'

/**
 * How a question ended, as far as this gateway saw it. `cancelled` is a person's choice; `lost` means that the process which
 * waited for the answer is gone.
 */
export type AskEnd = 'accepted' | 'declined' | 'cancelled' | 'expired' | 'withdrawn' | 'lost' | 'undeliverable'

export interface RefusedQuestion {
  readonly server: string
  readonly why: QuestionRefusal
  /** Absent where it is not a tool that asked. */
  readonly tool?: string
}

export interface Watch {
  /** A question of this server was put to a person. */
  asked(server: string): void
  /**
   * @param waitedMs since it was put
   * @param answer what the person actually answered, where one did
   */
  ended(server: string, end: AskEnd, waitedMs: number, answer?: AnswerName): void
  /** A client answered before a person can have read the question, and its answer did not count. */
  unseen(server: string): void
  /** A client accepted before a person can have read the question, and its answer passed: there is no inbox to ask in. */
  unattended(server: string): void
  /** A request was refused before it reached a server. */
  refused(reason: string): void
  /** A question was refused before it reached a person. */
  questionRefused(question: RefusedQuestion): void
  /** So many calls were given up because the process that held them fell silent. */
  callsLost(count: number): void
  /** A tool is left out of the server's list, because it works only as a task. */
  toolLeftOut(server: string, tool: string): void
  /** A thing of the server cannot have the name that it would have for clients. */
  nameConflict(server: string, name: string, why: NameConflict): void
  /** One pass through the relay, from the request to its outcome. */
  passed(method: string, outcome: string, ms: number): void
  /** Of that, how long the server took. */
  replied(server: string, ms: number): void
  /** @param reason why it cannot be used */
  health(server: string, isUp: boolean, reason?: string): void
}

export const nobodyWatches: Watch = {
  asked: () => undefined,
  ended: () => undefined,
  unseen: () => undefined,
  unattended: () => undefined,
  refused: () => undefined,
  questionRefused: () => undefined,
  callsLost: () => undefined,
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

/** A caller may call its method anything; whoever watches hears only names that the protocol has. */
export function knownMethod(method: string): string {
  return methods.includes(method) ? method : 'other'
}
