// What one process tells the others about a changed ask: which ask, whether it ended, and whom it concerns.
//
// A signal may be lost, duplicated or forged, so it only causes reads. Approvers are short digests: they are compared with
// those of the people that a process serves, and a collision only causes one more read.

import { createHash } from 'node:crypto'
import { storeLimits } from '../limits.ts'

export interface AskSignal {
  readonly tenant: string
  readonly id: string
  /** Whether requests that wait for the answer have to read the ask again. */
  readonly isEnd: boolean
  /** Digests of the approvers; `all` if there are too many for a signal, or they are unknown. */
  readonly approvers: readonly string[] | 'all'
}

export function signalOf(
  tenant: string,
  id: string,
  isEnd: boolean,
  approvers: readonly string[] | 'all' = 'all',
): AskSignal {
  const isTooMany = approvers === 'all' || approvers.length > storeLimits.signalApprovers
  return { tenant, id, isEnd, approvers: isTooMany ? 'all' : approvers.map(approverDigest) }
}

export function approverDigest(approver: string): string {
  return createHash('sha256').update(approver).digest('base64url').slice(0, 8)
}

/** One line. The tenant is last: its name may contain spaces. */
export function writeSignal({ tenant, id, isEnd, approvers }: AskSignal): string {
  return `${isEnd ? 'end' : 'change'} ${id} ${approvers === 'all' ? '*' : approvers.join(',')} ${tenant}`
}

/** Undefined for a line that is not a signal. */
export function readSignal(line: string): AskSignal | undefined {
  const [, kind, id = '', approvers = '', tenant = ''] = /^(end|change) (\S*) (\S+) (.*)$/.exec(line) ?? []
  if (kind === undefined) return undefined
  return { tenant, id, isEnd: kind === 'end', approvers: approvers === '*' ? 'all' : approvers.split(',') }
}
