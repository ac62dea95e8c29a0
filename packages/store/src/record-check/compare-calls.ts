// Compares one stored call that was lost with its entry in the audit log. Pure: rows in, problems out.

import { isPlainObject } from '@assent/core'
import type { EntryRow } from '../audit/read-entries-of.ts'
import { counterDifference } from './compare-rows.ts'

export type ComparedCall = {
  id: string
  state: string
  owner: string
  ended_at: number | null
  log_counter: number
}

type Entry = Pick<EntryRow, 'at' | 'body' | 'counter' | 'place'>

/**
 * The first difference, as text; undefined if there is none.
 *
 * @param entries that the call was lost
 */
export function lostCallDifference(row: ComparedCall, entries: readonly Entry[]): string | undefined {
  const [lost, ...more] = entries
  if (more.length > 0) return 'it was lost twice according to the audit log'
  if (row.state !== 'lost' && lost !== undefined) return `it is ${row.state}, but lost according to the audit log`
  if (row.state !== 'lost') return counterDifference(entries, row.log_counter)
  if (lost === undefined) return 'it is lost, and the audit log has no entry of it'
  if (lost.at !== row.ended_at) return 'the audit log has another time at which it was lost'
  const body: unknown = JSON.parse(lost.body ?? '{}')
  if (isPlainObject(body) && body.owner !== row.owner) return 'the audit log has another owner'
  return counterDifference(entries, row.log_counter)
}
