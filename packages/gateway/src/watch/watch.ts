// What the gateway tells whoever watches it: counts and times, never what was asked or answered, nor by whom.

import type { Full } from '@assent/core'

/** How a question ended, as far as this gateway saw it. */
export type AskEnd = 'accepted' | 'declined' | 'cancelled' | 'expired' | 'withdrawn' | 'undeliverable'

export type AskRefusal = 'not-allowed' | 'switched-off' | `too-many-open-${Full}`

export interface Watch {
  /** A question of this server was put to a person. */
  asked(server: string): void
  /** @param waitedMs since it was put */
  ended(server: string, end: AskEnd, waitedMs: number): void
  /** A client answered before anyone can have read the question. */
  unseen(server: string): void
  /** A request was refused at the door, or a question before it reached anyone. */
  refused(reason: string): void
  /** One pass through the relay, from the request to its outcome. */
  passed(method: string, outcome: string, ms: number): void
  /** Of that, how long the server took. */
  replied(server: string, ms: number): void
  health(server: string, isUp: boolean): void
}

export const nobodyWatches: Watch = {
  asked: () => undefined,
  ended: () => undefined,
  unseen: () => undefined,
  refused: () => undefined,
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
