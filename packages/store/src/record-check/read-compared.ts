// Statements that read asks in pages, and the votes, grants and entries of each page, to compare them with the audit log.
//
// Pages leave no gap: each page includes every row whose ask id lies between the last id of the previous page and its own last
// id. So a vote, a grant or an entry whose ask was deleted is found too.

import { askColumns } from '../asks/ask-row.ts'
import type { VoteRow } from '../asks/read-votes.ts'
import type { EntryRow } from '../audit/read-entries.ts'
import { backgroundQuery, type Statement } from '../engine/statement.ts'
import type { ComparedGrant, ComparedRow } from './compare-rows.ts'

/** The most rows that may belong to a page. One more is read, to detect that there are too many. */
export const rangeRowsMost = 20_000

export type RangeParams = { tenant: string; after: string; up_to: string }

const comparedColumns = `${askColumns}, a.kind, a.digest, a.approvals_needed, a.declines_needed, a.accepts, a.declines`
const grantColumns = 'id, ask_id, digest, principal, granted_at, expires_at, used_at, used_by, signature'

export type PageParams = { tenant: string; after: string; at_most: number }

export const readAskPage = backgroundQuery<PageParams, ComparedRow>(
  'read_ask_page',
  `select ${comparedColumns} from asks a
   where a.tenant = :tenant and a.id > :after order by a.id limit cast(:at_most as bigint)`,
)

export const readComparedAsk = backgroundQuery<{ tenant: string; id: string }, ComparedRow>(
  'read_compared_ask',
  `select ${comparedColumns} from asks a where a.tenant = :tenant and a.id = :id`,
)

export const readGrantPage = backgroundQuery<PageParams, ComparedGrant>(
  'read_grant_page',
  `select ${grantColumns} from grants where tenant = :tenant and id > :after order by id limit cast(:at_most as bigint)`,
)

/** By the grant's own id or by that of its ask. */
export const readComparedGrants = backgroundQuery<{ tenant: string; id: string }, ComparedGrant>(
  'read_compared_grants',
  `select ${grantColumns} from grants where tenant = :tenant and ask_id = :id
   union select ${grantColumns} from grants where tenant = :tenant and id = :id`,
)

export interface Range<R> {
  /** Up to the last id of a page. */
  readonly some: Statement<RangeParams, R & Record<string, string | number | null>>
  /** After the last page. */
  readonly rest: Statement<RangeParams, R & Record<string, string | number | null>>
}

export const votesInRange: Range<VoteRow & { ask_id: string }> = ranges(
  'read_votes',
  'ask_id',
  (range) => `select ask_id, voter, answer, via, decision_id, voted_at, signature, presence from votes
    where tenant = :tenant and ${range} order by ask_id, place`,
)

export const grantsInRange: Range<ComparedGrant> = ranges(
  'read_grants',
  'ask_id',
  (range) => `select ${grantColumns} from grants where tenant = :tenant and ${range} order by ask_id`,
)

export const askEntriesInRange: Range<EntryRow> = ranges('read_ask_entries', 'subject', (range) =>
  entries(range, `kind in ('ask.raised', 'ask.voted', 'ask.settled', 'ask.expired', 'ask.withdrawn')`),
)

export const grantEntriesInRange: Range<EntryRow> = ranges('read_grant_entries', 'subject', (range) =>
  entries(range, `kind = 'grant.used'`),
)

function entries(range: string, kinds: string): string {
  return `select tenant, seq, at, kind, subject, digest, body, hash from audit_entries
    where tenant = :tenant and ${range} and kind <> 'note' and ${kinds} order by subject, seq`
}

function ranges<R>(name: string, column: string, sql: (range: string) => string): Range<R> {
  const limit = ` limit ${rangeRowsMost + 1}`
  return {
    some: backgroundQuery(`${name}_in_range`, `${sql(`${column} > :after and ${column} <= :up_to`)}${limit}`),
    rest: backgroundQuery(`${name}_after`, `${sql(`${column} > :after and :up_to = ''`)}${limit}`),
  }
}
