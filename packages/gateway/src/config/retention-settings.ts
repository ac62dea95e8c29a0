// The settings of how long asks, the texts of the audit log and recorded calls are kept.

import { retentionLimits } from '@assent/core'
import { duration } from './kinds.ts'
import { group, optional, type ValueOf } from './setting.ts'
import { day } from './units.ts'

const period = duration(retentionLimits.answersMinMs, retentionLimits.mostMs)

/** Recorded calls, if nothing is set. */
const callsMs = 90 * day

export const retentionSettings = group(
  'How long data is kept. `assent retain` erases and deletes it: run it every day. Without these settings, asks and the audit log are kept for ever.',
  {
    answers: optional(
      period,
      'How long questions, answers and the texts of the audit log are kept after an ask has ended. Then they are erased: who asked, who decided, how and when stays. An ask is kept for longer while it is open, or while its answer can still be fetched or used.',
    ),
    record: optional(
      period,
      'How long that rest of an ask is kept after the ask has ended. Then it is deleted. The log keeps ids, kinds, times and digests, so that it can still be verified. Without `answers`, the texts are erased at this time too.',
    ),
    calls: optional(
      period,
      'How long rows of `record: calls` are kept. The gateway deletes them itself, once a minute.',
      { fallbackWords: '`90d`, or `record` if that is shorter' },
    ),
  },
)

export type RetentionSettings = ValueOf<typeof retentionSettings>

/** What the store erases and deletes. */
export function periodsOf({ answers, record, calls }: RetentionSettings): {
  readonly answersMs: number | undefined
  readonly recordMs: number | undefined
  readonly callsMs: number
} {
  return { answersMs: answers, recordMs: record, callsMs: calls ?? Math.min(callsMs, record ?? callsMs) }
}
