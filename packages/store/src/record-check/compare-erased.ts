// Compares what is left of an erased ask with what is left of its entries: kinds, times and order. Pure: rows in, problems out.

import type { EntryRow } from '../audit/read-entries-of.ts'
import { type ComparedRow, counterDifference, endingKinds } from './compare-rows.ts'

type Entry = Pick<EntryRow, 'kind' | 'at' | 'body' | 'salt' | 'counter' | 'place'>

/** Whether the text of an entry was erased. The verification of the log reports one that nothing allows. */
export function isErasedEntry({ body, salt }: Pick<EntryRow, 'body' | 'salt'>): boolean {
  return body === null && salt === null
}

/** The first difference, as text; undefined if there is none. */
export function erasedDifference(row: ComparedRow, entries: readonly Entry[]): string | undefined {
  if (row.question !== '' || row.approval_rule !== '' || row.answer !== null || row.signature !== null)
    return 'it is marked as erased, and has a text'
  if (!entries.every(isErasedEntry)) return 'it is erased, and the audit log has a text about it'
  const raised = entries.filter(({ kind }) => kind === 'ask.raised')
  if (raised.length !== 1 || raised[0]?.at !== row.raised_at)
    return 'the audit log has another time at which it was raised'
  const ends = entries.filter(({ kind }) => endingKinds.includes(kind))
  if (ends.length !== 1 || ends[0]?.kind !== `ask.${row.state}`)
    return `it is ${row.state}, and the audit log has another end`
  if (ends[0]?.at !== row.ended_at) return 'the audit log has another time of its end'
  return counterDifference(entries, row.log_counter)
}
