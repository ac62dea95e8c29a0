import { type RecordedParams, recorded } from '../audit/recorded.ts'
import { atomic, query } from '../engine/statement.ts'

export type UseGrantParams = RecordedParams & GrantRow & { used_by: string }

export type GrantRow = {
  tenant: string
  id: string
  ask_id: string
  digest: string
  principal: string
  granted_at: number
  expires_at: number
}

/**
 * Uses a grant: once, before it expires, for exactly the action and the principal it was given for.
 *
 * `used_at is null` is the lock: of two uses at the same moment, the second finds it used. A grant that is used, expired, or for
 * another action or principal gives the same result: none.
 *
 * The audit log must contain the decision, with the same time, and no use of the grant: clearing `used_at` or changing
 * `granted_at` in the database allows no second use.
 */
export const useGrant = atomic<UseGrantParams, GrantRow>(
  'use_grant',
  {
    name: 'spent',
    returns: ['tenant', 'id', 'ask_id', 'digest', 'principal', 'granted_at', 'expires_at', 'log_counter'],
    selects: ['tenant', 'id', 'ask_id', 'digest', 'principal', 'granted_at', 'expires_at'],
    sql: `
      update grants set used_at = :now, used_by = :used_by, log_counter = log_counter + 1
      where tenant = :tenant and id = :id and digest = :digest and principal = :principal
        and ask_id = :ask_id and granted_at = cast(:granted_at as bigint) and expires_at = cast(:expires_at as bigint)
        and used_at is null and expires_at > :now
        and exists (
          select 1 from audit_entries e
          where e.tenant = grants.tenant and e.subject = grants.ask_id and e.kind <> 'note'
            and e.kind = 'ask.settled' and e.at = grants.granted_at)
        and not exists (
          select 1 from audit_entries e
          where e.tenant = grants.tenant and e.subject = grants.id and e.kind <> 'note' and e.kind = 'grant.used')
      returning tenant, id, ask_id, digest, principal, granted_at, expires_at, log_counter`,
  },
  recorded('spent', `'grant.used'`),
)

/** The use of a grant by this attempt, if the audit log has it too and the grant has not expired since. */
export const findUse = query<GrantRow & { used_by: string }, { id: string }>(
  'find_grant_use',
  `select id from grants
   where tenant = :tenant and id = :id and digest = :digest and principal = :principal
     and ask_id = :ask_id and granted_at = cast(:granted_at as bigint) and expires_at = cast(:expires_at as bigint)
     and used_by = :used_by and expires_at > :now
     and exists (
       select 1 from audit_entries e
       where e.tenant = grants.tenant and e.subject = grants.id and e.kind <> 'note' and e.kind = 'grant.used'
         and e.at = grants.used_at)`,
)
