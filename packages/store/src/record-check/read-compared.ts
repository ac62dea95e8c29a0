// Statements that read asks in pages, and the votes, grants and entries of each page, to compare them with the audit log.
//
// Pages leave no gap: each page includes every row whose ask id lies between the last id of the previous page and its own last
// id. So a vote, a grant or an entry whose ask was deleted is found too.

import { askColumns } from '../asks/ask-row.ts'
import type { VoteRow } from '../asks/read-votes.ts'
import { aboutEach, type EntryRow, entryColumns, entryTables } from '../audit/read-entries-of.ts'
import { backgroundQuery, type Statement } from '../engine/statement.ts'
import type { ComparedCall } from './compare-calls.ts'
import type { ComparedDefinition } from './compare-definitions.ts'
import type { ComparedGrant, ComparedRow } from './compare-rows.ts'

/** The most rows that may belong to a page. One more is read, to detect that there are too many. */
export const rangeRowsMost = 20_000

export type RangeParams = { tenant: string; after: string; up_to: string }

const comparedColumns = `${askColumns}, a.kind, a.digest, a.approvals_needed, a.declines_needed, a.accepts, a.declines,
  a.person_answer, a.log_counter, a.erased_at`
const grantColumns = 'id, ask_id, digest, principal, granted_at, expires_at, used_at, used_by, signature, log_counter'

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

export const readAllDefinitions = backgroundQuery<{ tenant: string }, ComparedDefinition>(
  'read_all_definitions',
  `select id, tenant, server, tool, definition, signature, digest, description_digest, is_first, seen_at, accepted_at, accepted_by,
     log_counter
   from tool_definitions where tenant = :tenant order by id`,
)

export const readDefinitionEntries = backgroundQuery<{ tenant: string }, EntryRow>(
  'read_definition_entries',
  `select ${entryColumns} from ${entryTables}
   where e.tenant = :tenant and ${aboutEach('definition')}
   order by e.subject, e.id`,
)

/** Calls that are lost according to their rows or to the log. A row is deleted some days after the call ended. */
export const readLostCallPage = backgroundQuery<PageParams, ComparedCall>(
  'read_lost_call_page',
  `select c.id, c.state, c.owner, c.ended_at, c.log_counter from calls c
   where c.tenant = :tenant and c.id > :after and (c.state = 'lost' or c.log_counter > 0 or exists (
     select 1 from audit_entries e
     where e.tenant = c.tenant and e.subject = c.id and e.kind <> 'note' and e.kind = 'call.lost'))
   order by c.id limit cast(:at_most as bigint)`,
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
  (range) => `select ask_id, voter, answer, via, decision_id, voted_at, signature, presence, voter_groups from votes
    where tenant = :tenant and ${range} order by ask_id, place`,
)

export const grantsInRange: Range<ComparedGrant> = ranges(
  'read_grants',
  'ask_id',
  (range) => `select ${grantColumns} from grants where tenant = :tenant and ${range} order by ask_id`,
)

export const askEntriesInRange: Range<EntryRow> = ranges('read_ask_entries', 'e.subject', (range) =>
  entries(
    range,
    `e.kind in ('ask.raised', 'ask.voted', 'ask.settled', 'ask.undelivered', 'ask.expired', 'ask.withdrawn')
     and ${hasTextOrRow('asks')}`,
  ),
)

export const grantEntriesInRange: Range<EntryRow> = ranges('read_grant_entries', 'e.subject', (range) =>
  entries(range, `e.kind = 'grant.used' and ${hasTextOrRow('grants')}`),
)

export const callEntriesInRange: Range<EntryRow> = ranges('read_call_entries', 'e.subject', (range) =>
  // The log keeps the entries of calls whose rows were deleted.
  entries(
    range,
    `e.kind = 'call.lost' and exists (select 1 from calls c where c.tenant = e.tenant and c.id = e.subject)`,
  ),
)

/**
 * The log keeps the entries of rows that were deleted with their texts, without a limit, and nothing is left to compare them with.
 * A count in place of `exists`: PostgreSQL might otherwise read the whole table for each page.
 */
function hasTextOrRow(table: 'asks' | 'grants'): string {
  return `(e.body is not null or e.salt is not null
    or (select count(*) from ${table} r where r.tenant = e.tenant and r.id = e.subject) > 0)`
}

function entries(range: string, kinds: string): string {
  return `select ${entryColumns} from ${entryTables}
    where e.tenant = :tenant and ${range} and e.kind <> 'note' and ${kinds} order by e.subject, e.id`
}

function ranges<R>(name: string, column: string, sql: (range: string) => string): Range<R> {
  const limit = ` limit ${rangeRowsMost + 1}`
  return {
    some: backgroundQuery(`${name}_in_range`, `${sql(`${column} > :after and ${column} <= :up_to`)}${limit}`),
    rest: backgroundQuery(`${name}_after`, `${sql(`${column} > :after and :up_to = ''`)}${limit}`),
  }
}
