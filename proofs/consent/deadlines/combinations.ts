// Which timeout ends first, for which asker and which caller: every combination in which an answer can be too late.

import type { AskerName } from './askers.ts'

/** `chained`: the tools of `assent` as a server behind a gateway. `alone`: the same tools as their users start them. */
export type Place = AskerName | 'chained' | 'alone'

export interface Combination {
  readonly place: Place
  readonly tool: 'ask' | 'elicit_confirm' | 'request_plan_approval' | 'onboarding'
  readonly client: '2025-11-25' | '2026-07-28'
  /** Whose timeout ends first. */
  readonly shorter: 'tool' | 'gateway' | 'client'
  /**
   * `away`: a caller with a state does not retry until the person has answered. `returns`: it drops a request and retries
   * with its state. `kept`: for a caller that cannot retry, the ask expires when its client is known to time out.
   * `deferred`: a caller that can fetch gets a handle before its timeout.
   */
  readonly manner?: 'away' | 'returns' | 'kept' | 'deferred'
}

/** Which of the gateways: `short` has a short `asks.wait`, and gives callers of 2026-07-28 a state early. */
export function sideOf({ shorter, manner }: Combination): 'long' | 'short' {
  return shorter === 'gateway' || manner === 'away' || manner === 'returns' ? 'short' : 'long'
}

export const gatewayWaitMs = 2_500
export const toolWaitMs = 2_000
export const longWaitMs = 60_000

const clients = ['2025-11-25', '2026-07-28'] as const
const shorter = ['tool', 'gateway', 'client'] as const

/** For `alone` the tool's timeout and the gateway's are one setting. */
export const combinations: readonly Combination[] = [
  ...clients.flatMap((client) => [
    ...(['sdk-2025', 'sdk-2026', 'other-2025'] as const).flatMap((place) =>
      shorter.map((side): Combination => ({ place, tool: 'ask', client, shorter: side })),
    ),
    // A server of the newest revision that is not ours has no timeout of its own.
    { place: 'other-2026', tool: 'ask', client, shorter: 'gateway' } as const,
    { place: 'other-2026', tool: 'ask', client, shorter: 'client' } as const,
    { place: 'chained', tool: 'elicit_confirm', client, shorter: 'tool' } as const,
    { place: 'chained', tool: 'elicit_confirm', client, shorter: 'gateway' } as const,
    // It writes a file, so that the proof sees what it received although its caller is gone.
    { place: 'chained', tool: 'request_plan_approval', client, shorter: 'client' } as const,
    { place: 'alone', tool: 'elicit_confirm', client, shorter: 'tool' } as const,
    { place: 'alone', tool: 'request_plan_approval', client, shorter: 'client' } as const,
    { place: 'alone', tool: 'onboarding', client, shorter: 'tool' } as const,
  ]),
  ...(['sdk-2025', 'sdk-2026', 'other-2025'] as const).flatMap((place): Combination[] => [
    { place, tool: 'ask', client: '2026-07-28', shorter: 'tool', manner: 'away' },
    { place, tool: 'ask', client: '2026-07-28', shorter: 'client', manner: 'returns' },
  ]),
]

/** With the real timeouts of known clients, nearly a minute each: in the full form only. */
export const patientCombinations: readonly Combination[] = (['sdk-2025', 'sdk-2026', 'other-2025'] as const).flatMap(
  (place) =>
    (['kept', 'deferred'] as const).map(
      (manner): Combination => ({ place, tool: 'ask', client: '2025-11-25', shorter: 'client', manner }),
    ),
)

/** Whether the caller aborts its call and cannot retry. */
export function isGivenUp({ shorter, manner }: Combination): boolean {
  return shorter === 'client' && manner === undefined
}

export function kindOf({ place }: Combination): 'SDK' | 'tools' | 'other servers' {
  if (place === 'chained' || place === 'alone') return 'tools'
  return place.startsWith('sdk') ? 'SDK' : 'other servers'
}

export function nameOf({ place, tool, client, shorter, manner }: Combination): string {
  return `${place}/${tool}, ${client} client, ${shorter} shorter${manner === undefined ? '' : ` (${manner})`}`
}
